import AgentCore
import AgentStore
import SMPProtocol

// An agent is active, or it is being suspended, or it is suspended. While it is being suspended it starts nothing, and
// what is in flight has until a deadline to finish; then it leaves the network. All of it is stored: what did not
// finish is started again when the agent is activated, or when the next one opens the database.

/// Whether the agent may start commands.
enum Activity: Equatable {
  case active
  /// Nothing is started; the agent is suspended once nothing is in flight, or at this deadline (milliseconds).
  case suspending(until: Int64)
  /// There are no connections to relays and no timers.
  case suspended
}

extension AgentMachine {
  /// Whether there are no connections to relays and no timers, because it was suspended.
  public var isSuspended: Bool { activity == .suspended }

  /// Starts nothing from now on; receipts that are owed still go out. When nothing is in flight any more, or after the
  /// timeout, connections to relays are closed, and the event `suspended` is emitted once.
  /// - Parameter timeout: in milliseconds.
  public func suspend(timeout: Int64, now: Int64) throws(AgentError) -> [AgentEffect] {
    if activity == .suspended { return [] }
    let hasTime = activity == .active && timeout > 0
    let receipts = hasTime ? try run(now) { transaction in try self.sendReceipts(transaction) }.effects : []
    let suspension = try run(now) { transaction in
      try self.storeStatistics(transaction)
      try self.noteAlive(transaction)
      var (end, overflow) = transaction.now.addingReportingOverflow(max(0, timeout))
      if overflow { end = .max }
      if case .suspending(let until) = self.activity { end = min(end, until) }
      let deadline = end
      transaction.change {
        self.activity = .suspending(until: deadline)
        self.schedule(deadline)
      }
    }.effects
    return receipts + suspension
  }

  /// Leaves the network at once, without the event `suspended` unless it is awaited already.
  public func stop(now: Int64) throws(AgentError) -> [AgentEffect] {
    guard activity == .active else { return try suspend(timeout: 0, now: now) }
    return try run(now) { transaction in
      try self.storeStatistics(transaction)
      try self.noteAlive(transaction)
      transaction.change {
        self.activity = .suspended
        self.leaveNetwork(transaction)
      }
    }.effects
  }

  /// Continues after ``suspend(timeout:now:)`` or ``stop(now:)``: subscribes to what was subscribed, and starts what
  /// waits. If the suspension was not complete, only the subscriptions that were requested meanwhile are started.
  public func activate(now: Int64) throws(AgentError) -> [AgentEffect] {
    guard activity != .active else { return [] }
    let wasSuspended = activity == .suspended
    return try run(now) { transaction in
      transaction.change { self.activity = .active }
      try self.subscribePending(only: wasSuspended ? nil : self.delayedSubscriptions, transaction)
      transaction.change { self.delayedSubscriptions = [] }
      try self.resumeLanes(transaction)
      self.resumeNotifications(in: transaction)
      if wasSuspended { try self.deliver(try self.store.messagesAside(), in: transaction) }
      self.oweReceipts(try self.store.connectionsOwingReceipts(), in: transaction)
      transaction.change { self.scheduleNext(now: transaction.now) }
    }.effects
  }

  /// Suspends when nothing is in flight any more.
  func finishSuspension(_ transaction: AgentTransaction) {
    guard case .suspending(let until) = activity, flights.isEmpty && pushes.isIdle || transaction.now >= until else {
      return
    }
    activity = .suspended
    leaveNetwork(transaction)
    transaction.effect(.event(AgentEvent(.suspended)))
  }

  /// Discards the commands in flight, whose tasks stay stored, and has the driver close all connections to relays.
  private func leaveNetwork(_ transaction: AgentTransaction) {
    (flights, lanes, backlog, delayedAcknowledgements) = (FlightTable(), [:], FlightBacklog(), [])
    (owingReceipts, receiptsAt) = ([], .max)
    leaveFetches(transaction)
    pushes.leaveNetwork()
    for session in connectedSessions.sorted(by: { "\($0)" < "\($1)" }) {
      transaction.effect(.event(AgentEvent(.serverDisconnected(session.server))))
    }
    connectedSessions = []
    var down: [SMPServerAddress: [ConnectionID]] = [:]
    var known: Set<ConnectionID> = []
    for (number, subscription) in subscriptions.sorted(by: { $0.key < $1.key }) where subscription.state == .active {
      subscriptions[number]?.state = .pending
      // Connections that cannot be read are not reported as down; the event that they are up again is emitted all the
      // same.
      guard let queue = try? store.receiveQueue(number: number), let id = try? store.connectionID(queue.connection),
        known.insert(id).inserted
      else { continue }
      down[subscription.session.server, default: []].append(id)
    }
    for (server, connections) in down.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      transaction.effect(.event(AgentEvent(.down(server, connections))))
    }
    transaction.effect(.disconnectAll)
    (wakeTime, wakeTimeChanged) = (.max, true)
  }
}
