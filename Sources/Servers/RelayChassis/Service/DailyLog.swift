import FileAccess
import WireCodec

/// Appends a line to the daily statistics at midnight (UTC): counts of the whole relay, nothing about any client.
public protocol DailyLog: Sendable {
  /// What is counted.
  associatedtype Event: CountedEvent
  /// The file.
  var path: String { get }
  /// The counts.
  var counts: EventCounts<Event> { get }

  /// The line of a day, in the columns of the reference server's log. Resets the counters.
  ///
  /// - Throws: where it cannot be made now; then the counters are not reset.
  func line(of day: Int64) async throws -> String
}

extension DailyLog {
  /// Runs until the task is cancelled.
  public func run() async {
    while (try? await Task.sleep(for: .seconds(30))) != nil { await write(today: currentDay()) }
  }

  /// Writes the line of the day of the counts, if that is over. If it cannot be made now, it is written later.
  public func write(today: Int64) async {
    let day = counts.day.load(ordering: .relaxed)
    guard today > day, let line = try? await line(of: day) else { return }
    counts.day.store(today, ordering: .relaxed)
    // No retry before tomorrow: a full disk must not stop the relay.
    try? WholeFile.append(line, to: path)
  }

  /// Takes over the counts of an earlier run of the day.
  func restoreCounts(_ file: CountsFile) throws(FileError) { try file.restore(counts) }

  /// Keeps the counts for the next run.
  func saveCounts(_ file: CountsFile) throws(FileError) { try file.save(counts) }
}

/// The days of the statistics, as numbers since 1970.
public enum CalendarDay {
  /// Whether a week ends with the day, which is on Sunday; the first day of 1970 was a Thursday.
  public static func endsWeek(_ day: Int64) -> Bool { (day + 3) % 7 == 6 }

  /// Whether a month ends with the day.
  public static func endsMonth(_ day: Int64) -> Bool { text(day).prefix(7) != text(day + 1).prefix(7) }

  /// The first day of the month.
  public static func firstOfMonth(_ day: Int64) -> Int64 { day + 1 - (Int64(text(day).suffix(2)) ?? 1) }

  /// The date as `2026-11-25`.
  public static func text(_ day: Int64) -> String {
    String(UTCTime(seconds: day * 86_400)?.description.prefix(10) ?? "")
  }
}

/// Writes the current figures in the text format of Prometheus, under the names of the reference server, so that the
/// same dashboards work.
public protocol MetricsWriter: Sendable {
  /// The file.
  var path: String { get }
  /// Seconds between writing it.
  var interval: Int64 { get }

  /// The figures now, as ``MetricsText``.
  func text() async throws -> String
}

extension MetricsWriter {
  /// Runs until the task is cancelled.
  public func run() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(interval))
      // A failure, of the store too, shows in the age of the file; zeros would look like a lost store.
      guard let text = try? await text() else { continue }
      try? WholeFile.replace(path, with: text.utf8)
    }
  }
}
