import AgentCore
import Synchronization

/// What happened in sessions and waits for the agent, in order.
final class Inbox: Sendable {
  /// What happened, with the number of the engine it is for.
  typealias Element = (generation: Int, input: AgentInput)

  private struct State {
    var inputs: [Element] = []
    var isScheduled = false
  }

  private let state = Mutex(State())

  /// Adds what happened; true if the agent has to be told.
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
