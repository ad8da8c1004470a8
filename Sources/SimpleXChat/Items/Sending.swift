import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SMPProtocol
import WireCodec

/// A message to send, as the user wrote it.
struct OutgoingContent: Sendable {
  /// What it says.
  var content: MsgContent
  /// The item it answers.
  var quotedItemId: Int64?
  /// Where it was forwarded from.
  var forwardedFrom: CIForwardedFrom?
}

// Sending to contacts. What is sent is stored together with the items that show it, then taken by the agent, which
// prepares it meanwhile; what the agent did not take when the program ended is given to it at the next start.

extension ChatController {
  /// The connection to send to a contact by.
  nonisolated func sendingConnection(_ contact: Contact) throws(ChatError) -> Connection {
    guard let connection = contact.activeConn, connection.connStatus == .ready || connection.connStatus == .sndReady
    else { throw .error(errorType: .contactNotReady(contact: contact)) }
    guard contact.active else { throw .error(errorType: .contactNotActive(contact: contact)) }
    guard !connection.connDisabled else { throw .error(errorType: .contactDisabled(contact: contact)) }
    return connection
  }

  /// Refuses what is not allowed with people who are known through a group only.
  nonisolated func checkAllowed(_ contact: Contact, isSent: Bool, event: String) throws(ChatError) {
    let needsConversation = ["x.msg.new", "x.msg.update", "x.msg.del", "x.file", "x.grp.inv", "x.call.inv"]
    guard contact.directOrUsed || !needsConversation.contains(event) else {
      throw .error(errorType: .directMessagesProhibited(direction: isSent ? .snd : .rcv, contact: contact))
    }
  }

  /// Sends one event that no item shows. Gives what names the message.
  @discardableResult
  func send(
    _ event: ChatMessageEvent, to contact: Contact, of user: User, items: [Int64] = []
  ) async throws(ChatError) -> SharedMsgId {
    let id = newSharedMsgId()
    try await send([(id, event)], to: contact, of: user) { _ in [items] }
    return id
  }

  /// Sends events in as few messages as possible. `store` is run in the transaction that stores the messages, and gives
  /// for each event the items that show it.
  func send(
    _ events: [(id: SharedMsgId, event: ChatMessageEvent)], to contact: Contact, of user: User,
    _ storeItems: (ChatTransaction) throws -> [[Int64]]
  ) async throws(ChatError) {
    let connection = try sendingConnection(contact)
    let bodies = try pack(events, for: connection)
    let left = try store.read { try $0.outgoingMessages(connectionId: connection.connId) }
    let isPostQuantum = try await give(left, bodies, connection) { transaction in
      let items = try storeItems(transaction)
      return try bodies.map { body in
        let shown = body.events.flatMap { $0 < items.count ? items[$0] : [] }
        let id = try transaction.addOutgoing(
          body.bytes, notify: body.notifies, items: shown, connectionId: connection.connId)
        return StoredMessage(
          id: id, connectionId: connection.connId, notify: body.notifies, body: body.bytes, itemIds: shown)
      }
    }
    try notePQ(isPostQuantum, contact, connection, user)
  }

  /// Encoded messages with the events in each.
  private struct Body {
    var bytes: [UInt8]
    var events: Range<Int>
    var notifies: Bool
  }

  private func pack(
    _ events: [(id: SharedMsgId, event: ChatMessageEvent)], for connection: Connection
  ) throws(ChatError) -> [Body] {
    let version = UInt16(clamping: connection.connChatVersion)
    var encoded: [[UInt8]] = []
    do throws(ChatProtocolError) {
      for (id, event) in events { encoded.append(try MessageBody.encode(ChatMessage(msgId: id, event: event))) }
      let batches: [(body: [UInt8], elements: Range<Int>)] =
        version >= ChatVersion.batches
        ? MessageBatch.pack(encoded, form: .json).batches.map { ($0.body, $0.elements) }
        : encoded.indices.map { (encoded[$0], $0..<($0 + 1)) }
      var bodies: [Body] = []
      for batch in batches {
        bodies.append(
          Body(
            bytes: try MessageBody.prepared(batch.body, isPostQuantum: connection.pqSupport, version: version),
            events: batch.elements, notifies: events[batch.elements].contains { $0.event.notifies }))
      }
      return bodies
    } catch {
      throw .errorStore(storeError: .largeMsg)
    }
  }

  /// Gives messages to the agent: those that it did not take before, and new ones, which `storeNew` stores. Then stores
  /// that it took them. Says whether the last one is encrypted post-quantum.
  private func give(
    _ left: [StoredMessage], _ new: [Body], _ connection: Connection,
    _ storeNew: (ChatTransaction) throws -> [StoredMessage] = { _ in [] }
  ) async throws(ChatError) -> Bool? {
    let id = try agentConnection(connection.agentConnId)
    let outgoing = (left.map(\.notify) + new.map(\.notifies)).enumerated().map { index, notifies in
      AgentCore.OutgoingMessage(
        to: id, pq: connection.pqEncryption, flags: MessageFlags(notification: notifies), bodyIndex: index)
    }
    // While the new ones are stored and made durable, the agent prepares them; it takes them only after that.
    var messages = left
    var storing: ChatError?
    let taking: Result<[Result<AcceptedMessage, AgentError>], AgentError>
    guard let agent else { throw .errorAgent(agentError: .INACTIVE) }
    do throws(AgentError) {
      let accepted = try await agent.send(outgoing, bodies: left.map(\.body) + new.map(\.bytes)) {
        do throws(ChatError) {
          if !new.isEmpty { messages += try store.transaction(storeNew) }
          try store.synchronize()
        } catch {
          storing = error
        }
        return storing == nil
      }
      taking = .success(accepted)
    } catch {
      taking = .failure(error)
    }
    if let storing { throw storing }
    let accepted = try await withAgent(id) { (_) throws(AgentError) in try taking.get() }
    var failure: AgentError?
    var isPostQuantum: Bool?
    // Should this be lost, the agent gets the messages again, and those who receive them know them by their names.
    try store.transaction(mayBeLost: true) { transaction in
      for (message, result) in zip(messages, accepted) {
        switch result {
        case .success(let taken): try transaction.setTaken(message, agentMessageId: taken.id.rawValue)
        case .failure: try transaction.deleteOutgoing(message.id)
        }
      }
    }
    for result in accepted {
      switch result {
      case .success(let taken): isPostQuantum = taken.pqEncryption
      case .failure(let error): failure = error
      }
    }
    if let failure { throw .errorAgent(agentError: AgentErrorType(failure), agentConnId: id.text) }
    return isPostQuantum
  }

  /// Gives the agent what it did not take before the program ended.
  func giveLeftMessages() async throws(ChatError) {
    for user in try store.read({ try $0.users() }) {
      for message in try store.read({ try $0.outgoingMessages() }) {
        guard let connection = try? store.read({ try $0.connection(message.connectionId, of: user) }) else { continue }
        do throws(ChatError) { _ = try await give([message], [], connection) } catch { tell(error) }
      }
    }
  }

  /// Remembers whether sent messages are encrypted post-quantum, and adds an item where that changed for the chat.
  private func notePQ(
    _ isOn: Bool?, _ contact: Contact, _ connection: Connection, _ user: User
  ) throws(ChatError) {
    guard let isOn, isOn != connection.pqSndEnabled else { return }
    try store.transaction { try $0.setPQEnabled(sending: isOn, receiving: nil, ofConnection: connection.connId) }
    var changed = contact
    changed.activeConn?.pqSndEnabled = isOn
    guard connection.pqSndEnabled != nil || isOn,
      contact.activeConn?.connPQEnabled != changed.activeConn?.connPQEnabled
    else { return }
    try addItem(
      connection.pqSndEnabled == nil
        ? .sndDirectE2EEInfo(e2eeInfo: E2EEInfo(pqEnabled: isOn))
        : .sndConnEvent(sndConnEvent: .pqEnabled(enabled: isOn)),
      to: changed, of: user)
    tell(.contactPQEnabled(user: user, contact: changed, pqEnabled: isOn))
  }

  // MARK: Messages

  /// Sends messages, each with its item. To be called with the contact locked, or before anybody knows of it.
  func sendMessages(
    _ contents: [OutgoingContent], to contact: Contact, of user: User, live: Bool, ttl: Int?
  ) async throws(ChatError) -> [AChatItem] {
    var created: [ChatItem] = []
    let now = Date()
    let timed = contact.timedForSent(ttl: ttl, live: live, now: now)
    let prepared = try store.read { transaction in
      try contents.map { try self.prepare($0, contact, timed, live, transaction, of: user) }
    }
    let events = prepared.map { (id: self.newSharedMsgId(), event: ChatMessageEvent.msgNew($0.container)) }
    let info = ChatInfo.direct(contact: contact)
    try await send(events, to: contact, of: user) { transaction in
      for (index, message) in prepared.enumerated() {
        created.append(
          try transaction.createItem(
            NewItem(
              chat: contact.chat, content: .sndMsgContent(msgContent: message.container.content),
              sharedMsgId: events[index].id.text, quotedItem: message.quote,
              forwardedFrom: contents[index].forwardedFrom, timed: timed, live: live), of: user))
      }
      return created.map { [$0.meta.itemId] }
    }
    for item in created { schedule(item, in: contact.chat, of: user) }
    return created.map { AChatItem(chatInfo: info, chatItem: $0) }
  }

  private nonisolated func prepare(
    _ message: OutgoingContent, _ contact: Contact, _ timed: CITimed?, _ live: Bool, _ transaction: ChatTransaction,
    of user: User
  ) throws -> (container: MsgContainer, quote: CIQuote?) {
    var container = MsgContainer(content: message.content, ttl: timed?.ttl, live: live ? true : nil)
    if message.forwardedFrom != nil {
      guard message.quotedItemId == nil else { throw StoreError.invalidQuote }
      container.forward = true
    }
    guard let quotedId = message.quotedItemId else { return (container, nil) }
    let quoted = try transaction.item(quotedId, in: contact.chat, of: user)
    guard quoted.meta.itemDeleted == nil, let original = quoted.content.msgContent,
      let sentAt = quoted.meta.itemTs.utcTime
    else { throw StoreError.invalidQuote }
    let content = original.quoted(in: message.content, fileName: quoted.file?.fileName)
    let isSent = quoted.chatDir.sent
    container.quote = QuotedMsg(
      msgRef: MsgRef(
        msgId: quoted.meta.itemSharedMsgId.flatMap { SharedMsgId(text: $0) }, sentAt: sentAt,
        sent: isSent), content: content)
    return (
      container,
      CIQuote(
        chatDir: quoted.chatDir, itemId: quotedId, sharedMsgId: quoted.meta.itemSharedMsgId,
        sentAt: quoted.meta.itemTs, content: content, formattedText: quoted.formattedText)
    )
  }
}

extension Date {
  /// The same for messages, to the microsecond; nil for times far outside of what calendars know.
  var utcTime: UTCTime? {
    let microseconds = (timeIntervalSince1970 * 1_000_000).rounded()
    guard abs(microseconds) < 1e18 else { return nil }
    let (seconds, rest) = Int64(microseconds).quotientAndRemainder(dividingBy: 1_000_000)
    return UTCTime(
      seconds: rest < 0 ? seconds - 1 : seconds, nanoseconds: UInt32(rest < 0 ? rest + 1_000_000 : rest) * 1_000)
  }

  /// The time of a message.
  init(_ time: UTCTime) {
    self.init(timeIntervalSince1970: Double(time.seconds) + Double(time.nanoseconds) / 1_000_000_000)
  }
}

extension ChatMessageEvent {
  /// Whether a push notification is to be sent for it.
  var notifies: Bool {
    switch self {
    case .msgNew, .file, .contact, .grpInv, .grpMemFwd, .grpDel, .callInv: true
    default: false
    }
  }

  /// Whether its sender is told that it was received.
  var hasReceipt: Bool {
    switch self {
    case .msgNew, .grpInv, .callInv: true
    default: false
    }
  }
}
