import FileAccess
import Synchronization

/// An event that a relay counts.
public protocol CountedEvent: CaseIterable, Hashable, Sendable, RawRepresentable where RawValue == Int {}

/// Counters of events, for all threads.
public final class EventCounts<Event: CountedEvent>: Sendable {
  /// A reference, because an atomic cannot be in an array.
  private final class Counter: Sendable {
    let value = Atomic<Int>(0)
  }

  private let counters = Event.allCases.map { _ in Counter() }
  /// The day that the counts belong to, in days since 1970: until the line of the daily statistics is written, that is
  /// yesterday.
  public let day = Atomic<Int64>(currentDay())

  /// All counts are 0.
  public init() {}

  /// Counts an event.
  public func count(_ event: Event, by amount: Int = 1) {
    counters[event.rawValue].value.add(amount, ordering: .relaxed)
  }

  /// The number of events since the start, or since ``reset()``.
  public func value(_ event: Event) -> Int { counters[event.rawValue].value.load(ordering: .relaxed) }

  /// All counts by event; resets them to 0.
  public func reset() -> [Event: Int] {
    Dictionary(
      uniqueKeysWithValues: Event.allCases.map {
        ($0, counters[$0.rawValue].value.exchange(0, ordering: .relaxed))
      })
  }
}

/// The counts of a day while the relay is stopped: the day (in days since 1970) and then one event in a line, each as
/// `name=count`.
///
/// Only a graceful stop writes it; a crash loses the counts of its day.
public struct CountsFile: Sendable {
  /// Where it is.
  public let path: String

  private static let dayName = "day"

  /// The file at a path, which need not exist.
  public init(path: String) { self.path = path }

  /// Writes the counts since the last line of the daily statistics, and their day.
  public func save(_ counts: EventCounts<some CountedEvent>) throws(FileError) {
    let events = counts.events.map { ("\($0)", counts.value($0)) }.filter { $0.1 != 0 }
    let lines = [(Self.dayName, Int(counts.day.load(ordering: .relaxed)))] + events
    try WholeFile.replace(path, with: lines.map { "\($0.0)=\($0.1)\n" }.joined().utf8)
  }

  /// Adds the counts, and takes over their day. Removes the file, so that nothing is counted twice after a crash.
  public func restore(_ counts: EventCounts<some CountedEvent>) throws(FileError) {
    guard let text = try WholeFile.text(path) else { return }
    let lines = text.split(separator: "\n").compactMap { line -> (Substring, Int)? in
      let fields = line.split(separator: "=")
      // A damaged line loses its count, and does not prevent the start of the relay.
      guard fields.count == 2, let count = Int(fields[1]), (0...1 << 48).contains(count) else { return nil }
      return (fields[0], count)
    }
    for event in counts.events {
      if let count = lines.first(where: { $0.0 == "\(event)" })?.1 { counts.count(event, by: count) }
    }
    try WholeFile.remove(path)
    guard let day = lines.first(where: { $0.0 == Self.dayName })?.1 else { return }
    counts.day.store(min(Int64(day), currentDay()), ordering: .relaxed)
  }
}

extension EventCounts {
  fileprivate var events: [Event] { Array(Event.allCases) }
}
