/// The delays between retries: random ones (full jitter), below a bound that grows up to a limit. So clients that fail
/// at the same time do not retry at the same time.
public struct Backoff: Hashable, Sendable {
  /// The parameters.
  public struct Policy: Hashable, Sendable {
    /// The bound of the first delay in milliseconds.
    public var initial: Int64
    /// The bound of the longest delay in milliseconds.
    public var limit: Int64

    /// Up to two seconds, growing by half each time to a minute.
    public static let standard = Policy(initial: 2_000, limit: 60_000)

    /// Times in milliseconds, at least 1.
    public init(initial: Int64, limit: Int64) {
      self.initial = max(1, initial)
      self.limit = max(self.initial, limit)
    }

    /// The delay after this number of failures in sequence, in milliseconds.
    public func delay(after failures: Int64, using random: inout some RandomNumberGenerator) -> Int64 {
      var backoff = Backoff(self)
      for _ in 1..<max(2, min(failures, 64)) where failures > 1 { backoff.grow() }
      return backoff.next(using: &random)
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
    defer { grow() }
    return Int64.random(in: 1...current, using: &random)
  }

  private mutating func grow() { current = min(policy.limit, current + current / 2 + 1) }

  /// Restarts with the first delay, after a success that lasted.
  public mutating func reset() { current = policy.initial }
}
