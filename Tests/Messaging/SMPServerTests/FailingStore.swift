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

  private let work = Mutex<(@Sendable (StoreFailure?, Int) -> Void)?>(nil)

  func observeWork(_ observer: @escaping @Sendable (StoreFailure?, Int) -> Void) { work.withLock { $0 = observer } }

  func submit(
    _ operation: StoreOperation, completion: @escaping @Sendable (Result<StoreOutcome, StoreFailure>) -> Void
  ) {
    let work = work.withLock { $0 }
    if isFull {
      work?(.full, 1)
      completion(.failure(.full))
    } else {
      work?(nil, 0)
      store.submit(operation, completion: completion)
    }
  }
}
