import ChunkStore
import RelayChassis

/// The periodic work of a file relay: deletes expired chunks, at the start and then in intervals.
struct FileUpkeep {
  let relay: FileRelay

  /// The number of chunks deleted in one transaction: few, so that commands wait only shortly.
  private static let batch = 50

  /// Runs until the task is cancelled.
  func run() async {
    guard let ttl = relay.configuration.fileTTL else { return }
    while !Task.isCancelled {
      await expire(ttl)
      try? await Task.sleep(for: .seconds(relay.configuration.expirationInterval))
    }
  }

  /// Deletes all chunks that have expired. A chunk lives for the whole time after the hour in which it was created.
  func expire(_ ttl: Int64) async {
    while !Task.isCancelled {
      let limit = currentSeconds() - ttl - FileRelay.timePrecision
      let count: Int
      do throws(ChunkStoreError) {
        count = try await relay.store.deleteChunks(createdBefore: limit, limit: Self.batch)
      } catch {
        // Repeated with the next check.
        return relay.configuration.storeFailed?("expired files were not deleted: \(error)") ?? ()
      }
      relay.statistics.count(.filesExpired, by: count)
      if count < Self.batch { return }
      await Task.yield()
    }
  }
}
