import CSQLite

/// One connection to a database file.
///
/// A connection belongs to one thread at a time: keep it inside an actor, a `Mutex` or a thread of its own.
/// Statements are prepared once per SQL text and kept.
public final class SQLiteConnection {
  /// The mode of opening a file.
  public enum Access: Sendable {
    /// For reading and writing; the file is created where it does not exist, with rights for its owner only.
    case readWriteCreate
    /// For reading and writing an existing file.
    case readWrite
    /// For reading an existing file.
    case readOnly

    var flags: Int32 {
      switch self {
      case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readWrite: SQLITE_OPEN_READWRITE
      case .readOnly: SQLITE_OPEN_READONLY
      }
    }
  }

  let database: OpaquePointer
  private var statements = StatementCache()
  private let onClose: () -> Void
  /// What is closed after the database.
  var openDescriptors: [Int32] = []
  var commitGate: (() -> Bool)?
  var synchronizationGate: (() -> Bool)?
  /// Notes about rows and columns that could not be read.
  public let notes = RowNotes()
  /// Counts what statements do; nil outside of tests and benchmarks.
  package var work: StatementWork?
  /// After how many pages a commit moves the log to the file.
  var checkpointPages: Int32 = 1_000
  /// Whether a flush of the log failed, or may have failed in an earlier process, so that a part of it may be in the
  /// system's page cache alone.
  var isLogDoubtful = false

  /// Opens the file at `path` (`:memory:` for a database that lives as long as the connection).
  ///
  /// `vfs` names a registered virtual file system, nil means the platform's. Opening does not read the file yet:
  /// a damaged or foreign file fails at the first statement. What is deleted is overwritten (``Erasure/complete``).
  public convenience init(path: String, access: Access = .readWriteCreate, vfs: String? = nil) throws(SQLiteError) {
    if access == .readWriteCreate, path != ":memory:" { DatabaseFile.create(path) }
    try self.init(
      uri: path == ":memory:" ? path : Self.uri(path), access: access, vfs: try ErasingVFS.name(above: vfs))
  }

  /// Opens a file by its URI. `onClose` runs after the connection is closed.
  init(uri: String, access: Access, vfs: String?, onClose: @escaping () -> Void = {}) throws(SQLiteError) {
    let flags = access.flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(uri, &handle, flags, vfs)
    guard code == SQLITE_OK, let handle else {
      let error = SQLiteError(code: code, database: handle)
      sqlite3_close_v2(handle)
      onClose()
      throw error
    }
    database = handle
    self.onClose = onClose
    if access != .readOnly { try setErasure(.complete) }
  }

  deinit {
    statements.finalize()
    keepDoubtfulLog()
    sqlite3_close_v2(database)
    closeDescriptors()
    onClose()
  }

  /// The URI of a file: what has a meaning in a URI is percent-encoded.
  static func uri(_ path: String) -> String {
    let encoded: [UInt8: String] = [UInt8(ascii: "%"): "%25", UInt8(ascii: "?"): "%3F", UInt8(ascii: "#"): "%23"]
    let bytes = path.utf8.flatMap { byte in encoded[byte].map { Array($0.utf8) } ?? [byte] }
    // What follows two slashes would be the name of a host.
    let authority = bytes.starts(with: "//".utf8) ? "//" : ""
    return "file:" + authority + String(decoding: bytes, as: UTF8.self)
  }

  /// The statement of this SQL text, prepared at first use and kept for the next.
  public func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    if let statement = statements.statement(of: sql) { return statement }
    let statement = try SQLiteStatement(sql, connection: self)
    statements.insert(statement, of: sql)
    return statement
  }

  /// Runs a statement without rows once; returns the number of rows that it changed.
  @inlinable
  @discardableResult
  public func execute<each Parameter: SQLiteBindable>(
    _ sql: String, _ parameters: repeat each Parameter
  ) throws(SQLiteError) -> Int {
    try prepare(sql).execute(repeat each parameters)
  }

  /// The first row of a query, converted; nil if it has none.
  @inlinable
  public func first<each Parameter: SQLiteBindable, Value>(
    _ sql: String, _ parameters: repeat each Parameter, row: (borrowing SQLiteRow) throws(SQLiteError) -> Value
  ) throws(SQLiteError) -> Value? {
    try prepare(sql).first(repeat each parameters, row: row)
  }

  /// All rows of a query, converted.
  @inlinable
  public func all<each Parameter: SQLiteBindable, Value>(
    _ sql: String, _ parameters: repeat each Parameter, row: (borrowing SQLiteRow) throws(SQLiteError) -> Value
  ) throws(SQLiteError) -> [Value] {
    try prepare(sql).all(repeat each parameters, row: row)
  }

  /// The rows of a query that `row` converts; those for which it returns nil are left out.
  @inlinable
  public func compactAll<each Parameter: SQLiteBindable, Value>(
    _ sql: String, _ parameters: repeat each Parameter, row: (borrowing SQLiteRow) throws(SQLiteError) -> Value?
  ) throws(SQLiteError) -> [Value] {
    try prepare(sql).compactAll(repeat each parameters, row: row)
  }

  /// Runs a script of several statements without parameters; not cached. Stops at the first failure.
  public func runScript(_ sql: String) throws(SQLiteError) {
    try check(sqlite3_exec(database, sql, nil, nil, nil))
  }

  /// Runs SQL that a person typed; returns the rows as text with `|` between the columns, up to `limit` rows of text.
  public func rows(of sql: String, limit: Int) throws(SQLiteError) -> [String] {
    final class Rows {
      var texts: [String] = []
      let limit: Int
      init(limit: Int) { self.limit = limit }
    }
    let rows = Rows(limit: limit)
    let code = sqlite3_exec(
      database, sql,
      { (context, count, columns, _) in
        guard let context, let columns else { return SQLITE_OK }
        let rows = Unmanaged<Rows>.fromOpaque(context).takeUnretainedValue()
        guard rows.texts.count < rows.limit else { return SQLITE_OK }
        let texts = (0..<Int(count)).map { columns[$0].map { String(cString: $0) } ?? "" }
        rows.texts.append(texts.joined(separator: "|"))
        return SQLITE_OK
      }, Unmanaged.passUnretained(rows).toOpaque(), nil)
    try check(code)
    return rows.texts
  }

  /// Rows changed by the last statement that changed any.
  public var changes: Int { Int(sqlite3_changes64(database)) }

  /// Rows changed since the connection was opened.
  public var totalChanges: Int64 { sqlite3_total_changes64(database) }

  /// The row number that the last insertion into a table with row numbers used.
  public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(database) }

  /// Whether a transaction is open.
  public var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

  @usableFromInline
  func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw SQLiteError(code: code, database: database) }
  }
}

extension SQLiteConnection {
  /// Runs `body` in one transaction: all of its writes are committed, or none where it throws.
  ///
  /// The write lock is taken at the start, so a transaction that reads first cannot fail at its first write.
  public func transaction<Value>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
    try execute("BEGIN IMMEDIATE")
    do {
      let value = try body()
      try execute("COMMIT")
      return value
    } catch {
      // Some failures (disk full, I/O) have rolled back already; a second rollback would only hide the first error.
      if isInTransaction { _ = try? execute("ROLLBACK") }
      throw error
    }
  }
}
