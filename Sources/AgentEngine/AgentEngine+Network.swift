import AgentCore
import AgentProtocol
import AgentStore
import SMPClientCore
import SMPProtocol
import SimplexCrypto

/// What is counted, and where.
struct SessionCounter: Hashable {
  let user: UserID
  let server: SMPServer
  let counter: StatisticsCounter
}

extension AgentEngine {
  /// Whether the device has a network. Without one nothing is tried.
  public func setNetwork(online: Bool, now: Int64) throws(AgentError) -> [AgentEffect] {
    guard online != isOnline else { return [] }
    return try run(now) { turn in
      turn.change { self.isOnline = online }
      if online { try self.resumeLanes(turn) }
    }.effects
  }

  /// Starts nothing new; `suspended` follows as an event when nothing is on its way any more, or after the timeout.
  public func suspend(timeout: Int64, now: Int64) throws(AgentError) -> [AgentEffect] {
    // What is owed can still be begun.
    let receipts = try run(now) { turn in try self.sendReceipts(turn) }.effects
    let suspension = try run(now) { turn in
      try self.storeStatistics(turn)
      guard self.activity == .active else { return }
      let (end, overflow) = turn.now.addingReportingOverflow(max(0, timeout))
      turn.change {
        self.activity = .suspending(until: overflow ? .max : end)
        self.schedule(overflow ? .max : end)
      }
    }.effects
    return receipts + suspension
  }

  /// Goes on after ``suspend(timeout:now:)``.
  public func activate(now: Int64) throws(AgentError) -> [AgentEffect] {
    guard activity != .active else { return [] }
    return try run(now) { turn in
      turn.change { self.activity = .active }
      try self.resumeLanes(turn)
    }.effects
  }

  /// Tries everything that waits.
  private func resumeLanes(_ turn: Turn) throws {
    try endWaiting(for: nil, turn)
    for lane in try store.openLanes() { turn.pump(lane) }
    turn.change { if !self.deletingUsers.isEmpty { self.schedule(turn.now) } }
  }

  /// Tells that nothing is on its way any more.
  func finishSuspension(_ turn: Turn) {
    guard case .suspending(let until) = activity, flights.isEmpty || turn.now >= until else { return }
    activity = .suspended
    turn.effect(.event(AgentEvent(.suspended)))
  }

  // MARK: Statistics

  /// Counts something. Counters are stored now and then; a crash may lose the last ones.
  func count(_ counter: StatisticsCounter, _ session: SessionKey, _ turn: Turn) {
    let key = SessionCounter(user: session.user, server: session.server, counter: counter)
    turn.change { self.counted[key, default: 0] += 1 }
  }

  func storeStatistics(_ turn: Turn) throws {
    for (key, amount) in counted {
      try store.count(key.counter, by: amount, user: key.user, server: key.server)
    }
    turn.change { self.counted = [:] }
  }

  /// What was counted.
  public func statistics() throws(AgentError) -> AgentStatistics {
    try read {
      var all: [SessionKey: ServerStatistics] = [:]
      func entry(_ user: UserID, _ server: SMPServer, _ change: (inout ServerStatistics) -> Void) {
        let key = SessionKey(server: server, user: user)
        var value =
          all[key]
          ?? ServerStatistics(
            user: user, server: server, counters: [:], activeSubscriptions: 0, pendingSubscriptions: 0)
        change(&value)
        all[key] = value
      }
      for (user, server, counter, value) in try self.store.counters() {
        entry(user, server) { $0.counters[counter, default: 0] += value }
      }
      for (key, amount) in self.counted {
        entry(key.user, key.server) { $0.counters[key.counter, default: 0] += amount }
      }
      for subscription in self.subscriptions.values {
        entry(subscription.session.user, subscription.session.server) {
          switch subscription.state {
          case .active: $0.activeSubscriptions += 1
          case .pending: $0.pendingSubscriptions += 1
          case .removed, .notRequested: break
          }
        }
      }
      for session in self.connectedSessions {
        entry(session.user, session.server) { $0.connectedSessions += 1 }
      }
      for session in Set(self.subscriptions.values.map(\.session)).subtracting(self.connectedSessions) {
        entry(session.user, session.server) { $0.connectingSessions += 1 }
      }
      return AgentStatistics(
        startedAt: try self.store.setting("statistics_started") ?? 0,
        servers: all.values.sorted { ($0.user, $0.server.description) < ($1.user, $1.server.description) })
    }
  }

  /// Begins counting anew.
  public func resetStatistics(now: Int64) throws(AgentError) {
    _ = try run(now) { turn in
      try self.store.removeCounters()
      try self.store.setSetting("statistics_started", turn.now)
      turn.change { self.counted = [:] }
    }
  }

  // MARK: Notifications

  /// Whether push notifications are wanted for a connection: its queues get a notifier, or lose it.
  public func setNotifications(
    _ id: ConnectionID, enabled: Bool, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { turn in
      var connection = try self.connection(id)
      connection.notifications = enabled
      try self.store.update(connection)
      for queue in try self.store.receiveQueues(of: connection.number) where (queue.notifier != nil) != enabled {
        try self.add(
          enabled ? .setNotifier : .deleteNotifier, in: .receiveQueue(queue.number), of: connection.number, turn)
      }
    }.effects
  }

  /// The relay made a notifier.
  func notifierSet(_ task: AgentTask, _ material: QueueMaterial, _ ids: NotifierIDs, _ turn: Turn) throws {
    guard try remove(task, turn) else { return }
    let boxKey = try material.deliveryKey.boxKey(with: ids.serverDHKey)
    try update(receiveQueue: task.lane.number) {
      $0.notifier = NotifierCredentials(notifierID: ids.notifierID, key: material.key, boxKey: boxKey)
    }
  }
}
