import ChunkStore
import RelayChassis

/// The periodic work of a file relay, at the start and then in intervals: notes that it runs, deletes expired chunks,
/// and forgets old downloads.
struct FileUpkeep {
  let relay: FileRelay

  /// The number of chunks deleted in one transaction: few, so that commands wait only shortly.
  private static let batch = 50
  /// The number of days for which downloads are counted.
  private static let countedDays: Int64 = 31

  /// The work, and when it is done.
  var jobs: [UpkeepJob] {
    [
      UpkeepJob(every: .seconds(ExpiryClock.noteInterval), atStart: true) { await relay.noteTime() },
      UpkeepJob(every: .seconds(relay.configuration.expirationInterval), atStart: true) {
        if let ttl = relay.configuration.fileTTL { await expire(ttl) }
        relay.statistics.forgetDownloads(before: currentDay() - Self.countedDays)
      },
    ]
  }

  /// Deletes all chunks that have expired. A chunk lives for the whole time after the hour in which it was created.
  func expire(_ ttl: Int64) async {
    while !Task.isCancelled {
      // While the clock is doubted nothing expires.
      guard let now = relay.expiryClock.now else {
        try? await Task.sleep(for: .seconds(1))
        continue
      }
      let limit = now - ttl - FileRelay.timePrecision
      let count: Int
      do throws(ChunkStoreError) {
        count = try await relay.store.deleteChunks(createdBefore: limit, limit: Self.batch)
      } catch {
        // Repeated with the next check.
        return relay.storeHealth.failed("expired files were not deleted: \(error)")
      }
      relay.statistics.count(.filesExpired, by: count)
      if count < Self.batch { return }
      await Task.yield()
    }
  }
}
