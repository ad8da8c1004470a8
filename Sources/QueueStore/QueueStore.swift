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

/// Where a relay keeps its queues.
///
/// Changes are submitted and answered later, when they are durable; several that wait are made durable together.
/// Reads are answered at once with what is durable, and may wait for the disk.
public protocol QueueStore: Sendable {
  /// Submits a change. `completion` is called exactly once, in the order of submission, not on the caller's thread;
  /// it must not block.
  func submit(
    _ operation: StoreOperation, completion: @escaping @Sendable (Result<StoreOutcome, StoreFailure>) -> Void)

  /// The queue with this identifier; nil where there is none.
  func queue(_ key: QueueKey) throws(StoreFailure) -> QueueRecord?

  /// The first message that waits; nil where none does.
  func firstMessage(of queue: QueueNumber) throws(StoreFailure) -> StoredMessage?

  /// How many messages wait, with the quota mark.
  func messageCount(of queue: QueueNumber) throws(StoreFailure) -> Int

  /// The link data; nil where there is none.
  func linkData(of queue: QueueNumber) throws(StoreFailure) -> LinkData?

  /// Up to `limit` queues of a service after the number `after`, in the order of their numbers.
  func queues(
    ofService serviceID: [UInt8], _ side: ServiceSide, after: QueueNumber, limit: Int
  ) throws(StoreFailure) -> [ServiceQueue]

  /// How much is stored. May take long with many queues.
  func counts() throws(StoreFailure) -> StoreCounts

  /// Calls `observer` with true before completions are called, and with false after several of them were, on the same
  /// thread. Whoever reacts to many completions can so do it once. To be set before anything is submitted; stores
  /// that answer one by one need not call it.
  func observeAnswering(_ observer: @escaping @Sendable (_ isAnswering: Bool) -> Void)

  /// Gives a part of the room that deleted messages took back to the system, if there is much of it; says whether there
  /// is more. Takes no longer than a large commit.
  func releaseSpace() async -> Bool

  /// Waits for what was submitted, then closes. Later changes fail with ``StoreFailure/unavailable``.
  func close() async
}

extension QueueStore {
  /// Has none to give back.
  public func releaseSpace() async -> Bool { false }

  /// Never calls the observer.
  public func observeAnswering(_ observer: @escaping @Sendable (_ isAnswering: Bool) -> Void) {}

  /// Submits a change and waits until it is durable.
  public func perform(_ operation: StoreOperation) async throws(StoreFailure) -> StoreOutcome {
    let result = await withCheckedContinuation { continuation in
      submit(operation) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }
}
