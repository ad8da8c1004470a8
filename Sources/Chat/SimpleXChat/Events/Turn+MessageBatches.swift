import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SMPProtocol

/// The properties of a received message besides its content, and the evidence for its author.
struct ReceivedMessage: Sendable {
  /// The message identifier that both sides use, base64url.
  var sharedMsgId: String?
  /// When the relay received it.
  var time: Date
  /// The member of a group who forwarded it, a database id; nil if its author sent it.
  var forwardedBy: Int64?
  /// The signatures, with the exact bytes that they are of; nil where there are none, and outside of groups.
  var signed: SignedMessage?
  /// The outcome of checking the signatures.
  var evidence = SignatureEvidence.optional

  /// The state of the signatures as events show it; nil where there are none.
  var msgSigned: MsgSigStatus? { evidence.status }

  /// The state of the signatures as items show it; nil where there are none.
  var verified: MsgVerified? { msgSigned.map { .signed(sigStatus: $0) } }
}

// Messages of contacts. A batch is handled by one turn; an element of it that is refused undoes only itself.

/// A batch of events of a contact while it is handled.
private struct ContactBatch {
  let context: ConnectionContext
  let time: Date
  let body: [UInt8]
  var contact: Contact
  var connection: Connection
  /// Consecutive new messages, which are reported with the state of their chat after all of them.
  var newItems: [ChatItem] = []
  /// Whether all elements so far that have a receipt are handled.
  var isHandled = true
  var isErrorShown = false

  var user: User { context.user }
}

extension Turn {
  /// Handles a message of the agent: a batch of events of a contact or member. It is acknowledged with the turn,
  /// whatever it contains. If the database fails, the turn is undone and the message is delivered again. No receipt is
  /// sent if an element that would have one was undone: it is not stored. Whether one is sent is stored, for the case
  /// that the message comes again after a crash.
  func handleMessage(_ metadata: MessageMetadata, _ body: [UInt8], of id: ConnectionID) throws {
    var receipt = false
    undoesOnStoreErrors = true
    defer { undoesOnStoreErrors = false }
    let isHandled = try reportingErrors {
      guard let context = try contextIfPresent(id) else { return }
      if case .userContactConnection = context.entity { return }
      if case .rcvDirectMsgConnection(_, nil) = context.entity { return }
      let connection = context.connection.connId
      rows.payer = connection
      defer { rows.payer = 0 }
      guard try rows.receiveMessage(connectionId: connection, agentMessageId: metadata.id.rawValue) else {
        receipt = try rows.sendsReceipt(connectionId: connection, agentMessageId: metadata.id.rawValue)
        return
      }
      let elements = MessageBody.parse(body)
      if case .rcvGroupMsgConnection(_, let group, let member) = context.entity {
        receipt = try handleGroupMessage(
          metadata, body, elements: elements, over: context, in: GroupChat(user: context.user, group: group),
          from: member)
      } else if let contact = context.contact {
        let isStored = try received(elements, from: contact, context: context, metadata: metadata, body: body)
        receipt = isStored && contact.sendsReceipts(context.user) && elements.contains { $0.hasReceipt }
      }
      if receipt { try rows.setReceipt(connectionId: connection, agentMessageId: metadata.id.rawValue) }
    }
    acknowledge(MessageAcknowledgement(id, metadata.id, receipt: isHandled && receipt ? [] : nil))
  }

  /// Handles the elements of a message.
  /// - Returns: whether all of them that have a receipt are handled.
  private func received(
    _ elements: [Result<MessageElement, ChatProtocolError>], from sender: Contact, context: ConnectionContext,
    metadata: MessageMetadata, body: [UInt8]
  ) throws -> Bool {
    var batch = ContactBatch(
      context: context, time: Date(timeIntervalSince1970: Double(metadata.relayTime)), body: body,
      contact: try notePQ(
        received: metadata.pqEncryption, from: sender, over: context.connection, of: context.user),
      connection: context.connection)
    if let error = MsgErrorType(metadata.integrity) {
      try addItem(.rcvIntegrityError(msgError: error), to: batch.contact, of: batch.user, at: batch.time)
    }
    for element in elements {
      switch element {
      case .failure(let error): try receivedUnreadable(error, in: &batch)
      case .success(let element):
        guard case .message(let message) = element.content else {
          try tellNewItems(of: &batch)
          try reportingErrors { try receivedChunk(element, from: batch.contact, of: batch.user) }
          continue
        }
        batch.connection = try updateVersions(batch.connection, message.chatVRange)
        let received = ReceivedMessage(sharedMsgId: message.msgId?.text, time: batch.time)
        if let container = message.event.newMessage {
          try receivedNew(container, received, in: &batch)
        } else if try !isContactThere(after: message.event, received, in: &batch) {
          return batch.isHandled
        }
      }
    }
    try tellNewItems(of: &batch)
    return batch.isHandled
  }

  private func tellNewItems(of batch: inout ContactBatch) throws {
    guard !batch.newItems.isEmpty else { return }
    let info = try rows.chatInfo(batch.contact.chat, of: batch.user)
    for item in batch.newItems {
      emit(.newChatItems(user: batch.user, chatItems: [AChatItem(chatInfo: info, chatItem: item)]))
    }
    batch.newItems = []
  }

  /// Handles an element that cannot be read. One item tells of all of them: a small message can have many.
  private func receivedUnreadable(_ error: ChatProtocolError, in batch: inout ContactBatch) throws {
    guard !batch.isErrorShown else { return }
    batch.isErrorShown = true
    try tellNewItems(of: &batch)
    let item = try addItem(
      .rcvMsgError(rcvMsgError: .parseError(parseError: error.description)), to: batch.contact, of: batch.user)
    try keepUnreadable(
      batch.body, at: batch.time, shownBy: item,
      from: KeptOrigin(batch.contact, connectionId: batch.connection.connId, of: batch.user, at: rows.now))
  }

  private func receivedNew(
    _ container: MsgContainer, _ received: ReceivedMessage, in batch: inout ContactBatch
  ) throws {
    var added: ChatItem?
    let isAdded = try reportingErrors {
      added = try addNew(container, from: batch.contact, of: batch.user, message: received)
    }
    if !isAdded { batch.isHandled = false }
    guard isAdded, let added else { return }
    batch.newItems.append(added)
    guard let file = added.file else { return }
    try tellNewItems(of: &batch)
    try reportingErrors {
      try announced(
        file, as: received.sharedMsgId, in: batch.contact.chat, item: added.meta.itemId, of: batch.user)
    }
  }

  /// Handles an event that is no new message.
  /// - Returns: whether the contact is still there.
  private func isContactThere(
    after event: ChatMessageEvent, _ received: ReceivedMessage, in batch: inout ContactBatch
  ) throws -> Bool {
    try tellNewItems(of: &batch)
    let isDone = try reportingErrors {
      try handle(event, from: batch.contact, context: batch.context, message: received)
    }
    if !isDone && event.hasReceipt { batch.isHandled = false }
    do throws(StoreError) { batch.contact = try rows.contact(batch.contact.contactId, of: batch.user) } catch {
      // It deleted the user, and there was no conversation to keep.
      guard case .contactNotFound = error else { throw error }
      return false
    }
    return true
  }

  private func receivedChunk(_ element: MessageElement, from contact: Contact, of user: User) throws {
    guard case .fileChunk(let chunk) = element.content else { return }
    let item = try rows.itemID(sharedMsgId: chunk.msgId.text, in: contact.chat, sent: false, of: user)
    try received(chunk, item: item, of: user)
  }
}

extension Result<MessageElement, ChatProtocolError> {
  /// Whether a receipt is sent for the element.
  var hasReceipt: Bool {
    guard case .success(let element) = self, case .message(let message) = element.content else { return false }
    return message.event.hasReceipt
  }
}

extension Contact {
  /// Whether receipts are sent to the contact.
  fileprivate func sendsReceipts(_ user: User) -> Bool { chatSettings.sendRcpts ?? user.sendRcptsContacts }
}
