import AgentCore
import Synchronization

/// The inputs from sessions that wait for the agent, in order.
final class Inbox: Sendable {
  /// An input, with the number of the engine that it is for, and that of its session, if any.
  typealias Element = (generation: Int, session: Int?, input: AgentInput)

  private struct State {
    var inputs: [Element] = []
    var isScheduled = false
  }

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
    state.withLock { state in
      let inputs = state.inputs
      state.inputs = []
      if inputs.isEmpty { state.isScheduled = false }
      return inputs
    }
  }
}
