import AgentCore
import AgentProtocol
import AgentStore
import SMPProtocol
import SQLiteKit
import WireCodec

extension AgentImport {
  /// Messages and receipts that the agent had stored, and that the app had not acknowledged: ours delivers them with
  /// its next start. The relay would only deliver them again as copies, which are known by their hashes.
  ///
  /// The app may have begun to handle one; a message that is there already is not shown twice.
  /// - Returns: the number of the first one; nil where there is none.
  mutating func importReceivedMessages(of id: [UInt8], number: Int64) throws(ProfileImportError) -> Int64? {
    let rows = try source.rows(
      "rcv_messages", where: "conn_id = ? AND coalesce(user_ack, 0) = 0", [.blob(id)], key: "internal_id")
    var first: Int64?
    for row in rows {
      try writeUnlessDamaged(.incomingMessages) { (agent) throws(ProfileImportError) in
        let message = try agent.importReceivedMessage(row, of: id, number: number)
        if first == nil { first = message }
      }
    }
    return first
  }

  /// Returns the number of the message; nil for one that is not taken.
  private mutating func importReceivedMessage(
    _ row: SourceRow, of id: [UInt8], number: Int64
  ) throws(ProfileImportError) -> Int64? {
    let message = try row.counter("internal_id")
    guard message > 0, let content = try self.message(message, of: id) else {
      report.leave(.incomingMessages)
      return nil
    }
    // Others are the agent's own, and it has done what they say.
    let type = try content.text("msg_type")
    guard type == "M" || type == "V" else { return nil }
    guard let queue = receiveQueues[QueueKey(connection: id, queue: try row.integer("rcv_queue_id"))],
      case .message(_, let decoded)? = try? AgentMessage.codec.decode(content.bytes("msg_body"))
    else {
      report.leave(.incomingMessages)
      return nil
    }
    guard let held = try held(decoded, row: row, content: content, queue: queue, number: number) else { return nil }
    try writing { (target) throws(SQLFailure) in
      try target.insert(held, of: number)
      try target.setLastReceived(
        queue, relayID: held.metadata.relayID.bytes, message: message, at: held.metadata.receivedAt)
    }
    report.take(.incomingMessages)
    return message
  }

  /// A message as our agent keeps it; nil for receipts of messages that are forgotten.
  private func held(
    _ message: ConnectionMessage, row: SourceRow, content: SourceRow, queue: Int64, number: Int64
  ) throws(ProfileImportError) -> HeldMessage? {
    let metadata = MessageMetadata(
      id: AgentMessageID(rawValue: try row.integer("internal_id")),
      receivedAt: try content.time("internal_ts") / 1_000, relayID: MessageID(try row.bytes("broker_id")),
      relayTime: try row.time("broker_ts") / 1_000_000, senderNumber: try row.counter("external_snd_id"),
      integrity: try integrity(row), pqEncryption: try content.bool("pq_encryption"))
    var kind = HeldMessage.Kind.message
    var body: [UInt8] = []
    switch message {
    case .message(let bytes): body = bytes
    case .received(let receipts):
      kind = .receipts
      var delivered: [DeliveryReceipt] = []
      for receipt in receipts {
        let sent = try writing { (target) throws(SQLFailure) in
          try target.sentMessage(number: receipt.messageID, of: number)
        }
        guard let sent else { continue }
        delivered.append(DeliveryReceipt(message: sent.message, isIntact: sent.hash == receipt.messageHash))
      }
      guard !delivered.isEmpty else { return nil }
      do throws(WireError) { body = try DeliveryReceipt.storedCodec.encode(delivered) } catch {
        throw row.unusable("internal_id", "\(error)")
      }
    default: throw content.unusable("msg_type", "it is not what the message is")
    }
    return HeldMessage(
      queue: queue, metadata: metadata,
      flags: MessageFlags(notification: try content.optionalText("msg_flags")?.hasPrefix("T") ?? false), kind: kind,
      body: body, hash: try row.bytes("internal_hash"))
  }

  /// What the agent noticed about the order of messages: `OK`, or `ERR` with a reason.
  private func integrity(_ row: SourceRow) throws(ProfileImportError) -> MessageIntegrity {
    let words = try row.text("integrity").split(separator: " ")
    let numbers = words.dropFirst(2).compactMap { Int64($0) }
    switch words.dropFirst().first ?? words.first {
    case "OK": return .ok
    case "HASH": return .badHash
    case "DUPLICATE": return .duplicate
    case "ID": if let number = numbers.first { return .badID(number) }
    case "NO_ID": if numbers.count == 2 { return .skipped(from: numbers[0], to: numbers[1]) }
    default: break
    }
    throw row.unusable("integrity", "it is not known")
  }
}
