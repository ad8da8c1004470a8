import NIOCore

/// Shares the time of an event loop between a port's handshakes and everything else: they take some milliseconds at
/// once, then the loop looks for other input before the next ones come, first come, first served.
///
/// A step of a handshake takes a millisecond of the processor, and clients can ask for any number of them.
///
/// Unchecked: used on its event loop alone.
final class HandshakeTurns: @unchecked Sendable {
  /// How long handshakes take at once.
  private static let turn = TimeAmount.milliseconds(2)

  private let passes: EventLoopPasses
  private var waiting = CircularBuffer<() -> Void>()
  /// How long steps took in this turn.
  private var used = TimeAmount.zero
  private var isScheduled = false

  init(_ eventLoop: any EventLoop) { passes = EventLoopPasses(eventLoop) }

  /// Does a step now, or in a later turn.
  func add(_ step: @escaping () -> Void) {
    if waiting.isEmpty, used < Self.turn { perform(step) } else { waiting.append(step) }
    scheduleTurn()
  }

  private func perform(_ step: () -> Void) {
    let start = NIODeadline.now()
    step()
    used = used + (.now() - start)
  }

  private func scheduleTurn() {
    guard !isScheduled else { return }
    isScheduled = true
    passes.perform { self.runTurn() }
  }

  private func runTurn() {
    isScheduled = false
    used = .zero
    while used < Self.turn, let step = waiting.popFirst() { perform(step) }
    if !waiting.isEmpty || used > .zero { scheduleTurn() }
  }
}
