import Dispatch
import Synchronization

/// Collects requests while the previous batch is being made durable, then handles all waiting requests as one batch.
///
/// A single request is handled at once; under load one `fsync` serves hundreds. After a batch of several requests the
/// next one is delayed by a batch delay, because as many requests are in flight again: fewer, larger commits cost less,
/// and their answers go to each client in fewer blocks. The delay ends early when as many requests wait as were
/// answered: clients that wait for answers send no more, and processors must not idle.
///
/// Requests that nobody waits for start no batch: they are handled with the next one, or after a delay.
///
/// Of requests that others may overtake only some are handled in a batch, in their order, so that the others do not
/// wait for a thousand of them.
package final class GroupCommit<Request: Sendable>: Sendable {
  private struct State {
    var waiting: [Request] = []
    /// The number of waiting requests whose answer a caller awaits.
    var awaited = 0
    /// Awaited requests that those in `waiting` may overtake.
    var overtaken: ArraySlice<Request> = []
    /// What is to be done between batches.
    var between: [@Sendable () -> Void] = []
    /// Whether the delay of the unawaited requests is over, so that they are handled now.
    var isDue = false
    /// Whether that delay is running.
    var isScheduled = false
    var isRunning = false
    var isClosed = false
    /// How many awaited requests end the batch delay; nil outside a delay.
    var delayThreshold: Int?

    /// The number of requests whose answer a caller awaits.
    var allAwaited: Int { awaited + overtaken.count }

    /// The number of batches in a row that had only such requests.
    var batchesOfOvertaken = 0

    /// Removes the next batch; returns it, with how many of its requests are awaited.
    mutating func takeBatch() -> ([Request], Int) {
      batchesOfOvertaken = waiting.isEmpty ? batchesOfOvertaken + 1 : 0
      let isAlone = batchesOfOvertaken > GroupCommit.overtakenAlone
      let others = overtaken.prefix(isAlone ? GroupCommit.overtakenLimitAlone : GroupCommit.overtakenLimit)
      overtaken.removeFirst(others.count)
      if overtaken.isEmpty { overtaken = [] }
      var batch: [Request] = []
      swap(&batch, &waiting)
      batch += others
      defer { (awaited, isDue) = (0, false) }
      return (batch, awaited + others.count)
    }
  }

  /// The number of requests in a batch that others may overtake.
  private static var overtakenLimit: Int { 32 }
  /// The same after as many batches as ``overtakenAlone`` without others, as during an import.
  private static var overtakenLimitAlone: Int { 512 }
  private static var overtakenAlone: Int { 20 }

  /// The size of the smallest batch that is followed by a delay.
  private static var minimumBatch: Int { 2 }
  /// The batch delay for each request of the batch before, in microseconds.
  private static var batchDelay: Int { 120 }
  /// The longest batch delay, in microseconds.
  private static var longestBatchDelay: Int { 1_000 }

  private let state = Mutex(State())
  private let queue: DispatchQueue
  private let unawaitedDelay: DispatchTimeInterval
  /// Signalled to end a batch delay early.
  private let delayEnd = DispatchSemaphore(value: 0)
  private let handle: @Sendable ([Request]) -> Void

  /// `handle` is called on a thread of its own, never twice at the same time, with at least one request. Requests that
  /// nobody waits for are handled `unawaitedDelay` later at the latest.
  package init(
    label: String, unawaitedDelay: DispatchTimeInterval = .milliseconds(10),
    handle: @escaping @Sendable ([Request]) -> Void
  ) {
    queue = DispatchQueue(label: label)
    self.unawaitedDelay = unawaitedDelay
    self.handle = handle
  }

  /// Adds a request; false if closed. One that others may overtake has to be awaited.
  package func submit(_ request: Request, isAwaited: Bool = true, mayBeOvertaken: Bool = false) -> Bool {
    isAwaited ? submitAwaited(request, mayBeOvertaken) : submitUnawaited(request)
  }

  private func submitUnawaited(_ request: Request) -> Bool {
    let (isAccepted, schedules) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.waiting.append(request)
      defer { state.isScheduled = true }
      return (true, !state.isScheduled)
    }
    if schedules {
      queue.asyncAfter(deadline: .now() + unawaitedDelay) {
        self.state.withLock { state in
          state.isScheduled = false
          state.isDue = true
          state.isRunning = true
        }
        self.run()
      }
    }
    return isAccepted
  }

  private func submitAwaited(_ request: Request, _ mayBeOvertaken: Bool) -> Bool {
    let (isAccepted, starts) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      if mayBeOvertaken {
        state.overtaken.append(request)
      } else {
        state.waiting.append(request)
        state.awaited += 1
      }
      if let threshold = state.delayThreshold, state.allAwaited >= threshold {
        state.delayThreshold = nil
        delayEnd.signal()
      }
      defer { state.isRunning = true }
      return (true, !state.isRunning)
    }
    if starts { queue.async { self.run() } }
    return isAccepted
  }

  /// Has `work` done between two batches, on the thread that handles them; false if closed.
  package func perform(_ work: @escaping @Sendable () -> Void) -> Bool {
    let (isAccepted, starts) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.between.append(work)
      defer { state.isRunning = true }
      return (true, !state.isRunning)
    }
    if starts { queue.async { self.run() } }
    return isAccepted
  }

  /// Refuses further requests, waits until all that were accepted are handled, then calls `last` on the same thread.
  package func close(_ last: @escaping @Sendable () -> Void) async {
    state.withLock { $0.isClosed = true }
    await withCheckedContinuation { continuation in
      // The queue is serial: this comes after the run that is under way, if any.
      queue.async {
        self.run()
        last()
        continuation.resume()
      }
    }
  }

  private func run() {
    while true {
      switch nextStep() {
      case .between(let work): work()
      case .batch(let batch, let awaited):
        handle(batch)
        if awaited >= Self.minimumBatch { waitForMore(after: awaited) }
      case nil: return
      }
    }
  }

  private enum Step {
    case between(@Sendable () -> Void)
    case batch([Request], awaited: Int)
  }

  private func nextStep() -> Step? {
    state.withLock { state in
      if !state.between.isEmpty { return .between(state.between.removeFirst()) }
      guard state.allAwaited > 0 || (state.isDue || state.isClosed) && !state.waiting.isEmpty else {
        (state.isRunning, state.isDue) = (false, false)
        return nil
      }
      let (batch, awaited) = state.takeBatch()
      return .batch(batch, awaited: awaited)
    }
  }

  /// Waits for the batch delay, or until as many requests wait as were answered.
  private func waitForMore(after count: Int) {
    let waits = state.withLock { state in
      guard state.allAwaited < count else { return false }
      state.delayThreshold = count
      return true
    }
    guard waits else { return }
    let delay = min(count, Self.longestBatchDelay / Self.batchDelay) * Self.batchDelay
    guard delayEnd.wait(timeout: .now() + .microseconds(delay)) == .timedOut else { return }
    let isSignalled = state.withLock { state in
      defer { state.delayThreshold = nil }
      return state.delayThreshold == nil
    }
    // Signalled after the timeout: consume the signal, or it ends the next delay.
    if isSignalled { delayEnd.wait() }
  }
}
