import FileAccess
import SMPServerCore

/// The counts of a day while the relay is stopped: the day (in days since 1970) and then one event in a line, each as
/// `name=count`.
///
/// Only a graceful stop writes it; a crash loses the counts of its day.
struct StatisticsFile {
  let path: String

  private static let dayName = "day"

  /// Writes the counts since the last line of the daily statistics.
  func save(_ statistics: ServerStatistics, day: Int64) throws(FileError) {
    let counts = ServerEvent.allCases.map { ("\($0)", statistics.value($0)) }.filter { $0.1 != 0 }
    let lines = [(Self.dayName, Int(day))] + counts
    try WholeFile.replace(path, with: lines.map { "\($0.0)=\($0.1)\n" }.joined().utf8)
  }

  /// Restores the counts, and returns their day; nil where there is no file. Removes the file, so that nothing is
  /// counted twice after a crash.
  func restore(_ statistics: ServerStatistics) throws(FileError) -> Int64? {
    guard let text = try WholeFile.text(path) else { return nil }
    let lines = text.split(separator: "\n").compactMap { line -> (Substring, Int)? in
      let fields = line.split(separator: "=")
      // A damaged line loses its count, and does not prevent the start of the relay.
      guard fields.count == 2, let count = Int(fields[1]), (0...1 << 48).contains(count) else { return nil }
      return (fields[0], count)
    }
    for event in ServerEvent.allCases {
      if let count = lines.first(where: { $0.0 == "\(event)" })?.1 { statistics.count(event, by: count) }
    }
    try WholeFile.remove(path)
    return lines.first { $0.0 == Self.dayName }.map { min(Int64($0.1), currentDay()) }
  }
}
