import SMPProtocol
import SMPServerCore
import SQLiteKit
import Synchronization

/// The queues of a relay in one SQLite file: the store of a relay that runs on one machine.
///
/// One thread writes, in transactions that contain all operations that arrived during the previous commit
/// (``GroupCommit``). Messages are written to a journal, a file beside the database with the suffix `-messages`, and
/// only those that remain are moved to the database (``MessageJournal``). Several connections read concurrently, and
/// records of queues in use are cached (``RecordCache``). Only the journal is read at the start, so that its time does
/// not depend on the number of queues.
public final class SQLiteQueueStore: RelayStore {
  private struct Request: Sendable {
    let operation: StoreOperation
    let completion: @Sendable (Result<StoreOutcome, StoreFailure>) -> Void
  }

  /// The writing connection, until the store is closed.
  private struct Writing: ~Copyable {
    var writer: QueueWriter?

    mutating func commit(_ operations: [StoreOperation]) -> [Result<StoreOutcome, StoreFailure>] {
      writer?.commit(operations) ?? operations.map { _ in .failure(.unavailable) }
    }

    mutating func finish() { if let writer = writer.take() { writer.finish() } }
  }

  /// A reference that commits and upkeep share.
  private final class SharedWriter: Sendable {
    let state: Mutex<Writing>

    init(_ writer: consuming sending QueueWriter) { state = Mutex(Writing(writer: writer)) }
  }

  private let writer: SharedWriter
  private let writing: GroupCommit<Request>
  private let readers: ReaderPool
  /// The content of the journal that the database does not have.
  private let unapplied: UnappliedQueues
  private let records: RecordCache
  private let observer: AnsweringObserver

  /// Opens or creates the store in the file at `path`.
  ///
  /// `synchronous` other than `full` gives up durability of what was answered; for measurements.
  public init(
    path: String, synchronous: SQLiteConnection.Synchronous = .full, readerCount: Int = 4
  ) throws(StoreFailure) {
    do {
      let database = try SQLiteConnection(path: path)
      try Self.prepare(database, synchronous)
      try database.migrate(QueueSchema.migrations)
      let unapplied = UnappliedQueues()
      let writer = SharedWriter(
        try QueueWriter(
          database, journal: path + "-messages", published: unapplied, syncs: synchronous == .full))
      let records = RecordCache()
      let observer = AnsweringObserver()
      self.unapplied = unapplied
      self.writer = writer
      self.records = records
      self.observer = observer
      writing = GroupCommit(label: "RelayStore") { requests in
        let operations = requests.map(\.operation)
        let outcomes = writer.state.withLock { $0.commit(operations) }
        records.committed(operations)
        observer.answer {
          for (index, request) in requests.enumerated() {
            request.completion(outcomes[index])
          }
        }
      }
      readers = try ReaderPool(path: path, count: readerCount)
    } catch {
      throw StoreFailure(error)
    }
  }

  static func prepare(
    _ database: SQLiteConnection, _ synchronous: SQLiteConnection.Synchronous
  ) throws(SQLiteError) {
    try database.setBusyTimeout(milliseconds: 5000)
    try database.setPragma("auto_vacuum", "INCREMENTAL")
    try database.useWriteAheadLog(synchronous: synchronous)
    // Deleted messages are overwritten where that costs no further page.
    try database.setPragma("secure_delete", "FAST")
    try database.setPragma("cache_size", "-16384")
    try database.setPragma("wal_autocheckpoint", "4000")
    try database.keepTemporaryDataInMemory()
    // After a long read or a large transaction the log gives its space back.
    try database.setPragma("journal_size_limit", String(64 << 20))
    // What a crash left in the log: if its flush failed in the last run it may be in the system's memory alone.
    try database.runScript("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Submits a change.
  public func submit(
    _ operation: StoreOperation, completion: @escaping @Sendable (Result<StoreOutcome, StoreFailure>) -> Void
  ) {
    if !writing.submit(Request(operation: operation, completion: completion)) { completion(.failure(.unavailable)) }
  }

  /// The queue with this identifier.
  public func queue(_ key: QueueKey) throws(StoreFailure) -> QueueRecord? { try lookup(key).record }

  /// The queue with this identifier, and whether it was cached.
  public func lookup(_ key: QueueKey) throws(StoreFailure) -> QueueLookup {
    try records.lookup(key) { () throws(StoreFailure) in try read(key) }
  }

  /// Reads a queue from the database, whether it is cached or not.
  public func repeatRead(_ key: QueueKey) { _ = try? read(key) }

  private func read(_ key: QueueKey) throws(StoreFailure) -> QueueRecord? {
    let (sql, id) =
      switch key {
      case .recipient(let id): (QueueSQL.byRecipient, id)
      case .sender(let id): (QueueSQL.bySender, id)
      case .notifier(let id): (QueueSQL.byNotifier, id)
      case .link(let id): (QueueSQL.byLink, id)
      }
    return try readers.first(sql, id) { (row) throws(SQLiteError) in try row.queueRecord() }
  }

  /// The first message.
  public func firstMessage(of queue: QueueNumber) throws(StoreFailure) -> QueuedMessage? {
    // In this order: what is moved meanwhile is found in the database.
    let unapplied = unapplied[queue]
    let stored = try readers.first(QueueSQL.firstMessage, queue.value, unapplied?.removedThrough ?? 0) {
      (row) throws(SQLiteError) in try row.storedMessage()
    }
    return stored ?? unapplied?.added.first?.message
  }

  /// The number of messages.
  public func messageCount(of queue: QueueNumber) throws(StoreFailure) -> Int {
    let unapplied = unapplied[queue]
    let stored = try readers.first(QueueSQL.messageCount, queue.value, unapplied?.removedThrough ?? 0) {
      (row) throws(SQLiteError) in (count: Int(try row.integer(0)), last: try row.optionalInteger(1) ?? 0)
    }
    guard let stored else { return 0 }
    // Some may have been moved meanwhile.
    return stored.count + (unapplied?.added.count { $0.position > stored.last } ?? 0)
  }

  /// The link data.
  public func linkData(of queue: QueueNumber) throws(StoreFailure) -> LinkData? {
    try readers.first(QueueSQL.linkData, queue.value) { (row) throws(SQLiteError) in
      LinkData(fixed: try row.bytes(0), user: try row.bytes(1))
    }
  }

  /// Up to `limit` queues of a service.
  public func queues(
    ofService serviceID: [UInt8], _ side: ServiceSide, after: QueueNumber, limit: Int
  ) throws(StoreFailure) -> [ServiceQueue] {
    // In this order: what is moved meanwhile is found in the database.
    let waiting = unapplied.queuesWithMessages
    let sql = side == .recipients ? QueueSQL.serviceQueues : QueueSQL.serviceNotifiers
    return try readers.all(sql, serviceID, after.value, Int64(limit)) { (row) throws(SQLiteError) in
      let number = QueueNumber(try row.integer(0))
      return ServiceQueue(
        number: number, id: try row.bytes(1), secret: try row.bytes(2),
        mayHaveMessages: try row.bool(3) || waiting.contains(number))
    }
  }

  /// The totals of what is stored.
  public func counts() throws(StoreFailure) -> StoreCounts {
    var counts =
      try readers.first(QueueSQL.counts) { (row) throws(SQLiteError) in try row.storeCounts() } ?? StoreCounts()
    counts.messages = max(0, counts.messages + unapplied.surplus)
    return counts
  }

  /// Calls `observer` around the completions of each commit.
  public func observeAnswering(_ observer: @escaping @Sendable (_ isAnswering: Bool) -> Void) {
    self.observer.set(observer)
  }

  /// Moves pages from the end of the file into the space of deleted messages, and truncates the file, where a quarter
  /// of it and more than 16 MB are free. A transaction of its own, between two commits.
  public func releaseSpace() async -> Bool {
    writer.state.withLock { $0.writer?.releaseSpace() ?? false }
  }

  /// Waits for submitted operations, then closes.
  public func close() async {
    await writing.close { [writer] in writer.state.withLock { $0.finish() } }
  }
}
