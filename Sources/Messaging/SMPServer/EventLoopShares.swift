import HeapModule
import NIOCore

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
    usual = RunQueue(eventLoop, pause: 0, room: room / 4 * 3)
    refused = RunQueue(eventLoop, pause: 3, room: room / 8)
    forwarding = RunQueue(eventLoop, pause: 1, room: room / 8)
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

  /// A connection that waits: who is paid up to the earliest virtual time comes first, then who waits longest.
  private struct Waiting: Comparable {
    let paid: VirtualClock.Time
    let number: UInt64
    let session: ClientSession

    static func < (a: Waiting, b: Waiting) -> Bool { (a.paid, a.number) < (b.paid, b.number) }
    static func == (a: Waiting, b: Waiting) -> Bool { a.number == b.number }
  }

  /// Connections that wait for a time slice, one after the other, and their reads of the store.
  ///
  /// Unchecked: used on its event loop alone.
  final class RunQueue: @unchecked Sendable {
    private let eventLoop: any EventLoop
    /// How many times longer than a time slice the pause after it is.
    private let pause: Int64
    private var waiting = Heap<Waiting>()
    /// The number of times that a connection has waited.
    private var count: UInt64 = 0
    private var clock = VirtualClock()
    private var nextStart = NIODeadline.uptimeNanoseconds(0)
    /// Whether a time slice is scheduled or under way. Only one is, and never at once: the loop runs all tasks that are
    /// due before it looks for input.
    private var isActive = false
    /// The number of reads of the store that its connections wait for.
    private var readCount = 0
    /// How many bytes answers may take until they are used.
    private let room: Int
    /// How many they take, and will take when they are there.
    fileprivate var takenRoom = 0
    /// Reads that wait for room, or for another one to be answered.
    private var waitingReads: ArraySlice<(size: Int, start: (Room) -> Void)> = []
    private var isStartingReads = false

    fileprivate init(_ eventLoop: any EventLoop, pause: Int64, room: Int) {
      self.eventLoop = eventLoop
      self.pause = pause
      self.room = room
    }

    /// Whether its connections share what is left for them, instead of the loop. Others may share a time slice.
    private var isLimited: Bool { pause > 0 }

    /// Adds a connection that does not wait in a run queue; its ``ClientSession/runTimeSlice()`` is called later.
    func add(_ session: ClientSession) {
      // Where the loop's time is limited anyway nobody overtakes.
      waiting.insert(Waiting(paid: isLimited ? 0 : session.paid, number: count, session: session))
      count += 1
      clock.enqueue()
      if !isActive { schedule() }
    }

    /// The virtual time up to which a new connection is paid.
    var arrivalTime: VirtualClock.Time { clock.arrivalTime }

    /// Whether a connection that is paid up to a virtual time executes a block at once, or has to wait here.
    func executesAtOnce(_ paid: VirtualClock.Time, at now: NIODeadline) -> Bool {
      clock.executesAtOnce(paid, at: now) { eventLoop.execute { self.clock.endPass() } }
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
      eventLoop.scheduleTask(deadline: max(nextStart, .now() + .microseconds(50))) { self.run() }
    }

    private func run() {
      guard !isLimited || readCount == 0 else { return isActive = false }
      let start = NIODeadline.now()
      var end = start
      repeat {
        guard let session = waiting.popMin()?.session else { break }
        clock.dequeue(session.paid)
        session.runTimeSlice()
        end = .now()
      } while !isLimited && end - start < EventLoopShares.timeSlice
      nextStart = end + (end - start) * pause
      isActive = false
      if !waiting.isEmpty { schedule() }
    }
  }
}
