import Synchronization

/// A number of slots; who finds none free waits for one, in order.
final class AsyncSlots: Sendable {
  private struct State {
    var free: Int
    var waiting: ArraySlice<CheckedContinuation<Void, Never>> = []
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(free: max(1, count))) }

  /// Takes a slot.
  func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free == 0 else {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  /// Gives a slot back.
  func give() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if let next = state.waiting.popFirst() { return next }
      state.waiting = []
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
