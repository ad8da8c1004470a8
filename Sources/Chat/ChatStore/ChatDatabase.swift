import ChatAPI
import FoundationTypes
import SQLiteKit
import SimplexCrypto
import Synchronization

/// The chat database of one installation: users, contacts, connections, chats and their items.
///
/// All work happens in ``transaction(_:)`` and ``read(_:)``, synchronously and one at a time. What a closure does in
/// ``transaction(_:)`` is stored whole or not at all. Closures must not call the store again.
///
/// The file belongs to one process at a time: a second one fails with ``ChatStoreOpenError/inUse(file:)``. While it is
/// parked (``park()``) no lock is held; reads still answer where nobody else has the file, and transactions are
/// refused.
public final class ChatDatabase: @unchecked Sendable {
  // Unchecked: the connection is used only while `lock` is held.
  private let lock = Mutex(())
  private var connection: SQLiteConnection?
  /// The key of the file while it is open or parked.
  private var key: DatabaseKey?
  private var isParked = false
  private let lease: DatabaseLease?
  private let outageCount = Atomic(0)
  /// Whether something may have been committed that is not durable yet; by an earlier process too, which had no time to
  /// synchronize it.
  private var isAhead: Bool
  /// Whether this process committed something that is not durable yet.
  private var hasUnsynchronizedCommits = false
  private let commitsWait: Bool
  private let clock: @Sendable () -> Date
  private let elapsed: @Sendable () -> Duration
  private var clockTrust: ClockTrust
  private let crashPoint: CrashPoint?
  /// The names of unreadable rows and columns that were found so far; each is reported once.
  private var unreadable: Set<String> = []
  /// Receives each new name.
  private var onUnreadable: (@Sendable (String) -> Void)?
  private let times: TransactionTimes?

  /// The path of the database file.
  public let path: String

  /// Opens the file, which is created where it does not exist, and brings its schema up to date.
  ///
  /// - Parameters:
  ///   - path: the file, or `:memory:`.
  ///   - passphrase: what the file is encrypted with; nil for an unencrypted file.
  ///   - confirmation: what to do where the schema of an existing file is older.
  ///   - commitsWait: whether a transaction is durable when it returns. Where it is not, ``synchronize()`` has to be
  ///     called before anything that was stored is reported; one call serves all transactions before it.
  ///   - lease: what a read takes for its duration while the database is parked; the caller holds it while it is open.
  ///   - clock: the time, which every row that is written takes.
  public convenience init(
    path: String, passphrase: SecretBytes? = nil, confirmation: MigrationConfirmation = .yesUp,
    commitsWait: Bool = true, lease: DatabaseLease? = nil, clock: @escaping @Sendable () -> Date = { Date() }
  ) throws(ChatStoreOpenError) {
    try self.init(
      path: path, passphrase: passphrase, confirmation: confirmation, commitsWait: commitsWait, lease: lease,
      crashPoint: nil, clock: clock)
  }

  /// Opens the file; see ``init(path:passphrase:confirmation:commitsWait:lease:clock:)``.
  /// - Parameters:
  ///   - crashPoint: a commit after which the database ends as if the process had been killed; for tests.
  ///   - times: measures the transactions; for benchmarks.
  ///   - elapsed: the time since the start, which changes of the wall clock do not move; nil to measure it by `clock`.
  package init(
    path: String, passphrase: SecretBytes?, confirmation: MigrationConfirmation, commitsWait: Bool,
    lease: DatabaseLease?, crashPoint: CrashPoint?, times: TransactionTimes? = nil,
    clock: @escaping @Sendable () -> Date = { Date() }, elapsed: (@Sendable () -> Duration)? = nil
  ) throws(ChatStoreOpenError) {
    self.times = times
    self.path = path
    self.lease = lease
    self.crashPoint = crashPoint
    self.commitsWait = commitsWait
    self.clock = clock
    self.elapsed = elapsed ?? { [start = clock()] in .seconds(clock().timeIntervalSince(start)) }
    clockTrust = ClockTrust(clock(), last: nil, elapsed: self.elapsed())
    isAhead = !commitsWait
    key = try Self.key(path, passphrase)
    connection = try Self.open(path, key: key, confirmation: confirmation, commitsWait: commitsWait)
    if let last = try? read({ try $0.lastItemTime() }) {
      clockTrust = ClockTrust(clock(), last: last, elapsed: self.elapsed())
    }
  }

  /// Runs `body`, and commits what it stored if it returns. The error is a ``StoreError`` or ``ChatError`` of `body`,
  /// or says what the database did not do.
  /// - Parameter mayBeLost: whether the transaction is repeated anyway if a power failure loses it, so that
  ///   ``synchronize()`` need not be called for it.
  public func transaction<Value: Sendable>(
    mayBeLost: Bool = false, _ body: (ChatTransaction) throws -> Value
  ) throws(ChatError) -> Value {
    try perform(mayBeLost ? .lossy : .durable, body)
  }

  /// Makes all committed transactions durable, but for those that may be lost; no-op where there are none.
  /// - Throws: a storage error, or that the database is closed, where it was closed or parked before what this process
  ///   committed was durable. The results of those transactions must not be reported.
  public func synchronize() throws(ChatError) {
    try lock.withLock { (_) throws(ChatError) in
      guard isAhead else { return }
      guard let connection else {
        if hasUnsynchronizedCommits { throw Self.closed }
        return
      }
      try flush { () throws(SQLFailure) in
        try crashPoint?.checkSynchronizing()
        try connection.synchronize()
      }
    }
  }

  /// Moves what the write-ahead log holds to the file, and empties the log, so that it has no copies of what was
  /// deleted; all that was committed is durable then. No-op where the file is not open: closing it empties the log too.
  public func emptyLog() throws(ChatError) {
    try lock.withLock { (_) throws(ChatError) in
      guard let connection else { return }
      try flush { () throws(SQLFailure) in
        try crashPoint?.check()
        try connection.emptyLog()
      }
    }
  }

  private func flush(_ body: () throws(SQLFailure) -> Void) throws(ChatError) {
    do throws(SQLFailure) { try body() } catch {
      if error.isOutage { outageCount.add(1, ordering: .releasing) }
      throw ChatError(storing: error)
    }
    (isAhead, hasUnsynchronizedCommits) = (false, false)
  }

  /// Runs `body`, which must not store anything.
  public func read<Value: Sendable>(_ body: (ChatTransaction) throws -> Value) throws(ChatError) -> Value {
    try perform(.nothing, body)
  }

  /// Closes the file, without synchronizing it. Everything fails until ``reopen(passphrase:)``.
  public func close() {
    lock.withLock { _ in (connection, key, isParked) = (nil, nil, false) }
  }

  /// Closes the file, without synchronizing it, and keeps its key in memory. Until ``reopen(passphrase:)``, a read
  /// opens the file for its duration if nobody else has it, and transactions fail with `INACTIVE` and store nothing.
  /// No-op where the file is not open.
  public func park() {
    lock.withLock { _ in
      guard connection != nil else { return }
      (connection, isParked) = (nil, true)
    }
  }

  /// Opens the file again after ``close()`` or ``park()``; no-op where it is open.
  /// - Parameter passphrase: not needed after ``park()``.
  public func reopen(passphrase: SecretBytes? = nil) throws(ChatStoreOpenError) {
    try lock.withLock { (_) throws(ChatStoreOpenError) in
      guard connection == nil else { return }
      let key = isParked ? key : try Self.key(path, passphrase)
      connection = try Self.open(path, key: key, confirmation: .error, commitsWait: commitsWait)
      (self.key, isParked) = (key, false)
      // Another process may have committed something meanwhile, and ended before it made that durable.
      isAhead = !commitsWait
    }
  }

  /// How often something outside of the database kept it from reading or storing: no space, a failing or read-only
  /// disk, another process. The same may succeed later, so callers that got an error meanwhile should retry.
  public var outages: Int { outageCount.load(ordering: .acquiring) }

  /// Calls `report` once for each row or column that cannot be read, with its name and the reason, without content;
  /// also for those that were found before. The rest of the database is of use: lists leave such rows out, and other
  /// columns of the row are read. `report` must not call the store.
  public func reportUnreadable(_ report: @escaping @Sendable (String) -> Void) {
    lock.withLock { _ in
      onUnreadable = report
      unreadable.sorted().forEach(report)
    }
  }

  /// The number of unreadable rows that are reported.
  private static let unreadableLimit = 1_000

  private func note(_ notes: [String]) {
    for text in notes where unreadable.count < Self.unreadableLimit && unreadable.insert(text).inserted {
      onUnreadable?(text)
    }
  }

  /// Whether the file is open.
  public var isOpen: Bool { lock.withLock { _ in connection != nil } }

  /// Runs SQL that a person typed; at most `limit` rows as text, with `|` between the columns. What it changes is
  /// durable after ``synchronize()``. Where a statement fails, those before it keep their effect.
  public func rows(of sql: String, limit: Int = 10_000) throws(ChatError) -> [String] {
    try lock.withLock { (_) throws(ChatError) in
      guard let connection else { throw Self.closed }
      do throws(SQLFailure) {
        try crashPoint?.check()
        // Before it runs: where a statement fails, those before it are committed.
        if !commitsWait, !Self.onlyReads(sql) { (isAhead, hasUnsynchronizedCommits) = (true, true) }
        return try connection.rows(of: sql, limit: limit)
      } catch {
        throw ChatError(storing: error)
      }
    }
  }

  private static func onlyReads(_ sql: String) -> Bool {
    sql.drop { $0.isWhitespace }.prefix(6).lowercased() == "select" && !sql.contains(";" as Character)
  }

  /// Writes a copy to a new file, encrypted with `passphrase`, or unencrypted where that is nil.
  public func export(to copy: String, passphrase: SecretBytes?) throws(ChatError) {
    try lock.withLock { (_) throws(ChatError) in
      guard let connection else { throw Self.closed }
      do throws(SQLFailure) {
        let key = try passphrase.map { (secret) throws(SQLFailure) in try DatabaseKey(passphrase: secret, forFile: copy)
        }
        try connection.export(to: copy, key: key)
      } catch {
        throw .errorDatabase(databaseError: .errorExport(sqliteError: .error(dbError: error.message)))
      }
    }
  }

  private static var closed: ChatError {
    .errorStore(storeError: .dBException(message: "the database is closed"))
  }

  /// What a transaction stores.
  private enum Writes {
    case nothing
    case lossy
    case durable
  }

  private func perform<Value: Sendable>(
    _ writes: Writes, _ body: (ChatTransaction) throws -> Value
  ) throws(ChatError) -> Value {
    try lock.withLock { (_) throws(ChatError) in
      guard let connection else {
        guard isParked else { throw Self.closed }
        guard writes == .nothing else { throw .errorAgent(agentError: .INACTIVE) }
        return try parked { (connection) throws(ChatError) in try run(writes, on: connection, body) }
      }
      return try run(writes, on: connection, body)
    }
  }

  /// Moves the log to the file after the disk was full: the log may have the space that the next attempt needs. (The
  /// agent closes and opens its database then.) Nothing is lost where there is not enough space for that either.
  private func freeLog(_ connection: SQLiteConnection) {
    guard (try? connection.emptyLog()) != nil else { return }
    (isAhead, hasUnsynchronizedCommits) = (false, false)
  }

  /// Opens the parked file for one read, while holding the lease.
  private func parked<Value>(_ body: (SQLiteConnection) throws(ChatError) -> Value) throws(ChatError) -> Value {
    // A function of its own, so that the connection is closed before the lease is released.
    func opened() throws(ChatError) -> Value {
      let connection: SQLiteConnection
      do throws(ChatStoreOpenError) {
        connection = try Self.open(path, key: key, confirmation: .error, commitsWait: commitsWait)
      } catch {
        throw .errorDatabase(databaseError: .errorOpen(sqliteError: .error(dbError: "\(error)")))
      }
      return try body(connection)
    }
    do throws(SQLFailure) { try lease?.take() } catch {
      throw .errorDatabase(databaseError: .errorOpen(sqliteError: .error(dbError: error.message)))
    }
    defer { lease?.release() }
    return try opened()
  }

  private func run<Value: Sendable>(
    _ writes: Writes, on connection: SQLiteConnection, _ body: (ChatTransaction) throws -> Value
  ) throws(ChatError) -> Value {
    let now = clock()
    let transaction = ChatTransaction(
      connection, now: now, trustsClock: clockTrust.isTrusted(now, elapsed: elapsed()))
    defer {
      note(connection.notes.take())
      if transaction.hadOutage { outageCount.add(1, ordering: .releasing) }
      if transaction.foundDiskFull { freeLog(connection) }
    }
    do {
      try crashPoint?.check()
      guard writes != .nothing else { return try body(transaction) }
      let start = times.map { _ in ContinuousClock.now }
      if times != nil, connection.work == nil { connection.work = StatementWork() }
      connection.work?.reset()
      defer {
        if let start { times?.note(since: start, of: .chat) }
        if let work = connection.work { times?.note(work) }
      }
      try connection.execute("BEGIN IMMEDIATE")
      do {
        let value = try body(transaction)
        // The caller that caught it did not mean to store only a part.
        if let outage = transaction.outage { throw outage }
        try connection.execute("COMMIT")
        if !commitsWait, writes == .durable { (isAhead, hasUnsynchronizedCommits) = (true, true) }
        try crashPoint?.committed(.chat)
        return value
      } catch {
        // Some failures (disk full, I/O) have rolled back already.
        if connection.isInTransaction { _ = try? connection.execute("ROLLBACK") }
        throw error
      }
    } catch {
      if let error = error as? SQLFailure { throw ChatError(storing: transaction.failure(error)) }
      throw ChatError(storing: error)
    }
  }
}

extension ChatError {
  /// The error of a transaction as the API shows it.
  public init(storing error: any Error) {
    self =
      switch error {
      case let error as ChatError: error
      case let error as StoreError: .errorStore(storeError: error)
      case let error as ChatErrorType: .error(errorType: error)
      case let error as SQLFailure: .errorStore(storeError: StoreError(error))
      default: .errorStore(storeError: .internalError(message: "\(error)"))
      }
  }
}
