import SMPProtocol
import SMPServerCore
import SQLiteKit
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
  private let versions: RecordVersions
  private let writing: GroupCommit<Request>
  private let observer: AnsweringObserver

  /// An empty store.
  public init() {
    let queues = Queues()
    let observer = AnsweringObserver()
    let versions = RecordVersions()
    self.queues = queues
    self.versions = versions
    self.observer = observer
    // Completions are called in order and on another thread, as by a store that has to wait for its disk.
    writing = GroupCommit(label: "MemoryQueueStore") { requests in
      // Recorded under the lock of the reads, which take the version and the record together.
      let outcomes = queues.state.withLock { state in
        let changed = requests.compactMap(\.operation.changedRecord)
        if !changed.isEmpty { versions.changed(changed) }
        return requests.map { state.apply($0.operation) }
      }
      observer.answer {
        for (request, outcome) in zip(requests, outcomes) { request.completion(.success(outcome)) }
      }
    }
  }

  /// Submits a change.
  public func submit(
    _ operation: StoreOperation, completion: @escaping @Sendable (Result<StoreOutcome, StoreFailure>) -> Void
  ) {
    let request = Request(operation: operation, completion: completion)
    if !writing.submit(request, mayBeOvertaken: operation.mayBeOvertaken) { completion(.failure(.unavailable)) }
  }

  /// The queue with this identifier: everything is in memory. It counts as read, because it takes as long to find none.
  public func cached(_ key: QueueKey) -> QueueLookup? { queues.state.withLock { lookup(key, in: $0) } }

  private func lookup(_ key: QueueKey, in queues: MemoryQueues) -> QueueLookup {
    QueueLookup(record: queues.queue(key)?.record, isCached: false, version: versions.current)
  }

  /// Whether no change of the record was answered since it was found.
  public func isCurrent(_ lookup: QueueLookup) -> Bool { versions.isCurrent(lookup) }

  /// Answers reads at once; they take the caller's time, and none of the store's threads.
  public func read(
    _ reads: [StoreRead], completion: @escaping @Sendable (_ answers: [StoreAnswer], _ time: Duration) -> Void
  ) {
    completion(reads.map(answer), .zero)
  }

  private func answer(_ read: StoreRead) -> StoreAnswer {
    queues.state.withLock { state in
      switch read {
      case .queue(let key): .queue(lookup(key, in: state))
      case .firstMessage(let queue): .firstMessage(state.queues[queue]?.messages.first)
      case .messageCount(let queue): .messageCount(state.queues[queue]?.messages.count ?? 0)
      case .linkData(let queue): .linkData(state.queues[queue]?.link)
      case .queues(let service, let side, let after, let limit):
        .queues(state.queues(ofService: service, side, after: after, limit: limit))
      case .counts: .counts(state.counts)
      }
    }
  }

  /// The totals of what is stored.
  public var currentCounts: StoreCounts { queues.state.withLock { $0.counts } }

  /// Calls `observer` around completions that are called together.
  public func observeAnswering(_ observer: @escaping @Sendable (_ isAnswering: Bool) -> Void) {
    self.observer.set(observer)
  }

  /// Waits for submitted operations; the content is released with the store.
  public func close() async { await writing.close {} }
}
