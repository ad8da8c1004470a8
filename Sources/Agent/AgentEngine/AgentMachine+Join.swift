import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPProtocol
import SimplexCrypto
import WireCodec

extension AgentMachine {
  /// Joins by an invitation, or sends a request to an address. The call returns `joined`, the event `joined`.
  /// - Parameter id: the identifier of the connection, which makes the operation idempotent: if joining is finished,
  ///   the first result is returned; if it is in progress, the caller waits for it; if it failed, it continues
  ///   with this `info`, unless a confirmation is encrypted with the earlier one already. Nil for a new connection.
  public func join(
    _ user: UserID, connection id: ConnectionID? = nil, _ request: ConnectionRequest, info: [UInt8],
    options: ConnectionOptions = ConnectionOptions(), waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<(connection: ConnectionID, call: CallID?)> {
    let (value, effects) = try run(now) { transaction in
      try self.join(user, id: id, by: request, info: info, options: options, waiting: waiting, in: transaction)
    }
    return Accepted(value, effects)
  }

  func join(
    _ user: UserID, id: ConnectionID?, by request: ConnectionRequest, info: [UInt8], options: ConnectionOptions,
    waiting: Waiting, in transaction: AgentTransaction
  ) throws -> (connection: ConnectionID, call: CallID?) {
    try require(user)
    let caller = caller(waiting)
    let known = try id.flatMap { try store.connection($0) }
    if let known,
      try resumeJoining(known, of: user, by: request, info: info, caller: caller, in: transaction)
    {
      return (known.id, caller.call)
    }
    let agreed = try Negotiation(request, configuration, pq: options.pq)
    _ = try storageServer(QueueDemand(user: user), now: transaction.now)
    var connection: StoredConnection
    if let known {
      connection = known
      guard try store.receiveQueues(of: connection.number).isEmpty, try store.tasks(of: connection.number).isEmpty,
        try store.sendQueues(of: connection.number).isEmpty
      else { throw AgentError.prohibited("joinConnSrv: bad connection \(try typeName(of: connection))") }
      connection.agentVersion = agreed.agentVersion
      connection.pqSupport = agreed.pqSupport
      try store.update(connection)
    } else {
      connection = try newConnection(
        user, id: id, mode: .invitation, version: agreed.agentVersion, pq: agreed.pqSupport,
        notifications: options.notifications)
    }
    let plan: QueuePlan
    if let e2e = agreed.e2e {
      try startJoining(agreed, e2e: e2e, connection: connection, caller: caller, in: transaction)
      plan = .reply(info: info, subscribe: options.subscribe)
    } else {
      plan = .request(request, info: info, subscribe: options.subscribe)
    }
    try add(
      .createQueue, to: .connection(connection.number), of: connection.number,
      payload: try QueuePlan.codec.encode(plan), for: caller, in: transaction)
    return (connection.id, caller.call)
  }

  /// Handles a repeated join of a connection; nil if joining had not begun.
  func resumeJoining(
    _ id: ConnectionID, of user: UserID, info: [UInt8], waiting: Waiting, in transaction: AgentTransaction
  ) throws -> (connection: ConnectionID, call: CallID?)? {
    guard let connection = try store.connection(id) else { return nil }
    let caller = caller(waiting)
    let isResumed = try resumeJoining(connection, of: user, by: nil, info: info, caller: caller, in: transaction)
    return isResumed ? (id, caller.call) : nil
  }

  /// Handles a repeated join, and continues it if it failed. False if joining had not begun.
  private func resumeJoining(
    _ connection: StoredConnection, of user: UserID, by request: ConnectionRequest?, info: [UInt8],
    caller: TaskCaller, in transaction: AgentTransaction
  ) throws -> Bool {
    guard connection.deletion == .no else { throw AgentError.connection(.notFound) }
    guard connection.mode == .invitation, connection.user == user else {
      throw AgentError.prohibited("joinConnSrv: bad connection \(try typeName(of: connection))")
    }
    if let isSecured = try store.joined(connection.number) {
      if let call = caller.call {
        transaction.effect(.complete(call, .success(.joined(connection.id, isSecured: isSecured))))
      } else {
        try emitOnce(.joined(isSecured: isSecured), connection: connection.id, tag: caller.tag, in: transaction)
      }
      return true
    }
    let steps = try store.tasks(of: connection.number).filter { try isJoining($0) }
    for task in steps where task.notBefore == .max { try renew(task, of: connection, by: request, info: info) }
    try attach(caller, to: steps, in: transaction)
    return !steps.isEmpty
  }

  /// Replaces the information in a step that waits for a repeated join. A confirmation stays as it is, because it is
  /// encrypted already.
  private func renew(
    _ task: AgentTask, of connection: StoredConnection, by request: ConnectionRequest?, info: [UInt8]
  ) throws {
    switch task.kind {
    case .createQueue:
      let plan: QueuePlan
      switch try QueuePlan.codec.decode(task.payload) {
      case .reply(_, let subscribe): plan = .reply(info: info, subscribe: subscribe)
      case .request(let target, _, let subscribe):
        plan = .request(request ?? target, info: info, subscribe: subscribe)
      case .connection, .prepared, .replacement: return
      }
      try store.setPayload(ofTask: task.id, try QueuePlan.codec.encode(plan))
    case .sendRequest:
      guard let request, let queue = try store.receiveQueues(of: connection.number).first,
        let keys = try store.ratchetKeys(of: connection.number)
      else { return }
      // With the same queue and keys, so that the peer takes both for one request.
      let address = QueueAddress(
        server: queue.server, senderID: queue.senderID, dhKey: queue.privateKey.publicKey, mode: queue.mode)
      let invitation = self.request(to: address, clientData: nil, keys: keys)
      try store.setPayload(
        ofTask: task.id, try requestPayload(invitation, info: info, to: request, on: connection))
    default: break
    }
  }

  /// Makes the queue for sending and the ratchet, and secures the queue. At the same time the reply queue is created;
  /// the confirmation follows both.
  ///
  /// The key that secures the queue is kept until joining is finished: once the queue is secured the relay accepts no
  /// other key, even if its response was lost, and after a failure another connection may join by the same invitation.
  private func startJoining(
    _ agreed: Negotiation, e2e: E2EParameters, connection: StoredConnection, caller: TaskCaller,
    in transaction: AgentTransaction
  ) throws {
    let known = try store.linkSenderKey(queue: agreed.queue.senderID, at: agreed.queue.server)
    var queue = try newSendQueue(agreed.queue, version: agreed.clientVersion, of: connection, key: known?.key)
    if known?.isSecured == true {
      queue.status = .secured
    } else if known == nil, queue.senderCanSecure {
      try store.setLinkSenderKey(queue.key, queue: queue.senderID, at: queue.server)
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
      try add(.secureSendQueue, to: .sendQueue(queue.number), of: connection.number, for: caller, in: transaction)
    }
  }

  /// A queue that messages will be sent to, with new keys.
  func newSendQueue(
    _ address: QueueAddress, version: UInt16, of connection: StoredConnection, key: AuthorizationPrivateKey? = nil
  ) throws -> SendQueue {
    var random = random
    let own = X25519.PrivateKey(using: &random)
    return SendQueue(
      connection: connection.number, server: address.server, senderID: address.senderID,
      key: key ?? .ed25519(Ed25519.PrivateKey(using: &random)), publicKey: own.publicKey,
      sharedKey: try own.boxKey(with: address.dhKey), mode: address.mode, clientVersion: version)
  }

  /// Sends the confirmation after the reply queue was created.
  func createdReplyQueue(
    _ task: AgentTask, info: [UInt8], address: QueueAddress, queue: ReceiveQueue,
    of connection: StoredConnection, in transaction: AgentTransaction
  ) throws {
    guard let target = try store.sendQueues(of: connection.number).first,
      let parameters = try store.ratchetParameters(of: connection.number)
    else { throw AgentError.internalError("joining without a queue") }
    let caller = caller(of: task)
    try remove(task, in: transaction)
    var ratchet = try ratchet(of: connection)
    let reply = QueueInfoAddress(clientVersion: queue.clientVersion, address: address)
    try enqueueConfirmation(
      .connectionInfoReply(queues: [reply], info: info), purpose: .confirmationReply, keys: parameters, on: connection,
      ratchet: &ratchet,
      to: target, for: caller, in: transaction)
    try store.setRatchet(ratchet, of: connection.number)
    try store.removeRatchetKeys(of: connection.number)
  }

  /// Sends the request to an address after the queue of its invitation was created.
  func sendRequest(
    _ invitation: ConnectionRequest, info: [UInt8], to target: ConnectionRequest, for task: AgentTask,
    on connection: StoredConnection, in transaction: AgentTransaction
  ) throws {
    let payload: [UInt8]
    do {
      payload = try requestPayload(invitation, info: info, to: target, on: connection)
    } catch let error as AgentError {
      guard case .tooLarge = error else { throw error }
      return try giveUp(task, error: error, in: transaction)
    }
    let caller = caller(of: task)
    try remove(task, in: transaction)
    try add(
      .sendRequest, to: .connection(connection.number), of: connection.number, payload: payload, for: caller,
      in: transaction)
  }

  /// A sealed request to an address.
  /// - Throws: `tooLarge` with the limit of `info`.
  private func requestPayload(
    _ invitation: ConnectionRequest, info: [UInt8], to target: ConnectionRequest, on connection: StoredConnection
  ) throws -> [UInt8] {
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
      throw AgentError.tooLarge(limit: limit - (message.body.count - info.count))
    }
    return try RequestPayload.codec.encode(
      RequestPayload(
        server: agreed.queue.server, senderID: agreed.queue.senderID,
        body: try SentMessage.codec.encode(
          SentMessage(version: agreed.clientVersion, key: key.publicKey, nonce: nonce, box: box))))
  }

  /// Whether the peer has answered the message of a task, which proves its delivery even without a response of the
  /// relay.
  func isAnswered(_ task: AgentTask) throws -> Bool {
    switch task.kind {
    case .sendRequest: break
    case .sendEnvelope: if try purpose(of: task) != .confirmationReply { return false }
    default: return false
    }
    guard let queue = try store.receiveQueues(of: task.connection).first else { return false }
    return queue.status != .new
  }

  /// Completes a task whose message is known to be delivered.
  func settle(_ task: AgentTask, in transaction: AgentTransaction) throws {
    if try remove(task, in: transaction) { try sent(task, proxy: nil, in: transaction) }
  }

  /// Completes steps of joining that wait for a repeated join, because the peer has answered.
  func settleAnswered(_ connection: StoredConnection, in transaction: AgentTransaction) throws {
    for task in try store.tasks(of: connection.number) where task.notBefore == .max {
      if try isAnswered(task) { try settle(task, in: transaction) }
    }
  }

  /// Handles the delivery of the confirmation or of the request to the relay.
  func joined(_ task: AgentTask, connection: StoredConnection, isSecured: Bool, in transaction: AgentTransaction) throws
  {
    try store.setJoined(connection.number, isSecured: isSecured)
    if let queue = try store.sendQueues(of: connection.number).first {
      try store.removeLink(queue: queue.senderID, at: queue.server)
    }
    complete(task, with: .success(.joined(connection.id, isSecured: isSecured)), in: transaction)
    if !task.isCall {
      try emit(.joined(isSecured: isSecured), connection: connection.id, tag: task.tag, in: transaction)
    }
  }
}
