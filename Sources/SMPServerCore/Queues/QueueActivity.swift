/// On which day queues last sent or received a message: enough to count the active queues of a day, and of the week
/// and the month that end with it, in one entry for each queue that is used.
public struct QueueActivity: Sendable {
  private struct Days {
    var active: Int32
    /// When a message was last to notify, or one that had; 0 for never.
    var notified: Int32 = 0
  }

  private var days: [QueueNumber: Days] = [:]

  init() {}

  /// Notes a message on a day, in days since 1970.
  mutating func note(_ queue: QueueNumber, day: Int64, notifies: Bool) {
    let day = Int32(clamping: day)
    days[queue, default: Days(active: day)].active = day
    if notifies { days[queue]?.notified = day }
  }

  /// Forgets what was before a day.
  mutating func forget(before day: Int64) { days = days.filter { Int64($0.value.active) >= day } }

  /// How many queues were active on that day or later, and how many with notifications.
  public func counts(since day: Int64) -> (active: Int, notified: Int) {
    days.values.reduce(into: (0, 0)) { counts, days in
      if Int64(days.active) >= day { counts.0 += 1 }
      if Int64(days.notified) >= day { counts.1 += 1 }
    }
  }
}
