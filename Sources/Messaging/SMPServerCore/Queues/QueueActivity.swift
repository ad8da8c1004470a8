/// The days on which queues last sent or received a message: suffices to count the active queues of a day, and of the
/// week and the month that end with it. Queues that are idle for longer are forgotten.
public struct QueueActivity: Sendable {
  /// The days that are kept: the month that ended yesterday can still be counted.
  static let keptDays: Int64 = 32

  private var active = LastDays()
  private var notified = LastDays()

  init() {}

  /// Records a message on a day, in days since 1970.
  mutating func note(_ queue: QueueNumber, day: Int64, notifies: Bool) {
    active.note(queue, day: day)
    if notifies { notified.note(queue, day: day) }
  }

  /// Removes entries from before a day.
  mutating func forget(before day: Int64) {
    active.forget(before: day)
    notified.forget(before: day)
  }

  /// The numbers of queues active on that day or later, and of those with notifications.
  public func counts(since day: Int64) -> (active: Int, notified: Int) {
    (active.count(since: day), notified.count(since: day))
  }
}

/// Queues by the last day of something.
///
/// **Invariant.** A queue is in one of the sets at most. So counting takes no longer with many queues.
private struct LastDays {
  private var day = Int64.min
  /// The queues of this day.
  private var queues: Set<QueueNumber> = []
  /// Those of earlier days.
  private var earlier: [Int64: Set<QueueNumber>] = [:]

  mutating func note(_ queue: QueueNumber, day: Int64) {
    if day > self.day { begin(day) }
    guard queues.insert(queue).inserted else { return }
    // A copy of the days: the sets would be copied if the dictionary were iterated meanwhile.
    for day in Array(earlier.keys) where earlier[day]?.remove(queue) != nil { return }
  }

  private mutating func begin(_ day: Int64) {
    if !queues.isEmpty { earlier[self.day] = queues }
    queues = []
    self.day = day
    forget(before: day.subtractingReportingOverflow(QueueActivity.keptDays - 1).partialValue)
  }

  mutating func forget(before day: Int64) {
    earlier = earlier.filter { $0.key >= day }
    if self.day < day { queues = [] }
  }

  func count(since day: Int64) -> Int {
    earlier.reduce(self.day >= day ? queues.count : 0) { $1.key >= day ? $0 + $1.value.count : $0 }
  }
}
