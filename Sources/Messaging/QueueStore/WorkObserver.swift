import SMPServerCore
import Synchronization

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
