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
  func queue(_ key: QueueKey) throws(StoreFailure) -> QueueRecord? { try store.queue(key) }
  func firstMessage(of queue: QueueNumber) throws(StoreFailure) -> QueuedMessage? { try store.firstMessage(of: queue) }
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
