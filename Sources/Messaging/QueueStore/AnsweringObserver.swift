import SMPServerCore
import Synchronization

/// The observer of batches of completions. See ``RelayStore/observeAnswering(_:)``.
final class AnsweringObserver: Sendable {
  /// A function that is itself the generic value of a mutex is wrapped once more by every access.
  private struct Observer {
    var isAnswering: @Sendable (Bool) -> Void = { _ in }
  }

  private let observer = Mutex(Observer())

  func set(_ observer: @escaping @Sendable (Bool) -> Void) {
    self.observer.withLock { $0 = Observer(isAnswering: observer) }
  }

  /// Calls completions between both calls of the observer.
  func answer(_ completions: () -> Void) {
    let observer = self.observer.withLock { $0 }
    observer.isAnswering(true)
    completions()
    observer.isAnswering(false)
  }
}

/// The observer of what succeeds and fails. See ``RelayStore/observeWork(_:)``.
final class WorkObserver: Sendable {
  private struct Observer {
    var note: @Sendable (StoreFailure?, Int) -> Void = { _, _ in }
  }

  private let observer = Mutex(Observer())

  func set(_ observer: @escaping @Sendable (StoreFailure?, Int) -> Void) {
    self.observer.withLock { $0 = Observer(note: observer) }
  }

  /// Reports what failed, or that nothing did.
  func note(_ failures: some Sequence<StoreFailure?>) {
    var reason: StoreFailure?
    var count = 0
    for case let failure? in failures where failure != .unavailable {
      reason = reason ?? failure
      count += 1
    }
    observer.withLock { $0 }.note(reason, count)
  }
}
