import SMPProtocol
import SMPServerCore
import Synchronization

/// The records of queues in use, so that commands on them read nothing.
///
/// **Invariant.** A cached record equals the stored one, except between a commit and its answers: the writer
/// invalidates the records that a commit changed before it answers, and a record that was read is cached only if it was
/// not invalidated since the read began. Absence is never cached.
final class RecordCache: Sendable {
  /// About two kilobytes each.
  private static let limit = 4_096

  /// A reference, so that little is moved while the lock is held.
  private final class Shared: Sendable {
    let record: QueueRecord

    init(_ record: QueueRecord) { self.record = record }
  }

  private struct State {
    typealias Dropped = ([QueueKey: QueueNumber], [QueueNumber: Shared])

    var records = RecentValues<QueueNumber, Shared>(limit: RecordCache.limit)
    var numbers = RecentValues<QueueKey, QueueNumber>(limit: RecordCache.limit * 2)

    mutating func record(_ key: QueueKey) -> Shared? {
      // An identifier may have moved to another queue since its number was cached.
      guard let number = numbers[key], let shared = records[number], shared.record.isFound(by: key) else { return nil }
      return shared
    }
  }

  private let state = Mutex(State())
  private let versions = RecordVersions()

  /// The record that `key` finds; nil where it is not cached.
  subscript(key: QueueKey) -> QueueLookup? {
    // In this order: what is invalidated in between is not current.
    let version = versions.current
    return state.withLock { $0.record(key) }.map { QueueLookup(record: $0.record, isCached: true, version: version) }
  }

  /// The version of a record that is read from now on.
  var version: UInt64 { versions.current }

  /// Caches a record that `key` found in a read that began when `version` was current; nil where there is none.
  func found(_ record: QueueRecord?, by key: QueueKey, version: UInt64) -> QueueLookup {
    if let record {
      let dropped = state.withLock { state -> State.Dropped? in
        // What is cached already is the same.
        guard versions.isCurrent(record.number, since: version), state.record(key) == nil else { return nil }
        return (state.numbers.set(record.number, for: key), state.records.set(Shared(record), for: record.number))
      }
      // Not while the lock is held: thousands of them may be released.
      withExtendedLifetime(dropped) {}
    }
    return QueueLookup(record: record, isCached: false, version: version)
  }

  /// Whether the record was not invalidated since it was looked up.
  func isCurrent(_ lookup: QueueLookup) -> Bool { versions.isCurrent(lookup) }

  /// Called by the writer for committed operations, before they are answered.
  func committed(_ operations: [StoreOperation]) {
    let changed = operations.compactMap(\.changedRecord)
    guard !changed.isEmpty else { return }
    state.withLock { state in
      versions.changed(changed)
      for queue in changed { state.records[queue] = nil }
    }
  }
}

/// When records last changed, as far as needed to decide whether one that was read has changed since.
final class RecordVersions: Sendable {
  /// Queues share an entry with others whose number has the same rest: a change of one makes all of them look changed.
  private static let entries = 1_024

  private struct State {
    /// The versions of the last changes.
    var changes = [UInt64](repeating: 0, count: RecordVersions.entries)
  }

  /// The number of commits that changed records.
  private let latest = Atomic<UInt64>(0)
  private let state = Mutex(State())

  /// The version of what is read from now on.
  var current: UInt64 { latest.load(ordering: .acquiring) }

  /// Records changes of these queues.
  func changed(_ queues: [QueueNumber]) {
    state.withLock { state in
      let version = latest.load(ordering: .relaxed) &+ 1
      for queue in queues { state.changes[Self.entry(of: queue)] = version }
      latest.store(version, ordering: .releasing)
    }
  }

  /// Whether nothing changed a queue's record since a version was current.
  func isCurrent(_ queue: QueueNumber, since version: UInt64) -> Bool {
    current == version || state.withLock { $0.changes[Self.entry(of: queue)] <= version }
  }

  /// Whether nothing changed the record since it was looked up.
  func isCurrent(_ lookup: QueueLookup) -> Bool {
    // Absence needs no check: whoever learns an identifier does so after the queue is stored.
    lookup.record.map { isCurrent($0.number, since: lookup.version) } ?? true
  }

  private static func entry(of queue: QueueNumber) -> Int { Int(queue.value.magnitude % UInt64(entries)) }
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
  var changedRecord: QueueNumber? {
    switch self {
    case .secure(let queue, _), .setRecipientKeys(let queue, _), .setLink(let queue, _, _), .deleteLink(let queue),
      .setNotifier(let queue, _), .deleteNotifier(let queue), .setNotifierService(let queue, _, _),
      .setService(let queue, _), .setStatus(let queue, _), .touch(let queue, _), .deleteQueue(let queue):
      queue
    case .createQueue, .addMessage, .acknowledge, .expireMessages, .expireMessagesOfQueue, .registerService,
      .removeServices, .noteTime:
      nil
    }
  }
}
