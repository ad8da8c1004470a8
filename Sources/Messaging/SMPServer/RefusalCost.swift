import NIOCore

/// The time that a connection's refused commands took lately: it grows by each, and shrinks by a hundredth of the time
/// that passes.
struct RefusalCost {
  /// From this time on a connection shares a quarter of the loop with the others like it.
  static let limit = TimeAmount.milliseconds(10)

  private var amount: Int64 = 0
  private var updatedAt = NIODeadline.now()

  mutating func add(_ time: TimeAmount, at now: NIODeadline) {
    amount = value(at: now) + time.nanoseconds
    updatedAt = now
  }

  func isHigh(at now: NIODeadline) -> Bool { value(at: now) > Self.limit.nanoseconds }

  private func value(at now: NIODeadline) -> Int64 { max(0, amount - (now - updatedAt).nanoseconds / 100) }
}
