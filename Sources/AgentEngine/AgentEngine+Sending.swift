import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

// MARK: Accepting messages

extension AgentEngine {
  /// Accepts a message: it will be sent, or an event says why not.
  public func send(
    _ connection: ConnectionID, pq: Bool? = nil, flags: MessageFlags = MessageFlags(), body: [UInt8], now: Int64
  ) throws(AgentError) -> Accepted<AcceptedMessage> {
    let (accepted, effects) = try run(now) { turn in
      try self.accept(
        OutgoingMessage(to: connection, pq: pq, flags: flags, bodyIndex: 0), body: body, sharedBody: nil, turn)
    }
    return Accepted(accepted, effects)
  }

  /// Accepts many messages in one transaction, each or its error. Bodies that several messages have are stored once.
  /// - Parameter condition: called when all is done but the commit, for which it may wait; when it throws, nothing is
  ///   accepted.
  public func send(
    _ messages: [OutgoingMessage], bodies: [[UInt8]], now: Int64, if condition: (() throws(AgentError) -> Void)? = nil
  ) throws(AgentError) -> Accepted<[Result<AcceptedMessage, AgentError>]> {
    defer { preparedAhead = [:] }
    let (results, effects) = try run(now) { turn in
      var uses: [Int: Int] = [:]
      for message in messages { uses[message.bodyIndex, default: 0] += 1 }
      var stored: [Int: Int64] = [:]
      let results = try messages.map { message -> Result<AcceptedMessage, AgentError> in
        guard bodies.indices.contains(message.bodyIndex) else {
          return .failure(.prohibited("there is no body \(message.bodyIndex)"))
        }
        let body = bodies[message.bodyIndex]
        if uses[message.bodyIndex, default: 0] > 1, stored[message.bodyIndex] == nil {
          stored[message.bodyIndex] = try self.store.insertBody(body)
        }
        do {
          return .success(
            try self.accept(message, body: body, sharedBody: stored[message.bodyIndex], turn))
        } catch let error as AgentError {
          // These are thrown before anything was written.
          switch error {
          case .store, .internalError: throw error
          default: return .failure(error)
          }
        }
      }
      if let condition {
        self.prepareAhead(turn)
        try condition()
      }
      return results
    }
    return Accepted(results, effects)
  }

  private func accept(
    _ message: OutgoingMessage, body: [UInt8], sharedBody: Int64?, _ turn: Turn
  ) throws -> AcceptedMessage {
    let connection = try connection(message.connection)
    guard connection.mode == .invitation else { throw AgentError.prohibited("nothing can be sent to an address") }
    if connection.ratchetSync.prohibitsSending { throw AgentError.prohibited("the ratchet is not synchronized") }
    let queues = try store.sendQueues(of: connection.number)
    guard !queues.isEmpty else { throw AgentError.connection(.simplex) }
    var ratchet = try ratchet(of: connection)
    let accepted = try enqueue(
      .message(body), .message, connection, &ratchet, to: queues, notification: message.flags.notification,
      pq: message.pq, sharedBody: sharedBody, turn)
    try store.setRatchet(ratchet, of: connection.number)
    return accepted
  }

  /// Takes the next place in the ratchet for a message, and adds the tasks that send it. The caller stores the ratchet.
  @discardableResult
  func enqueue(
    _ message: ConnectionMessage, _ purpose: MessagePurpose, _ connection: StoredConnection,
    _ ratchet: inout StoredRatchet, to queues: [SendQueue], notification: Bool = false, pq: Bool? = nil,
    sharedBody: Int64? = nil, _ turn: Turn
  ) throws -> AcceptedMessage {
    let header = MessageHeader(messageID: ratchet.lastSent + 1, previousHash: ratchet.lastSentHash)
    let bytes = try AgentMessage.codec.encode(.message(header, message))
    let size = PaddedSize.message(version: connection.agentVersion, isPostQuantum: connection.pqSupport)
    guard bytes.count <= size - 2 else { throw AgentError.tooLarge(limit: size - 2) }
    let sealer = try ratchet.ratchet.makeSealer(pq: pq, supportedVersion: configuration.e2eVersions.highest)
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
    if purpose == .message {
      try store.insertSent(
        number: header.messageID, id: AgentMessageID(rawValue: ratchet.lastID), hash: hash, at: turn.now,
        of: connection.number)
    }
    for (index, queue) in queues.enumerated() where index == 0 || queue.isReady {
      try add(
        .sendMessage, in: .sendQueue(queue.number), of: connection.number, payload: encoded,
        message: ratchet.lastID, body: sharedBody, turn)
    }
    return AcceptedMessage(id: AgentMessageID(rawValue: ratchet.lastID), pqEncryption: ratchet.ratchet.sendsPQ)
  }

  /// Sends a message of the agent itself.
  func enqueue(
    _ message: ConnectionMessage, _ purpose: MessagePurpose, _ connection: StoredConnection, to queues: [SendQueue],
    notification: Bool = false, _ turn: Turn
  ) throws {
    if connection.ratchetSync.prohibitsSending, purpose != .ratchetReady {
      // These are sent when the ratchet works again.
      if purpose.isSwitching { return }
      throw AgentError.peer(.queue("the ratchet is not synchronized"))
    }
    guard !queues.isEmpty else { return }
    var ratchet = try ratchet(of: connection)
    try enqueue(message, purpose, connection, &ratchet, to: queues, notification: notification, turn)
    try store.setRatchet(ratchet, of: connection.number)
  }

  /// Encrypts a confirmation and adds the task that sends it.
  func enqueueConfirmation(
    _ message: AgentMessage, _ purpose: MessagePurpose, keys: E2EParameters?, _ connection: StoredConnection,
    _ ratchet: inout StoredRatchet, to queue: SendQueue, tag: CorrelationTag? = nil, call: CallID? = nil, _ turn: Turn
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
      .sendEnvelope, in: .sendQueue(queue.number), of: connection.number,
      payload: try EnvelopePayload.codec.encode(payload), tag: tag, call: call, turn)
  }
}

// MARK: What becomes of them

extension AgentEngine {
  /// A message was sent, and its task removed.
  func sent(_ task: AgentTask, proxy: SMPServer?, _ turn: Turn) throws {
    guard let connection = try store.connection(number: task.connection) else { return }
    if task.kind == .sendRequest {
      return try joined(task, connection, isSecured: false, turn)
    }
    switch try purpose(of: task) {
    case .message:
      // What is not known to be sent is sent again, and its recipient knows it.
      turn.mayBeLost = true
      // While a queue is replaced, messages go to both.
      if try store.hasCopy(of: task) { return }
      try emit(.sent(AgentMessageID(rawValue: task.message), proxy: proxy), connection.id, turn)
      try deliveredBeforeDeletion(connection, turn)
    case .confirmation: try sentConfirmation(task, connection, turn)
    case .confirmationReply:
      try update(sendQueue: task.lane.number) { $0.status = .confirmed }
      let queue = try store.sendQueue(number: task.lane.number)
      try joined(task, connection, isSecured: isSecured(queue, connection), turn)
    case .hello:
      try update(sendQueue: task.lane.number) { $0.status = .active }
      let queue = try store.receiveQueues(of: connection.number).first
      if queue?.status == .active { try connected(connection, queue?.server, turn) }
    case .queueKey: try emit(.switched(.send, .confirmed, try stats(connection)), connection.id, turn)
    case .testQueue: try sentTest(task, connection, turn)
    case .receipt, .continueQueue, .addQueue, .useQueue, .ratchetReady, .ratchetKey: break
    }
  }

  private func sentConfirmation(_ task: AgentTask, _ connection: StoredConnection, _ turn: Turn) throws {
    guard var queue = try store.sendQueue(number: task.lane.number) else { return }
    queue.status = queue.senderCanSecure ? .active : .confirmed
    try store.update(queue)
    if queue.senderCanSecure { try connected(connection, queue.server, turn) }
  }

  /// Both directions work.
  func connected(_ connection: StoredConnection, _ server: SMPServer?, pq: Bool? = nil, _ turn: Turn) throws {
    let usesPQ = try pq ?? store.ratchet(of: connection.number)?.ratchet.sendsPQ ?? false
    if let server { count(.connectionsCompleted, session(server, connection), turn) }
    try emit(.connected(pqEncryption: usesPQ), connection.id, turn)
  }

  /// Whether messages can be sent before the peer confirms.
  func isSecured(_ queue: SendQueue?, _ connection: StoredConnection) -> Bool {
    guard let queue else { return false }
    return queue.senderCanSecure && connection.agentVersion >= AgentVersion.ratchetOnConfirmation
  }

  /// What a message is for.
  func purpose(of task: AgentTask) throws -> MessagePurpose {
    var reader = task.payload.first.flatMap { MessagePurpose(rawValue: $0) }
    if task.kind != .sendMessage, task.kind != .sendEnvelope { reader = nil }
    guard let reader else { throw AgentError.store(.damaged) }
    return reader
  }

  /// A message could not be sent.
  func sendingFailed(_ task: AgentTask, _ flight: Flight, _ error: SMPClientError, _ turn: Turn) throws {
    let server = flight.session.server
    let problem = AgentError.server(server, error)
    if try isAnswered(task) { return try settle(task, turn) }
    if try store.isParked(task.id) { return }
    if calls[task.id] != nil { return try giveUp(task, problem, turn) }
    guard let connection = try store.connection(number: task.connection) else {
      try remove(task, turn)
      return
    }
    let purpose = try purpose(of: task)
    let message = AgentMessageID(rawValue: task.message)
    let isUser = purpose == .message
    switch SendVerdict(error, purpose: purpose, age: turn.now - task.createdAt, configuration) {
    case .retry(let warns):
      if warns, isUser { try emit(.messageWarning(message, problem), connection.id, turn) }
      try retry(task, configuration.retry, server: server, turn)
    case .wait:
      count(.sentQuotaErrors, flight.session, turn)
      if isUser { try emit(.messageWarning(message, problem), connection.id, turn) }
      try retry(task, configuration.quotaRetry, server: nil, turn)
    case .expire(let age):
      try giveUpSending(task, purpose, problem, connection, turn)
      try expire(in: task.lane, before: turn.now - age, problem, connection, turn)
      count(.sentExpired, flight.session, turn)
    case .giveUp(let replacement):
      count(error == .relay(.AUTH) ? .sentAuthErrors : .sentOtherErrors, flight.session, turn)
      if error == .relay(.AUTH), try moveToReplacement(task, turn) { return }
      try giveUpSending(task, purpose, replacement ?? problem, connection, turn)
    }
  }

  /// The peer has deleted a queue that is being replaced: what waits in it goes to the new one. False where there is
  /// none.
  private func moveToReplacement(_ task: AgentTask, _ turn: Turn) throws -> Bool {
    let queues = try store.sendQueues(of: task.connection)
    guard let queue = queues.first(where: { $0.replaces == task.lane.number && $0.isReady }) else { return false }
    let lane = Lane.sendQueue(queue.number)
    if try store.tasks(in: lane).contains(where: { $0.message == task.message }) { return false }
    try store.moveTask(task.id, to: lane)
    turn.pump(lane)
    return true
  }

  private func giveUpSending(
    _ task: AgentTask, _ purpose: MessagePurpose, _ error: AgentError, _ connection: StoredConnection, _ turn: Turn
  ) throws {
    guard try remove(task, turn) else { return }
    // While a queue is replaced, messages go to both; it is given up with the last of them.
    if task.message > 0, try store.hasCopy(of: task) { return }
    if purpose == .message {
      try emit(.messageFailed(AgentMessageID(rawValue: task.message), error), connection.id, turn)
      try deliveredBeforeDeletion(connection, turn)
    } else {
      try emit(.failed(error), connection.id, tag: task.tag, turn)
    }
  }

  /// Gives up the messages behind one that waited too long.
  private func expire(
    in lane: Lane, before time: Int64, _ error: AgentError, _ connection: StoredConnection, _ turn: Turn
  ) throws {
    var expired: [AgentMessageID] = []
    for task in try store.expiredMessages(in: lane, before: time) {
      let isUser = try purpose(of: task) == .message
      guard try remove(task, turn), isUser, try !store.hasCopy(of: task) else { continue }
      expired.append(AgentMessageID(rawValue: task.message))
    }
    if !expired.isEmpty { try emit(.messagesFailed(expired, error), connection.id, turn) }
  }
}
