import QueueStore
import SMPServerCore

/// A store of a test that differs from another one in what it implements itself; everything else is forwarded.
protocol ForwardingStore: RelayStore {
  /// The other store.
  var store: any RelayStore { get }
}

extension ForwardingStore {
  func submit(
    _ operation: StoreOperation, completion: @escaping @Sendable (Result<StoreOutcome, StoreFailure>) -> Void
  ) { store.submit(operation, completion: completion) }
  func read(
    _ reads: [StoreRead], completion: @escaping @Sendable (_ answers: [StoreAnswer], _ time: Duration) -> Void
  ) {
    store.read(reads, completion: completion)
  }
  func cached(_ key: QueueKey) -> QueueLookup? { store.cached(key) }
  func isCurrent(_ lookup: QueueLookup) -> Bool { store.isCurrent(lookup) }
  func close() async { await store.close() }
}
