import AgentCore
import AgentProtocol
import AgentStore
import SMPClientCore
import SMPProtocol
import SimplexCrypto

/// What is counted, and where.
struct SessionCounter: Hashable {
  let user: UserID
  let server: SMPServerAddress
  let counter: StatisticsCounter
}

extension AgentMachine {
  /// Sets whether the device has a network. Without one no command is started.
  public func setNetwork(online: Bool, now: Int64) throws(AgentError) -> [AgentEffect] {
    guard online != isOnline else { return [] }
    return try run(now) { transaction in
      transaction.change { self.isOnline = online }
      if online { try self.resumeLanes(transaction) }
      self.resumeNotifications(in: transaction)
    }.effects
  }

  /// Starts everything that waits.
  func resumeLanes(_ transaction: AgentTransaction) throws {
    try endWaiting(for: nil, in: transaction)
    guard scope == .everything else { return }
    for lane in try store.openLanes() { transaction.pump(lane) }
    transaction.change { if !self.deletingUsers.isEmpty { self.schedule(transaction.now) } }
  }

  // MARK: Statistics

  /// Increments a counter. Counters are stored periodically; a crash may lose the last increments.
  func count(_ counter: StatisticsCounter, at session: SessionKey, in transaction: AgentTransaction) {
    let key = SessionCounter(user: session.user, server: session.server, counter: counter)
    transaction.change { self.counted[key, default: 0] += 1 }
  }

  func storeStatistics(_ transaction: AgentTransaction) throws {
    for (key, amount) in counted {
      try store.count(key.counter, by: amount, user: key.user, server: key.server)
    }
    transaction.change { self.counted = [:] }
  }

  /// The counters of all servers.
  public func statistics() throws(AgentError) -> AgentStatistics {
    try read {
      var all: [SessionKey: ServerStatistics] = [:]
      func entry(_ user: UserID, at server: SMPServerAddress, changing change: (inout ServerStatistics) -> Void) {
        let key = SessionKey(server: server, user: user)
        var value =
          all[key]
          ?? ServerStatistics(
            user: user, server: server, counters: [:], activeSubscriptions: 0, pendingSubscriptions: 0)
        change(&value)
        all[key] = value
      }
      for (user, server, counter, value) in try self.store.counters() {
        entry(user, at: server) { $0.counters[counter, default: 0] += value }
      }
      for (key, amount) in self.counted {
        entry(key.user, at: key.server) { $0.counters[key.counter, default: 0] += amount }
      }
      for subscription in self.subscriptions.values {
        entry(subscription.session.user, at: subscription.session.server) {
          switch subscription.state {
          case .active: $0.activeSubscriptions += 1
          case .pending: $0.pendingSubscriptions += 1
          case .removed, .notRequested: break
          }
        }
      }
      for session in self.connectedSessions {
        entry(session.user, at: session.server) { $0.connectedSessions += 1 }
      }
      for session in Set(self.subscriptions.values.map(\.session)).subtracting(self.connectedSessions) {
        entry(session.user, at: session.server) { $0.connectingSessions += 1 }
      }
      return AgentStatistics(
        startedAt: try self.store.setting(Self.statisticsSetting) ?? 0,
        servers: all.values.sorted { ($0.user, $0.server.description) < ($1.user, $1.server.description) },
        fileServers: try self.store.fileStatistics())
    }
  }

  /// Resets the counters.
  public func resetStatistics(now: Int64) throws(AgentError) {
    _ = try run(now) { transaction in
      try self.store.removeCounters()
      try self.store.removeFileCounters()
      try self.store.setSetting(Self.statisticsSetting, transaction.now)
      transaction.change { self.counted = [:] }
    }
  }

  /// Notes that the counters begin now, in a new database.
  func beginStatistics(_ transaction: AgentTransaction) throws {
    guard try store.setting(Self.statisticsSetting) == nil else { return }
    try store.setSetting(Self.statisticsSetting, transaction.now)
  }

  private static let statisticsSetting = "statistics_started"
}
