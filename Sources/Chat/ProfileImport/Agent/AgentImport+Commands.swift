import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

// Commands that the reference's agent has not finished.

extension AgentImport {
  /// The commands of a connection, in their order.
  func commands(of id: [UInt8]) throws(ProfileImportError) -> [ReferenceCommand] {
    var commands: [ReferenceCommand] = []
    for row in try source.rows(
      "commands", where: "conn_id = ? AND coalesce(failed, 0) = 0", [.blob(id)], key: "command_id")
    {
      guard let command = ReferenceCommand(try row.bytes("command"), at: try row.time("created_at")) else {
        throw row.unusable("command", "it is not known")
      }
      commands.append(command)
    }
    return commands
  }

  /// Goes on with the commands of a connection that our agent has to finish. Others were given to the chat core.
  mutating func importCommands(
    _ commands: [ReferenceCommand], of connection: StoredConnection
  ) throws(ProfileImportError) {
    for command in commands {
      switch command {
      case .secure(let queue, let key, let time): try addSecuring(queue, key, of: connection, at: time)
      case .secureReplacement(let queue, let key):
        guard let found = try receiveQueue(queue, of: connection) else { continue }
        try addTask(
          .secureReceiveQueue, to: .receiveQueue(found.number), of: connection,
          payload: SecurePayload.codec, SecurePayload(queue: found.number, senderKey: key))
      case .deleteReplaced(let queue):
        guard let found = try receiveQueue(queue, of: connection) else { continue }
        try addTask(.drainQueue, to: .receiveQueue(found.number), of: connection, payload: .tail, [])
      case .switchQueue: try addSwitch(of: connection)
      case .create, .join, .allow, .allowAccepted, .unneeded: break
      }
    }
  }

  /// KEY with the peer's key, and HELLO after it.
  private mutating func addSecuring(
    _ queue: [UInt8], _ key: AuthorizationKey, of connection: StoredConnection, at time: Int64
  ) throws(ProfileImportError) {
    let number = connection.number
    let queues = try writing { (target) throws(SQLFailure) in try target.sendQueues(of: number) }
    let stored = try writing { (target) throws(SQLFailure) in try target.ratchet(of: number) }
    guard let found = try receiveQueue(queue, of: connection), let target = queues.first, var ratchet = stored else {
      return
    }
    let lane = Lane.sendQueue(target.number)
    if found.status != .secured {
      try addTask(
        .secureReceiveQueue, to: lane, of: connection, payload: SecurePayload.codec,
        SecurePayload(queue: found.number, senderKey: key))
    }
    let header = MessageHeader(messageID: ratchet.lastSent + 1, previousHash: ratchet.lastSentHash)
    let size = PaddedSize.message(
      version: connection.agentVersion, isPostQuantum: connection.pqSupport || ratchet.ratchet.supportsPQ)
    guard let message = try? AgentMessage.codec.encode(.message(header, .hello)),
      let content = try? ConnectionMessage.codec.encode(.hello), let sealer = try? ratchet.ratchet.makeSealer(),
      let secret = try? sealer.encoded()
    else {
      throw .value(
        table: "commands", column: "command", row: "\(number)", reason: "the ratchet cannot encrypt a message")
    }
    ratchet.lastID += 1
    ratchet.lastSent += 1
    ratchet.lastSentHash = HashFunction.sha256.digest(of: message)
    let changed = ratchet
    try writing { (target) throws(SQLFailure) in try target.setRatchet(changed, of: number) }
    var random = SystemRandom()
    try addTask(
      .sendMessage, to: lane, of: connection, message: ratchet.lastID, at: time, payload: SealedPayload.codec,
      SealedPayload(
        purpose: .hello, notification: true, nonce: BoxNonce(using: &random), header: header,
        paddedCount: UInt16(clamping: size), sealer: [UInt8](copying: secret.bytes), content: content))
  }

  /// Begins to replace the queue.
  private mutating func addSwitch(of connection: StoredConnection) throws(ProfileImportError) {
    let queues = try writing { (target) throws(SQLFailure) in try target.receiveQueues(of: connection.number) }
    guard var queue = queues.first, !queues.contains(where: { $0.replaces != nil }) else { return }
    queue.switchStatus = .started
    let changed = queue
    try writing { (target) throws(SQLFailure) in try target.update(changed) }
    try addTask(
      .createQueue, to: .connection(connection.number), of: connection, payload: QueuePlan.codec,
      .replacement(queue: queue.number))
  }

  private func receiveQueue(
    _ id: [UInt8], of connection: StoredConnection
  ) throws(ProfileImportError) -> ReceiveQueue? {
    try writing { (target) throws(SQLFailure) in try target.receiveQueues(of: connection.number) }
      .first { $0.recipientID == EntityID(id) }
  }

  private mutating func addTask<Payload>(
    _ kind: AgentTask.Kind, to lane: Lane, of connection: StoredConnection, message: Int64 = 0,
    at time: Int64 = 0, payload codec: Codec<Payload>, _ payload: Payload
  ) throws(ProfileImportError) {
    let bytes: [UInt8]
    do throws(WireError) { bytes = try codec.encode(payload) } catch {
      throw .value(table: "commands", column: "command", row: "\(connection.number)", reason: "\(error)")
    }
    taskCount += 1
    let task = AgentTask(
      id: taskCount, lane: lane, connection: connection.number, kind: kind, message: message, payload: bytes,
      createdAt: time / 1_000)
    try writing { (target) throws(SQLFailure) in try target.insert(task) }
  }
}
