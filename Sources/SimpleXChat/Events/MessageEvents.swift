import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SMPProtocol

/// What is known of a received message besides what it says.
struct ReceivedMessage: Sendable {
  /// What names it to both sides, base64url.
  var sharedMsgId: String?
  /// When the relay received it.
  var time: Date
}

// Messages of contacts, and what became of the user's own.

extension ChatController {
  /// A message came.
  func received(_ context: Context, _ metadata: MessageMetadata, _ body: [UInt8]) async throws(ChatError) {
    let user = context.user
    let connectionId = context.connection.connId
    let isNew = try store.read {
      try $0.isNewMessage(connectionId: connectionId, agentMessageId: metadata.id.rawValue)
    }
    guard let contact = context.contact else { return acknowledge(context.id, metadata) }
    guard isNew else {
      // The receipt may have been lost together with the acknowledgement.
      let hasReceipt = MessageBody.parse(body).contains { element in
        if case .success(let element) = element, case .message(let message) = element.content {
          message.event.hasReceipt
        } else {
          false
        }
      }
      return acknowledge(context.id, metadata, receipt: hasReceipt && sendsReceipts(contact, user))
    }
    let before = outages
    var needsReceipt = false
    do throws(ChatError) {
      var contact = try notePQ(received: metadata.pqEncryption, contact, context.connection, user)
      let time = Date(timeIntervalSince1970: Double(metadata.relayTime))
      if let error = MsgErrorType(metadata.integrity) {
        try addItem(.rcvIntegrityError(msgError: error), to: contact, of: user, at: time)
      }
      let elements = MessageBody.parse(body)
      if try addNewMessages(elements, contact, context, time, metadata.id) {
        return acknowledge(context.id, metadata, receipt: sendsReceipts(contact, user))
      }
      for element in elements {
        do throws(ChatError) {
          contact = try store.read { try $0.contact(contact.contactId, of: user) }
          try await received(element, contact, context, time, &needsReceipt)
        } catch {
          tell(error)
        }
      }
    } catch {
      tell(error)
    }
    // What could not be stored comes again; for any other reason the message would fail again.
    guard outages == before else { return }
    // After a crash before this line the message comes again, and what of it was stored is found by its identifier.
    _ = try store.transaction {
      try $0.receiveMessage(connectionId: connectionId, agentMessageId: metadata.id.rawValue)
    }
    acknowledge(context.id, metadata, receipt: needsReceipt && sendsReceipts(contact, user))
  }

  private func sendsReceipts(_ contact: Contact, _ user: User) -> Bool {
    contact.chatSettings.sendRcpts ?? user.sendRcptsContacts
  }

  private func received(
    _ element: Result<MessageElement, ChatProtocolError>, _ contact: Contact, _ context: Context, _ time: Date,
    _ needsReceipt: inout Bool
  ) async throws(ChatError) {
    let user = context.user
    let message: ChatMessage
    do throws(ChatProtocolError) {
      guard case .message(let content) = try element.get().content else { return }
      message = content
    } catch {
      try addItem(.rcvMsgError(rcvMsgError: .parseError(parseError: error.description)), to: contact, of: user)
      return
    }
    if let connection = contact.activeConn { _ = try updateVersions(connection, message.chatVRange) }
    if message.event.hasReceipt { needsReceipt = true }
    let received = ReceivedMessage(sharedMsgId: message.msgId?.text, time: time)
    switch message.event {
    case .msgNew(let container): try newMessage(container, contact, user, received)
    case .msgUpdate(let update): try updated(update, contact, user, received)
    case .msgDel(let id, _, _, _): try deleted(id.text, contact, user, received)
    case .msgReact(let id, _, _, let reaction, let add): try reacted(id.text, reaction, add, contact, user, received)
    case .info(let profile): _ = try changeProfile(of: contact, to: profile, addsItems: true, user)
    case .directDel: try await deletedByContact(contact, context, at: received)
    case .infoProbe, .infoProbeCheck, .infoProbeOk, .ok:
      // Probes find out that a contact and a group member are the same; there are no groups yet.
      break
    default:
      tell(
        .messageError(
          user: user, severity: "error", errorMessage: "unsupported message: \(message.event.tag)"))
    }
  }

  /// Remembers whether received messages are encrypted post-quantum, and adds an item where that changed for the chat.
  private func notePQ(
    received isOn: Bool, _ contact: Contact, _ connection: Connection, _ user: User
  ) throws(ChatError) -> Contact {
    guard isOn != connection.pqRcvEnabled, connection.pqRcvEnabled != nil || isOn else { return contact }
    try store.transaction { try $0.setPQEnabled(sending: nil, receiving: isOn, ofConnection: connection.connId) }
    var changed = contact
    changed.activeConn?.pqRcvEnabled = isOn
    guard contact.activeConn?.connPQEnabled != changed.activeConn?.connPQEnabled else { return changed }
    try addItem(
      connection.pqRcvEnabled == nil
        ? .rcvDirectE2EEInfo(e2eeInfo: E2EEInfo(pqEnabled: isOn))
        : .rcvConnEvent(rcvConnEvent: .pqEnabled(enabled: isOn)),
      to: changed, of: user)
    tell(.contactPQEnabled(user: user, contact: changed, pqEnabled: isOn))
    return changed
  }

  // MARK: New messages

  /// Stores what came as one transaction, if it is nothing but new messages, as nearly always. False where it is
  /// anything else, and where something is wrong with one of them: then each is handled by itself.
  private func addNewMessages(
    _ elements: [Result<MessageElement, ChatProtocolError>], _ contact: Contact, _ context: Context, _ time: Date,
    _ number: AgentMessageID
  ) throws(ChatError) -> Bool {
    var new: [NewItem] = []
    var connection = context.connection
    for element in elements {
      guard case .success(let element) = element, case .message(let message) = element.content,
        case .msgNew(let container) = message.event
      else { return false }
      connection = try updateVersions(connection, message.chatVRange)
      new.append(newItem(container, contact, ReceivedMessage(sharedMsgId: message.msgId?.text, time: time)))
    }
    guard !new.isEmpty else { return false }
    let before = outages
    let items: [AChatItem]
    do throws(ChatError) {
      items = try store.transaction { [new, connection] transaction in
        let items = try new.compactMap { try self.addNew($0, of: context.user, transaction) }
        _ = try transaction.receiveMessage(connectionId: connection.connId, agentMessageId: number.rawValue)
        guard !items.isEmpty else { return [] }
        let info = try transaction.chatInfo(contact.chat, of: context.user)
        return items.map { AChatItem(chatInfo: info, chatItem: $0) }
      }
    } catch {
      guard outages == before else { throw error }
      return false
    }
    for item in items { tell(.newChatItems(user: context.user, chatItems: [item])) }
    return true
  }

  /// Adds the item of a received message; nil where it came before.
  private nonisolated func addNew(
    _ new: NewItem, of user: User, _ transaction: ChatTransaction
  ) throws(StoreError) -> ChatItem? {
    if let id = new.sharedMsgId,
      try transaction.itemID(sharedMsgId: id, in: new.chat, sent: false, of: user) != nil
    {
      return nil
    }
    return try transaction.createItem(new, of: user)
  }

  private func newMessage(
    _ container: MsgContainer, _ contact: Contact, _ user: User, _ message: ReceivedMessage
  ) throws(ChatError) {
    let new = newItem(container, contact, message)
    let item = try store.transaction { transaction -> AChatItem? in
      guard let item = try self.addNew(new, of: user, transaction) else { return nil }
      return AChatItem(chatInfo: try transaction.chatInfo(contact.chat, of: user), chatItem: item)
    }
    if let item { tell(.newChatItems(user: user, chatItems: [item])) }
  }

  /// The item that a new message makes.
  private func newItem(_ container: MsgContainer, _ contact: Contact, _ message: ReceivedMessage) -> NewItem {
    var new = NewItem(
      chat: contact.chat, content: .rcvMsgContent(msgContent: container.content.withoutSignature),
      sharedMsgId: message.sharedMsgId, itemTs: message.time)
    if container.content.isVoice && !contact.isAllowed(.voice, for: .contact) {
      new.content = .rcvChatFeatureRejected(feature: .voice)
    } else {
      new.timed = contact.timedForReceived(ttl: container.ttl)
      new.live = container.live == true
      new.quotedItem = container.quote.map { CIQuote($0) }
      if container.forward == true { new.forwardedFrom = .unknown }
    }
    return new
  }

  // MARK: Edits

  private func updated(
    _ update: MsgUpdate, _ contact: Contact, _ user: User, _ message: ReceivedMessage
  ) throws(ChatError) {
    let info = ChatInfo.direct(contact: contact)
    guard let item = try item(update.msgId.text, contact, user) else {
      try addUpdated(update, contact, user, message)
      return
    }
    guard case .rcvMsgContent(let old) = item.content, item.meta.itemForwarded == nil else {
      return refuse("x.msg.update: contact attempted invalid message update", user)
    }
    let isChanged = old != update.content
    guard isChanged || item.meta.itemLive == true else {
      return tell(.chatItemNotChanged(user: user, chatItem: AChatItem(chatInfo: info, chatItem: item)))
    }
    let changed = try store.transaction { transaction in
      if isChanged {
        try transaction.addVersions(
          ofItem: item.meta.itemId, initial: (time: item.meta.itemTs, content: old),
          new: (time: message.time, content: update.content))
      }
      return try transaction.updateItem(
        item.meta.itemId, in: contact.chat, to: .rcvMsgContent(msgContent: update.content),
        edited: item.meta.itemLive != true, live: update.live == true, of: user)
    }
    tell(.chatItemUpdated(user: user, chatItem: AChatItem(chatInfo: info, chatItem: changed)))
    schedule(changed, in: contact.chat, of: user)
  }

  /// An edit of a message that the user deleted brings it back, by its first name, so that it can be referred to.
  private func addUpdated(
    _ update: MsgUpdate, _ contact: Contact, _ user: User, _ message: ReceivedMessage
  ) throws(ChatError) {
    let isRejected = update.content.isVoice && !contact.isAllowed(.voice, for: .contact)
    var new = NewItem(
      chat: contact.chat,
      content: isRejected ? .rcvChatFeatureRejected(feature: .voice) : .rcvMsgContent(msgContent: update.content),
      sharedMsgId: update.msgId.text, itemTs: message.time)
    if !isRejected {
      new.timed = contact.timedForReceived(ttl: update.ttl)
      new.live = update.live == true
    }
    let item = try store.transaction { [new] transaction in
      let item = try transaction.createItem(new, of: user)
      guard !isRejected else { return item }
      try transaction.addVersions(
        ofItem: item.meta.itemId, initial: (time: message.time, content: update.content),
        new: (time: message.time, content: update.content))
      return try transaction.updateItem(
        item.meta.itemId, in: contact.chat, to: new.content, edited: true, live: new.live, of: user)
    }
    tell(.chatItemUpdated(user: user, chatItem: AChatItem(chatInfo: .direct(contact: contact), chatItem: item)))
  }

  // MARK: Deletions and reactions

  private func deleted(
    _ id: String, _ contact: Contact, _ user: User, _ message: ReceivedMessage
  ) throws(ChatError) {
    guard let item = try item(id, contact, user) else {
      return tell(.chatItemDeletedNotFound(user: user, contact: contact, sharedMsgId: id))
    }
    guard !item.chatDir.sent, DeletionRules.mayDelete(received: item, at: message.time) else {
      return refuse("x.msg.del: contact attempted invalid message delete", user)
    }
    let deletions =
      contact.isAllowed(.fullDelete, for: .contact)
      ? try delete([item], in: contact, of: user) : try markDeleted([item], at: message.time, in: contact, of: user)
    tell(.chatItemsDeleted(user: user, chatItemDeletions: deletions, byUser: false))
  }

  private func reacted(
    _ id: String, _ reaction: MsgReaction, _ add: Bool, _ contact: Contact, _ user: User, _ message: ReceivedMessage
  ) throws(ChatError) {
    guard contact.isAllowed(.reactions, for: .contact) else { return }
    let item = try item(id, contact, user)
    let changed = try store.transaction { transaction -> ChatItem? in
      let present = try transaction.reactions(to: id, in: contact.chat, sent: false, of: user)
      guard ReactionRules.allows(reaction, add: add, to: present), item?.allowsReactions != false else { return nil }
      try transaction.setReaction(
        reaction, add: add, to: id, in: contact.chat, sent: false, at: message.time, of: user)
      return try item.map { try transaction.item($0.meta.itemId, in: contact.chat, of: user) }
    }
    guard let changed else { return }
    tell(
      .chatItemReaction(
        user: user, added: add,
        reaction: ACIReaction(
          chatInfo: .direct(contact: contact),
          chatReaction: CIReaction(
            chatDir: .directRcv, chatItem: changed, sentAt: message.time, reaction: reaction))))
  }

  /// The item that a name stands for; nil where there is none.
  private func item(_ sharedMsgId: String, _ contact: Contact, _ user: User) throws(ChatError) -> ChatItem? {
    do throws(ChatError) {
      return try store.read { try $0.item(sharedMsgId: sharedMsgId, in: contact.chat, of: user) }
    } catch .errorStore(.chatItemSharedMsgIdNotFound) {
      return nil
    }
  }

  private func refuse(_ reason: String, _ user: User) {
    tell(.messageError(user: user, severity: "error", errorMessage: reason))
  }

  // MARK: The user's own messages

  /// A message was sent.
  func sent(_ context: Context, _ message: AgentMessageID, viaProxy: Bool) throws(ChatError) {
    try continueSending(context)
    try setStatus(.sndSent(sndProgress: .complete), of: [message], context, viaProxy: viaProxy)
  }

  /// Messages were received.
  func delivered(
    _ context: Context, _ metadata: MessageMetadata, _ receipts: [DeliveryReceipt]
  ) async throws(ChatError) {
    for receipt in receipts {
      try setStatus(
        .sndRcvd(msgRcptStatus: receipt.isIntact ? .ok : .badMsgHash, sndProgress: .complete), of: [receipt.message],
        context)
    }
    acknowledge(context.id, metadata)
  }

  /// Stores what became of messages, unless it is known that they were received.
  func setStatus(
    _ status: CIStatus, of messages: [AgentMessageID], _ context: Context, viaProxy: Bool? = nil
  ) throws(ChatError) {
    guard let contact = context.contact else { return }
    let user = context.user
    let connectionId = context.connection.connId
    let items = try store.transaction { transaction in
      try messages.flatMap { message in
        try transaction.items(connectionId: connectionId, agentMessageId: message.rawValue).compactMap { id in
          try transaction.setProgress(status, viaProxy: viaProxy, ofItem: id, in: contact.chat, of: user)
        }
      }
    }
    guard !items.isEmpty else { return }
    let info = ChatInfo.direct(contact: contact)
    tell(.chatItemsStatusesUpdated(user: user, chatItems: items.map { AChatItem(chatInfo: info, chatItem: $0) }))
  }
}

extension CIQuote {
  /// The quote of a received message; what its sender sent is what this side received.
  init(_ quote: QuotedMsg) {
    self.init(
      chatDir: quote.msgRef.sent ? .directRcv : .directSnd, sharedMsgId: quote.msgRef.msgId?.text,
      sentAt: Date(quote.msgRef.sentAt), content: quote.content, formattedText: Markdown.parse(quote.content.text))
  }
}

extension MsgContent {
  /// The content without the signature of a shared chat, which says nothing outside of the conversation it was made for.
  fileprivate var withoutSignature: MsgContent {
    guard case .chat(let text, let link, _) = self else { return self }
    return .chat(text: text, chatLink: link)
  }
}
