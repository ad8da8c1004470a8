import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

// MARK: Accepting messages

extension AgentMachine {
  /// Accepts a message: it is sent, or an event reports the error. A message with the key of one accepted before is not
  /// sent again.
  public func send(
    _ connection: ConnectionID, key: Int64? = nil, pq: Bool? = nil, flags: MessageFlags = MessageFlags(),
    body: [UInt8], now: Int64
  ) throws(AgentError) -> Accepted<AcceptedMessage> {
    let (accepted, effects) = try run(now) { transaction in
      try self.accept(
        OutgoingMessage(to: connection, key: key, pq: pq, flags: flags, bodyIndex: 0), body: body, sharedBody: nil,
        in: transaction
      )
    }
    return Accepted(accepted, effects)
  }

  /// Accepts many messages in one transaction; the result of each is an accepted message or an error. See
  /// `OutgoingMessage.key` about repeating it. Bodies that messages share are stored once.
  /// - Parameter condition: called before the commit, which waits for it; if it throws, nothing is accepted.
  public func send(
    _ messages: [OutgoingMessage], bodies: [[UInt8]], now: Int64, if condition: (() throws(AgentError) -> Void)? = nil
  ) throws(AgentError) -> Accepted<[Result<AcceptedMessage, AgentError>]> {
    defer { preparedAhead = [:] }
    let (results, effects) = try run(now) { transaction in
      var uses: [Int: Int] = [:]
      for message in messages { uses[message.bodyIndex, default: 0] += 1 }
      var stored: [Int: Int64] = [:]
      let results = try messages.map { message -> Result<AcceptedMessage, AgentError> in
        guard bodies.indices.contains(message.bodyIndex) else {
          return .failure(.prohibited("sendMessagesB: no body"))
        }
        let body = bodies[message.bodyIndex]
        if uses[message.bodyIndex, default: 0] > 1, stored[message.bodyIndex] == nil {
          stored[message.bodyIndex] = try self.store.insertBody(body)
        }
        do {
          return .success(
            try self.accept(message, body: body, sharedBody: stored[message.bodyIndex], in: transaction))
        } catch let error as AgentError {
          // These errors are thrown before anything of the message was written; receipts before it stay.
          switch error {
          case .store, .internalError: throw error
          default: return .failure(error)
          }
        }
      }
      // Messages that were accepted before or are rejected need no body.
      for body in stored.values { try self.store.removeUnusedBody(body) }
      if let condition {
        self.prepareAhead(transaction)
        try condition()
      }
      return results
    }
    return Accepted(results, effects)
  }

  private func accept(
    _ message: OutgoingMessage, body: [UInt8], sharedBody: Int64?, in transaction: AgentTransaction
  ) throws -> AcceptedMessage {
    var connection = try connection(message.connection)
    var known = try store.ratchet(of: connection.number)
    if let key = message.key, let last = known?.lastKey, key <= last,
      let accepted = try store.acceptedMessage(key: key, of: connection.number)
    {
      return accepted
    }
    guard connection.mode == .invitation else { throw AgentError.connection(.simplex) }
    if connection.ratchetSync.prohibitsSending { throw AgentError.prohibited("sendMessagesB: send prohibited") }
    let queues = try store.sendQueues(of: connection.number)
    guard !queues.isEmpty else { throw AgentError.connection(.simplex) }
    if message.sendsReceiptsFirst {
      // They advance the ratchet.
      try sendOwedReceipts(of: connection.number, in: transaction)
      known = try store.ratchet(of: connection.number)
    }
    if message.pq == true, !connection.pqSupport {
      // From now on headers have room for post-quantum keys, and message bodies are smaller; this is never reverted.
      connection.pqSupport = true
      try store.update(connection)
    }
    var ratchet = try known ?? ratchet(of: connection)
    let accepted = try enqueue(
      .message(body), for: .message, on: connection, ratchet: &ratchet, to: queues,
      notification: message.flags.notification,
      key: message.key, pq: message.pq, sharedBody: sharedBody, in: transaction)
    try store.setRatchet(ratchet, of: connection.number)
    return accepted
  }

  /// Reserves the next message key of the ratchet, and adds the tasks that send the message. The caller stores the
  /// ratchet.
  @discardableResult
  func enqueue(
    _ message: ConnectionMessage, for purpose: MessagePurpose, on connection: StoredConnection,
    ratchet: inout StoredRatchet, to queues: [SendQueue], notification: Bool = false, key: Int64? = nil,
    pq: Bool? = nil, sharedBody: Int64? = nil, in transaction: AgentTransaction
  ) throws -> AcceptedMessage {
    let header = MessageHeader(messageID: ratchet.lastSent + 1, previousHash: ratchet.lastSentHash)
    let bytes = try AgentMessage.codec.encode(.message(header, message))
    let sealer = try ratchet.ratchet.makeSealer(pq: pq, supportedVersion: configuration.e2eVersions.highest)
    // If the peer enabled post-quantum encryption, headers are larger, whatever was agreed at first.
    let size = PaddedSize.message(
      version: connection.agentVersion, isPostQuantum: connection.pqSupport || ratchet.ratchet.supportsPQ)
    guard bytes.count <= size - 2 else { throw AgentError.tooLarge(limit: size - 2) }
    let hash = HashFunction.sha256.digest(of: bytes)
    ratchet.lastID += 1
    ratchet.lastSent += 1
    ratchet.lastSentHash = hash
    var random = random
    let secret = try sealer.encoded()
    let payload = SealedPayload(
      purpose: purpose, notification: notification, nonce: BoxNonce(using: &random), header: header,
      paddedCount: UInt16(clamping: size), sealer: [UInt8](copying: secret.bytes),
      content: sharedBody == nil ? try ConnectionMessage.codec.encode(message) : [])
    let encoded = try SealedPayload.codec.encode(payload, capacity: payload.sealer.count + payload.content.count + 96)
    let accepted = AcceptedMessage(
      id: AgentMessageID(rawValue: ratchet.lastID), pqEncryption: ratchet.ratchet.sendsPQ)
    if purpose == .message {
      if let key { ratchet.lastKey = max(ratchet.lastKey ?? key, key) }
      try store.insertSent(
        accepted, key: key, number: header.messageID, hash: hash, at: transaction.now, of: connection.number)
    }
    for (index, queue) in queues.enumerated() where index == 0 || queue.isReady {
      try add(
        .sendMessage, to: .sendQueue(queue.number), of: connection.number, payload: encoded,
        message: ratchet.lastID, key: key, body: sharedBody, in: transaction)
    }
    return accepted
  }

  /// Sends a message of the agent itself.
  func enqueue(
    _ message: ConnectionMessage, for purpose: MessagePurpose, on connection: StoredConnection, to queues: [SendQueue],
    notification: Bool = false, in transaction: AgentTransaction
  ) throws {
    if connection.ratchetSync.prohibitsSending, purpose != .ratchetReady {
      // These are sent after the ratchet renegotiation.
      if purpose.isSwitching { return }
      throw AgentError.peer(.queue("the ratchet is not synchronized"))
    }
    guard !queues.isEmpty else { return }
    var ratchet = try ratchet(of: connection)
    try enqueue(
      message, for: purpose, on: connection, ratchet: &ratchet, to: queues, notification: notification, in: transaction)
    try store.setRatchet(ratchet, of: connection.number)
  }

  /// Encrypts a confirmation and adds the task that sends it.
  func enqueueConfirmation(
    _ message: AgentMessage, purpose: MessagePurpose, keys: E2EParameters?, on connection: StoredConnection,
    ratchet: inout StoredRatchet, to queue: SendQueue, for caller: TaskCaller = TaskCaller(),
    in transaction: AgentTransaction
  ) throws {
    let bytes = try AgentMessage.codec.encode(message)
    let size = PaddedSize.connectionInfo(version: connection.agentVersion, isPostQuantum: connection.pqSupport)
    guard bytes.count <= size - 2 else { throw AgentError.tooLarge(limit: size - 2) }
    let encrypted = try ratchet.ratchet.encrypt(
      bytes.span.bytes, paddedTo: size, pq: connection.pqSupport,
      supportedVersion: configuration.e2eVersions.highest)
    ratchet.lastID += 1
    ratchet.lastSent += 1
    ratchet.lastSentHash = HashFunction.sha256.digest(of: bytes)
    let envelope = AgentEnvelope(
      version: connection.agentVersion, content: .confirmation(keys: keys, encryptedInfo: encrypted))
    var random = random
    let payload = EnvelopePayload(
      purpose: purpose, nonce: BoxNonce(using: &random), envelope: try AgentEnvelope.codec.encode(envelope))
    try add(
      .sendEnvelope, to: .sendQueue(queue.number), of: connection.number,
      payload: try EnvelopePayload.codec.encode(payload), for: caller, in: transaction)
  }
}

// MARK: Outcomes

extension AgentMachine {
  /// Handles the delivery of a message to its relay; its task is removed.
  func sent(_ task: AgentTask, proxy: SMPServerAddress?, in transaction: AgentTransaction) throws {
    guard let connection = try store.connection(number: task.connection) else { return }
    if task.kind == .sendRequest {
      return try joined(task, connection: connection, isSecured: false, in: transaction)
    }
    switch try purpose(of: task) {
    case .message:
      // A message whose response was lost is sent again, and its recipient recognizes it.
      transaction.mayBeLost = true
      // While a queue is replaced, messages go to both.
      if try store.hasCopy(of: task) { return }
      try emit(.sent(task.reference, proxy: proxy), connection: connection.id, in: transaction)
    case .confirmation: try sentConfirmation(task, connection: connection, in: transaction)
    case .confirmationReply:
      try update(sendQueue: task.lane.number) { $0.status = .confirmed }
      let queue = try store.sendQueue(number: task.lane.number)
      try joined(task, connection: connection, isSecured: isSecured(queue, connection), in: transaction)
    case .hello:
      try update(sendQueue: task.lane.number) { $0.status = .active }
      let queue = try store.receiveQueues(of: connection.number).first
      if queue?.status == .active { try connected(connection, by: queue?.server, in: transaction) }
    case .queueKey:
      try emit(.switched(.send, .confirmed, try stats(connection)), connection: connection.id, in: transaction)
    case .testQueue: try sentTest(task, connection: connection, in: transaction)
    case .receipt, .continueQueue, .addQueue, .useQueue, .ratchetReady, .ratchetKey: break
    }
    // A message of the agent itself, such as a receipt, may be the last.
    try deliveredBeforeDeletion(connection, in: transaction)
  }

  private func sentConfirmation(_ task: AgentTask, connection: StoredConnection, in transaction: AgentTransaction)
    throws
  {
    guard var queue = try store.sendQueue(number: task.lane.number) else { return }
    queue.status = queue.senderCanSecure ? .active : .confirmed
    try store.update(queue)
    if queue.senderCanSecure { try connected(connection, by: queue.server, in: transaction) }
  }

  /// Records that the connection is established in both directions.
  func connected(
    _ connection: StoredConnection, by server: SMPServerAddress?, pq: Bool? = nil, in transaction: AgentTransaction
  ) throws {
    let usesPQ = try pq ?? store.ratchet(of: connection.number)?.ratchet.sendsPQ ?? false
    if let server { count(.connectionsCompleted, at: session(server, connection), in: transaction) }
    try emit(.connected(pqEncryption: usesPQ), connection: connection.id, in: transaction)
  }

  /// Whether messages can be sent before the peer confirms.
  func isSecured(_ queue: SendQueue?, _ connection: StoredConnection) -> Bool {
    guard let queue else { return false }
    return queue.senderCanSecure && connection.agentVersion >= AgentVersion.ratchetOnConfirmation
  }

  /// The purpose of a message.
  func purpose(of task: AgentTask) throws -> MessagePurpose {
    var reader = task.payload.first.flatMap { MessagePurpose(rawValue: $0) }
    if task.kind != .sendMessage, task.kind != .sendEnvelope { reader = nil }
    guard let reader else { throw AgentError.store(.damaged) }
    return reader
  }

  /// Handles the failure to send a message.
  func sendingFailed(_ task: AgentTask, flight: Flight, error: SMPClientError, in transaction: AgentTransaction) throws
  {
    let server = flight.session.server
    let problem = AgentError.server(server, error)
    if try isAnswered(task) { return try settle(task, in: transaction) }
    if try store.isParked(task.id) { return }
    if task.isCall { return try giveUp(task, error: problem, in: transaction) }
    complete(task, with: .failure(problem), in: transaction)
    guard let connection = try store.connection(number: task.connection) else {
      try remove(task, in: transaction)
      return
    }
    let purpose = try purpose(of: task)
    let isUser = purpose == .message
    switch SendVerdict(error, purpose: purpose, age: transaction.now - task.createdAt, configuration) {
    case .retry(let warns):
      if warns, isUser {
        try emit(.messageWarning(task.reference, problem), connection: connection.id, in: transaction)
      }
      try retry(task, policy: configuration.retry, server: server, in: transaction)
    case .wait:
      count(.sentQuotaErrors, at: flight.session, in: transaction)
      if isUser { try emit(.messageWarning(task.reference, problem), connection: connection.id, in: transaction) }
      try retry(task, policy: configuration.quotaRetry, server: nil, in: transaction)
    case .expire(let age):
      try giveUpSending(task, purpose: purpose, error: problem, connection: connection, in: transaction)
      try expire(of: task.lane, before: transaction.now - age, error: problem, connection: connection, in: transaction)
      count(.sentExpired, at: flight.session, in: transaction)
    case .giveUp(let replacement):
      count(error == .relay(.AUTH) ? .sentAuthErrors : .sentOtherErrors, at: flight.session, in: transaction)
      if error == .relay(.AUTH), try moveToReplacement(task, in: transaction) { return }
      try giveUpSending(task, purpose: purpose, error: replacement ?? problem, connection: connection, in: transaction)
    }
  }

  /// Moves the messages of a queue that the peer deleted to its replacement. False if there is none.
  private func moveToReplacement(_ task: AgentTask, in transaction: AgentTransaction) throws -> Bool {
    let queues = try store.sendQueues(of: task.connection)
    guard let queue = queues.first(where: { $0.replaces == task.lane.number && $0.isReady }) else { return false }
    let lane = Lane.sendQueue(queue.number)
    if try store.tasks(in: lane).contains(where: { $0.message == task.message }) { return false }
    try store.moveTask(task.id, to: lane)
    transaction.pump(lane)
    return true
  }

  func giveUpSending(
    _ task: AgentTask, purpose: MessagePurpose, error: AgentError, connection: StoredConnection,
    in transaction: AgentTransaction
  ) throws {
    guard try remove(task, in: transaction) else { return }
    // During a rotation messages are sent to both queues; a message fails when the last of them fails.
    if task.message > 0, try store.hasCopy(of: task) { return }
    if purpose == .message {
      try emit(.messageFailed(task.reference, error), connection: connection.id, in: transaction)
    } else {
      try emit(.failed(error), connection: connection.id, tag: task.tag, in: transaction)
    }
    try deliveredBeforeDeletion(connection, in: transaction)
  }

  /// Fails the messages behind one that expired.
  private func expire(
    of lane: Lane, before time: Int64, error: AgentError, connection: StoredConnection, in transaction: AgentTransaction
  ) throws {
    var expired: [MessageReference] = []
    for task in try store.expiredMessages(in: lane, before: time) {
      let isUser = try purpose(of: task) == .message
      guard try remove(task, in: transaction), isUser, try !store.hasCopy(of: task) else { continue }
      expired.append(task.reference)
    }
    if !expired.isEmpty { try emit(.messagesFailed(expired, error), connection: connection.id, in: transaction) }
    try deliveredBeforeDeletion(connection, in: transaction)
  }
}
