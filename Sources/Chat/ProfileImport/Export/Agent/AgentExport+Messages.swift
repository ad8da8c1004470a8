import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SQLiteKit
import SimplexCrypto
import WireCodec

/// A message that waits to be sent.
private struct WaitingMessage {
  let task: AgentTask
  let payload: SealedPayload
  /// The encoded message.
  let content: [UInt8]
}

extension AgentExport {
  /// What is remembered of messages that were sent, and those that wait to be. The ratchet has given each its key, and
  /// the peer expects it.
  mutating func exportMessages(
    of connection: StoredConnection, named name: String, queues: [Int64: Int64]
  ) throws(ProfileImportError) {
    let number = connection.number
    let tasks = try reading(number) { (source) throws(SQLFailure) in
      try source.tasks(of: number).filter { $0.kind == .sendMessage }
    }
    var waiting: [Int64: WaitingMessage] = [:]
    for task in tasks where waiting[task.message] == nil { waiting[task.message] = try self.waiting(task) }
    let remembered = try reading(number) { (source) throws(SQLFailure) in
      try source.database.all(
        """
        SELECT sender_number, id, key, pq, hash, receipt, sent_at FROM sent_messages WHERE connection = ? \
        ORDER BY sender_number
        """, number
      ) { (row) throws(SQLFailure) in
        SentMessage(
          number: try row.integer(0), id: try row.integer(1), command: try row.optionalInteger(2),
          pq: try row.bool(3), hash: try row.bytes(4), isReceived: try row.integer(5) != 0,
          time: ReferenceTime.text(milliseconds: try row.integer(6)))
      }
    }
    for message in remembered {
      try write(message, waiting.removeValue(forKey: message.id), of: connection)
      guard let command = message.command else { continue }
      sent.append(
        ExportedMessage(
          command: command, connection: name, message: message.id, time: message.time,
          isReceived: message.isReceived))
    }
    // Receipts are not remembered once they are sent.
    for (id, message) in waiting.sorted(by: { $0.key < $1.key }) {
      let rest = SentMessage(
        number: message.payload.header.messageID, id: id, command: nil, pq: false, hash: try hash(message, number),
        isReceived: false, time: ReferenceTime.text(milliseconds: message.task.createdAt))
      try write(rest, message, of: connection)
    }
    let envelopes = try exportEnvelopes(of: connection)
    for task in (tasks + envelopes).sorted(by: { $0.id < $1.id }) {
      guard let queue = queues[task.lane.number] else { throw unusable(number, "a message to an unknown queue") }
      try target.insert(
        into: "snd_message_deliveries",
        [
          "conn_id": .blob(connection.id.bytes), "snd_queue_id": .integer(queue), "internal_id": .integer(task.message),
        ])
      report.take(.outgoingMessages)
    }
  }

  /// Messages that wait to be sent and are encrypted already: confirmations, and keys of new ratchets. A confirmation
  /// has the number of the first message, which both sides count.
  private func exportEnvelopes(of connection: StoredConnection) throws(ProfileImportError) -> [AgentTask] {
    let number = connection.number
    var tasks = try reading(number) { (source) throws(SQLFailure) in
      try source.tasks(of: number).filter { $0.kind == .sendEnvelope }
    }
    var written: Set<Int64> = []
    for index in tasks.indices {
      guard let payload = try? EnvelopePayload.codec.decode(tasks[index].payload) else {
        throw unusable(number, "a message that waits to be sent")
      }
      if tasks[index].message == 0 { tasks[index].message = 1 }
      let task = tasks[index]
      guard written.insert(task.message).inserted else { continue }
      let time = ReferenceTime.text(milliseconds: task.createdAt)
      try target.insert(
        into: "messages",
        [
          "conn_id": .blob(connection.id.bytes), "internal_id": .integer(task.message), "internal_ts": .text(time),
          "internal_snd_id": .integer(-task.message), "msg_type": .blob(Array(payload.purpose.typeName.utf8)),
          "msg_body": .blob(payload.envelope), "msg_flags": .text("T"), "pq_encryption": .integer(0),
        ])
      try target.insert(
        into: "snd_messages",
        [
          // Their place among messages is not known, nor needed: they have no header.
          "conn_id": .blob(connection.id.bytes), "internal_snd_id": .integer(-task.message),
          "internal_id": .integer(task.message), "internal_hash": .blob([]), "previous_msg_hash": .blob([]),
        ])
    }
    return tasks
  }

  private struct SentMessage {
    let number: Int64
    let id: Int64
    let command: Int64?
    let pq: Bool
    let hash: [UInt8]
    let isReceived: Bool
    let time: String
  }

  private func waiting(_ task: AgentTask) throws(ProfileImportError) -> WaitingMessage {
    guard let payload = try? SealedPayload.codec.decode(task.payload) else {
      throw unusable(task.connection, "a message that waits to be sent")
    }
    guard let number = task.body else {
      return WaitingMessage(task: task, payload: payload, content: payload.content)
    }
    let stored = try reading(task.connection) { (source) throws(SQLFailure) in try source.body(number) }
    guard let body = stored else { throw unusable(task.connection, "a message without a body") }
    return WaitingMessage(task: task, payload: payload, content: [UInt8(ascii: "M")] + body)
  }

  /// SHA-256 of the message as the agent of the peer gets it.
  private func hash(_ message: WaitingMessage, _ connection: Int64) throws(ProfileImportError) -> [UInt8] {
    guard let header = try? MessageHeader.codec.encode(message.payload.header) else {
      throw unusable(connection, "the header of a message")
    }
    return HashFunction.sha256.digest(of: [UInt8(ascii: "M")] + header + message.content)
  }

  private func write(
    _ message: SentMessage, _ waiting: WaitingMessage?, of connection: StoredConnection
  ) throws(ProfileImportError) {
    let id = connection.id.bytes
    let body = try waiting.map { (waiting) throws(ProfileImportError) in
      try target.insert(into: "snd_message_bodies", ["agent_msg": .blob(waiting.content)]) ?? 0
    }
    let type = waiting?.payload.purpose.typeName ?? "M"
    try target.insert(
      into: "messages",
      [
        "conn_id": .blob(id), "internal_id": .integer(message.id), "internal_ts": .text(message.time),
        "internal_snd_id": .integer(message.number), "msg_type": .blob(Array(type.utf8)),
        "msg_flags": .text(waiting?.payload.notification == true ? "T" : "F"), "pq_encryption": .bool(message.pq),
      ])
    // Without the number of our format, it is the form of the reference.
    var key = waiting.map { Array($0.payload.sealer.dropFirst()) } ?? []
    defer { key.withUnsafeMutableBytes { wipe($0) } }
    let secret = waiting == nil ? nil : SecretBytes(key)
    try writing { (target) throws(SQLFailure) in
      try target.execute(
        """
        INSERT INTO snd_messages (conn_id, internal_snd_id, internal_id, internal_hash, previous_msg_hash, \
        rcpt_status, msg_encrypt_key, padded_msg_len, snd_message_body_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, id, message.number, message.id, message.hash, waiting?.payload.header.previousHash ?? [],
        message.isReceived ? "ok" : nil, secret, waiting.map { Int64($0.payload.paddedCount) }, body)
    }
  }
}

extension MessagePurpose {
  /// The type that the reference has for such a message; see `AgentImport.purpose`.
  fileprivate var typeName: String {
    switch self {
    case .message: "M"
    case .receipt: "V"
    case .continueQueue: "QC"
    case .hello: "H"
    case .addQueue: "QA"
    case .queueKey: "QK"
    case .useQueue: "QU"
    case .testQueue: "QT"
    case .ratchetReady: "E"
    case .confirmation: "C"
    case .confirmationReply: "D"
    case .ratchetKey: "S"
    }
  }
}
