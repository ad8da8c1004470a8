import AgentCore
import Synchronization

/// The inputs from sessions that wait for the agent, in order.
final class Inbox: Sendable {
  /// An input, with the number of the engine that it is for, and that of its session, if any.
  typealias Element = (generation: Int, session: Int?, input: AgentInput)

  private struct State {
    var inputs: [Element] = []
    var isScheduled = false
    /// Sessions that wait for room.
    var held: [CheckedContinuation<Void, Never>] = []
  }

  /// The number of inputs, of 16 KB at most, from which sessions wait.
  private static let limit = 128

  private let state = Mutex(State())

  /// Adds an input; returns true if the agent has to be woken.
  func add(_ input: Element) -> Bool {
    state.withLock { state in
      state.inputs.append(input)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
  }

  /// Everything that waits, which is then forgotten.
  func take() -> [Element] {
    let (inputs, held) = state.withLock { state in
      let taken = (state.inputs, state.held)
      state.inputs = []
      state.held = []
      if taken.0.isEmpty { state.isScheduled = false }
      return taken
    }
    for session in held { session.resume() }
    return inputs
  }

  /// Waits until the agent has taken what waits, if that is much: relays then have to wait too.
  func waitForRoom() async {
    guard state.withLock({ $0.inputs.count >= Self.limit }) else { return }
    await withCheckedContinuation { continuation in
      let hasRoom = state.withLock { state in
        guard state.inputs.count >= Self.limit else { return true }
        state.held.append(continuation)
        return false
      }
      if hasRoom { continuation.resume() }
    }
  }
}
