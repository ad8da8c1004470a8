import FileAccess
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
  private let content: StoredContent
  private var records: RecordCache { content.records }
  private let observer: AnsweringObserver
  private let work: WorkObserver
  /// Notices for the operator of what was found and done when the store was opened, a sentence each.
  public let notices: [String]

  /// Opens or creates the store in the file at `path`.
  ///
  /// The lock of the journal is that of the store. A journal that does not continue what the database contains is
  /// copied to a file of its own before the store overwrites it; ``notices`` name it.
  ///
  /// `synchronous` other than `full` gives up durability of what was answered; for measurements.
  public init(
    path: String, synchronous: SQLiteConnection.Synchronous = .full, readerCount: Int = 4
  ) throws(StoreFailure) {
    do {
      let opening = DatabaseOpening(path, migrations: QueueSchema.migrations)
      let (database, journal) = try opening.open {
        () throws(SQLiteError) in
        try JournalFile(path + "-messages")
      } check: { () throws(SQLiteError) in
        try opening.requireKnownVersion()
      } settings: { (database) throws(SQLiteError) in
        try Self.prepare(database, synchronous)
      }
      notices = try journal.setAsideUnlessContinuing(database)
      let unapplied = UnappliedQueues()
      let writer = SharedWriter(
        try QueueWriter(database, journal: journal, published: unapplied, syncs: synchronous == .full))
      let records = RecordCache()
      let observer = AnsweringObserver()
      let work = WorkObserver()
      content = StoredContent(unapplied: unapplied, records: records)
      self.writer = writer
      self.observer = observer
      self.work = work
      writing = GroupCommit(label: "RelayStore") { requests in
        let operations = requests.map(\.operation)
        let outcomes = writer.state.withLock { $0.commit(operations) }
        records.committed(operations)
        work.note(outcomes.lazy.map(\.failure))
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

  /// Throws ``StoreFailure/unavailable`` where another program uses the store at `path`; changes nothing in it.
  public static func requireUnused(path: String) throws(StoreFailure) {
    guard PathStatus.exists(path + "-messages") else { return }
    do throws(SQLiteError) { _ = try JournalFile(path + "-messages") } catch { throw StoreFailure(error) }
  }

  static func prepare(
    _ database: SQLiteConnection, _ synchronous: SQLiteConnection.Synchronous
  ) throws(SQLiteError) {
    try database.setBusyTimeout(milliseconds: 5000)
    try database.setPragma("auto_vacuum", "INCREMENTAL")
    try database.useWriteAheadLog(synchronous: synchronous)
    // Messages are encrypted for their recipients.
    try database.setErasure(.withoutCost)
    try database.setPragma("cache_size", "-16384")
    try database.setCheckpointInterval(pages: 4_000)
    try database.keepTemporaryDataInMemory()
    // After a long read or a large transaction the log gives its space back.
    try database.setPragma("journal_size_limit", String(64 << 20))
    // If a flush failed in the last run, what a crash left in the log may be in the page cache alone. It has to be
    // durable before its pages move to the database file.
    try database.synchronizeAgain()
    try database.runScript("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Submits a change.
  public func submit(
    _ operation: StoreOperation, completion: @escaping @Sendable (Result<StoreOutcome, StoreFailure>) -> Void
  ) {
    let request = Request(operation: operation, completion: completion)
    let isAccepted = writing.submit(
      request, isAwaited: operation.isAwaited, mayBeOvertaken: operation.mayBeOvertaken)
    if !isAccepted { completion(.failure(.unavailable)) }
  }

  /// The queue with this identifier, if it is cached.
  public func cached(_ key: QueueKey) -> QueueLookup? { records[key] }

  /// Whether no change of the record was answered since it was found.
  public func isCurrent(_ lookup: QueueLookup) -> Bool { records.isCurrent(lookup) }

  /// Submits reads.
  public func read(
    _ reads: [StoreRead], completion: @escaping @Sendable (_ answers: [StoreAnswer], _ time: Duration) -> Void
  ) {
    let isAccepted = readers.submit(isLong: reads.contains(where: \.isLong)) { [content, work] reader in
      let start = ContinuousClock.now
      let answers = reads.map { content.answer($0, reader) }
      work.note(answers.lazy.map(\.failureOfRead))
      completion(answers, .now - start)
    }
    if !isAccepted { completion(reads.map { _ in .failed(.unavailable) }, .zero) }
  }

  /// Calls `observer` around the completions of each commit.
  public func observeAnswering(_ observer: @escaping @Sendable (_ isAnswering: Bool) -> Void) {
    self.observer.set(observer)
  }

  /// Calls `observer` after each commit, and each batch of reads.
  public func observeWork(_ observer: @escaping @Sendable (_ failure: StoreFailure?, _ count: Int) -> Void) {
    work.set(observer)
  }

  /// Moves pages from the end of the file into the space of deleted messages, and truncates the file, where a quarter
  /// of it and more than 16 MB are free. A transaction of its own, between two commits, on the thread that commits.
  public func releaseSpace() async -> Bool {
    await withCheckedContinuation { continuation in
      let isAccepted = writing.perform { [writer] in
        continuation.resume(returning: writer.state.withLock { $0.writer?.releaseSpace() ?? false })
      }
      if !isAccepted { continuation.resume(returning: false) }
    }
  }

  /// Waits for submitted operations, then closes.
  public func close() async {
    await readers.close()
    await writing.close { [writer] in writer.state.withLock { $0.finish() } }
  }
}

extension Result<StoreOutcome, StoreFailure> {
  fileprivate var failure: StoreFailure? { if case .failure(let failure) = self { failure } else { nil } }
}

extension StoreAnswer {
  fileprivate var failureOfRead: StoreFailure? { if case .failed(let failure) = self { failure } else { nil } }
}

extension StoreOperation {
  /// Whether operations that were submitted later may be executed before it: nobody can refer to a new queue before its
  /// creation is answered.
  var mayBeOvertaken: Bool { if case .createQueue = self { true } else { false } }

  /// Whether a client may wait for it. Recording the use of queues would otherwise cause most commits while a client
  /// subscribes to many.
  fileprivate var isAwaited: Bool { if case .touch = self { false } else { true } }
}
