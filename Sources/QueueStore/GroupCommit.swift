import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Collects requests while the ones before them are being made durable, then handles all that wait together.
///
/// With one request at a time nothing waits; under load one `fsync` serves hundreds. Where several came together more
/// are on their way, and a moment is left for them: fewer, larger commits cost less, and what they answer goes to each
/// client in fewer blocks.
final class GroupCommit<Request: Sendable>: Sendable {
  private struct State {
    var waiting: [Request] = []
    var isRunning = false
    var isClosed = false
  }

  /// Requests at a time after which a moment is left for more.
  private static var crowd: Int { 2 }
  /// That moment, in microseconds. Longer ones save more, but leave the processors without work.
  private static var pause: UInt32 { 250 }

  private let state = Mutex(State())
  private let queue: DispatchQueue
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
      if batch.count >= Self.crowd { usleep(Self.pause) }
    }
  }
}
