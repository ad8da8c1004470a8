import SMPProtocol
import SMPServerCore
import Synchronization

/// Queues in memory: for tests, and for relays that keep nothing when they stop.
public final class MemoryQueueStore: RelayStore {
  private struct Request: Sendable {
    let operation: StoreOperation
    let completion: @Sendable (Result<StoreOutcome, StoreFailure>) -> Void
  }

  /// A reference that the group commit and the reads share.
  private final class Queues: Sendable {
    let state = Mutex(MemoryQueues())
  }

  private let queues: Queues
  private let writing: GroupCommit<Request>
  private let observer: AnsweringObserver

  /// An empty store.
  public init() {
    let queues = Queues()
    let observer = AnsweringObserver()
    self.queues = queues
    self.observer = observer
    // Completions are called in order and on another thread, as by a store that has to wait for its disk.
    writing = GroupCommit(label: "MemoryQueueStore") { requests in
      let outcomes = queues.state.withLock { state in requests.map { state.apply($0.operation) } }
      observer.answer {
        for (request, outcome) in zip(requests, outcomes) { request.completion(.success(outcome)) }
      }
    }
  }

  /// Submits a change.
  public func submit(
    _ operation: StoreOperation, completion: @escaping @Sendable (Result<StoreOutcome, StoreFailure>) -> Void
  ) {
    if !writing.submit(Request(operation: operation, completion: completion)) { completion(.failure(.unavailable)) }
  }

  /// The queue with this identifier.
  public func queue(_ key: QueueKey) throws(StoreFailure) -> QueueRecord? {
    queues.state.withLock { state in
      let number: QueueNumber? =
        switch key {
        case .recipient(let id): state.recipients[id]
        case .sender(let id): state.senders[id]
        case .notifier(let id): state.notifiers[id]
        case .link(let id): state.links[id]
        }
      return number.flatMap { state.queues[$0]?.record }
    }
  }

  /// The first message.
  public func firstMessage(of queue: QueueNumber) throws(StoreFailure) -> QueuedMessage? {
    queues.state.withLock { $0.queues[queue]?.messages.first }
  }

  /// The number of messages.
  public func messageCount(of queue: QueueNumber) throws(StoreFailure) -> Int {
    queues.state.withLock { $0.queues[queue]?.messages.count ?? 0 }
  }

  /// The link data.
  public func linkData(of queue: QueueNumber) throws(StoreFailure) -> LinkData? {
    queues.state.withLock { $0.queues[queue]?.link }
  }

  /// Up to `limit` queues of a service.
  public func queues(
    ofService serviceID: [UInt8], _ side: ServiceSide, after: QueueNumber, limit: Int
  ) throws(StoreFailure) -> [ServiceQueue] {
    queues.state.withLock { $0.queues(ofService: serviceID, side, after: after, limit: limit) }
  }

  /// The totals of what is stored.
  public func counts() throws(StoreFailure) -> StoreCounts {
    queues.state.withLock { $0.counts }
  }

  /// Calls `observer` around completions that are called together.
  public func observeAnswering(_ observer: @escaping @Sendable (_ isAnswering: Bool) -> Void) {
    self.observer.set(observer)
  }

  /// Waits for submitted operations; the content is released with the store.
  public func close() async { await writing.close {} }
}
