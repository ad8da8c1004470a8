import SMPProtocol
import SMPServerCore
import Synchronization

/// The records of queues in use, so that commands on them read nothing.
///
/// **Invariant.** A cached record equals the stored one: the writer invalidates a record after each commit that changed
/// it and before the change is answered, and a record that was read is cached only if nothing was invalidated since the
/// read began. Absence is never cached.
final class RecordCache: Sendable {
  /// About two kilobytes each.
  private static let limit = 4_096

  private struct State {
    var records = RecentValues<QueueNumber, QueueRecord>(limit: RecordCache.limit)
    var numbers = RecentValues<QueueKey, QueueNumber>(limit: RecordCache.limit * 2)
    /// The number of invalidations.
    var generation: UInt64 = 0

    mutating func record(_ key: QueueKey) -> QueueRecord? {
      // An identifier may have moved to another queue since its number was cached.
      guard let number = numbers[key], let record = records[number], record.isFound(by: key) else { return nil }
      return record
    }
  }

  private let state = Mutex(State())

  /// The record that `key` finds; read with `read` where it is not cached.
  func lookup(
    _ key: QueueKey, orRead read: () throws(StoreFailure) -> QueueRecord?
  ) throws(StoreFailure) -> QueueLookup {
    let (known, generation) = state.withLock { state in (state.record(key), state.generation) }
    if let known { return QueueLookup(record: known, isCached: true) }
    guard let record = try read() else { return QueueLookup(record: nil, isCached: false) }
    state.withLock { state in
      guard state.generation == generation else { return }
      state.numbers[key] = record.number
      state.records[record.number] = record
    }
    return QueueLookup(record: record, isCached: false)
  }

  /// Called by the writer for committed operations, before they are answered.
  func committed(_ operations: [StoreOperation]) {
    let changed = operations.compactMap(\.changedRecord)
    guard !changed.isEmpty else { return }
    state.withLock { state in
      state.generation &+= 1
      for queue in changed { state.records[queue] = nil }
    }
  }
}

extension QueueRecord {
  fileprivate func isFound(by key: QueueKey) -> Bool {
    switch key {
    case .recipient(let id): recipientID == id
    case .sender(let id): senderID == id
    case .notifier(let id): notifier?.id == id
    case .link(let id): linkID == id
    }
  }
}

extension StoreOperation {
  /// The queue whose record it may change.
  fileprivate var changedRecord: QueueNumber? {
    switch self {
    case .secure(let queue, _), .setRecipientKeys(let queue, _), .setLink(let queue, _, _), .deleteLink(let queue),
      .setNotifier(let queue, _), .deleteNotifier(let queue), .setNotifierService(let queue, _),
      .setService(let queue, _), .setStatus(let queue, _), .touch(let queue, _), .deleteQueue(let queue):
      queue
    case .createQueue, .addMessage, .acknowledge, .expireMessages, .expireMessagesOfQueue, .registerService,
      .removeServices:
      nil
    }
  }
}
