import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SQLiteKit
import SimplexCrypto
import WireCodec

/// A message that was sent before the import, by the number that a command of the chat core would have had.
struct ImportedDelivery {
  let command: Int64
  /// The items that the message is about.
  let items: [Int64]
}

extension AgentImport {
  /// What is remembered of sent messages until receipts come. Returns the highest number of a command.
  mutating func importSentMessages(of id: [UInt8], number: Int64) throws(ProfileImportError) -> Int64? {
    var last: Int64?
    let sent = try source.rows(
      "snd_messages", where: "conn_id = ?", [.blob(id)], key: "internal_snd_id", secrets: ["msg_encrypt_key"])
    for row in sent {
      // Without this record only the receipt of the message is not shown.
      try writeUnlessDamaged(.damagedDetails) { (agent) throws(ProfileImportError) in
        last = try agent.importSentMessage(row, of: id, number: number) ?? last
      }
    }
    return last
  }

  private mutating func importSentMessage(
    _ row: SourceRow, of id: [UInt8], number: Int64
  ) throws(ProfileImportError) -> Int64? {
    let message = try row.integer("internal_id")
    guard let content = try self.message(message, of: id), try content.text("msg_type") == "M" else { return nil }
    let accepted = AcceptedMessage(
      id: AgentMessageID(rawValue: message), pqEncryption: try content.bool("pq_encryption"))
    let place = try row.integer("internal_snd_id")
    let hash = try row.bytes("internal_hash")
    let time = try content.time("internal_ts") / 1_000
    let isReceived = try row.optionalText("rcpt_status") == "ok"
    let items = try self.items(of: id, message: message)
    let command = items.isEmpty ? nil : Int64(deliveries.count + 1)
    try writing { (target) throws(SQLFailure) in
      try target.insertSent(accepted, key: command, number: place, hash: hash, at: time, of: number)
      if isReceived { try target.markReceived(number: place, of: number) }
    }
    if let command { deliveries.append(ImportedDelivery(command: command, items: items)) }
    commands[SentKey(connection: id, message: message)] = command
    return command
  }

  /// Messages that wait to be sent. The ratchet has given each its key, and the peer expects it.
  mutating func importOutgoingMessages(of id: [UInt8], number: Int64) throws(ProfileImportError) {
    let waiting = try source.rows(
      "snd_message_deliveries", where: "conn_id = ? AND coalesce(failed, 0) = 0", [.blob(id)],
      key: "snd_message_delivery_id")
    for row in waiting {
      let message = try row.integer("internal_id")
      let queue = try row.integer("snd_queue_id")
      guard let lane = sendQueues[QueueKey(connection: id, queue: queue)] else {
        throw row.unusable("snd_queue_id", "no such queue")
      }
      guard let content = try self.message(message, of: id),
        let sent = try source.rows(
          "snd_messages", where: "conn_id = ? AND internal_id = ?", [.blob(id), .integer(message)],
          key: "internal_snd_id", secrets: ["msg_encrypt_key"]
        ).first
      else { throw row.unusable("internal_id", "no such message") }
      let purpose = try purpose(content)
      taskCount += 1
      var task = AgentTask(
        id: taskCount, lane: .sendQueue(lane), connection: number,
        kind: purpose.isEnvelope ? .sendEnvelope : .sendMessage,
        message: purpose.isConfirmation ? 0 : message,
        payload: purpose.isEnvelope ? try envelope(content, purpose) : try payload(of: sent, content, purpose),
        createdAt: try content.time("internal_ts") / 1_000)
      task.messageKey = commands[SentKey(connection: id, message: message)]
      let stored = task
      try writing { (target) throws(SQLFailure) in try target.insert(stored) }
      report.take(.outgoingMessages)
    }
  }

  private func purpose(_ message: SourceRow) throws(ProfileImportError) -> MessagePurpose {
    switch try message.text("msg_type") {
    case "M": .message
    case "V": .receipt
    case "H": .hello
    case "QC": .continueQueue
    case "QA": .addQueue
    case "QK": .queueKey
    case "QU": .useQueue
    case "QT": .testQueue
    case "E": .ratchetReady
    case "C": .confirmation
    case "D": .confirmationReply
    case "S": .ratchetKey
    default: throw message.unusable("msg_type", "it is not known")
    }
  }

  /// A message that is encrypted already.
  private func envelope(_ content: SourceRow, _ purpose: MessagePurpose) throws(ProfileImportError) -> [UInt8] {
    let envelope = try content.bytes("msg_body")
    guard let decoded = try? AgentEnvelope.codec.decode(envelope) else {
      throw content.unusable("msg_body", "it is not a message")
    }
    switch decoded.content {
    case .confirmation where purpose.isConfirmation: break
    case .ratchetKey where purpose == .ratchetKey: break
    default: throw content.unusable("msg_type", "it is not what the message is")
    }
    var random = SystemRandom()
    let payload = EnvelopePayload(purpose: purpose, nonce: BoxNonce(using: &random), envelope: envelope)
    do throws(WireError) { return try EnvelopePayload.codec.encode(payload) } catch {
      throw content.unusable("msg_body", "\(error)")
    }
  }

  private func payload(
    of sent: SourceRow, _ content: SourceRow, _ purpose: MessagePurpose
  ) throws(ProfileImportError) -> [UInt8] {
    let secret = try sent.secret("msg_encrypt_key")
    guard let sealer = try? MessageSealer.storedCodec.decodeAll(secret.bytes), let stored = try? sealer.encoded() else {
      throw sent.unusable("msg_encrypt_key", "it is not the key of a message")
    }
    guard let size = UInt16(exactly: try sent.integer("padded_msg_len")) else {
      throw sent.unusable("padded_msg_len", "it is not a size")
    }
    var random = SystemRandom()
    let payload = SealedPayload(
      purpose: purpose,
      notification: try content.optionalText("msg_flags")?.hasPrefix("T") ?? false, nonce: BoxNonce(using: &random),
      header: MessageHeader(
        messageID: try sent.integer("internal_snd_id"), previousHash: try sent.bytes("previous_msg_hash")),
      paddedCount: size, sealer: stored.withUnsafeBytes { [UInt8]($0) }, content: try body(of: sent, content))
    do throws(WireError) { return try SealedPayload.codec.encode(payload) } catch {
      throw sent.unusable("internal_id", "\(error)")
    }
  }

  /// The encoded message, which several connections may share.
  private func body(of sent: SourceRow, _ content: SourceRow) throws(ProfileImportError) -> [UInt8] {
    guard let number = try sent.optionalInteger("snd_message_body_id") else { return try content.bytes("msg_body") }
    let bodies = try source.rows(
      "snd_message_bodies", where: "snd_message_body_id = ?", [.integer(number)], key: "snd_message_body_id")
    guard let body = bodies.first else { throw sent.unusable("snd_message_body_id", "no such body") }
    return try body.bytes("agent_msg")
  }

  func message(_ number: Int64, of id: [UInt8]) throws(ProfileImportError) -> SourceRow? {
    try source.rows(
      "messages", where: "conn_id = ? AND internal_id = ?", [.blob(id), .integer(number)], key: "internal_id"
    ).first
  }

  /// The items that a message of a connection is about.
  private func items(of id: [UInt8], message: Int64) throws(ProfileImportError) -> [Int64] {
    var items: [Int64] = []
    try chat.read { (connection) throws(SQLFailure) in
      try connection.forEach(
        """
        SELECT DISTINCT i.chat_item_id FROM connections c JOIN msg_deliveries d ON d.connection_id = c.connection_id \
        JOIN chat_item_messages i ON i.message_id = d.message_id \
        WHERE c.agent_conn_id = ? AND d.agent_msg_id = ? ORDER BY i.chat_item_id
        """, values: [.blob(id), .integer(message)]
      ) { (row) throws(SQLFailure) in items.append(try row.integer(0)) }
    }
    return items
  }
}

extension MessagePurpose {
  /// Whether it is a side's confirmation.
  fileprivate var isConfirmation: Bool { self == .confirmation || self == .confirmationReply }
  /// Whether the ratchet does not encrypt it when it is sent.
  fileprivate var isEnvelope: Bool { isConfirmation || self == .ratchetKey }
}
