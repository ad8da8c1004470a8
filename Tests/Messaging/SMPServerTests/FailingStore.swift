import QueueStore
import SMPServerCore
import Synchronization

/// A store in memory that can fail as if its disk were full.
final class FailingStore: ForwardingStore {
  let store: any RelayStore = MemoryQueueStore()
  private let full = Atomic<Bool>(false)

  var isFull: Bool {
    get { full.load(ordering: .relaxed) }
    set { full.store(newValue, ordering: .relaxed) }
  }

  func submit(
    _ operation: StoreOperation, completion: @escaping @Sendable (Result<StoreOutcome, StoreFailure>) -> Void
  ) {
    if isFull { completion(.failure(.full)) } else { store.submit(operation, completion: completion) }
  }
}
