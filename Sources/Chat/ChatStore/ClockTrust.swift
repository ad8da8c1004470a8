import FoundationTypes

/// Judges whether the wall clock is trusted when stored rows are deleted for their age, which cannot be undone.
///
/// The clock is not trusted for an hour of running after it went forward by more than a day against a clock that wall
/// clock changes do not move, and after a start at which it is two weeks or more beyond the newest stored item.
/// Everything else goes on: rows are only kept for longer. Relays have `ExpiryClock` for it.
struct ClockTrust {
  private static let jumpLimit = 86_400.0
  private static let absenceLimit = 14 * 86_400.0
  private static let distrust = Duration.seconds(3_600)

  /// The wall time that is expected at an elapsed time.
  private var expected: (time: Date, elapsed: Duration)
  private var distrustedUntil: Duration?

  /// - Parameters:
  ///   - last: The time of the newest stored item; nil where there is none.
  ///   - elapsed: The elapsed time now, by a clock that counts the sleep of the device.
  init(_ now: Date, last: Date?, elapsed: Duration) {
    expected = (now, elapsed)
    if let last, now.timeIntervalSince(last) >= Self.absenceLimit { distrustedUntil = elapsed + Self.distrust }
  }

  /// Whether the wall clock is trusted.
  mutating func isTrusted(_ now: Date, elapsed: Duration) -> Bool {
    let passed = (elapsed - expected.elapsed) / .seconds(1)
    let jump = now.timeIntervalSince(expected.time) - passed
    expected = (now, elapsed)
    if jump > Self.jumpLimit { distrustedUntil = elapsed + Self.distrust }
    if let until = distrustedUntil, elapsed >= until { distrustedUntil = nil }
    return distrustedUntil == nil
  }
}
