import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Which connections of an event loop execute the commands of a block at once, and which wait for their turn, while
/// clients send more than the loop can execute (start-time fair queueing).
///
/// One pass of the loop executes what all connections have sent, in any order: with thousands that always have sent
/// something, a pass takes long, and somebody who sends a message a second waits for all of them at each step. So a
/// pass executes for ``passTime`` only. Connections that have sent something after that wait; the loop looks for input
/// between their time slices.
///
/// Who uses less than the waiting ones does not wait. The clock shows *virtual time*: how much of the loop's time, and
/// of the store's, each of the waiting connections has had. It passes slowly where many wait. A connection that is
/// served is paid up to a later virtual time, by what its commands took. What it sends next has a *start*, the time up
/// to which it is paid, and a *finish*, which is later by what its commands are expected to take. Of those that wait
/// the one with the earliest finish comes next, and the clock shows its start. So who sends rarely comes before all who
/// always send, of those that send rarely the one with a single command comes before those with hundreds, and nobody
/// waits whose finish is not further than ``burst`` ahead of the clock while the pass has time left.
///
/// All times are those of the processor: time in which it runs other threads does not count.
///
/// How long a client waits depends on what all clients have sent before, never on whether a queue exists.
struct VirtualClock {
  /// The time for blocks in one pass of the loop.
  static let passTime = TimeAmount.milliseconds(4)
  /// How much more than the waiting ones a connection may have had and be served before them.
  static let burst = TimeAmount.milliseconds(1)
  /// How much of what a connection did not use it may use later.
  static let credit = TimeAmount.milliseconds(5)
  /// What one read of the store counts, wherever its answer comes from.
  static let readTime = TimeAmount.microseconds(30)

  /// What a command is expected to take, before it is executed; of many commands ``longestExpectedTime`` counts.
  static let expectedTime = TimeAmount.microseconds(50)
  static let longestExpectedTime = EventLoopShares.timeSlice

  /// A virtual time, in nanoseconds.
  typealias Time = Int64

  /// When commands that a connection sent begin and end, in virtual time.
  struct Span {
    let start: Time
    let finish: Time
  }

  /// The time for which the processor has executed this thread: time in which it executes others is nobody's.
  static var processorTime: TimeAmount {
    var time = timespec()
    guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return .nanoseconds(0) }
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  private(set) var now: Time = 0
  /// The number of connections that wait.
  private(set) var waiting = 0
  /// The processor time at which the first block of this pass arrived; nil where none has.
  private var passStart: TimeAmount?
  /// The processor time of ended passes since the loop last looked for input, as far as is known.
  private var used = TimeAmount.zero

  /// What a new connection is paid up to: its first commands come before those of connections that always send. Its
  /// handshake has cost the client more than that.
  var arrivalTime: Time { now - Self.burst.nanoseconds }

  /// The span of commands of a connection that is paid up to `paid`.
  func span(paid: Time, commands: Int) -> Span {
    let start = max(paid, now - Self.credit.nanoseconds)
    let expected = Self.expectedTime.nanoseconds * Int64(clamping: min(commands, 1_000))
    return Span(start: start, finish: start + min(expected, Self.longestExpectedTime.nanoseconds))
  }

  /// Whether a connection executes its commands at once, at a time of the processor. `passEnds` is called for the first
  /// block of a pass: ``endPass(at:)`` has to be called after its last one.
  mutating func executesAtOnce(_ span: Span, at time: TimeAmount, passEnds: () -> Void) -> Bool {
    if passStart == nil { passEnds() }
    let start = passStart ?? time
    passStart = start
    guard used + (time - start) <= Self.passTime else { return false }
    return waiting == 0 || span.finish <= now + Self.burst.nanoseconds
  }

  /// Ends a pass. Returns whether ``inputArrived()`` has to be called after the loop has looked for input: until then
  /// passes share ``passTime``. A quarter of it is tolerated, so that short passes cause no event of the pipe.
  mutating func endPass(at time: TimeAmount) -> Bool {
    used = used + (time - (passStart ?? time))
    passStart = nil
    return used * 4 > Self.passTime
  }

  /// The loop has looked for input.
  mutating func inputArrived() { used = .zero }

  /// A connection waits.
  mutating func enqueue() { waiting += 1 }

  /// The next of the waiting connections is served, whose commands begin at `start`.
  mutating func dequeue(_ start: Time) {
    waiting -= 1
    now = max(now, start)
  }

  /// The time up to which a connection is paid that was paid up to `paid` and was served for `duration`. While nobody
  /// waits, all keep their credit.
  mutating func paid(_ paid: Time, servedFor duration: TimeAmount) -> Time {
    let paid = max(paid, now - Self.credit.nanoseconds) + duration.nanoseconds
    if waiting == 0 { now = max(now, paid + Self.credit.nanoseconds) }
    return paid
  }
}
