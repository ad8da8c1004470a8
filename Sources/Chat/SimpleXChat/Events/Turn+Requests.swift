import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SimplexCrypto
import WireCodec

// Requests to the user's address.

extension Turn {
  /// Handles an event of an address.
  func handleAddress(_ kind: AgentEvent.Kind, context: ConnectionContext, of address: UserContact) throws {
    switch kind {
    case .request(let invitation, let pqSupport, _, let info):
      try requested(context, at: address, invitation: invitation, pqSupport: pqSupport, info: info)
    case .linkSet: endLinkDataWait(context.id.text)
    case .failed(let error), .messageFailed(_, let error):
      endLinkDataWait(context.id.text)
      emit(failure(error, context))
    case .subscriptionEnded: emit(.subscriptionEnd(user: context.user, connectionEntity: context.entity))
    default: break
    }
  }

  private func requested(
    _ context: ConnectionContext, at address: UserContact, invitation: InvitationID, pqSupport: Bool, info: [UInt8]
  ) throws {
    let message = try parse(info, context)
    let asked: ContactRequestInfo
    switch message.event {
    case .contact(let request): asked = request
    case .info(let profile): asked = ContactRequestInfo(profile: profile)
    default: return
    }
    let user = context.user
    rows.payer = context.connection.connId
    defer { rows.payer = 0 }
    if let group = address.groupId {
      return try requestedToJoin(
        try rows.group(group, of: user), by: asked, invitation: invitation, pqSupport: pqSupport,
        link: address, versions: message.chatVRange, of: user)
    }
    let link = try rows.address(address.userContactLinkId, of: user).link
    let received = ReceivedContactRequest(
      addressId: address.userContactLinkId, agentInvitationId: Base64URL.string(invitation.bytes),
      peerVersions: ChatAPI.VersionRange(message.chatVRange), profile: asked.profile.withValidName,
      xContactId: asked.contactReqId?.text, welcomeSharedMsgId: asked.welcomeMsgId?.text,
      requestSharedMsgId: asked.requestMsg?.msgId.text, pqSupport: pqSupport,
      isToBusiness: link.addressSettings.businessAddress)
    // The agent forgets a request that is dropped; its sender hears nothing.
    let budget = link.addressSettings.businessAddress ? HiddenState.joiningMembers : .contactRequests
    guard try rows.isKnown(received, of: user) || isWithinBudget(budget, of: user) else {
      try command(.reject(invitation))
      return
    }
    switch try rows.receive(received, of: user) {
    case .accepted(_, let contact): emit(.contactRequestAlreadyAccepted(user: user, contact: contact))
    case .acceptedByBusiness(let group): emit(.businessRequestAlreadyAccepted(user: user, groupInfo: group))
    case .newToBusiness(let request):
      try acceptCustomer(request, at: link, message: asked.requestMsg, of: user)
    case .current(_, let request, nil): emit(.receivedContactRequest(user: user, contactRequest: request))
    case .current(let previous, let request, let contact?):
      let item =
        previous == nil
        ? try startRequestChat(contact, request: request, link: link, message: asked.requestMsg, of: user)
        : try updateRequestItem(contact, previous: previous?.requestSharedMsgId, message: asked.requestMsg, of: user)
      guard let accept = link.addressSettings.autoAccept else {
        var chat = ChatData(chatInfo: .direct(contact: contact), chatItems: [])
        if let item {
          chat.chatItems = [item.chatItem]
          chat.chatStats.unreadCount = 1
          chat.chatStats.minUnreadItemId = item.chatItem.meta.itemId
        }
        return emit(.receivedContactRequest(user: user, contactRequest: request, chat_: chat))
      }
      let incognito = accept.acceptIncognito && !link.shortLinkDataSet
      try acceptAutomatically(request, from: contact, incognito: incognito, of: user)
    }
  }

  private func startRequestChat(
    _ contact: Contact, request: UserContactRequest, link: UserContactLink,
    message: ContactRequestInfo.RequestMessage?, of user: User
  ) throws -> AChatItem? {
    try startChat(contact, pq: request.pqSupport, of: user)
    if let welcome = link.addressSettings.autoReply, let shared = request.welcomeSharedMsgId {
      try makeItem(.sndMsgContent(msgContent: welcome), in: contact, of: user, sharedMsgId: shared)
    }
    guard let message else { return nil }
    return try addItem(
      .rcvMsgContent(msgContent: message.content), to: contact, of: user, sharedMsgId: message.msgId.text)
  }

  /// A repeated request may bring another message, or none.
  private func updateRequestItem(
    _ contact: Contact, previous: String?, message: ContactRequestInfo.RequestMessage?, of user: User
  ) throws -> AChatItem? {
    let info = ChatInfo.direct(contact: contact)
    let known = try previous.flatMap { try self.item($0, with: contact, of: user) }
    guard let message else {
      guard let known else { return nil }
      let deletions =
        contact.isAllowed(.fullDelete, for: .contact)
        ? try delete([known], in: contact.chat, info: info, of: user)
        : try markDeleted([known], at: known.meta.itemTs, in: contact.chat, info: info, of: user)
      emit(.chatItemsDeleted(user: user, chatItemDeletions: deletions, byUser: false))
      return nil
    }
    guard let known, known.meta.itemSharedMsgId == message.msgId.text else {
      return previous == nil || previous == message.msgId.text
        ? try addItem(
          .rcvMsgContent(msgContent: message.content), to: contact, of: user, sharedMsgId: message.msgId.text)
        : nil
    }
    guard case .rcvMsgContent(let old) = known.content, old != message.content else {
      return AChatItem(chatInfo: info, chatItem: known)
    }
    try rows.addVersions(
      ofItem: known.meta.itemId, initial: (time: known.meta.itemTs, content: old),
      new: (time: rows.now, content: message.content))
    let changed = try rows.updateItem(
      known.meta.itemId, in: contact.chat, to: .rcvMsgContent(msgContent: message.content), edited: true, live: false,
      of: user)
    let item = AChatItem(chatInfo: info, chatItem: changed)
    emit(.chatItemUpdated(user: user, chatItem: item))
    return item
  }

  private func acceptAutomatically(
    _ request: UserContactRequest, from contact: Contact, incognito: Bool, of user: User
  ) throws {
    guard contact.activeConn == nil else { return }
    let shown = incognito ? Profile.random() : nil
    let (accepted, connection) = try addConnection(for: request, contact, user, incognito: shown)
    let info = try connectionInfo(
      .info(user.sharedProfile(for: accepted, incognito: shown, sharesTTL: true)), connection)
    try command(
      .accept(user: try user.agentID, try request.agentInvitation, pq: request.pqSupport, info: info),
      for: connection.agentConnId)
    emit(.acceptingContactRequest(user: user, contact: accepted))
  }

  /// Stores the connection that a request is accepted with.
  func addConnection(
    for request: UserContactRequest, _ contact: Contact, _ user: User, incognito: Profile?
  ) throws -> (Contact, Connection) {
    if let id = request.xContactId { try rows.setAcceptedXContactId(id, ofContact: contact.contactId) }
    let peer = request.cReqChatVRange
    var new = NewConnection(
      agentConnId: ConnectionID.random().text, entity: .contact(contact.contactId),
      chatVersion: Int(ChatVersion.agreed(own: environment.options.chatVersions, peer: ChatVersionRange(peer))),
      peerVersions: peer)
    new.viaAddress = request.userContactLinkId_
    new.xContactId = request.xContactId
    new.pqSupport = request.pqSupport
    new.customUserProfileId = try incognito.map { try rows.createIncognitoProfile($0, of: user) }
    let connection = try rows.createConnection(new, of: user)
    return (try rows.contact(contact.contactId, of: user), connection)
  }
}

extension UserContactRequest {
  /// The agent's identifier of the request.
  var agentInvitation: InvitationID {
    get throws(ChatError) { InvitationID(try ConnectionID(agentText: agentInvitationId).bytes) }
  }
}

extension ChatVersionRange {
  /// The range of the API; one that makes no sense becomes the lowest version.
  init(_ range: ChatAPI.VersionRange) {
    let lowest = UInt16(clamping: max(1, range.minVersion))
    self.init(lowest...max(lowest, UInt16(clamping: range.maxVersion)))
  }
}

extension ChatAPI.VersionRange {
  init(_ range: ChatVersionRange) { self.init(Int(range.lowest), Int(range.highest)) }
}
