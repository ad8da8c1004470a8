import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPProtocol
import SimplexCrypto
import WireCodec

extension AgentEngine {
  /// Prepares a connection, so that it has an identifier before it is joined.
  public func prepareToJoin(
    _ user: UserID, _ request: ConnectionRequest, pq: Bool, notifications: Bool = true, now: Int64
  ) throws(AgentError) -> ConnectionID {
    try run(now) { _ in
      try self.require(user)
      let agreed = try Negotiation(request, self.configuration, pq: pq)
      return try self.newConnection(
        user, mode: .invitation, version: agreed.agentVersion, pq: agreed.pqSupport, notifications: notifications
      ).id
    }.value
  }

  /// Joins by an invitation, or sends a request to an address. The call gives `joined`, the event `joined`. After an
  /// error it may be repeated with the same connection and request.
  /// - Parameter connection: one that was prepared, or whose joining failed; nil for a new one.
  public func join(
    _ user: UserID, connection id: ConnectionID? = nil, _ request: ConnectionRequest, info: [UInt8],
    options: ConnectionOptions = ConnectionOptions(), waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<(connection: ConnectionID, call: CallID?)> {
    let (value, effects) = try run(now) { turn in
      try self.join(user, id, request, info: info, options, waiting, turn)
    }
    return Accepted(value, effects)
  }

  func join(
    _ user: UserID, _ id: ConnectionID?, _ request: ConnectionRequest, info: [UInt8], _ options: ConnectionOptions,
    _ waiting: Waiting, _ turn: Turn
  ) throws -> (connection: ConnectionID, call: CallID?) {
    try require(user)
    let agreed = try Negotiation(request, configuration, pq: options.pq)
    _ = try storageServer(QueueDemand(user: user), now: turn.now)
    let (call, tag) = caller(waiting)
    var connection: StoredConnection
    if let id {
      connection = try self.connection(id)
      guard connection.mode == .invitation, connection.user == user else {
        throw AgentError.prohibited("the connection is another one")
      }
      if try resumeJoining(connection, call: call, tag: tag, turn) { return (id, call) }
      guard try store.receiveQueues(of: connection.number).isEmpty, try store.tasks(of: connection.number).isEmpty,
        try store.sendQueues(of: connection.number).isEmpty
      else { throw AgentError.prohibited("the connection is joined already") }
      connection.agentVersion = agreed.agentVersion
      connection.pqSupport = agreed.pqSupport
      try store.update(connection)
    } else {
      connection = try newConnection(
        user, mode: .invitation, version: agreed.agentVersion, pq: agreed.pqSupport,
        notifications: options.notifications)
    }
    let plan: QueuePlan
    if let e2e = agreed.e2e {
      try startJoining(agreed, e2e, connection, tag: tag, call: call, turn)
      plan = .reply(info: info, subscribe: options.subscribe)
    } else {
      plan = .request(request, info: info, subscribe: options.subscribe)
    }
    try add(
      .createQueue, in: .connection(connection.number), of: connection.number,
      payload: try QueuePlan.codec.encode(plan), tag: tag, call: call, turn)
    return (connection.id, call)
  }

  /// Goes on with joining where it failed. False if it had not begun.
  private func resumeJoining(
    _ connection: StoredConnection, call: CallID?, tag: CorrelationTag?, _ turn: Turn
  ) throws -> Bool {
    let steps = try store.tasks(of: connection.number).filter { try isJoining($0) }
    for task in steps {
      try store.setCaller(ofTask: task.id, isCall: call != nil, tag: tag?.bytes)
      if task.notBefore == .max { _ = try store.delayTask(task.id, attempts: task.attempts, until: 0) }
      if let call { turn.change { self.calls[task.id] = call } }
      turn.pump(task.lane)
    }
    guard steps.isEmpty else { return true }
    // All of it may have happened since, without anybody waiting for it.
    guard let queue = try store.sendQueues(of: connection.number).first, queue.status != .new,
      try !store.receiveQueues(of: connection.number).isEmpty
    else { return false }
    let isSecured = isSecured(queue, connection)
    if let call {
      turn.effect(.complete(call, .success(.joined(connection.id, isSecured: isSecured))))
    } else {
      try emit(.joined(isSecured: isSecured), connection.id, tag: tag, turn)
    }
    return true
  }

  /// Makes the queue for sending and the ratchet, and secures the queue. At the same time the reply queue is created;
  /// the confirmation follows both.
  private func startJoining(
    _ agreed: Negotiation, _ e2e: E2EParameters, _ connection: StoredConnection, tag: CorrelationTag?, call: CallID?,
    _ turn: Turn
  ) throws {
    let opened = try store.linkSenderKey(queue: agreed.queue.senderID, at: agreed.queue.server)
    var queue = try newSendQueue(agreed.queue, agreed.clientVersion, connection, key: opened)
    if opened != nil {
      queue.status = .secured
      try store.removeLink(queue: queue.senderID, at: queue.server)
    }
    queue.number = try store.insert(queue)
    let own = E2EPrivateKeys(
      version: e2e.version, kem: .reply(to: e2e, wantsPQ: connection.pqSupport), keys: &keys)
    let ratchet = try Ratchet(
      joining: e2e, keys: own, ratchetKey: keys.makeRatchetKey(),
      versions: RatchetVersions(current: e2e.version, maximum: configuration.e2eVersions.highest))
    try store.setRatchet(StoredRatchet(ratchet), of: connection.number)
    try store.setRatchetKeys(own, parameters: own.parameters(version: e2e.version), of: connection.number)
    if queue.senderCanSecure, queue.status == .new {
      try add(.secureSendQueue, in: .sendQueue(queue.number), of: connection.number, tag: tag, call: call, turn)
    }
  }

  /// A queue that messages will be sent to, with new keys.
  func newSendQueue(
    _ address: QueueAddress, _ version: UInt16, _ connection: StoredConnection, key: AuthorizationPrivateKey? = nil
  ) throws -> SendQueue {
    var random = random
    let own = X25519.PrivateKey(using: &random)
    return SendQueue(
      connection: connection.number, server: address.server, senderID: address.senderID,
      key: key ?? .ed25519(Ed25519.PrivateKey(using: &random)), publicKey: own.publicKey,
      sharedKey: try own.boxKey(with: address.dhKey), mode: address.mode, clientVersion: version)
  }

  /// The joining side's queue was created: it confirms.
  func createdReplyQueue(
    _ task: AgentTask, _ info: [UInt8], _ address: QueueAddress, _ queue: ReceiveQueue,
    _ connection: StoredConnection, _ turn: Turn
  ) throws {
    guard let target = try store.sendQueues(of: connection.number).first,
      let parameters = try store.ratchetParameters(of: connection.number)
    else { throw AgentError.internalError("joining without a queue") }
    let call = calls[task.id]
    try remove(task, turn)
    var ratchet = try ratchet(of: connection)
    let reply = QueueInfoAddress(clientVersion: queue.clientVersion, address: address)
    try enqueueConfirmation(
      .connectionInfoReply(queues: [reply], info: info), .confirmationReply, keys: parameters, connection, &ratchet,
      to: target, tag: task.tag, call: call, turn)
    try store.setRatchet(ratchet, of: connection.number)
    try store.removeRatchetKeys(of: connection.number)
  }

  /// The queue of the invitation for an address was created: the request is sent.
  func sendRequest(
    _ invitation: ConnectionRequest, info: [UInt8], to target: ConnectionRequest, for task: AgentTask,
    _ connection: StoredConnection, _ turn: Turn
  ) throws {
    let agreed = try Negotiation(target, configuration, pq: connection.pqSupport)
    let envelope = AgentEnvelope(version: agreed.agentVersion, content: .invitation(invitation, info: info))
    let message = ClientMessage(senderKey: nil, body: try AgentEnvelope.codec.encode(envelope))
    var random = random
    let key = X25519.PrivateKey(using: &random)
    let nonce = BoxNonce(using: &random)
    let box: [UInt8]
    do {
      box = try message.seal(
        key: try key.boxKey(with: agreed.queue.dhKey), nonce: nonce, paddedTo: ClientMessage.confirmationPaddedSize)
    } catch MessageBoxError.crypto(.messageTooLong(let limit)) {
      return try giveUp(task, .tooLarge(limit: limit - (message.body.count - info.count)), turn)
    }
    let payload = RequestPayload(
      server: agreed.queue.server, senderID: agreed.queue.senderID,
      body: try SentMessage.codec.encode(
        SentMessage(version: agreed.clientVersion, key: key.publicKey, nonce: nonce, box: box)))
    let call = calls[task.id]
    try remove(task, turn)
    try add(
      .sendRequest, in: .connection(connection.number), of: connection.number,
      payload: try RequestPayload.codec.encode(payload), tag: task.tag, call: call, turn)
  }

  /// Whether the peer has answered what a task is to send, so that it arrived whatever the relay says or does not say.
  func isAnswered(_ task: AgentTask) throws -> Bool {
    switch task.kind {
    case .sendRequest: break
    case .sendEnvelope: if try purpose(of: task) != .confirmationReply { return false }
    default: return false
    }
    guard let queue = try store.receiveQueues(of: task.connection).first else { return false }
    return queue.status != .new
  }

  /// What a task was to send has arrived.
  func settle(_ task: AgentTask, _ turn: Turn) throws {
    if try remove(task, turn) { try sent(task, proxy: nil, turn) }
  }

  /// The peer answered: steps of joining that wait for the application to join again are done.
  func settleAnswered(_ connection: StoredConnection, _ turn: Turn) throws {
    for task in try store.tasks(of: connection.number) where task.notBefore == .max {
      if try isAnswered(task) { try settle(task, turn) }
    }
  }

  /// The confirmation or the request was sent.
  func joined(_ task: AgentTask, _ connection: StoredConnection, isSecured: Bool, _ turn: Turn) throws {
    if let call = calls[task.id] {
      turn.effect(.complete(call, .success(.joined(connection.id, isSecured: isSecured))))
    } else {
      try emit(.joined(isSecured: isSecured), connection.id, tag: task.tag, turn)
    }
  }
}
