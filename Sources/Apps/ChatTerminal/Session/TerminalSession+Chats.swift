import ChatAPI
import ChatLogic
import SimpleXChat

extension TerminalSession {
  // MARK: Choosing a chat

  /// Chooses the chat whose name alone was typed, if there is one.
  func choose(_ target: ChatTarget) async {
    let missing: StyledText
    if target.isContact {
      if let contact = await contact(named: target.name) {
        note(.direct(contact: contact))
        return showChosen(target)
      }
      if case .result = await core.send(.terminal(.contactInfo(contact: target.name))) {
        missing = "\(.contact(target.name)) is not connected yet: \(.highlight("/c <link>")) connects by a link."
      } else {
        missing = "no contact \(.contact(target.name))"
      }
    } else {
      if let group = await group(named: target.name) {
        guard group.membership.memberStatus != .memInvited else {
          return reject(
            target,
            because: ["You are invited to this group. \(.highlight("/j \(target.prefix.dropFirst())"))joins it."])
        }
        if !target.isSupport { note(.group(groupInfo: group, groupChatScope: nil)) }
        return showChosen(target)
      }
      missing = "no group \(.group(target.name))"
    }
    reject(target, because: [missing])
  }

  private func showChosen(_ target: ChatTarget) {
    let chosen: StyledText = "Messages go to \(.to(target.prefix.trimmed)) now"
    guard !target.isSupport else { return input.show([chosen + "."]) }
    input.show([chosen + "; \(.highlight("/tail \(target.prefix)"))shows the latest ones."])
  }

  private func reject(_ target: ChatTarget, because lines: [StyledText]) {
    input.show(lines)
    state.withLock { $0.chats[target.prefix] = nil }
    input.replaceChat(target.prefix, with: "")
  }

  // MARK: Names

  /// The contact of the active user with this name.
  func contact(named name: String) async -> Contact? {
    guard let user = state.withLock({ $0.view.user }),
      case .result(.response1(.contactsList(_, let contacts))) = await core.send(.apiListContacts(userId: user.userId))
    else { return nil }
    return contacts.first { $0.localDisplayName == name }
  }

  /// The group of the active user with this name.
  func group(named name: String) async -> GroupInfo? { await groups().first { $0.localDisplayName == name } }

  /// The groups of the active user.
  func groups() async -> [GroupInfo] {
    guard let user = state.withLock({ $0.view.user }),
      case .result(.response2(.groupsList(_, let groups))) = await core.send(
        .apiListGroups(userId: user.userId, contactId: nil, search: nil))
    else { return [] }
    return groups
  }

  /// The other members of a group, without those who are gone.
  func members(of group: Int64) async -> [GroupMember] {
    guard case .result(.response2(.groupMembers(_, let group))) = await core.send(.apiListMembers(groupId: group))
    else { return [] }
    return group.members.filter { ![.memRejected, .memRemoved, .memLeft].contains($0.memberStatus) }
  }

  // MARK: Messages

  /// The command that sends a text to a chat; nil where the text names its chat more closely.
  func message(_ text: String, to chat: ChatRef?) async -> ChatCommand? {
    guard let chat, !(chat.chatType == .group && text.hasPrefix("(support")) else { return nil }
    let mentions = chat.chatType == .group ? await self.mentions(in: text, ofGroup: chat.chatId) : [:]
    return .apiSendMessages(
      type: chat.chatType, id: chat.chatId, scope: nil, live: false, ttl: nil,
      composedMessages: [ComposedMessage(msgContent: .text(text), mentions: mentions)])
  }

  /// The members whose names a text has after `@`: as many as a message may mention, the others are text.
  private func mentions(in text: String, ofGroup group: Int64) async -> [String: Int64] {
    let names = Markdown.mentionedNames(Markdown.parse(text) ?? [])
    guard !names.isEmpty else { return [:] }
    let members = await members(of: group)
    var mentions: [String: Int64] = [:]
    for name in names where mentions.count < MentionNames.sentLimit {
      mentions[name] = members.first { $0.memberProfile.displayName == name }?.groupMemberId
    }
    return mentions
  }
}

extension ChatInfo {
  /// The chat that messages to ``typedName`` are for; nil for support chats.
  var typedReference: ChatRef? {
    switch self {
    case .direct(let contact): ChatRef(chatType: .direct, chatId: contact.contactId)
    case .group(let group, nil): ChatRef(chatType: .group, chatId: group.groupId)
    default: nil
    }
  }
}
