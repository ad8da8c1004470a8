/// A clock for intervals and deadlines within a process: the wall time when it was made, and the time that has passed
/// since, including the sleep of the device (`ContinuousClock`: CLOCK_BOOTTIME on Linux, continuous time on Apple
/// platforms).
///
/// Changes of the wall clock do not move it. Its times are compared with times of the same clock only; times that an
/// earlier process stored are corrected first, as the agent does at its start, or compared with the wall clock.
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
}
