import SMPServerCore

/// The periodic work of a relay: deletes expired messages, drops old notifications, closes idle connections.
struct Upkeep {
  let relay: Relay

  /// The number of queues checked in one transaction.
  private static let expirationBatch = 200

  /// Runs until the task is cancelled.
  func run() async {
    var lastExpiration = currentSeconds()
    var lastInactivityCheck = currentSeconds()
    if relay.configuration.expiresMessagesOnStart { await expireMessages(lastExpiration) }
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(1))
      let now = currentSeconds()
      if now - lastExpiration >= relay.configuration.expirationInterval {
        lastExpiration = now
        await expireMessages(now)
        await releaseSpace()
        let expired = relay.withShards { $0.expireNotifications(before: now - relay.configuration.notificationTTL) }
        relay.statistics.count(.notificationExpired, by: expired.reduce(0, +))
      }
      if let inactivity = relay.configuration.inactivity, now - lastInactivityCheck >= inactivity.checkInterval {
        lastInactivityCheck = now
        for session in relay.openSessions where session.isInactive(since: now - inactivity.ttl) { session.close() }
      }
    }
  }

  /// Shrinks the store in small steps.
  private func releaseSpace() async {
    while !Task.isCancelled, await relay.store.releaseSpace() { try? await Task.sleep(for: .milliseconds(50)) }
  }

  /// Deletes expired messages, a few queues at a time, so that commands never wait long.
  private func expireMessages(_ now: Int64) async {
    guard let ttl = relay.configuration.messageTTL else { return }
    var cursor: QueueNumber? = QueueNumber(0)
    while let after = cursor, !Task.isCancelled {
      let operation = StoreOperation.expireMessages(before: now - ttl, after: after, limit: Self.expirationBatch)
      guard case .expired(let count, let next)? = try? await relay.store.perform(operation) else { return }
      relay.statistics.count(.messageExpired, by: count)
      cursor = next
    }
  }
}
