/// Limits how often passwords are tried: a few wrong ones at once, then one in each interval, whoever tries them. While
/// there are too many, none is checked, so that nobody learns more by trying faster.
public struct PasswordAttempts: Sendable {
  /// The number of wrong passwords at once.
  public static var limit: Int { 5 }
  /// The time in seconds after which another one may be tried.
  public static var interval: Int64 { 2 }

  private var remaining = limit
  /// When the last one became possible again, in seconds.
  private var refilledAt: Int64 = 0

  public init() {}

  /// Whether a password may be checked now; `now` is in seconds.
  public mutating func allowsAttempt(at now: Int64) -> Bool {
    refill(now)
    return remaining > 0
  }

  /// A password was wrong.
  public mutating func failed(at now: Int64) {
    refill(now)
    remaining = max(0, remaining - 1)
  }

  private mutating func refill(_ now: Int64) {
    // A clock that was set back starts an interval anew.
    if remaining == Self.limit || now < refilledAt { refilledAt = now }
    let intervals = (now - refilledAt) / Self.interval
    remaining += Int(clamping: min(intervals, Int64(Self.limit - remaining)))
    refilledAt += intervals * Self.interval
  }
}
