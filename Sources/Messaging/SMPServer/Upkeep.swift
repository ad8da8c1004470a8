import RelayChassis
import SMPServerCore
import Synchronization

/// The periodic work of a relay: notes that it runs, deletes expired messages, drops old notifications, forgets unused
/// services, closes idle connections, gives freed memory back, and reads again first messages that could not be read.
/// What may take long is done in small steps, and others are served in between.
struct Upkeep {
  let relay: Relay

  /// The number of queues that are checked in one transaction, and about that of messages that are deleted there.
  private static let expirationBatch = 50
  /// The number of queues whose notifications are checked, or of services that are looked at, in one step.
  private static let batch = 1_000
  /// The days after which a service without queues is forgotten.
  private static let unusedServiceDays: Int64 = 7

  /// The work, and when it is done.
  var jobs: [UpkeepJob] {
    let configuration = relay.configuration
    let lastCheck = Atomic<Int64>(steadySeconds())
    return [
      UpkeepJob(every: configuration.readRetryInterval) { await relay.readAgain() },
      UpkeepJob(every: .seconds(configuration.expirationInterval), atStart: configuration.expiresMessagesOnStart) {
        guard let now = await trustedTime() else { return }
        await expireMessages(now)
        await releaseSpace()
        // A reload may have changed it.
        await expireNotifications(before: now - relay.configuration.notificationTTL)
        await removeServices(before: now / 86_400 - Self.unusedServiceDays)
      },
      UpkeepJob(every: .seconds(ExpiryClock.noteInterval), atStart: true) { await relay.noteTime() },
      .releasingMemory { relay.sessionChanges.load(ordering: .relaxed) },
      UpkeepJob(every: .seconds(1)) {
        // A reload may have changed these, too.
        let now = steadySeconds()
        guard let inactivity = relay.configuration.inactivity,
          now - lastCheck.load(ordering: .relaxed) >= inactivity.checkInterval
        else { return }
        lastCheck.store(now, ordering: .relaxed)
        for session in relay.openSessions where session.isInactive(since: now - inactivity.ttl) { session.close() }
      },
    ]
  }

  /// Waits while the clock is doubted; nil when the relay stops.
  private func trustedTime() async -> Int64? {
    while !Task.isCancelled {
      if let now = relay.expiryClock.now { return now }
      try? await Task.sleep(for: .seconds(1))
    }
    return nil
  }

  /// Shrinks the store in small steps.
  private func releaseSpace() async {
    while !Task.isCancelled, await relay.store.releaseSpace() { try? await Task.sleep(for: .milliseconds(50)) }
  }

  private func expireNotifications(before time: Int64) async {
    for queues in relay.withShards({ $0.queuesWithNotifications }) {
      // All of one shard.
      for start in stride(from: 0, to: queues.count, by: Self.batch) {
        let batch = queues[start..<min(start + Self.batch, queues.count)]
        guard let first = batch.first else { continue }
        let expired = relay.withShard(of: first) { $0.expireNotifications(of: batch, before: time) }
        relay.statistics.count(.notificationExpired, by: expired)
        await Task.yield()
      }
    }
  }

  /// Removes services that nobody used since a day, and that have no queues and no connection.
  func removeServices(before day: Int64) async {
    let connected = Set(relay.servicesInUse.map(\.bytes))
    var cursor: [UInt8]? = []
    while let after = cursor, !Task.isCancelled {
      let operation = StoreOperation.removeServices(before: day, after: after, limit: Self.batch, except: connected)
      guard case .servicesRemoved(_, let next)? = try? await relay.store.perform(operation) else { return }
      cursor = next
    }
  }

  /// Deletes expired messages, a few queues at a time, so that commands never wait long; it rests four times as
  /// long as it works, so that most commits contain nothing of it.
  private func expireMessages(_ now: Int64) async {
    guard let ttl = relay.configuration.messageTTL else { return }
    var cursor: QueueNumber? = QueueNumber(0)
    while let after = cursor, !Task.isCancelled {
      let start = ContinuousClock.now
      let operation = StoreOperation.expireMessages(before: now - ttl, after: after, limit: Self.expirationBatch)
      guard case .expired(let count, let next)? = try? await relay.store.perform(operation) else { return }
      relay.statistics.count(.messageExpired, by: count)
      cursor = next
      if count > 0 { try? await Task.sleep(for: (ContinuousClock.now - start) * 4) }
    }
  }
}
