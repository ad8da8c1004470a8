import AgentCore
import AgentProtocol
import AgentStore
import SMPClientCore
import SMPProtocol
import SimplexCrypto

// Replacing a queue takes, for the recipient: NEW, QADD →, QKEY ←, KEY, QUSE →, QTEST ← in the new queue, DEL of the
// old one; for the sender: QADD ←, QKEY →, QUSE ←, QTEST → in the new queue, and the old one is forgotten. Source:
// agent-protocol.md, "Rotating messaging queue".
//
// Each step is recorded with the queue. During a ratchet renegotiation nothing can be sent; the message of the last
// step is sent again after it. A step that is received twice is answered twice.

// MARK: The recipient

extension AgentMachine {
  /// Replaces the queue that messages are received from by one at another relay.
  public func switchQueue(
    _ id: ConnectionID, waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<(stats: AgentConnectionStats, call: CallID?)> {
    let (value, effects) = try run(now) { transaction in
      let connection = try self.connection(id)
      try self.requireDuplex(connection, "switchConnection")
      if connection.ratchetSync.prohibitsSending { throw AgentError.prohibited("switchConnection: send prohibited") }
      let queues = try self.store.receiveQueues(of: connection.number)
      guard var queue = queues.first, !queues.contains(where: { $0.switchStatus != nil }) else {
        throw AgentError.prohibited("switchConnectionAsync: already switching")
      }
      queue.switchStatus = .started
      try self.store.update(queue)
      let caller = self.caller(waiting)
      try self.add(
        .createQueue, to: .connection(connection.number), of: connection.number,
        payload: try QueuePlan.codec.encode(.replacement(queue: queue.number)), for: caller, in: transaction)
      return (stats: try self.stats(connection), call: caller.call)
    }
    return Accepted(value, effects)
  }

  /// Stops replacing a queue.
  public func abortSwitch(_ id: ConnectionID, now: Int64) throws(AgentError) -> Accepted<AgentConnectionStats> {
    let (stats, effects) = try run(now) { transaction in
      let connection = try self.connection(id)
      try self.requireDuplex(connection, "abortConnectionSwitch")
      let queues = try self.store.receiveQueues(of: connection.number)
      guard var queue = queues.first(where: { $0.switchStatus != nil }), queue.canAbortSwitch else {
        throw AgentError.prohibited("abortConnectionSwitch: not allowed")
      }
      if connection.ratchetSync.prohibitsSending {
        throw AgentError.prohibited("abortConnectionSwitch: send prohibited")
      }
      for task in try self.store.tasks(in: .connection(connection.number)) where task.kind == .createQueue {
        try self.giveUp(task, error: .prohibited("switchConnection: aborted"), in: transaction)
      }
      for replacement in queues where replacement.replaces == queue.number {
        try self.deleteLater(replacement, of: connection, in: transaction)
      }
      queue.switchStatus = nil
      try self.store.update(queue)
      return try self.stats(connection)
    }
    return Accepted(stats, effects)
  }

  func requireDuplex(_ connection: StoredConnection, _ operation: String) throws {
    guard try !store.sendQueues(of: connection.number).isEmpty,
      try !store.receiveQueues(of: connection.number).isEmpty
    else { throw AgentError.prohibited("\(operation): not duplex") }
  }

  /// Sends QADD after the new queue was created.
  func createdReplacement(
    _ task: AgentTask, queue: ReceiveQueue, address: QueueAddress, of connection: StoredConnection,
    in transaction: AgentTransaction
  ) throws {
    guard let replaced = try queue.replaces.flatMap({ try store.receiveQueue(number: $0) }),
      replaced.switchStatus == .started
    else {
      try deleteLater(queue, of: connection, in: transaction)
      return try giveUp(task, error: .prohibited("switchConnection: aborted"), in: transaction)
    }
    try enqueueAddition(of: address, replacing: replaced, connection: connection, in: transaction)
    try update(receiveQueue: replaced.number) { $0.switchStatus = .sendingQADD }
    let event = AgentEvent.Kind.switched(.receive, .started, try stats(connection))
    try finish(task, with: .done, event: event, in: transaction)
  }

  private func enqueueAddition(
    of address: QueueAddress, replacing replaced: ReceiveQueue, connection: StoredConnection,
    in transaction: AgentTransaction
  ) throws {
    let addition = QueueAddition(
      queue: QueueURI(clientVersions: configuration.clientVersions, address: address),
      replaces: QueueReference(server: replaced.server, senderID: replaced.senderID))
    try enqueue(
      .addQueues([addition]), for: .addQueue, on: connection, to: try store.sendQueues(of: connection.number),
      in: transaction)
  }

  /// Handles the peer's keys for the new queue (QKEY).
  func receivedQueueKeys(_ keys: [QueueKey], arrival: Arrival, in transaction: AgentTransaction) throws {
    let connection = arrival.connection
    guard let key = keys.first, configuration.clientVersions.contains(key.queue.clientVersion) else {
      throw AgentError.peer(.version)
    }
    let queues = try store.receiveQueues(of: connection.number)
    let address = key.queue.address
    guard var queue = queues.first(where: { $0.server == address.server && $0.senderID == address.senderID }),
      let replaced = queues.first(where: { $0.number == queue.replaces })
    else { throw AgentError.peer(.queue("QKEY: queue address not found in connection")) }
    // The peer did not receive QUSE.
    if replaced.switchStatus == .sendingQUSE {
      return try enqueueUse(of: queue, connection: connection, in: transaction)
    }
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
      .secureReceiveQueue, to: .receiveQueue(queue.number), of: connection.number,
      payload: try SecurePayload.codec.encode(SecurePayload(queue: queue.number, senderKey: key.senderKey)),
      in: transaction)
    try emit(.switched(.receive, .confirmed, try stats(connection)), connection: connection.id, in: transaction)
  }

  /// Sends QUSE after the new queue was secured.
  func securedReplacement(_ queue: inout ReceiveQueue, in transaction: AgentTransaction) throws {
    guard queue.status == .confirmed, let connection = try store.connection(number: queue.connection),
      let replaced = try queue.replaces.flatMap({ try store.receiveQueue(number: $0) })
    else { return }
    queue.status = .secured
    try store.update(queue)
    try enqueueUse(of: queue, connection: connection, in: transaction)
    try update(receiveQueue: replaced.number) { $0.switchStatus = .sendingQUSE }
    try emit(.switched(.receive, .secured, try stats(connection)), connection: connection.id, in: transaction)
  }

  private func enqueueUse(of queue: ReceiveQueue, connection: StoredConnection, in transaction: AgentTransaction) throws
  {
    let use = QueueUse(queue: QueueReference(server: queue.server, senderID: queue.senderID), isPrimary: true)
    try enqueue(
      .useQueues([use]), for: .useQueue, on: connection, to: try store.sendQueues(of: connection.number),
      in: transaction)
  }

  /// Deletes the old queue after a message was received through the new one.
  func replacedQueue(_ arrival: inout Arrival, in transaction: AgentTransaction) throws {
    guard let number = arrival.queue.replaces, var replaced = try store.receiveQueue(number: number) else { return }
    guard replaced.switchStatus == .sendingQUSE else { return }
    arrival.queue.isPrimary = true
    arrival.queue.replaces = nil
    replaced.switchStatus = .receivedMessage
    replaced.isPrimary = false
    try store.update(replaced)
    try store.update(arrival.queue)
    try add(.drainQueue, to: .receiveQueue(number), of: replaced.connection, in: transaction)
  }

  /// Handles the number of messages that a replaced queue still has at its relay. They were sent before the peer used
  /// the new queue; the queue is deleted when they are received, or after a timeout. If the relay does not deliver
  /// them, the queue is subscribed again.
  func drained(
    _ task: AgentTask, flight: Flight, result: Result<BrokerMessage, SMPClientError>, in transaction: AgentTransaction
  ) throws {
    let isLast = task.attempts + 1 >= configuration.drainAttempts
    switch result {
    case .success(.info(let info)) where info.qiSize > 0 && !isLast:
      // The first time, its messages may still be in flight.
      if info.qiSub == nil || task.attempts > 0, let queue = try store.receiveQueue(number: task.lane.number),
        !delivers(queue, accordingTo: info)
      {
        subscribeAgain(queue, at: flight.session, in: transaction)
      }
      return try retry(task, policy: configuration.drainRetry, server: nil, in: transaction)
    case .failure(let error) where error.isTemporary && !isLast:
      return try retry(task, policy: configuration.retry, server: flight.session.server, in: transaction)
    default:
      guard try remove(task, in: transaction), let queue = try store.receiveQueue(number: task.lane.number),
        let connection = try store.connection(number: task.connection)
      else { return }
      try deleteLater(queue, of: connection, in: transaction)
    }
  }
}

// MARK: The sender

extension AgentMachine {
  /// Handles the offer of the peer to replace a queue (QADD).
  func receivedAddition(_ additions: [QueueAddition], arrival: Arrival, in transaction: AgentTransaction) throws {
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
      // The peer did not receive QKEY.
      return try enqueueKeys(for: known, connection: connection, in: transaction)
    }
    // The peer aborted and started again: its first offer is void.
    for void in queues where void.replaces == replaced.number { try remove(void, in: transaction) }
    queues.removeAll { $0.replaces == replaced.number }
    var queue = try newSendQueue(address, version: version, of: connection)
    queue.replaces = replaced.number
    queue.isPrimary = false
    queue.number = try store.insert(queue)
    replaced.switchStatus = .sendingQKEY
    try store.update(replaced)
    try enqueueKeys(for: queue, connection: connection, in: transaction)
    try emit(.switched(.send, .started, try stats(connection)), connection: connection.id, in: transaction)
  }

  private func enqueueKeys(for queue: SendQueue, connection: StoredConnection, in transaction: AgentTransaction) throws
  {
    guard let key = queue.publicKey else { throw AgentError.internalError("a new queue without its key") }
    let info = QueueInfoAddress(
      clientVersion: queue.clientVersion,
      address: QueueAddress(server: queue.server, senderID: queue.senderID, dhKey: key, mode: queue.mode))
    let others = try store.sendQueues(of: connection.number).filter { $0.number != queue.number }
    try enqueue(
      .queueKeys([QueueKey(queue: info, senderKey: queue.key.publicKey)]), for: .queueKey, on: connection, to: others,
      in: transaction)
  }

  /// Handles QUSE: tests the new queue, which is secured.
  func receivedQueueUse(_ uses: [QueueUse], arrival: Arrival, in transaction: AgentTransaction) throws {
    let connection = arrival.connection
    let queues = try store.sendQueues(of: connection.number)
    guard let use = uses.first, var queue = queues.first(where: { $0.isAt(use.queue) }) else {
      throw AgentError.peer(.queue("QUSE: switched queue address not found in connection"))
    }
    // The peer did not receive QTEST.
    if queue.isReady { return try enqueueTest(of: queue, connection: connection, in: transaction) }
    guard var replaced = queues.first(where: { $0.number == queue.replaces }),
      replaced.switchStatus == .sendingQKEY
    else { throw AgentError.peer(.queue("QUSE: switching queue not found in connection")) }
    queue.status = .secured
    try store.update(queue)
    try enqueueTest(of: queue, connection: connection, in: transaction)
    replaced.switchStatus = .sendingQTEST
    try store.update(replaced)
    try emit(.switched(.send, .secured, try stats(connection)), connection: connection.id, in: transaction)
  }

  private func enqueueTest(of queue: SendQueue, connection: StoredConnection, in transaction: AgentTransaction) throws {
    let reference = QueueReference(server: queue.server, senderID: queue.senderID)
    try enqueue(.testQueues([reference]), for: .testQueue, on: connection, to: [queue], in: transaction)
  }

  /// Removes the old queue after QTEST was sent through the new one, and moves its waiting messages there.
  func sentTest(_ task: AgentTask, connection: StoredConnection, in transaction: AgentTransaction) throws {
    guard var queue = try store.sendQueue(number: task.lane.number) else { return }
    // It may have been sent a second time.
    guard let replaced = try queue.replaces.flatMap({ try store.sendQueue(number: $0) }),
      replaced.switchStatus == .sendingQTEST
    else { return }
    queue.status = .active
    queue.isPrimary = true
    queue.replaces = nil
    try store.update(queue)
    // Each message that waits only in the old queue keeps its message key.
    let known = Set(try store.tasks(in: task.lane).map(\.message))
    for waiting in try store.tasks(in: .sendQueue(replaced.number)) where !known.contains(waiting.message) {
      try store.moveTask(waiting.id, to: task.lane)
    }
    try remove(replaced, in: transaction)
    transaction.pump(task.lane)
    try emit(.switched(.send, .completed, try stats(connection)), connection: connection.id, in: transaction)
  }

  /// Removes a send queue with its tasks.
  func remove(_ queue: SendQueue, in transaction: AgentTransaction) throws {
    let lane = Lane.sendQueue(queue.number)
    for task in try store.tasks(in: lane) { try remove(task, in: transaction) }
    try store.removeSendQueue(queue.number)
    transaction.change {
      // The response to a command in flight is ignored, because its message may go through another queue now.
      if case .busy(let request)? = self.lanes[lane] { self.flights[request] = nil }
      self.lanes[lane] = nil
    }
  }
}

// MARK: Both

extension AgentMachine {
  /// Repeats the last message of each rotation in progress after a ratchet renegotiation, which may have lost it.
  func resumeSwitching(_ connection: StoredConnection, in transaction: AgentTransaction) throws {
    let receive = try store.receiveQueues(of: connection.number)
    for queue in receive {
      guard let replaced = receive.first(where: { $0.number == queue.replaces }) else { continue }
      switch replaced.switchStatus {
      case .sendingQADD where queue.status == .new:
        let address = QueueAddress(
          server: queue.server, senderID: queue.senderID, dhKey: queue.privateKey.publicKey, mode: queue.mode)
        try enqueueAddition(of: address, replacing: replaced, connection: connection, in: transaction)
      case .sendingQUSE: try enqueueUse(of: queue, connection: connection, in: transaction)
      case .started, .sendingQADD, .receivedMessage, nil: break
      }
    }
    let send = try store.sendQueues(of: connection.number)
    for queue in send {
      switch send.first(where: { $0.number == queue.replaces })?.switchStatus {
      case .sendingQKEY: try enqueueKeys(for: queue, connection: connection, in: transaction)
      case .sendingQTEST: try enqueueTest(of: queue, connection: connection, in: transaction)
      case nil: break
      }
    }
  }
}

extension ReceiveQueue {
  /// Whether replacing it can still be stopped.
  var canAbortSwitch: Bool { switchStatus == .started || switchStatus == .sendingQADD }
}
