import NIOCore

/// Which connections of an event loop execute the commands of a block at once, and which wait for their turn, while
/// clients send more than the loop can execute.
///
/// One pass of the loop executes what all connections have sent, in any order: with thousands that always have sent
/// something, a pass takes long, and somebody who sends a message a second waits for all of them at each step. So a
/// pass executes for ``passTime`` only. Connections that have sent something after that wait, first come, first served;
/// the loop looks for input between their time slices. When all that waited at one time have been served, a *round* has
/// passed. Who was not served in this round and in the one before sends rarely, and need not wait: what such a
/// connection asks for is less than what each of the waiting ones gets.
///
/// How long a client waits depends on what all clients have sent before, never on whether a queue exists.
struct LoopRounds {
  /// The time for blocks in one pass of the loop.
  static let passTime = TimeAmount.milliseconds(4)

  /// A round; connections that were never served begin before the first one.
  typealias Round = UInt64

  private(set) var current: Round = 2
  /// The number of connections that wait.
  private(set) var waiting = 0
  /// The number of waiting ones that still belong to the current round.
  private var left = 0
  /// When the first block of this pass arrived; nil where none has.
  private var passStart: NIODeadline?

  /// Whether a connection that was served last in the given round executes a block at once. `passEnds` is called for
  /// the first block of a pass: ``endPass()`` has to be called after its last one.
  mutating func executesAtOnce(_ last: Round, at now: NIODeadline, passEnds: () -> Void) -> Bool {
    if waiting > 0 { return last + 1 < current }
    guard let passStart else {
      passStart = now
      passEnds()
      return true
    }
    return now - passStart <= Self.passTime
  }

  mutating func endPass() { passStart = nil }

  /// A connection waits, after all others.
  mutating func enqueue() {
    if waiting == 0 { left = 1 }
    waiting += 1
  }

  /// The first of the waiting connections is served.
  mutating func dequeue() {
    guard waiting > 0 else { return }
    waiting -= 1
    left -= 1
    guard left <= 0 else { return }
    current += 1
    left = waiting
  }
}
