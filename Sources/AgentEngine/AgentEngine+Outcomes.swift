import AgentCore
import AgentProtocol
import AgentStore
import SMPClientCore
import SMPProtocol

extension AgentEngine {
  /// A command was answered.
  func completed(
    _ id: RequestID, _ result: Result<BrokerMessage, SMPClientError>, proxy: SMPServer?, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    guard let flight = flights[id] else { return [] }
    return try run(now) { turn in
      turn.change { self.flights[id] = nil }
      switch flight.work {
      case .nothing: break
      case .acknowledgement(let acknowledgement): self.acknowledged(acknowledgement, result, turn)
      case .silence(let queue): try self.checked(queue, result, turn)
      case .task(let task):
        self.land(task, turn)
        try self.finish(task, flight, result, proxy: proxy, turn)
      case .creation(let task, let material):
        self.land(task, turn)
        try self.finishCreation(task, material, flight, result, turn)
      case .serverTest(let task, let material, let state):
        self.land(task, turn)
        try self.continueTest(task, material, state, result, turn)
      }
    }.effects
  }

  /// The lane of a task is free again.
  private func land(_ task: AgentTask, _ turn: Turn) {
    turn.change { self.lanes[task.lane] = nil }
    turn.pump(task.lane)
  }

  private func finish(
    _ task: AgentTask, _ flight: Flight, _ result: Result<BrokerMessage, SMPClientError>, proxy: SMPServer?,
    _ turn: Turn
  ) throws {
    let server = flight.session.server
    countSending(task, flight, result, proxy: proxy, turn)
    switch (task.kind, result) {
    case (.sendMessage, .success(.ok)), (.sendEnvelope, .success(.ok)), (.sendRequest, .success(.ok)):
      if try remove(task, turn) { try sent(task, proxy: proxy, turn) }
    case (.sendMessage, .failure(let error)), (.sendEnvelope, .failure(let error)):
      try sendingFailed(task, flight, error, turn)
    case (.secureSendQueue, .success(.ok)): try securedSendQueue(task, turn)
    case (.secureReceiveQueue, .success(.ok)): try securedReceiveQueue(task, flight, turn)
    case (.setLink, .success(.ok)): try linkSet(task, turn)
    case (.getLink, .success(.lnk(let response))): try gotLink(task, response, turn)
    case (.deleteLink, .success(.ok)):
      try update(receiveQueue: task.lane.number) { $0.link = nil }
      try finish(task, .done, event: .done, turn)
    case (.suspendQueue, .success(.ok)):
      try update(receiveQueue: task.lane.number) { $0.status = .disabled }
      try finish(task, .done, event: .done, turn)
    case (.queueInfo, .success(.info(let info))): try finish(task, .queueInfo(info), event: nil, turn)
    case (.deleteQueue, _): try finishDeletion(task, flight, result, turn)
    case (.drainQueue, _): try drained(task, flight, result, turn)
    case (.deleteNotifier, .success(.ok)):
      try update(receiveQueue: task.lane.number) { $0.notifier = nil }
      try remove(task, turn)
    case (_, .success(let message)):
      try giveUp(task, .server(server, .unexpectedResponse(message.form.keyword)), turn)
    case (_, .failure(let error)): try failed(task, .server(server, error), turn)
    }
  }

  /// Counts an attempt to send, at the relay and at the one in between.
  private func countSending(
    _ task: AgentTask, _ flight: Flight, _ result: Result<BrokerMessage, SMPClientError>, proxy: SMPServer?,
    _ turn: Turn
  ) {
    guard [.sendMessage, .sendEnvelope, .sendRequest].contains(task.kind) else { return }
    var isSent = false
    if case .success(.ok) = result { isSent = true }
    count(proxy == nil ? .sentDirectAttempts : .sentViaProxyAttempts, flight.session, turn)
    if isSent { count(proxy == nil ? .sentDirect : .sentViaProxy, flight.session, turn) }
    guard let proxy else { return }
    let session = SessionKey(server: proxy, user: flight.session.user)
    count(.sentProxiedAttempts, session, turn)
    if isSent { count(.sentProxied, session, turn) }
  }

  /// A task that is not a message failed: it is tried again, or given up.
  func failed(_ task: AgentTask, _ error: AgentError, _ turn: Turn) throws {
    if try isAnswered(task) { return try settle(task, turn) }
    // Another step of joining has failed and told the caller so; this one waits with it.
    if try store.isParked(task.id) { return }
    guard error.isTemporary || error.isHostError, calls[task.id] == nil else { return try giveUp(task, error, turn) }
    var server: SMPServer?
    if case .server(let failed, _) = error { server = failed }
    try retry(task, configuration.retry, server: server, turn)
  }

  /// A task is done: whoever waits is told.
  func finish(_ task: AgentTask, _ outcome: CallOutcome, event: AgentEvent.Kind?, _ turn: Turn) throws {
    guard try remove(task, turn) else { return }
    if let call = calls[task.id] {
      turn.effect(.complete(call, .success(outcome)))
    } else if let event {
      try emit(event, try store.connectionID(task.connection), tag: task.tag, turn)
    }
  }

  /// A task is given up: whoever waits is told, and what depends on it is put in order.
  func giveUp(_ task: AgentTask, _ error: AgentError, _ turn: Turn) throws {
    let call = calls[task.id]
    if let call, try isJoining(task) {
      // The application may join again with the same connection, and goes on where it stopped.
      for other in try store.tasks(of: task.connection) where calls[other.id] == call {
        _ = try store.delayTask(other.id, attempts: other.attempts + 1, until: .max)
        try store.setCaller(ofTask: other.id, isCall: false, tag: nil)
        turn.change { self.calls[other.id] = nil }
      }
      turn.effect(.complete(call, .failure(error)))
      return
    }
    // A connection that could not be created is gone after this.
    let id = try store.connectionID(task.connection)
    guard try undo(task, turn) else { return }
    if let call {
      turn.effect(.complete(call, .failure(error)))
    } else {
      try emit(.failed(error), id, tag: task.tag, turn)
    }
  }

  /// Removes a task that will not be done, with what was there for it. False if it was removed before.
  @discardableResult
  private func undo(_ task: AgentTask, _ turn: Turn) throws -> Bool {
    guard try remove(task, turn) else { return false }
    guard task.kind == .createQueue else { return true }
    switch try QueuePlan.codec.decode(task.payload) {
    case .connection: try store.removeConnection(task.connection)
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
      case .connection, .replacement: return false
      case .reply, .request: return true
      }
    default: return false
    }
  }

  /// Calls that the program's end interrupted: what can go on without the caller does, the rest is undone.
  func resumeCalls(_ turn: Turn) throws {
    for task in try store.abandonedCalls() {
      if try isJoining(task) {
        try store.clearCall(ofTask: task.id)
      } else {
        try undo(task, turn)
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

  private func securedSendQueue(_ task: AgentTask, _ turn: Turn) throws {
    try update(sendQueue: task.lane.number) { if $0.status == .new { $0.status = .secured } }
    try remove(task, turn)
  }

  private func securedReceiveQueue(_ task: AgentTask, _ flight: Flight, _ turn: Turn) throws {
    let payload = try SecurePayload.codec.decode(task.payload)
    guard try remove(task, turn), var queue = try store.receiveQueue(number: payload.queue) else { return }
    count(.connectionsSecured, flight.session, turn)
    if queue.replaces != nil { return try securedReplacement(&queue, turn) }
    if queue.status != .active { queue.status = .secured }
    try store.update(queue)
  }
}
