import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension AppState {
  /// Events of connections and contacts.
  mutating func reduceConnection(_ event: ChatEvent, _ now: Date) -> [StateEffect]? {
    switch event {
    case .contactConnected(let user, let contact, _):
      guard contact.directOrUsed else { return [] }
      if isActive(user) {
        connecting(contact, now)
        if contact.id == open.chatId, let connection = contact.activeConn {
          open.chatAgentConnId = connection.agentConnId
          open.chatSubStatus = .active
          changes.insert(.open)
        }
      }
      guard mayNotify(user), ChatInfo.direct(contact: contact).ntfsEnabled(false) else { return [] }
      return [.notifyContactConnected(userId: user.userId, contact)]
    case .contactConnecting(let user, let contact), .contactSndReady(let user, let contact):
      if isActive(user) && contact.directOrUsed { connecting(contact, now) }
    case .contactDeletedByContact(let user, let contact):
      if isActive(user) && contact.directOrUsed { updateContact(contact, at: now) }
    case .contactUpdated(let user, _, let contact):
      guard isActive(user) else { return [] }
      updateChatInfo(.direct(contact: contact), at: now)
      updateMember(of: contact)
    case .contactDisabled(let user, let contact), .acceptingContactRequest(let user, let contact),
      .contactRequestAlreadyAccepted(let user, let contact):
      if isActive(user) { updateContact(contact, at: now) }
    case .acceptingBusinessRequest(let user, let group), .businessRequestAlreadyAccepted(let user, let group):
      if isActive(user) { updateGroup(group, at: now) }
    case .receivedContactRequest(let user, let request, let chat):
      if isActive(user) { received(request, in: chat, at: now) }
      return mayNotify(user) ? [.notifyContactRequest(userId: user.userId, request)] : []
    case .subscriptionStatus(_, let status, let connections):
      guard let id = open.chatAgentConnId, connections.contains(id) else { return [] }
      open.chatSubStatus = status
      changes.insert(.open)
    case .contactAnotherClient, .subscriptionEnd, .serviceSubStatus, .connectionsDiff, .connectionDisabled,
      .connectionInactive:
      return [.ignored(event)]
    default: return nil
    }
    return []
  }

  private mutating func connecting(_ contact: Contact, _ now: Date) {
    updateContact(contact, at: now)
    replacePending(contact.activeConn)
  }

  /// A request made with its contact has a chat with items; another one is an entry of its own.
  private mutating func received(_ request: UserContactRequest, in chat: ChatData?, at now: Date) {
    guard let chat else {
      updateChat(.contactRequest(contactRequest: request), at: now)
      return
    }
    if !chats.contains(chat.id) {
      addChat(ChatEntry(chat, created: now))
    } else if open.chatId == chat.id {
      updateChatInfo(chat.chatInfo, at: now)
    } else {
      replaceChat(chat.id, ChatEntry(chat, created: now))
    }
  }
}
