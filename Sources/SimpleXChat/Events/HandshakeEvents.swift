import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import WireCodec

// Connections being established.

extension ChatController {
  /// The message that a peer sends while connecting, and the versions it speaks.
  private func parse(_ info: [UInt8], _ context: Context) throws(ChatError) -> ChatMessage {
    do throws(ChatProtocolError) {
      return try ConnectionInfo.decode(info)
    } catch {
      throw .error(
        errorType: .invalidChatMessage(
          connection: context.connection, msgMeta: nil,
          messageData: String(decoding: info.prefix(1_024), as: UTF8.self),
          message: error.description))
    }
  }

  /// Stores the versions of a peer; the version in use only grows.
  func updateVersions(_ connection: Connection, _ versions: ChatVersionRange) throws(ChatError) -> Connection {
    var changed = connection
    let agreed = ChatVersion.supported.intersection(versions)?.highest
    changed.connChatVersion = max(connection.connChatVersion, Int(agreed ?? 0))
    changed.peerChatVRange = ChatAPI.VersionRange(versions)
    if changed.connType == .contact && changed.connChatVersion >= Int(ChatVersion.compression) {
      changed.pqSupport = true
      changed.pqEncryption = true
    }
    guard changed != connection else { return connection }
    let new = changed
    try store.transaction { transaction in
      try transaction.setVersions(new.connChatVersion, peer: new.peerChatVRange, ofConnection: new.connId)
      try transaction.setPQSupport(new.pqSupport, encryption: new.pqEncryption, ofConnection: new.connId)
    }
    return new
  }

  // MARK: Confirmation

  /// A peer joins this side's invitation, or accepted this side's request.
  func confirmed(
    _ context: Context, _ confirmation: ConfirmationID, _ pqSupport: Bool, _ info: [UInt8]
  ) async throws(ChatError) {
    let message = try parse(info, context)
    var connection = context.connection
    if connection.pqSupport && !pqSupport {
      try store.transaction { try $0.setPQSupport(false, encryption: false, ofConnection: context.connection.connId) }
      connection.pqSupport = false
      connection.pqEncryption = false
    }
    connection = try updateVersions(connection, message.chatVRange)
    guard case .info(let profile) = message.event else {
      throw .command("not implemented yet: connecting by \(message.event.tag)")
    }
    let contact: Contact
    if let known = context.contact {
      contact = try changeProfile(of: known, to: profile, addsItems: false, context.user)
    } else {
      contact = try addContact(profile, connection, context.user)
    }
    let shown = try incognitoProfile(connection, of: context.user)
    let own = context.user.sharedProfile(
      for: context.contact == nil ? nil : contact, incognito: shown, sharesTTL: true)
    let reply = try connectionInfo(.info(own), connection)
    try await withAgent(context.id) { (agent) throws(AgentError) in
      try await agent.allow(context.id, confirmation, info: reply)
    }
  }

  private func addContact(_ profile: Profile, _ connection: Connection, _ user: User) throws(ChatError) -> Contact {
    let contact = try store.transaction {
      try $0.createContact(profile: profile.usable, connection: connection, of: user)
    }
    tell(.contactConnecting(user: user, contact: contact))
    return contact
  }

  // MARK: Information

  /// The inviting side's profile came.
  func informed(_ context: Context, _ info: [UInt8]) throws(ChatError) {
    let message = try parse(info, context)
    let connection = try updateVersions(context.connection, message.chatVRange)
    switch message.event {
    case .info(let profile):
      guard let contact = context.contact else {
        _ = try addContact(profile, connection, context.user)
        return
      }
      let wasPrepared = contact.preparedContact != nil || contact.contactRequestId != nil
      _ = try changeProfile(of: contact, to: profile, addsItems: wasPrepared, context.user)
    case .ok: break
    default: throw .command("not implemented yet: connecting by \(message.event.tag)")
    }
  }

  // MARK: Connected

  /// Messages can be sent and received.
  func connected(_ context: Context, _ pq: Bool) async throws(ChatError) {
    guard var contact = context.contact else { return }
    let user = context.user
    var connection = context.connection
    connection.pqSndEnabled = pq
    connection.pqRcvEnabled = pq
    contact.activeConn = connection
    let id = connection.connId
    try store.transaction { transaction in
      if pq { try transaction.setPQEnabled(sending: true, receiving: true, ofConnection: id) }
      if connection.contactConnInitiated { try transaction.resetInitiated(ofConnection: id) }
    }
    tell(
      .contactConnected(
        user: user, contact: contact, userCustomProfile: try incognitoProfile(connection, of: user)))
    guard contact.directOrUsed else { return }
    if let prepared = contact.preparedContact {
      let offered = try? request(prepared.connLinkToConnect).isPostQuantum
      if offered != pq { try addEncryptionItem(contact, pq, user) }
    } else if let requestId = contact.contactRequestId {
      let requested = try? store.read { try $0.contactRequest(requestId, of: user) }.pqSupport
      if requested != pq { try addEncryptionItem(contact, pq, user) }
    } else {
      try addFirstItems(contact, pq, user)
    }
    if let addressId = connection.viaUserContactLink, connection.connChatVersion < Int(ChatVersion.batches),
      let address = try? store.read({ try $0.address(addressId, of: user) }).link
    {
      try await sendWelcome(address, nil, contact, user)
    }
  }

  private func addEncryptionItem(_ contact: Contact, _ pq: Bool, _ user: User) throws(ChatError) {
    try addItem(.rcvDirectE2EEInfo(e2eeInfo: E2EEInfo(pqEnabled: pq)), to: contact, of: user)
  }

  private func addFirstItems(_ contact: Contact, _ pq: Bool, _ user: User) throws(ChatError) {
    let hasItems = try store.read { try $0.hasItems(contact.chat, of: user) }
    let contents =
      [CIContent.rcvDirectE2EEInfo(e2eeInfo: E2EEInfo(pqEnabled: pq))]
      + FeatureItems.initial(contact.mergedPreferences)
    let items = try store.transaction { transaction in
      if !hasItems {
        _ = try transaction.createItem(
          NewItem(chat: contact.chat, content: .chatBanner, itemTs: Date(timeIntervalSince1970: 0)), of: user)
      }
      return try contents.map { try transaction.createItem(NewItem(chat: contact.chat, content: $0), of: user) }
    }
    tell(
      .newChatItems(
        user: user, chatItems: items.map { AChatItem(chatInfo: .direct(contact: contact), chatItem: $0) }))
  }

  /// An asynchronous join, which is how requests are accepted automatically, went through.
  func joined(_ context: Context, _ isSecured: Bool) async throws(ChatError) {
    guard isSecured, let contact = context.contact, contact.directOrUsed else { return }
    tell(.contactSndReady(user: context.user, contact: contact))
    let connection = context.connection
    guard connection.connChatVersion >= Int(ChatVersion.batches), let addressId = connection.viaUserContactLink,
      let address = try? store.read({ try $0.address(addressId, of: context.user) }).link
    else { return }
    let request = try contact.contactRequestId.flatMap { (id) throws(ChatError) in
      try? store.read { try $0.contactRequest(id, of: context.user) }
    }
    try await sendWelcome(address, request, contact, context.user)
  }

  // MARK: Requests to the address

  /// What the agent says of an address.
  func handleAddress(_ kind: AgentEvent.Kind, _ context: Context, _ address: UserContact) async throws(ChatError) {
    switch kind {
    case .request(let invitation, let pqSupport, _, let info):
      try await requested(context, address, invitation, pqSupport, info)
    case .failed(let error), .messageFailed(_, let error): throw failure(error, context)
    case .subscriptionEnded: tell(.subscriptionEnd(user: context.user, connectionEntity: context.entity))
    default: break
    }
  }

  private func requested(
    _ context: Context, _ address: UserContact, _ invitation: InvitationID, _ pqSupport: Bool, _ info: [UInt8]
  ) async throws(ChatError) {
    let message = try parse(info, context)
    let asked: ContactRequestInfo
    switch message.event {
    case .contact(let request): asked = request
    case .info(let profile): asked = ContactRequestInfo(profile: profile)
    default: return
    }
    let user = context.user
    let received = ReceivedContactRequest(
      addressId: address.userContactLinkId, agentInvitationId: Base64URL.string(invitation.bytes),
      peerVersions: ChatAPI.VersionRange(message.chatVRange), profile: asked.profile.usable,
      xContactId: asked.contactReqId?.text, welcomeSharedMsgId: asked.welcomeMsgId?.text,
      requestSharedMsgId: asked.requestMsg?.msgId.text, pqSupport: pqSupport)
    let (link, stage) = try store.transaction { transaction in
      (
        try transaction.address(address.userContactLinkId, of: user).link,
        try transaction.receive(received, of: user)
      )
    }
    switch stage {
    case .accepted(_, let contact): tell(.contactRequestAlreadyAccepted(user: user, contact: contact))
    case .current(_, let request, nil):
      tell(.receivedContactRequest(user: user, contactRequest: request))
    case .current(let previous, let request, let contact?):
      let item =
        previous == nil
        ? try startRequestChat(contact, request, link, asked.requestMsg, user)
        : try updateRequestItem(contact, previous?.requestSharedMsgId, asked.requestMsg, user)
      guard let accept = link.addressSettings.autoAccept else {
        var chat = ChatData(chatInfo: .direct(contact: contact), chatItems: [])
        if let item {
          chat.chatItems = [item.chatItem]
          chat.chatStats.unreadCount = 1
          chat.chatStats.minUnreadItemId = item.chatItem.meta.itemId
        }
        return tell(.receivedContactRequest(user: user, contactRequest: request, chat_: chat))
      }
      let incognito = accept.acceptIncognito && !link.shortLinkDataSet
      try await acceptAutomatically(request, contact, incognito, user)
    }
  }

  private func startRequestChat(
    _ contact: Contact, _ request: UserContactRequest, _ link: UserContactLink,
    _ message: ContactRequestInfo.RequestMessage?, _ user: User
  ) throws(ChatError) -> AChatItem? {
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
    _ contact: Contact, _ previous: String?, _ message: ContactRequestInfo.RequestMessage?, _ user: User
  ) throws(ChatError) -> AChatItem? {
    let known = try? previous.map { id in
      try store.read { try $0.item(sharedMsgId: id, in: contact.chat, of: user) }
    }
    guard let message else {
      guard let known else { return nil }
      let deletions =
        contact.isAllowed(.fullDelete, for: .contact)
        ? try delete([known], in: contact, of: user)
        : try markDeleted([known], at: known.meta.itemTs, in: contact, of: user)
      tell(.chatItemsDeleted(user: user, chatItemDeletions: deletions, byUser: false))
      return nil
    }
    guard let known, known.meta.itemSharedMsgId == message.msgId.text else {
      return previous == nil || previous == message.msgId.text
        ? try addItem(
          .rcvMsgContent(msgContent: message.content), to: contact, of: user, sharedMsgId: message.msgId.text)
        : nil
    }
    let info = ChatInfo.direct(contact: contact)
    guard case .rcvMsgContent(let old) = known.content, old != message.content else {
      return AChatItem(chatInfo: info, chatItem: known)
    }
    let changed = try store.transaction { transaction in
      try transaction.addVersions(
        ofItem: known.meta.itemId, initial: (time: known.meta.itemTs, content: old),
        new: (time: transaction.now, content: message.content))
      return try transaction.updateItem(
        known.meta.itemId, in: contact.chat, to: .rcvMsgContent(msgContent: message.content), edited: true, live: false,
        of: user)
    }
    let item = AChatItem(chatInfo: info, chatItem: changed)
    tell(.chatItemUpdated(user: user, chatItem: item))
    return item
  }

  private func acceptAutomatically(
    _ request: UserContactRequest, _ contact: Contact, _ incognito: Bool, _ user: User
  ) async throws(ChatError) {
    guard contact.activeConn == nil else { return }
    let agentUser = try agentUserID(user)
    let invitation = try invitation(request)
    let id = try await withAgent { (agent) throws(AgentError) in
      try await agent.prepareToAccept(agentUser, invitation, pq: request.pqSupport)
    }
    let shown = incognito ? Self.randomProfile() : nil
    let (accepted, connection) = try addConnection(id, request, contact, user, shown)
    let info = try connectionInfo(
      .info(user.sharedProfile(for: accepted, incognito: shown, sharesTTL: true)), connection)
    _ = try await withAgent(id) { (agent) throws(AgentError) in
      try await agent.acceptContactAsync(agentUser, connection: id, invitation, info: info)
    }
    tell(.acceptingContactRequest(user: user, contact: accepted))
  }
}

extension Profile {
  /// The profile of a peer with a name that can be used: a hostile name loses what makes it so.
  var usable: Profile {
    guard !DisplayName.isValid(displayName) else { return self }
    var usable = self
    let name = DisplayName.valid(displayName)
    usable.displayName = name.isEmpty ? "unnamed" : name
    return usable
  }
}
