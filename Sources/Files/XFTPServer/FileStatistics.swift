import ChunkStore
import RelayChassis
import Synchronization

/// What a file relay counts.
public enum FileEvent: Int, Hashable, Sendable, CaseIterable {
  case filesCreated, fileRecipients, filesUploaded, filesExpired, filesDeleted, filesBlocked, fileDownloads,
    fileDownloadAcks
}

/// Counters of events, and the days on which chunks were downloaded, for all threads.
public final class FileStatistics: Sendable {
  private struct State {
    var counts = [Int](repeating: 0, count: FileEvent.allCases.count)
    /// The last day of a download by chunk, in days since 1970.
    var downloads: [ChunkNumber: Int64] = [:]
  }

  private let state = Mutex(State())
  /// The day that the counts belong to, in days since 1970: until the line of the daily statistics is written, that is
  /// yesterday.
  let day = Atomic<Int64>(currentDay())

  init() {}

  func count(_ event: FileEvent, by amount: Int = 1) {
    state.withLock { $0.counts[event.rawValue] &+= amount }
  }

  func downloaded(_ chunk: ChunkNumber, day: Int64) {
    state.withLock { state in
      state.counts[FileEvent.fileDownloads.rawValue] &+= 1
      state.downloads[chunk] = day
    }
  }

  /// The number of events since the start, or since the last line of the daily statistics.
  public func value(_ event: FileEvent) -> Int { state.withLock { $0.counts[event.rawValue] } }

  /// The number of chunks that were downloaded on this day or later.
  func downloadedChunks(since day: Int64) -> Int {
    state.withLock { state in state.downloads.values.count { $0 >= day } }
  }

  /// All counts; resets them to 0, and forgets downloads before a day.
  func reset(forgettingDownloadsBefore day: Int64) -> [FileEvent: Int] {
    state.withLock { state in
      let counts = Dictionary(uniqueKeysWithValues: FileEvent.allCases.map { ($0, state.counts[$0.rawValue]) })
      state.counts = [Int](repeating: 0, count: FileEvent.allCases.count)
      state.downloads = state.downloads.filter { $0.value >= day }
      return counts
    }
  }

  /// Forgets downloads before a day, so that what is counted does not grow without end.
  func forgetDownloads(before day: Int64) {
    state.withLock { state in state.downloads = state.downloads.filter { $0.value >= day } }
  }

  func restore(_ counts: [FileEvent: Int]) {
    state.withLock { state in for (event, count) in counts { state.counts[event.rawValue] &+= count } }
  }
}
