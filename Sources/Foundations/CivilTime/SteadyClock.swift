/// A clock for intervals and deadlines within a process: the wall time when it was made, and the time that has passed
/// since, including the sleep of the device (`ContinuousClock`: CLOCK_BOOTTIME on Linux, continuous time on Apple
/// platforms).
///
/// Changes of the wall clock do not move it. Its times are compared with times of the same clock only; a deadline that
/// an earlier process stored is bounded by ``plausible(_:at:longest:)`` first.
public struct SteadyClock: Sendable {
  private let wallTime: Int64
  private let elapsed: @Sendable () -> Duration

  /// - Parameter millisecondsSince1970: The wall time now.
  public init(millisecondsSince1970: Int64) {
    let start = ContinuousClock.now
    self.init(millisecondsSince1970: millisecondsSince1970) { ContinuousClock.now - start }
  }

  /// - Parameter elapsed: The time that has passed since the clock was made, for tests.
  package init(millisecondsSince1970: Int64, elapsed: @escaping @Sendable () -> Duration) {
    wallTime = millisecondsSince1970
    self.elapsed = elapsed
  }

  /// The present time in milliseconds since 1970 by the wall clock of the time when this clock was made.
  public var milliseconds: Int64 { wallTime + Int64(elapsed() / .milliseconds(1)) }

  /// The stored deadline of an earlier process, or the latest one that can be right: an interval longer than the
  /// longest that is ever set was measured by a clock that was ahead.
  ///
  /// - Parameters:
  ///   - now: The present time, in the unit of the deadline.
  ///   - longest: The longest interval before such a deadline.
  public static func plausible(_ deadline: Int64, at now: Int64, longest: Int64) -> Int64 {
    min(deadline, now.addingReportingOverflow(longest).overflow ? .max : now + longest)
  }
}
