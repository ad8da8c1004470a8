import Dispatch
import Synchronization

/// Collects requests while the ones before them are being made durable, then handles all that wait together.
///
/// With one request at a time nothing waits; under load one `fsync` serves hundreds. Where several were answered
/// together as many are on their way again, and a moment is left for them: fewer, larger commits cost less, and what
/// they answer goes to each client in fewer blocks. The moment ends when as many wait as were answered: clients that
/// wait for answers send no more, and processors must not be without work.
final class GroupCommit<Request: Sendable>: Sendable {
  private struct State {
    var waiting: [Request] = []
    var isRunning = false
    var isClosed = false
    /// How many waiting requests end the moment that is left for them; nil where none is being left.
    var wanted: Int?
  }

  /// Requests at a time after which a moment is left for more.
  private static var crowd: Int { 2 }
  /// That moment in microseconds for each of them, and at most.
  private static var pause: Int { 120 }
  private static var longestPause: Int { 1_000 }

  private let state = Mutex(State())
  private let queue: DispatchQueue
  /// Signalled when a moment is to end.
  private let enough = DispatchSemaphore(value: 0)
  private let handle: @Sendable ([Request]) -> Void

  /// `handle` is called on a thread of its own, never twice at the same time, with at least one request.
  init(label: String, handle: @escaping @Sendable ([Request]) -> Void) {
    queue = DispatchQueue(label: label)
    self.handle = handle
  }

  /// Adds a request; false if closed.
  func submit(_ request: Request) -> Bool {
    let (isAccepted, starts) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.waiting.append(request)
      if let wanted = state.wanted, state.waiting.count >= wanted {
        state.wanted = nil
        enough.signal()
      }
      defer { state.isRunning = true }
      return (true, !state.isRunning)
    }
    if starts { queue.async { self.run() } }
    return isAccepted
  }

  /// Refuses further requests, waits until all that were accepted are handled, then calls `last` on the same thread.
  func close(_ last: @escaping @Sendable () -> Void) async {
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
      let batch = state.withLock { state in
        let batch = state.waiting
        state.waiting = []
        if batch.isEmpty { state.isRunning = false }
        return batch
      }
      if batch.isEmpty { return }
      handle(batch)
      if batch.count >= Self.crowd { waitForMore(after: batch.count) }
    }
  }

  /// Leaves a moment for as many requests as were answered.
  private func waitForMore(after count: Int) {
    let waits = state.withLock { state in
      guard state.waiting.count < count else { return false }
      state.wanted = count
      return true
    }
    guard waits else { return }
    let pause = min(count, Self.longestPause / Self.pause) * Self.pause
    guard enough.wait(timeout: .now() + .microseconds(pause)) == .timedOut else { return }
    let isSignalled = state.withLock { state in
      defer { state.wanted = nil }
      return state.wanted == nil
    }
    // At the last moment: the signal must not end the next one.
    if isSignalled { enough.wait() }
  }
}
