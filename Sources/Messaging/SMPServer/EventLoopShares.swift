import NIOCore

/// Shares an event loop among connections whose commands take long: each executes some for a short time (a time slice),
/// then the loop serves everybody else before the next one.
final class EventLoopShares: Sendable {
  /// A time slice ends with the first command after this time.
  static let timeSlice = TimeAmount.milliseconds(2)

  /// Connections in their usual order.
  let usual: RunQueue
  /// Connections that cause much refused work: all of them together get a quarter of the loop's time, and one read of
  /// the store at a time, whose time counts as theirs.
  let refused: RunQueue

  init(_ eventLoop: any EventLoop) {
    usual = RunQueue(eventLoop, pause: 0)
    refused = RunQueue(eventLoop, pause: 3)
  }

  /// Connections that wait for a time slice, one after the other.
  ///
  /// Unchecked: used on its event loop alone.
  final class RunQueue: @unchecked Sendable {
    private let eventLoop: any EventLoop
    /// How many times longer than a time slice the pause after it is.
    private let pause: Int64
    private var waiting: [ClientSession] = []
    private var nextStart = NIODeadline.uptimeNanoseconds(0)
    /// Whether a time slice is scheduled or under way. Only one is, and never at once: the loop runs all tasks that are
    /// due before it looks for input.
    private var isActive = false
    /// The number of reads of the store that its connections wait for.
    private var readCount = 0

    fileprivate init(_ eventLoop: any EventLoop, pause: Int64) {
      self.eventLoop = eventLoop
      self.pause = pause
    }

    /// Adds a connection that does not wait in a run queue; its ``ClientSession/runTimeSlice()`` is called later.
    func add(_ session: ClientSession) {
      waiting.append(session)
      if !isActive { schedule() }
    }

    /// A connection of this queue reads; no other one gets a time slice until that is answered.
    func readStarted() { readCount += 1 }

    /// The read was answered, for which the store took some time.
    func readEnded(after time: TimeAmount) {
      readCount -= 1
      nextStart = max(nextStart, .now()) + time * pause
      if !waiting.isEmpty, !isActive { schedule() }
    }

    private func schedule() {
      guard readCount == 0 else { return }
      isActive = true
      eventLoop.scheduleTask(deadline: max(nextStart, .now() + .microseconds(50))) { self.run() }
    }

    private func run() {
      let start = NIODeadline.now()
      if !waiting.isEmpty { waiting.removeFirst().runTimeSlice() }
      let end = NIODeadline.now()
      nextStart = end + (end - start) * pause
      isActive = false
      if !waiting.isEmpty { schedule() }
    }
  }
}
