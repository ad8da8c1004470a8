import AgentCore
import AgentProtocol
import AgentStore
import SMPClientCore
import SMPProtocol
import WireCodec

extension AgentMachine {
  /// Handles the response to a command, or its failure.
  func completed(
    _ id: RequestID, _ result: Result<BrokerMessage, SMPClientError>, proxy: SMPServerAddress?, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    guard let flight = flights[id] else { return [] }
    if case .getMessage(let request) = flight.work {
      return try gotMessage(id, for: request, session: flight.session, result: result, now: now)
    }
    return try run(now) { transaction in
      transaction.change { self.flights[id] = nil }
      switch flight.work {
      case .nothing: break
      case .acknowledgement(let acknowledgement):
        try self.acknowledged(acknowledgement, with: result, in: transaction)
      case .silence(let queue): try self.checked(queue, with: result, in: transaction)
      case .notifier(let queue, let material):
        try self.notifierChanged(queue, material, at: flight.session, with: result, in: transaction)
      case .getMessage: break
      case .task(let task):
        let task = try self.current(task)
        self.land(task, in: transaction)
        try self.finish(task, flight: flight, result: result, proxy: proxy, in: transaction)
      case .creation(let task, let material):
        let task = try self.current(task)
        self.land(task, in: transaction)
        try self.finishCreation(task, material: material, flight: flight, result: result, in: transaction)
      case .serverTest(let task, let material, let state):
        self.land(task, in: transaction)
        try self.continueTest(task, material: material, state: state, result: result, in: transaction)
      }
    }.effects
  }

  /// The lane of a task is free again.
  private func land(_ task: AgentTask, in transaction: AgentTransaction) {
    transaction.change { self.lanes[task.lane] = nil }
    transaction.pump(task.lane)
  }

  private func finish(
    _ task: AgentTask, flight: Flight, result: Result<BrokerMessage, SMPClientError>, proxy: SMPServerAddress?,
    in transaction: AgentTransaction
  ) throws {
    let server = flight.session.server
    countSending(task, flight: flight, result: result, proxy: proxy, in: transaction)
    switch (task.kind, result) {
    case (.sendMessage, .success(.ok)), (.sendEnvelope, .success(.ok)), (.sendRequest, .success(.ok)):
      if try remove(task, in: transaction) { try sent(task, proxy: proxy, in: transaction) }
    case (.sendMessage, .failure(let error)), (.sendEnvelope, .failure(let error)):
      try sendingFailed(task, flight: flight, error: error, in: transaction)
    case (.secureSendQueue, .success(.ok)): try securedSendQueue(task, in: transaction)
    case (.secureReceiveQueue, .success(.ok)): try securedReceiveQueue(task, flight: flight, in: transaction)
    case (.setLink, .success(.ok)): try linkSet(task, in: transaction)
    case (.getLink, .success(.lnk(let response))): try gotLink(task, from: response, in: transaction)
    case (.deleteLink, .success(.ok)):
      try update(receiveQueue: task.lane.number) { $0.link = nil }
      try finish(task, with: .done, event: .done, in: transaction)
    case (.suspendQueue, .success(.ok)):
      try update(receiveQueue: task.lane.number) { $0.status = .disabled }
      try finish(task, with: .done, event: .done, in: transaction)
    case (.queueInfo, .success(.info(let info))): try finish(task, with: .queueInfo(info), event: nil, in: transaction)
    case (.deleteQueue, _): try finishDeletion(task, flight: flight, result: result, in: transaction)
    case (.drainQueue, _): try drained(task, flight: flight, result: result, in: transaction)
    case (_, .success(let message)):
      try giveUp(task, error: .server(server, .unexpectedResponse(message.form.keyword)), in: transaction)
    case (_, .failure(let error)): try failed(task, with: .server(server, error), in: transaction)
    }
  }

  /// Counts an attempt to send, for the destination relay and for its proxy.
  private func countSending(
    _ task: AgentTask, flight: Flight, result: Result<BrokerMessage, SMPClientError>, proxy: SMPServerAddress?,
    in transaction: AgentTransaction
  ) {
    guard [.sendMessage, .sendEnvelope, .sendRequest].contains(task.kind) else { return }
    var isSent = false
    if case .success(.ok) = result { isSent = true }
    count(proxy == nil ? .sentDirectAttempts : .sentViaProxyAttempts, at: flight.session, in: transaction)
    if isSent { count(proxy == nil ? .sentDirect : .sentViaProxy, at: flight.session, in: transaction) }
    guard let proxy else { return }
    let session = SessionKey(server: proxy, user: flight.session.user)
    count(.sentProxiedAttempts, at: session, in: transaction)
    if isSent { count(.sentProxied, at: session, in: transaction) }
  }

  /// Handles the failure of a task that is not a message: retries it, later where the queue of an address is full, or
  /// gives it up.
  func failed(_ task: AgentTask, with error: AgentError, in transaction: AgentTransaction) throws {
    if try isAnswered(task) { return try settle(task, in: transaction) }
    // Another step of joining has failed and reported it to the caller; this one waits for a repeated join too.
    if try store.isParked(task.id) { return }
    // The queue of an address may be full, for example of copies of this request whose responses were lost.
    let isFull = if case .server(_, .relay(.QUOTA)) = error { task.kind == .sendRequest } else { false }
    guard error.isTemporary || error.isHostError || isFull, !task.isCall else {
      return try giveUp(task, error: error, in: transaction)
    }
    complete(task, with: .failure(error), in: transaction)
    var server: SMPServerAddress?
    if case .server(let failed, _) = error, !isFull { server = failed }
    try retry(
      task, policy: isFull ? configuration.quotaRetry : configuration.retry, server: server, in: transaction)
    // The calls behind it fail like it: otherwise they would wait as long as the relay is away, or the queue full.
    if calls.isEmpty { return }
    for other in try store.tasks(in: task.lane) where other.id > task.id && other.isCall && calls[other.id] != nil {
      try giveUp(other, error: error, in: transaction)
    }
  }

  /// Completes a task, and its callers.
  func finish(_ task: AgentTask, with outcome: CallOutcome, event: AgentEvent.Kind?, in transaction: AgentTransaction)
    throws
  {
    guard try remove(task, in: transaction) else { return }
    complete(task, with: .success(outcome), in: transaction)
    if let event, !task.isCall {
      try emit(event, connection: try store.connectionID(task.connection), tag: task.tag, in: transaction)
    }
  }

  /// Fails a task permanently: its callers get the error, and what depends on it is removed.
  func giveUp(_ task: AgentTask, error: AgentError, in transaction: AgentTransaction) throws {
    if task.kind == .sendMessage, let connection = try store.connection(number: task.connection) {
      return try giveUpSending(task, purpose: purpose(of: task), error: error, connection: connection, in: transaction)
    }
    if task.isCall, try isJoining(task) {
      // The application may join again with the same connection, and continues where it stopped.
      for other in try store.tasks(of: task.connection) where other.isCall {
        guard try isJoining(other) else { continue }
        _ = try store.delayTask(other.id, attempts: other.attempts + 1, until: .max)
        try store.setCaller(ofTask: other.id, isCall: false, tag: nil)
      }
      return complete(task, with: .failure(error), in: transaction)
    }
    // A connection that could not be created is removed here.
    let id = try store.connectionID(task.connection)
    guard try undo(task, in: transaction) else { return }
    complete(task, with: .failure(error), in: transaction)
    if !task.isCall { try emit(.failed(error), connection: id, tag: task.tag, in: transaction) }
  }

  /// Removes a task that is given up, with what was stored for it. False if it was removed before.
  @discardableResult
  private func undo(_ task: AgentTask, in transaction: AgentTransaction) throws -> Bool {
    guard try remove(task, in: transaction) else { return false }
    guard task.kind == .createQueue else { return true }
    switch try QueuePlan.codec.decode(task.payload) {
    case .connection, .prepared: try store.removeConnection(task.connection)
    case .replacement(let queue): try update(receiveQueue: queue) { $0.switchStatus = nil }
    case .reply, .request: break
    }
    return true
  }

  /// Whether a task is a step of joining.
  func isJoining(_ task: AgentTask) throws -> Bool {
    switch task.kind {
    case .secureSendQueue, .sendEnvelope, .sendRequest: return true
    case .createQueue:
      switch try QueuePlan.codec.decode(task.payload) {
      case .connection, .prepared, .replacement: return false
      case .reply, .request: return true
      }
    default: return false
    }
  }

  /// Handles calls that the end of the program interrupted: those that can continue without their caller do, the others
  /// are undone.
  func resumeCalls(_ transaction: AgentTransaction) throws {
    for task in try store.abandonedCalls() {
      do {
        if try isJoining(task) {
          try store.clearCall(ofTask: task.id)
        } else {
          try undo(task, in: transaction)
        }
      } catch let error as WireError {
        store.note(.task(task.id), "\(error)")
      }
    }
  }

  /// Changes a queue.
  func update(receiveQueue number: Int64, _ change: (inout ReceiveQueue) -> Void) throws {
    guard var queue = try store.receiveQueue(number: number) else { return }
    change(&queue)
    try store.update(queue)
  }

  /// Changes a queue.
  func update(sendQueue number: Int64, _ change: (inout SendQueue) -> Void) throws {
    guard var queue = try store.sendQueue(number: number) else { return }
    change(&queue)
    try store.update(queue)
  }

  // MARK: Securing

  private func securedSendQueue(_ task: AgentTask, in transaction: AgentTransaction) throws {
    try update(sendQueue: task.lane.number) { if $0.status == .new { $0.status = .secured } }
    try remove(task, in: transaction)
  }

  private func securedReceiveQueue(_ task: AgentTask, flight: Flight, in transaction: AgentTransaction) throws {
    let payload = try SecurePayload.codec.decode(task.payload)
    guard try remove(task, in: transaction), var queue = try store.receiveQueue(number: payload.queue) else { return }
    count(.connectionsSecured, at: flight.session, in: transaction)
    if queue.replaces != nil { return try securedReplacement(&queue, in: transaction) }
    if queue.status != .active { queue.status = .secured }
    try store.update(queue)
  }
}
