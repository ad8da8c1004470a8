import NotificationProtocol
import NotificationServerCore
import NotificationStore
import RelayChassis

/// The periodic work of a notification server: notes that it runs, deletes tokens that were never verified, and begins
/// periodic pushes.
struct NotificationUpkeep {
  let hub: ServerHub

  /// The number of tokens in one transaction: few, so that commands wait only shortly.
  private static let batch = 200

  /// The work, and when it is done.
  var jobs: [UpkeepJob] {
    [
      UpkeepJob(every: .seconds(ExpiryClock.noteInterval), atStart: true) { await noteTime() },
      UpkeepJob(every: .seconds(3_600), atStart: true) { await deleteUnverified() },
      UpkeepJob(every: .seconds(30)) { await beginChecks() },
    ]
  }

  private func noteTime() async {
    guard let now = hub.expiryClock.now else { return }
    await attempt { (records) throws(NotificationStoreError) in try records.noteTime(now) }
  }

  /// Deletes the tokens whose devices have never returned the code in the time for it.
  func deleteUnverified() async {
    while !Task.isCancelled {
      // While the clock is doubted nothing expires.
      guard let now = hub.expiryClock.now else { return }
      let limit = now - hub.configuration.limits.unverifiedLifetime
      let deleted = await attempt { (records) throws(NotificationStoreError) -> [TokenNumber] in
        let tokens = try records.unverifiedTokens(registeredBefore: limit, limit: Self.batch)
        for token in tokens { _ = try records.deleteToken(token) }
        return tokens
      }
      for token in deleted ?? [] { await hub.pusher.forget(token) }
      guard let deleted, deleted.count == Self.batch else { return }
    }
  }

  /// Begins the periodic pushes that are due. Each token has its own time, so that they are spread over the interval.
  func beginChecks() async {
    while !Task.isCancelled {
      let now = currentSeconds()
      let due = await attempt { (records) throws(NotificationStoreError) -> [StoredToken] in
        let tokens = try records.tokensToCheck(at: now, limit: Self.batch)
        for var token in tokens {
          token.record.checkedAt = now
          try records.update(token)
        }
        return tokens
      }
      for token in due ?? [] { await hub.pusher.push(.check, of: token.number, token.record.device.service) }
      guard let due, due.count == Self.batch else { return }
    }
  }

  @discardableResult
  private func attempt<Value: Sendable>(
    _ transaction: @escaping @Sendable (any NotificationRecords) throws(NotificationStoreError) -> Value
  ) async -> Value? {
    do throws(NotificationStoreError) {
      let value = try await hub.store.perform(transaction)
      hub.storeHealth.worked()
      return value
    } catch {
      if error != .closed { hub.storeHealth.failed("\(error)") }
      return nil
    }
  }
}
