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
