import SMPServerCore

/// How a queue is looked up.
public enum QueueKey: Hashable, Sendable {
  /// By the identifier of its recipient.
  case recipient([UInt8])
  /// By the identifier of its sender.
  case sender([UInt8])
  /// By the identifier of its notifier.
  case notifier([UInt8])
  /// By the identifier of its link data.
  case link([UInt8])
}

/// The store of a relay's queues.
///
/// Changes are submitted and answered later, when they are durable; waiting ones are committed together. Reads are
/// answered at once with what is durable, and may wait for the disk.
public protocol RelayStore: Sendable {
  /// Submits a change. `completion` is called exactly once, in the order of submission, not on the caller's thread;
  /// it must not block.
  func submit(
    _ operation: StoreOperation, completion: @escaping @Sendable (Result<StoreOutcome, StoreFailure>) -> Void)

  /// The queue with this identifier; nil where there is none.
  func queue(_ key: QueueKey) throws(StoreFailure) -> QueueRecord?

  /// The same, and whether it needed no read.
  func lookup(_ key: QueueKey) throws(StoreFailure) -> QueueLookup

  /// Takes as long as the read of a lookup, and returns nothing: for refused commands, whose time must not tell which
  /// queues are in use.
  func repeatRead(_ key: QueueKey)

  /// The first message; nil where there is none.
  func firstMessage(of queue: QueueNumber) throws(StoreFailure) -> QueuedMessage?

  /// The number of messages, including the quota mark.
  func messageCount(of queue: QueueNumber) throws(StoreFailure) -> Int

  /// The link data; nil where there is none.
  func linkData(of queue: QueueNumber) throws(StoreFailure) -> LinkData?

  /// Up to `limit` queues of a service after the number `after`, in the order of their numbers.
  func queues(
    ofService serviceID: [UInt8], _ side: ServiceSide, after: QueueNumber, limit: Int
  ) throws(StoreFailure) -> [ServiceQueue]

  /// The totals of what is stored; they are maintained, so that this takes no longer with many queues.
  func counts() throws(StoreFailure) -> StoreCounts

  /// Calls `observer` with true before completions are called, and with false after several of them were, on the same
  /// thread, so that observers can react once to many completions. Has to be set before anything is submitted; stores
  /// that answer one by one need not call it.
  func observeAnswering(_ observer: @escaping @Sendable (_ isAnswering: Bool) -> Void)

  /// Returns a part of the space of deleted messages to the system, if there is much of it; returns whether there is
  /// more. Takes no longer than a large commit.
  func releaseSpace() async -> Bool

  /// Waits for submitted operations, then closes. Later changes fail with ``StoreFailure/unavailable``.
  func close() async
}

/// How a queue was found.
public struct QueueLookup: Sendable {
  /// The queue; nil where there is none.
  public var record: QueueRecord?
  /// Whether it was cached, so that finding it took less time than not finding one.
  public var isCached: Bool

  public init(record: QueueRecord?, isCached: Bool) {
    self.record = record
    self.isCached = isCached
  }
}

extension RelayStore {
  /// For stores without a cache.
  public func lookup(_ key: QueueKey) throws(StoreFailure) -> QueueLookup {
    QueueLookup(record: try queue(key), isCached: false)
  }

  /// A no-op by default.
  public func repeatRead(_ key: QueueKey) {}

  /// A no-op by default.
  public func releaseSpace() async -> Bool { false }

  /// A no-op by default.
  public func observeAnswering(_ observer: @escaping @Sendable (_ isAnswering: Bool) -> Void) {}

  /// Submits a change and waits until it is durable.
  public func perform(_ operation: StoreOperation) async throws(StoreFailure) -> StoreOutcome {
    let result = await withCheckedContinuation { continuation in
      submit(operation) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }
}
