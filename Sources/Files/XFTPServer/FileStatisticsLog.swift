import ChunkStore
import RelayChassis

/// The daily statistics: nothing about any file.
struct FileStatisticsLog: DailyLog {
  let relay: FileRelay
  let path: String

  var counts: EventCounts<FileEvent> { relay.statistics.events }

  /// The columns of the reference server's log.
  func line(of day: Int64) -> String {
    let firstOfMonth = CalendarDay.firstOfMonth(day)
    let active = { (since: Int64) in String(relay.statistics.downloadedChunks(since: since)) }
    let periods = [
      active(day), CalendarDay.endsWeek(day) ? active(day - 6) : "",
      CalendarDay.endsMonth(day) ? active(firstOfMonth) : "",
    ]
    let events = counts.reset()
    relay.statistics.forgetDownloads(before: min(firstOfMonth, day - 6))
    let count = { (event: FileEvent) in String(events[event] ?? 0) }
    let usage = relay.store.usage
    let fields =
      [CalendarDay.text(day), count(.filesCreated), count(.fileRecipients), count(.filesUploaded)]
      + [count(.filesDeleted)] + periods
      + [count(.fileDownloads), count(.fileDownloadAcks), String(usage.chunks), String(usage.bytes)]
      + [count(.filesExpired)]
    return fields.joined(separator: ",") + "\n"
  }
}

/// The current figures for Prometheus.
struct FileMetrics: MetricsSource {
  let server: FileServer

  var prefix: String { "simplex_xftp_" }

  func metrics() -> [Metric] {
    let statistics = server.statistics
    let counters: [(String, String, FileEvent)] = [
      ("files_created", "Created files", .filesCreated),
      ("files_recipients", "Recipients of files", .fileRecipients),
      ("files_uploaded", "Uploaded files", .filesUploaded),
      ("files_expired", "Expired files", .filesExpired),
      ("files_deleted", "Deleted files", .filesDeleted),
      ("files_blocked", "Blocked files", .filesBlocked),
      ("file_downloads", "Downloads of files", .fileDownloads),
      ("file_download_acks", "Acknowledged downloads", .fileDownloadAcks),
    ]
    let usage = server.usage
    return counters.map { Metric($0.0, help: $0.1, isCounter: true, value: Int64(statistics.value($0.2))) } + [
      Metric("files_count_total", help: "Files at present", isCounter: false, value: usage.chunks),
      Metric("files_size", help: "Their size in bytes", isCounter: false, value: usage.bytes),
      Metric(
        "files_count_daily", help: "Files downloaded today", isCounter: false,
        value: Int64(statistics.downloadedChunks(since: currentDay()))),
    ] + server.relay.storeHealth.metrics
  }
}
