import AgentCore
import AgentProtocol
import AgentStore
import SMPClientCore
import SMPProtocol
import SimplexCrypto

// Replacing a queue takes, in the recipient's eyes: NEW, QADD →, QKEY ←, KEY, QUSE →, QTEST ← in the new queue, DEL of the
// old one; in the sender's: QADD ←, QKEY →, QUSE ←, QTEST → in the new queue, and the old one is forgotten. Source:
// agent-protocol.md, "Rotating messaging queue".
//
// Each step is recorded with the queue. While a new ratchet is agreed nothing can be sent; the message of the last step
// is sent again when the ratchet works, and a step that comes twice is answered again.

// MARK: The recipient

extension AgentEngine {
  /// Replaces the queue that messages are received from by one at another relay.
  public func switchQueue(
    _ id: ConnectionID, waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<(stats: ConnectionStats, call: CallID?)> {
    let (value, effects) = try run(now) { turn in
      let connection = try self.connection(id)
      try self.requireDuplex(connection)
      if connection.ratchetSync.prohibitsSending { throw AgentError.prohibited("the ratchet is not synchronized") }
      let queues = try self.store.receiveQueues(of: connection.number)
      guard var queue = queues.first, !queues.contains(where: { $0.switchStatus != nil }) else {
        throw AgentError.prohibited("the queue is being replaced already")
      }
      queue.switchStatus = .started
      try self.store.update(queue)
      let (call, tag) = self.caller(waiting)
      try self.add(
        .createQueue, in: .connection(connection.number), of: connection.number,
        payload: try QueuePlan.codec.encode(.replacement(queue: queue.number)), tag: tag, call: call, turn)
      return (stats: try self.stats(connection), call: call)
    }
    return Accepted(value, effects)
  }

  /// Stops replacing a queue.
  public func abortSwitch(_ id: ConnectionID, now: Int64) throws(AgentError) -> Accepted<ConnectionStats> {
    let (stats, effects) = try run(now) { turn in
      let connection = try self.connection(id)
      try self.requireDuplex(connection)
      let queues = try self.store.receiveQueues(of: connection.number)
      guard var queue = queues.first(where: { $0.switchStatus != nil }), queue.canAbortSwitch else {
        throw AgentError.prohibited("replacing the queue cannot be stopped")
      }
      if connection.ratchetSync.prohibitsSending { throw AgentError.prohibited("the ratchet is not synchronized") }
      for task in try self.store.tasks(in: .connection(connection.number)) where task.kind == .createQueue {
        try self.giveUp(task, .prohibited("replacing the queue was stopped"), turn)
      }
      for replacement in queues where replacement.replaces == queue.number {
        try self.deleteLater(replacement, connection, turn)
      }
      queue.switchStatus = nil
      try self.store.update(queue)
      return try self.stats(connection)
    }
    return Accepted(stats, effects)
  }

  func requireDuplex(_ connection: StoredConnection) throws {
    guard try !store.sendQueues(of: connection.number).isEmpty,
      try !store.receiveQueues(of: connection.number).isEmpty
    else { throw AgentError.prohibited("the connection is not established") }
  }

  /// The new queue was created: the peer is told.
  func createdReplacement(
    _ task: AgentTask, _ queue: ReceiveQueue, _ address: QueueAddress, _ connection: StoredConnection, _ turn: Turn
  ) throws {
    guard let replaced = try queue.replaces.flatMap({ try store.receiveQueue(number: $0) }),
      replaced.switchStatus == .started
    else {
      try deleteLater(queue, connection, turn)
      return try giveUp(task, .prohibited("replacing the queue was stopped"), turn)
    }
    try enqueueAddition(of: address, replacing: replaced, connection, turn)
    try update(receiveQueue: replaced.number) { $0.switchStatus = .sendingQADD }
    let event = AgentEvent.Kind.switched(.receive, .started, try stats(connection))
    try finish(task, .done, event: event, turn)
  }

  private func enqueueAddition(
    of address: QueueAddress, replacing replaced: ReceiveQueue, _ connection: StoredConnection, _ turn: Turn
  ) throws {
    let addition = QueueAddition(
      queue: QueueURI(clientVersions: configuration.clientVersions, address: address),
      replaces: QueueReference(server: replaced.server, senderID: replaced.senderID))
    try enqueue(
      .addQueues([addition]), .addQueue, connection, to: try store.sendQueues(of: connection.number), turn)
  }

  /// The peer gave its keys for the new queue (QKEY).
  func receivedQueueKeys(_ keys: [QueueKey], _ arrival: Arrival, _ turn: Turn) throws {
    let connection = arrival.connection
    guard let key = keys.first, configuration.clientVersions.contains(key.queue.clientVersion) else {
      throw AgentError.peer(.version)
    }
    let queues = try store.receiveQueues(of: connection.number)
    let address = key.queue.address
    guard var queue = queues.first(where: { $0.server == address.server && $0.senderID == address.senderID }),
      let replaced = queues.first(where: { $0.number == queue.replaces })
    else { throw AgentError.peer(.queue("QKEY: queue address not found in connection")) }
    // The peer did not learn that the queue is secured.
    if replaced.switchStatus == .sendingQUSE { return try enqueueUse(of: queue, connection, turn) }
    if queue.status == .confirmed { return }
    guard queue.status == .new else { throw AgentError.peer(.queue("QKEY: queue already secured")) }
    guard replaced.switchStatus == .sendingQADD else {
      throw AgentError.peer(.queue("QKEY: the queue is not being replaced"))
    }
    queue.sharedKey = try queue.privateKey.boxKey(with: address.dhKey)
    queue.clientVersion = min(queue.clientVersion, key.queue.clientVersion)
    queue.status = .confirmed
    try store.update(queue)
    try add(
      .secureReceiveQueue, in: .receiveQueue(queue.number), of: connection.number,
      payload: try SecurePayload.codec.encode(SecurePayload(queue: queue.number, senderKey: key.senderKey)), turn)
    try emit(.switched(.receive, .confirmed, try stats(connection)), connection.id, turn)
  }

  /// The new queue is secured: the peer may use it.
  func securedReplacement(_ queue: inout ReceiveQueue, _ turn: Turn) throws {
    guard queue.status == .confirmed, let connection = try store.connection(number: queue.connection),
      let replaced = try queue.replaces.flatMap({ try store.receiveQueue(number: $0) })
    else { return }
    queue.status = .secured
    try store.update(queue)
    try enqueueUse(of: queue, connection, turn)
    try update(receiveQueue: replaced.number) { $0.switchStatus = .sendingQUSE }
    try emit(.switched(.receive, .secured, try stats(connection)), connection.id, turn)
  }

  private func enqueueUse(of queue: ReceiveQueue, _ connection: StoredConnection, _ turn: Turn) throws {
    let use = QueueUse(queue: QueueReference(server: queue.server, senderID: queue.senderID), isPrimary: true)
    try enqueue(.useQueues([use]), .useQueue, connection, to: try store.sendQueues(of: connection.number), turn)
  }

  /// A message came through the new queue: the old one is deleted.
  func replacedQueue(_ arrival: inout Arrival, _ turn: Turn) throws {
    guard let number = arrival.queue.replaces, var replaced = try store.receiveQueue(number: number) else { return }
    guard replaced.switchStatus == .sendingQUSE else { return }
    arrival.queue.isPrimary = true
    arrival.queue.replaces = nil
    replaced.switchStatus = .receivedMessage
    replaced.isPrimary = false
    try store.update(replaced)
    try store.update(arrival.queue)
    try add(.drainQueue, in: .receiveQueue(number), of: replaced.connection, turn)
  }

  /// The relay said how many messages a replaced queue still has. Those were sent before the peer used the new queue;
  /// the queue is deleted when they were received, or when that takes too long.
  func drained(
    _ task: AgentTask, _ flight: Flight, _ result: Result<BrokerMessage, SMPClientError>, _ turn: Turn
  ) throws {
    let isLast = task.attempts + 1 >= configuration.drainAttempts
    switch result {
    case .success(.info(let info)) where info.qiSize > 0 && !isLast:
      return try retry(task, configuration.drainRetry, server: nil, turn)
    case .failure(let error) where error.isTemporary && !isLast:
      return try retry(task, configuration.retry, server: flight.session.server, turn)
    default:
      guard try remove(task, turn), let queue = try store.receiveQueue(number: task.lane.number),
        let connection = try store.connection(number: task.connection)
      else { return }
      try deleteLater(queue, connection, turn)
    }
  }
}

// MARK: The sender

extension AgentEngine {
  /// The peer offers a queue in place of another one (QADD).
  func receivedAddition(_ additions: [QueueAddition], _ arrival: Arrival, _ turn: Turn) throws {
    let connection = arrival.connection
    guard let addition = additions.first, let reference = addition.replaces else {
      throw AgentError.peer(.queue("adding a queue without replacing one is not supported"))
    }
    guard
      let version = addition.queue.clientVersions.intersection(configuration.clientVersions)?.highest
    else { throw AgentError.peer(.version) }
    let address = addition.queue.address
    var queues = try store.sendQueues(of: connection.number)
    guard var replaced = queues.first(where: { $0.isAt(reference) }) else {
      throw AgentError.peer(.queue("QADD: replaced queue address is not found in connection"))
    }
    if let known = queues.first(where: { $0.server == address.server && $0.senderID == address.senderID }) {
      guard known.replaces == replaced.number, replaced.switchStatus == .sendingQKEY else {
        throw AgentError.peer(.queue("QADD: queue address is already used in connection"))
      }
      // The peer did not get our keys.
      return try enqueueKeys(for: known, connection, turn)
    }
    // The peer stopped and began again: its first offer is void.
    for void in queues where void.replaces == replaced.number { try remove(void, turn) }
    queues.removeAll { $0.replaces == replaced.number }
    var queue = try newSendQueue(address, version, connection)
    queue.replaces = replaced.number
    queue.isPrimary = false
    queue.number = try store.insert(queue)
    replaced.switchStatus = .sendingQKEY
    try store.update(replaced)
    try enqueueKeys(for: queue, connection, turn)
    try emit(.switched(.send, .started, try stats(connection)), connection.id, turn)
  }

  private func enqueueKeys(for queue: SendQueue, _ connection: StoredConnection, _ turn: Turn) throws {
    let info = QueueInfoAddress(
      clientVersion: queue.clientVersion,
      address: QueueAddress(
        server: queue.server, senderID: queue.senderID, dhKey: queue.publicKey, mode: queue.mode))
    let others = try store.sendQueues(of: connection.number).filter { $0.number != queue.number }
    try enqueue(
      .queueKeys([QueueKey(queue: info, senderKey: queue.key.publicKey)]), .queueKey, connection, to: others, turn)
  }

  /// The new queue is secured (QUSE): it is tested.
  func receivedQueueUse(_ uses: [QueueUse], _ arrival: Arrival, _ turn: Turn) throws {
    let connection = arrival.connection
    let queues = try store.sendQueues(of: connection.number)
    guard let use = uses.first, var queue = queues.first(where: { $0.isAt(use.queue) }) else {
      throw AgentError.peer(.queue("QUSE: switched queue address not found in connection"))
    }
    // The peer did not get the test.
    if queue.isReady { return try enqueueTest(of: queue, connection, turn) }
    guard var replaced = queues.first(where: { $0.number == queue.replaces }),
      replaced.switchStatus == .sendingQKEY
    else { throw AgentError.peer(.queue("QUSE: switching queue not found in connection")) }
    queue.status = .secured
    try store.update(queue)
    try enqueueTest(of: queue, connection, turn)
    replaced.switchStatus = .sendingQTEST
    try store.update(replaced)
    try emit(.switched(.send, .secured, try stats(connection)), connection.id, turn)
  }

  private func enqueueTest(of queue: SendQueue, _ connection: StoredConnection, _ turn: Turn) throws {
    let reference = QueueReference(server: queue.server, senderID: queue.senderID)
    try enqueue(.testQueues([reference]), .testQueue, connection, to: [queue], turn)
  }

  /// The test was sent through the new queue: the old one is forgotten, and what waits in it goes to the new one.
  func sentTest(_ task: AgentTask, _ connection: StoredConnection, _ turn: Turn) throws {
    guard var queue = try store.sendQueue(number: task.lane.number) else { return }
    // It may have been sent a second time.
    guard let replaced = try queue.replaces.flatMap({ try store.sendQueue(number: $0) }),
      replaced.switchStatus == .sendingQTEST
    else { return }
    queue.status = .active
    queue.isPrimary = true
    queue.replaces = nil
    try store.update(queue)
    // Each message that waits in the old queue and is not in the new one yet keeps its place in the ratchet.
    let known = Set(try store.tasks(in: task.lane).map(\.message))
    for waiting in try store.tasks(in: .sendQueue(replaced.number)) where !known.contains(waiting.message) {
      try store.moveTask(waiting.id, to: task.lane)
    }
    try remove(replaced, turn)
    turn.pump(task.lane)
    try emit(.switched(.send, .completed, try stats(connection)), connection.id, turn)
  }

  /// Forgets a queue for sending with its tasks.
  func remove(_ queue: SendQueue, _ turn: Turn) throws {
    let lane = Lane.sendQueue(queue.number)
    for task in try store.tasks(in: lane) { try remove(task, turn) }
    try store.removeSendQueue(queue.number)
    turn.change {
      // What is on its way may go through another queue now, so its answer says nothing any more.
      if case .busy(let request)? = self.lanes[lane] { self.flights[request] = nil }
      self.lanes[lane] = nil
    }
  }
}

// MARK: Both

extension AgentEngine {
  /// A new ratchet works: what each side said last about queues that are being replaced may not have reached the other.
  func resumeSwitching(_ connection: StoredConnection, _ turn: Turn) throws {
    let receive = try store.receiveQueues(of: connection.number)
    for queue in receive {
      guard let replaced = receive.first(where: { $0.number == queue.replaces }) else { continue }
      switch replaced.switchStatus {
      case .sendingQADD where queue.status == .new:
        let address = QueueAddress(
          server: queue.server, senderID: queue.senderID, dhKey: queue.privateKey.publicKey, mode: queue.mode)
        try enqueueAddition(of: address, replacing: replaced, connection, turn)
      case .sendingQUSE: try enqueueUse(of: queue, connection, turn)
      case .started, .sendingQADD, .receivedMessage, nil: break
      }
    }
    let send = try store.sendQueues(of: connection.number)
    for queue in send {
      switch send.first(where: { $0.number == queue.replaces })?.switchStatus {
      case .sendingQKEY: try enqueueKeys(for: queue, connection, turn)
      case .sendingQTEST: try enqueueTest(of: queue, connection, turn)
      case nil: break
      }
    }
  }
}

extension ReceiveQueue {
  /// Whether replacing it can still be stopped.
  var canAbortSwitch: Bool { switchStatus == .started || switchStatus == .sendingQADD }
}
