import HeapModule
import NIOCore
import SimplexTransport

/// A connection as far as its share of an event loop is concerned.
protocol TimeSliced: AnyObject {
  /// The virtual time of the event loop up to which it is paid for what it executed (``VirtualClock``).
  var paid: VirtualClock.Time { get }
  /// The number of its commands that wait to be executed.
  var pendingCount: Int { get }

  /// Executes commands that wait, for a short time.
  func runTimeSlice()
}

/// Shares an event loop among connections whose commands take long, or that send more than the loop can execute: some
/// of them execute for a short time (a time slice), then the loop serves everybody else before the next ones.
///
/// Unchecked: what changes is used on its event loop alone.
final class EventLoopShares: @unchecked Sendable {
  /// A time slice ends with the first command after this time.
  static let timeSlice = TimeAmount.milliseconds(2)

  /// Connections in their usual order.
  let usual: RunQueue
  /// Connections that cause much refused work: all of them together get a quarter of the loop's time, and one read of
  /// the store at a time, whose time counts as theirs.
  let refused: RunQueue
  /// Connections that forward much refused work, while all of them cause more than a quarter of the loop's time of it:
  /// together they get half of the loop's time, and one read at a time.
  let forwarding: RunQueue
  /// The time of refused commands that were forwarded on all connections of the loop.
  private(set) var forwardedRefusals = RefusalCost(limit: .milliseconds(50), tolerating: 4)

  /// `room` is the number of bytes that answers of the store may take until they are used.
  init(_ eventLoop: any EventLoop, room: Int) {
    let passes = EventLoopPasses(eventLoop)
    usual = RunQueue(eventLoop, passes, pause: 0, room: room / 4 * 3)
    refused = RunQueue(eventLoop, passes, pause: 3, room: room / 8)
    forwarding = RunQueue(eventLoop, passes, pause: 1, room: room / 8)
  }

  /// Counts the time of a refused command that was forwarded.
  func addForwardedRefusal(_ time: TimeAmount, at now: NIODeadline) { forwardedRefusals.add(time, at: now) }

  /// Memory for what the store reads for a connection, until it is used and this is released; on the event loop alone.
  final class Room {
    fileprivate var queue: RunQueue
    fileprivate let size: Int

    fileprivate init(_ queue: RunQueue, size: Int) {
      self.queue = queue
      self.size = size
    }

    /// Takes the memory of another queue instead; more than its room, if need be.
    func move(to other: RunQueue) {
      guard other !== queue else { return }
      queue.giveBack(size)
      other.takenRoom += size
      queue = other
    }

    deinit { queue.giveBack(size) }
  }

  /// A connection that waits: whose commands end first in virtual time comes first, then who waits longest.
  private struct Waiting: Comparable {
    let span: VirtualClock.Span
    let number: UInt64
    let session: any TimeSliced

    static func < (a: Waiting, b: Waiting) -> Bool { (a.span.finish, a.number) < (b.span.finish, b.number) }
    static func == (a: Waiting, b: Waiting) -> Bool { a.number == b.number }
  }

  /// Connections that wait for a time slice, one after the other, and their reads of the store.
  ///
  /// Unchecked: used on its event loop alone.
  final class RunQueue: @unchecked Sendable {
    private let eventLoop: any EventLoop
    private let passes: EventLoopPasses
    /// How many times longer than a time slice the pause after it is.
    private let pause: Int64
    private var waiting = Heap<Waiting>()
    /// The number of times that a connection has waited.
    private var count: UInt64 = 0
    private var clock = VirtualClock()
    private var nextStart = NIODeadline.uptimeNanoseconds(0)
    /// Whether a time slice is scheduled or under way. Only one is, after the loop has looked for input.
    private var isActive = false
    /// Whether ``VirtualClock/inputArrived()`` will be called when the loop has looked for input.
    private var isPassEnding = false
    /// The number of reads of the store that its connections wait for.
    private var readCount = 0
    /// How many bytes answers may take until they are used.
    private let room: Int
    /// How many they take, and will take when they are there.
    fileprivate var takenRoom = 0
    /// Reads that wait for room, or for another one to be answered.
    private var waitingReads: ArraySlice<(size: Int, start: (Room) -> Void)> = []
    private var isStartingReads = false

    init(_ eventLoop: any EventLoop, _ passes: EventLoopPasses, pause: Int64, room: Int) {
      self.eventLoop = eventLoop
      self.passes = passes
      self.pause = pause
      self.room = room
    }

    /// Whether its connections share what is left for them, instead of the loop. Others may share a time slice.
    private var isLimited: Bool { pause > 0 }

    /// Adds a connection that does not wait in a run queue; its ``TimeSliced/runTimeSlice()`` is called later.
    func add(_ session: any TimeSliced) {
      // Where the loop's time is limited anyway nobody overtakes.
      let span = isLimited ? VirtualClock.Span(start: 0, finish: 0) : self.span(of: session)
      waiting.insert(Waiting(span: span, number: count, session: session))
      count += 1
      clock.enqueue()
      if !isActive { schedule() }
    }

    /// The virtual time up to which a new connection is paid.
    var arrivalTime: VirtualClock.Time { clock.arrivalTime }

    /// Whether a connection executes its commands at once, or has to wait here.
    func executesAtOnce(_ session: any TimeSliced) -> Bool {
      clock.executesAtOnce(span(of: session), at: VirtualClock.processorTime) {
        eventLoop.execute { self.endPass() }
      }
    }

    private func endPass() {
      guard clock.endPass(at: VirtualClock.processorTime), !isPassEnding else { return }
      isPassEnding = true
      passes.perform {
        self.isPassEnding = false
        self.clock.inputArrived()
      }
    }

    private func span(of session: any TimeSliced) -> VirtualClock.Span {
      clock.span(paid: session.paid, commands: session.pendingCount)
    }

    /// The virtual time up to which a connection is paid after it was served for some time.
    func paid(_ paid: VirtualClock.Time, servedFor duration: TimeAmount) -> VirtualClock.Time {
      clock.paid(paid, servedFor: duration)
    }

    /// Has `start` begin a read of the store: at once where there is room for the answers, of `size` bytes at most,
    /// else later, in order. Where connections share what is left, one read is in flight, and nobody gets a time slice
    /// until it is answered: ``readEnded(after:)`` has to be called.
    func read(size: Int, _ start: @escaping (Room) -> Void) {
      guard waitingReads.isEmpty, canRead(size) else { return waitingReads.append((size, start)) }
      begin(size, start)
    }

    private func canRead(_ size: Int) -> Bool {
      guard !isLimited || readCount == 0 else { return false }
      // One read always has room.
      return takenRoom == 0 || takenRoom + size <= room
    }

    private func begin(_ size: Int, _ start: (Room) -> Void) {
      takenRoom += size
      readCount += 1
      start(Room(self, size: size))
    }

    /// A read was answered, for which the store took some time.
    func readEnded(after time: TimeAmount) {
      readCount -= 1
      if isLimited {
        nextStart = max(nextStart, .now()) + time * pause
        if !waiting.isEmpty, !isActive { schedule() }
      }
      startReadsLater()
    }

    fileprivate func giveBack(_ size: Int) {
      takenRoom -= size
      startReadsLater()
    }

    /// Not at once: the connection that gives room back may be the one that waits for it.
    private func startReadsLater() {
      guard !waitingReads.isEmpty, !isStartingReads else { return }
      isStartingReads = true
      eventLoop.execute {
        self.isStartingReads = false
        while let next = self.waitingReads.first, self.canRead(next.size) {
          self.waitingReads.removeFirst()
          self.begin(next.size, next.start)
        }
        if self.waitingReads.isEmpty { self.waitingReads = [] }
      }
    }

    private func schedule() {
      guard !isLimited || readCount == 0 else { return }
      isActive = true
      guard isLimited, nextStart > .now() else { return passes.perform { self.run() } }
      eventLoop.scheduleTask(deadline: nextStart) { self.passes.perform { self.run() } }
    }

    private func run() {
      guard !isLimited || readCount == 0 else { return isActive = false }
      let start = NIODeadline.now()
      var end = start
      repeat {
        guard let next = waiting.popMin() else { break }
        clock.dequeue(next.span.start)
        next.session.runTimeSlice()
        end = .now()
      } while !isLimited && end - start < EventLoopShares.timeSlice
      nextStart = end + (end - start) * pause
      isActive = false
      if !waiting.isEmpty { schedule() }
    }
  }
}
