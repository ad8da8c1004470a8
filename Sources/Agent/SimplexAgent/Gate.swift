import Dispatch
import Synchronization

/// Lets one thread wait for another, once.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let passes = Atomic(false)

  /// Ends the waiting.
  /// - Parameter passes: the value that waiting callers get.
  func open(_ passes: Bool) {
    self.passes.store(passes, ordering: .releasing)
    semaphore.signal()
  }

  /// Waits until the gate is open.
  func wait() -> Bool {
    semaphore.wait()
    return passes.load(ordering: .acquiring)
  }
}
