import ChunkStore
import RelayChassis
import Synchronization

/// What a file relay counts.
public enum FileEvent: Int, CountedEvent {
  case filesCreated, fileRecipients, filesUploaded, filesExpired, filesDeleted, filesBlocked, fileDownloads,
    fileDownloadAcks
}

/// Counters of events, and the days on which chunks were downloaded, for all threads.
public final class FileStatistics: Sendable {
  /// The counters.
  let events = EventCounts<FileEvent>()
  /// The last day of a download by chunk, in days since 1970.
  private let downloads = Mutex<[ChunkNumber: Int64]>([:])

  init() {}

  func count(_ event: FileEvent, by amount: Int = 1) { events.count(event, by: amount) }

  func downloaded(_ chunk: ChunkNumber, day: Int64) {
    events.count(.fileDownloads)
    downloads.withLock { $0[chunk] = day }
  }

  /// The number of events since the start, or since the last line of the daily statistics.
  public func value(_ event: FileEvent) -> Int { events.value(event) }

  /// The number of chunks that were downloaded on this day or later.
  func downloadedChunks(since day: Int64) -> Int { downloads.withLock { $0.values.count { $0 >= day } } }

  /// Forgets downloads before a day, so that what is counted does not grow without end.
  func forgetDownloads(before day: Int64) {
    downloads.withLock { downloads in downloads = downloads.filter { $0.value >= day } }
  }
}
