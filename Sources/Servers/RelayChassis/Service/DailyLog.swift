import FileAccess

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
