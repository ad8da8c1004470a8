import SMPServerCore
import Synchronization

/// Counters of events, for all threads.
public final class ServerStatistics: Sendable {
  /// A reference, because an atomic cannot be in an array.
  private final class Counter: Sendable {
    let value = Atomic<Int>(0)
  }

  private let counters = ServerEvent.allCases.map { _ in Counter() }
  /// The day that the counts belong to, in days since 1970: until the line of the daily statistics is written, that is
  /// yesterday.
  let day = Atomic<Int64>(currentDay())

  init() {}

  func count(_ event: ServerEvent, by amount: Int = 1) {
    counters[event.rawValue].value.add(amount, ordering: .relaxed)
  }

  /// The number of events since the start, or since ``reset()``.
  public func value(_ event: ServerEvent) -> Int { counters[event.rawValue].value.load(ordering: .relaxed) }

  /// All counts by event; resets them to 0.
  func reset() -> [ServerEvent: Int] {
    Dictionary(
      uniqueKeysWithValues: ServerEvent.allCases.map {
        ($0, counters[$0.rawValue].value.exchange(0, ordering: .relaxed))
      })
  }
}
