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
  /// The content.
  var content: MsgContent
  /// The item it answers.
  var quotedItemId: Int64?
  /// Where it was forwarded from.
  var forwardedFrom: CIForwardedFrom?
  /// The members that it mentions, by the names in its text; database ids.
  var mentions: [String: Int64] = [:]
  /// The file that goes with it.
  var file: CryptoFile?
}

// Sending to contacts. Messages are stored as commands for the agent, in the turn that stores their items.

extension Contact {
  /// The connection to send to the contact by.
  func sendingConnection() throws(ChatError) -> Connection {
    guard let connection = activeConn, connection.connStatus == .ready || connection.connStatus == .sndReady
    else { throw .error(errorType: .contactNotReady(contact: self)) }
    guard active else { throw .error(errorType: .contactNotActive(contact: self)) }
    guard !connection.connDisabled else { throw .error(errorType: .contactDisabled(contact: self)) }
    return connection
  }

  /// Throws for events that may not be sent to contacts that are known through a group only.
  func checkAllowed(event: String) throws(ChatError) {
    let needsConversation = ["x.msg.new", "x.msg.update", "x.msg.del", "x.file", "x.grp.inv", "x.call.inv"]
    guard directOrUsed || !needsConversation.contains(event) else {
      throw .error(errorType: .directMessagesProhibited(direction: .snd, contact: self))
    }
  }
}

extension Turn {
  /// Sends one event that no item shows. Returns the identifier of the message.
  @discardableResult
  func send(_ event: ChatMessageEvent, to contact: Contact) throws -> SharedMsgId {
    let id = SharedMsgId.random()
    try send([(id, event)], to: contact)
    return id
  }

  /// Sends events in as few messages as possible.
  /// - Parameter items: for each event the items that show it; missing ones are empty.
  /// - Returns: the number of the last command; nil where there was nothing to send.
  @discardableResult
  func send(
    _ events: [(id: SharedMsgId, event: ChatMessageEvent)], to contact: Contact, showing items: [[Int64]] = []
  ) throws -> Int64? {
    let connection = try contact.sendingConnection()
    var last: Int64?
    for packet in try pack(events, for: connection) {
      let id = try command(
        .send(notify: packet.notifies, pq: connection.pqEncryption, receiptsFirst: packet.receiptsFirst),
        for: connection.agentConnId, body: packet.body)
      let shown = packet.events.flatMap { items.indices.contains($0) ? items[$0] : [] }
      if !shown.isEmpty { try rows.addDelivery(command: id, items: shown) }
      last = id
    }
    return last
  }

  /// An encoded message or batch with the events in it.
  private struct Packet {
    var body: [UInt8]
    var events: Range<Int>
    var notifies: Bool
    var receiptsFirst: Bool
  }

  private func pack(
    _ events: [(id: SharedMsgId, event: ChatMessageEvent)], for connection: Connection
  ) throws(ChatError) -> [Packet] {
    let version = UInt16(clamping: connection.connChatVersion)
    var encoded: [[UInt8]] = []
    do throws(ChatProtocolError) {
      for (id, event) in events {
        let message = ChatMessage(chatVRange: environment.options.chatVersions, msgId: id, event: event)
        encoded.append(try MessageBody.encode(message))
      }
      let batches: [(body: [UInt8], elements: Range<Int>)] =
        version >= ChatVersion.batches
        ? MessageBatch.pack(encoded, form: .json).batches.map { ($0.body, $0.elements) }
        : encoded.indices.map { (encoded[$0], $0..<($0 + 1)) }
      var packets: [Packet] = []
      func prepared(_ body: [UInt8]) throws(ChatProtocolError) -> [UInt8] {
        try MessageBody.prepared(body, isPostQuantum: connection.pqSupport, version: version)
      }
      for batch in batches {
        var bodies: [(body: [UInt8], elements: Range<Int>)] = []
        if let whole = try? prepared(batch.body) {
          bodies = [(whole, batch.elements)]
        } else {
          // Several messages may be too long together for a post-quantum ratchet, where each of them is not.
          for index in batch.elements { bodies.append((try prepared(encoded[index]), index..<(index + 1))) }
        }
        packets += bodies.map { body, elements in
          Packet(
            body: body, events: elements, notifies: events[elements].contains { $0.event.notifies },
            receiptsFirst: events[elements].contains { $0.event.sendsReceiptsFirst })
        }
      }
      return packets
    } catch {
      throw .errorStore(storeError: .largeMsg)
    }
  }

  /// Throws where a message can never be sent by a connection, because it is too large.
  func requireSendable(_ content: MsgContent, by connection: Connection) throws(ChatError) {
    var connection = connection
    // The peer's version, which is not known yet, may allow compression.
    connection.connChatVersion = Int(environment.options.chatVersions.highest)
    _ = try pack([(.random(), .msgNew(MsgContainer(content: content)))], for: connection)
  }

  /// Sends messages, each with its item. Adds no event: the items are in the response of a command, or in an event of
  /// the caller.
  func sendMessages(
    _ contents: [OutgoingContent], to contact: Contact, of user: User, live: Bool = false, ttl: Int? = nil
  ) throws -> [AChatItem] {
    let timed = contact.timedForSent(ttl: ttl, live: live, now: rows.now)
    let connections = [try contact.sendingConnection()]
    var events: [(id: SharedMsgId, event: ChatMessageEvent)] = []
    var items: [ChatItem] = []
    var files: [OutgoingFile] = []
    for content in try split(contents, ttl: timed?.ttl, live: live, for: connections) {
      var (container, quote) = try prepare(content, to: contact, timed: timed, live: live, of: user)
      container.file = try content.file.map { try invitation(to: $0) }
      container = fitted(container, for: connections)
      quote = quote?.sent(in: container)
      let id = SharedMsgId.random()
      var new = NewItem(
        chat: contact.chat, content: .sndMsgContent(msgContent: container.content), sharedMsgId: id.text,
        quotedItem: quote, forwardedFrom: content.forwardedFrom, timed: timed, live: live)
      if let source = content.file {
        let file = try prepareFile(source, recipients: [(contact.activeConn, nil)], of: user)
        new.fileId = file.id
        files.append(file)
      }
      events.append((id, .msgNew(container)))
      items.append(try rows.createItem(new, of: user))
    }
    try send(events, to: contact, showing: items.map { [$0.meta.itemId] })
    try upload(files)
    let info = ChatInfo.direct(contact: contact)
    return items.map { AChatItem(chatInfo: info, chatItem: $0) }
  }

  private func prepare(
    _ message: OutgoingContent, to contact: Contact, timed: CITimed?, live: Bool, of user: User
  ) throws -> (container: MsgContainer, quote: CIQuote?) {
    var container = MsgContainer(content: message.content, ttl: timed?.ttl, live: live ? true : nil)
    if message.forwardedFrom != nil {
      guard message.quotedItemId == nil else { throw StoreError.invalidQuote }
      container.forward = true
    }
    guard let quotedId = message.quotedItemId else { return (container, nil) }
    let quoted = try rows.item(quotedId, in: contact.chat, of: user)
    guard quoted.meta.itemDeleted == nil, let original = quoted.content.msgContent,
      let sentAt = quoted.meta.itemTs.utcTime
    else { throw StoreError.invalidQuote }
    let content = original.quoted(in: message.content, fileName: quoted.file?.fileName)
    container.quote = QuotedMsg(
      msgRef: MsgRef(
        msgId: quoted.meta.itemSharedMsgId.flatMap { SharedMsgId(text: $0) }, sentAt: sentAt,
        sent: quoted.chatDir.sent), content: content)
    return (
      container,
      CIQuote(
        chatDir: quoted.chatDir, itemId: quotedId, sharedMsgId: quoted.meta.itemSharedMsgId,
        sentAt: quoted.meta.itemTs, content: content, formattedText: quoted.formattedText)
    )
  }
}

extension CIQuote {
  /// The quote as a message has it that may have been shortened; nil where it was left out.
  func sent(in message: MsgContainer) -> CIQuote? {
    guard let content = message.quote?.content else { return nil }
    guard content != self.content else { return self }
    var quote = self
    quote.content = content
    quote.formattedText = Markdown.parse(content.text)
    return quote
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
