import NIOCore

/// Shares an event loop among connections whose commands take long: each executes some for a short time (a turn), then
/// the loop serves everybody else before the next turn.
final class LoopTurns: Sendable {
  /// A turn ends with the first command after this time.
  static let length = TimeAmount.milliseconds(2)

  /// Connections in their usual order.
  let usual: Lane
  /// Connections that cause much refused work: all of them together get a quarter of the loop's time.
  let refused: Lane

  init(_ eventLoop: any EventLoop) {
    usual = Lane(eventLoop, pause: 0)
    refused = Lane(eventLoop, pause: 3)
  }

  /// Connections that wait for a turn, one after the other.
  ///
  /// Unchecked: used on its event loop alone.
  final class Lane: @unchecked Sendable {
    private let eventLoop: any EventLoop
    /// How many times longer than a turn the pause after it is.
    private let pause: Int64
    private var waiting: [ClientSession] = []
    private var nextTurn = NIODeadline.uptimeNanoseconds(0)
    /// Whether a turn is scheduled or under way. Only one is, and never at once: the loop runs all tasks that are due
    /// before it looks for input.
    private var isActive = false

    fileprivate init(_ eventLoop: any EventLoop, pause: Int64) {
      self.eventLoop = eventLoop
      self.pause = pause
    }

    /// Adds a connection that does not wait in a lane; its ``ClientSession/takeTurn()`` is called later.
    func add(_ session: ClientSession) {
      waiting.append(session)
      if !isActive { schedule() }
    }

    private func schedule() {
      isActive = true
      eventLoop.scheduleTask(deadline: max(nextTurn, .now() + .microseconds(50))) { self.run() }
    }

    private func run() {
      let start = NIODeadline.now()
      if !waiting.isEmpty { waiting.removeFirst().takeTurn() }
      let end = NIODeadline.now()
      nextTurn = end + (end - start) * pause
      isActive = false
      if !waiting.isEmpty { schedule() }
    }
  }
}

/// The time that a connection's refused commands took lately: it grows by each, and shrinks by a hundredth of the time
/// that passes.
struct RefusedWork {
  /// From this time on a connection shares a quarter of the loop with the others like it.
  static let limit = TimeAmount.milliseconds(10)

  private var amount: Int64 = 0
  private var updatedAt = NIODeadline.now()

  mutating func add(_ time: TimeAmount, at now: NIODeadline) {
    amount = value(at: now) + time.nanoseconds
    updatedAt = now
  }

  func isMuch(at now: NIODeadline) -> Bool { value(at: now) > Self.limit.nanoseconds }

  private func value(at now: NIODeadline) -> Int64 { max(0, amount - (now - updatedAt).nanoseconds / 100) }
}
