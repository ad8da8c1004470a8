import NIOCore

/// The time that refused commands took lately: it grows by each, and shrinks by a part of the time that passes.
struct RefusalCost {
  private let limit: Int64
  private let divisor: Int64
  private var amount: Int64 = 0
  private var updatedAt = NIODeadline.now()

  /// It is high beyond the limit; it shrinks by the time that passes, divided by `tolerating`.
  init(limit: TimeAmount = .milliseconds(10), tolerating divisor: Int64 = 100) {
    self.limit = limit.nanoseconds
    self.divisor = divisor
  }

  mutating func add(_ time: TimeAmount, at now: NIODeadline) {
    amount = value(at: now) + time.nanoseconds
    updatedAt = now
  }

  func isHigh(at now: NIODeadline) -> Bool { value(at: now) > limit }

  private func value(at now: NIODeadline) -> Int64 { max(0, amount - (now - updatedAt).nanoseconds / divisor) }
}
