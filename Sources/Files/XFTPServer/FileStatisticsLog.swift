import ChunkStore
import FileAccess
import RelayChassis
import WireCodec

/// Appends a line to the daily statistics at midnight (UTC): counts of the whole relay, nothing about any file.
struct FileStatisticsLog {
  let relay: FileRelay
  let path: String

  /// Runs until the task is cancelled.
  func run() async {
    while (try? await Task.sleep(for: .seconds(30))) != nil { write(today: currentDay()) }
  }

  /// Writes the line of the day of the counts, if that is over.
  func write(today: Int64) {
    let day = relay.statistics.day.load(ordering: .relaxed)
    guard today > day else { return }
    let line = line(of: day)
    relay.statistics.day.store(today, ordering: .relaxed)
    // No retry before tomorrow: a full disk must not stop the relay.
    try? WholeFile.append(line, to: path)
  }

  /// The columns of the reference server's log.
  func line(of day: Int64) -> String {
    let isWeekEnd = (day + 3) % 7 == 6
    let isMonthEnd = Self.date(day).prefix(7) != Self.date(day + 1).prefix(7)
    let firstOfMonth = day + 1 - (Int64(Self.date(day).suffix(2)) ?? 1)
    let active = { (since: Int64) in String(relay.statistics.downloadedChunks(since: since)) }
    let periods = [active(day), isWeekEnd ? active(day - 6) : "", isMonthEnd ? active(firstOfMonth) : ""]
    let events = relay.statistics.reset(forgettingDownloadsBefore: min(firstOfMonth, day - 6))
    let count = { (event: FileEvent) in String(events[event] ?? 0) }
    let usage = relay.store.usage
    let fields =
      [Self.date(day), count(.filesCreated), count(.fileRecipients), count(.filesUploaded), count(.filesDeleted)]
      + periods + [count(.fileDownloads), count(.fileDownloadAcks), String(usage.chunks), String(usage.bytes)]
      + [count(.filesExpired)]
    return fields.joined(separator: ",") + "\n"
  }

  private static func date(_ day: Int64) -> String {
    String(UTCTime(seconds: day * 86_400)?.description.prefix(10) ?? "")
  }
}

/// The counts of a day while the relay is stopped: the day (in days since 1970) and then one event in a line, each as
/// `name=count`.
///
/// Only a graceful stop writes it; a crash loses the counts of its day.
struct CountsFile {
  let path: String

  func save(_ statistics: FileStatistics, day: Int64) throws(FileError) {
    let lines = ["day=\(day)\n"] + FileEvent.allCases.map { "\($0)=\(statistics.value($0))\n" }
    try WholeFile.replace(path, with: lines.joined().utf8)
  }

  /// Restores the counts, and returns their day; nil where there is no file. Removes the file, so that nothing is
  /// counted twice after a crash.
  func restore(_ statistics: FileStatistics) throws(FileError) -> Int64? {
    guard let text = try WholeFile.text(path) else { return nil }
    var values: [Substring: Int] = [:]
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: "=")
      // A damaged line loses its count, and does not prevent the start of the relay.
      guard fields.count == 2, let count = Int(fields[1]), (0...1 << 48).contains(count) else { continue }
      values[fields[0]] = count
    }
    statistics.restore(
      Dictionary(
        uniqueKeysWithValues: FileEvent.allCases.compactMap { event in
          values["\(event)"[...]].map { (event, $0) }
        }))
    try WholeFile.remove(path)
    return values["day"].map { min(Int64($0), currentDay()) }
  }
}

/// Writes the current figures in the text format of Prometheus, under the names that the reference server
/// has for them.
struct FileMetrics {
  let server: FileServer
  let path: String
  let interval: Int64

  /// Runs until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(interval))
      // A failure shows in the age of the file.
      try? WholeFile.replace(path, with: text.utf8)
    }
  }

  var text: String {
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
    let metrics =
      counters.map { Metric($0.0, help: $0.1, isCounter: true, value: Int64(statistics.value($0.2))) } + [
        Metric("files_count_total", help: "Files at present", isCounter: false, value: usage.chunks),
        Metric("files_size", help: "Their size in bytes", isCounter: false, value: usage.bytes),
        Metric(
          "files_count_daily", help: "Files downloaded today", isCounter: false,
          value: Int64(statistics.downloadedChunks(since: currentDay()))),
      ]
    return MetricsText.text(of: metrics, prefix: "simplex_xftp_")
  }
}
