/// The delays between retries: growing up to a limit, and randomized for each client.
public struct Backoff: Hashable, Sendable {
  /// The parameters.
  public struct Policy: Hashable, Sendable {
    /// The first delay in milliseconds.
    public var initial: Int64
    /// The longest delay in milliseconds.
    public var limit: Int64
    /// The random deviation of each delay, in percent of it.
    public var jitterPercent: Int64

    /// Two seconds, growing by half each time to a minute, ± 20 %.
    public static let standard = Policy(initial: 2_000, limit: 60_000, jitterPercent: 20)

    /// Times in milliseconds, at least 1.
    public init(initial: Int64, limit: Int64, jitterPercent: Int64) {
      self.initial = max(1, initial)
      self.limit = max(self.initial, limit)
      self.jitterPercent = min(max(0, jitterPercent), 100)
    }
  }

  private let policy: Policy
  private var current: Int64

  /// Starts with the first delay.
  public init(_ policy: Policy = .standard) {
    self.policy = policy
    current = policy.initial
  }

  /// The next delay in milliseconds.
  public mutating func next(using random: inout some RandomNumberGenerator) -> Int64 {
    let wait = current
    current = min(policy.limit, current + current / 2 + 1)
    let jitter = wait / 100 * policy.jitterPercent
    return wait + Int64.random(in: -jitter...jitter, using: &random)
  }

  /// Restarts with the first delay, after a success.
  public mutating func reset() { current = policy.initial }
}
