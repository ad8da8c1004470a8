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
/// **Nothing waits for the disk.** Changes are submitted and answered later, when they are durable; waiting ones are
/// committed together. Reads are submitted and answered later too, on any thread. What is called on event
/// loops and returns a value (``cached(_:)``, ``isCurrent(_:)``) looks only into memory.
///
/// **Reads and changes.** A read that is submitted after a change was answered sees that change, of whichever client. A
/// read that is in flight meanwhile may or may not. Whoever acts on a record later asks ``isCurrent(_:)``, which is
/// false from before the completion of a change of that record is called.
public protocol RelayStore: Sendable {
  /// Submits a change. `completion` is called exactly once, not on the caller's thread; it must not block. Changes are
  /// made and answered in the order of submission, but others may overtake those that create queues, which nobody can
  /// refer to before they are answered.
  func submit(
    _ operation: StoreOperation, completion: @escaping @Sendable (Result<StoreOutcome, StoreFailure>) -> Void)

  /// Submits reads. `completion` is called exactly once, with as many answers in the same order, on any thread and in
  /// any order with others, possibly before this returns; it must not block. `time` is how long a thread of the store
  /// worked on them, without the time that they waited for it.
  func read(_ reads: [StoreRead], completion: @escaping @Sendable (_ answers: [StoreAnswer], _ time: Duration) -> Void)

  /// The queue with this identifier, if that is in memory; nil where it has to be read. Never waits.
  func cached(_ key: QueueKey) -> QueueLookup?

  /// Whether no change of the record that was found has been answered since. Never waits. False is always right, and
  /// means that the queue has to be read again.
  func isCurrent(_ lookup: QueueLookup) -> Bool

  /// Calls `observer` with true before completions are called, and with false after several of them were, on the same
  /// thread, so that observers can react once to many completions. Has to be set before anything is submitted; stores
  /// that answer one by one need not call it.
  func observeAnswering(_ observer: @escaping @Sendable (_ isAnswering: Bool) -> Void)

  /// Calls `observer` after changes and reads: with the reason and the number of those that failed, or with nil and 0
  /// where none did. Has to be set before anything is submitted. Failures because the store is closed are left out.
  func observeWork(_ observer: @escaping @Sendable (_ failure: StoreFailure?, _ count: Int) -> Void)

  /// Returns a part of the space of deleted messages to the system, if there is much of it; returns whether there is
  /// more. Takes no longer than a large commit.
  func releaseSpace() async -> Bool

  /// Waits for submitted operations and reads, then closes. Later changes fail with ``StoreFailure/unavailable``, and
  /// so may later reads.
  func close() async
}

extension RelayStore {
  /// A no-op by default.
  public func releaseSpace() async -> Bool { false }

  /// A no-op by default.
  public func observeAnswering(_ observer: @escaping @Sendable (_ isAnswering: Bool) -> Void) {}

  /// A no-op by default.
  public func observeWork(_ observer: @escaping @Sendable (_ failure: StoreFailure?, _ count: Int) -> Void) {}

  /// Submits a change and waits until it is durable.
  public func perform(_ operation: StoreOperation) async throws(StoreFailure) -> StoreOutcome {
    let result = await withCheckedContinuation { continuation in
      submit(operation) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }
}
