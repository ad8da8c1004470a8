import ChatAPI
import SimpleXChat
import Synchronization

/// Reads the events of a core, and the responses to commands that were posted through it, in the core's order.
final class CoreOutput: Sendable {
  private struct State {
    var waiting: [UInt64: @Sendable (APIResult<ChatResponse>) -> Void] = [:]
    var last: UInt64 = 0
    var hasEnded = false
  }

  /// The core that is read.
  let core: ChatController
  private let state = Mutex(State())

  init(_ core: ChatController) { self.core = core }

  /// Reads until the core is closed permanently or the task is cancelled. Commands that are not answered then fail.
  /// - Parameter remote: gets the events of mobile devices that this one controls, with their database ids.
  func read(
    _ event: (APIResult<ChatEvent>) async -> Void, remote: (Int64, APIResult<ChatEvent>) async -> Void = { _, _ in }
  ) async {
    while !Task.isCancelled, let output = await core.eventQueue.nextOutput() {
      switch output {
      case .event(let next): await event(next)
      case .remoteEvent(let host, let next): await remote(host, next)
      case .response(let number, let result): state.withLock { $0.waiting.removeValue(forKey: number) }?(result)
      }
    }
    let waiting = state.withLock { state in
      state.hasEnded = true
      defer { state.waiting = [:] }
      return state.waiting
    }
    for answer in waiting.values { answer(.error(.error(errorType: .chatNotStarted))) }
  }

  /// Sends a command. `take` gets the result at its place among the events: before the events that follow are read.
  func request<Value: Sendable>(
    _ command: ChatCommand, _ take: @escaping @Sendable (APIResult<ChatResponse>) -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      let number = state.withLock { state -> UInt64? in
        guard !state.hasEnded else { return nil }
        state.last += 1
        state.waiting[state.last] = { continuation.resume(returning: take($0)) }
        return state.last
      }
      guard let number else {
        return continuation.resume(returning: take(.error(.error(errorType: .chatNotStarted))))
      }
      Task { [core] in await core.post(command, as: number) }
    }
  }
}
