import QueueStore
import SMPServerCore
import Synchronization

/// A store in memory that can be told to answer as if its disk were full.
final class FailingStore: QueueStore {
  private let store = MemoryQueueStore()
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

  func queue(_ key: QueueKey) throws(StoreFailure) -> QueueRecord? { try store.queue(key) }
  func firstMessage(of queue: QueueNumber) throws(StoreFailure) -> StoredMessage? { try store.firstMessage(of: queue) }
  func messageCount(of queue: QueueNumber) throws(StoreFailure) -> Int { try store.messageCount(of: queue) }
  func linkData(of queue: QueueNumber) throws(StoreFailure) -> LinkData? { try store.linkData(of: queue) }
  func queues(
    ofService serviceID: [UInt8], _ side: ServiceSide, after: QueueNumber, limit: Int
  ) throws(StoreFailure) -> [ServiceQueue] {
    try store.queues(ofService: serviceID, side, after: after, limit: limit)
  }
  func counts() throws(StoreFailure) -> StoreCounts { try store.counts() }
  func close() async { await store.close() }
}
