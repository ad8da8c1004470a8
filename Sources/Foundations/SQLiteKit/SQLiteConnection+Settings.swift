import CSQLite

extension SQLiteConnection {
  /// What a commit waits for.
  public enum Synchronous: String, Sendable {
    /// A commit is durable when it returns.
    case full = "FULL"
    /// A commit survives a crash of the program; after a power failure the last ones may be missing.
    case normal = "NORMAL"
    /// Nothing is waited for; for tests and files that can be made again.
    case off = "OFF"
  }

  /// Switches to write-ahead logging, where readers and the writer do not wait for each other.
  public func useWriteAheadLog(synchronous: Synchronous) throws(SQLiteError) {
    let mode = try first("PRAGMA journal_mode = WAL") { (row) throws(SQLiteError) in try row.text(0) }
    // Databases in memory answer "memory"; they have nothing to lose.
    guard mode == "wal" || mode == "memory" else { throw SQLiteError(.other, "journal mode \(mode ?? "unknown")") }
    try setPragma("synchronous", synchronous.rawValue)
  }

  /// Writes to the file alone, and waits for nothing. No transaction can be rolled back then, and a file whose writing
  /// was interrupted has no use: for files that are made again in that case. Nothing is durable until the file is
  /// flushed.
  public func leaveJournal() throws(SQLiteError) {
    let mode = try first("PRAGMA journal_mode = OFF") { (row) throws(SQLiteError) in try row.text(0) }
    guard mode == "off" || mode == "memory" else { throw SQLiteError(.other, "journal mode \(mode ?? "unknown")") }
    try setPragma("synchronous", Synchronous.off.rawValue)
  }

  /// What happens to the bytes of deleted rows in the database file. Copies of earlier states of pages are in the
  /// write-ahead log until ``SQLiteConnection/emptyLog()``. In both cases no page in the file has copies of rows that
  /// SQLite moved to another page (`PageGap`).
  public enum Erasure: String, Sendable {
    /// Deleted bytes are overwritten with zeros; the policy of every connection that does not choose another one.
    case complete = "ON"
    /// Deleted bytes are overwritten where that writes no additional page: not in pages that are no longer used. For
    /// content that is encrypted anyway.
    case withoutCost = "FAST"
  }

  /// Sets what happens to the bytes of deleted rows.
  public func setErasure(_ erasure: Erasure) throws(SQLiteError) {
    try setPragma("secure_delete", erasure.rawValue)
  }

  /// How many pages the write-ahead log takes before a commit moves them into the database file; SQLite's own number is
  /// 1000. The more, the seldomer somebody waits for it, and the less is written: what changes with every transaction
  /// is moved once.
  public func setCheckpointInterval(pages: Int32) throws(SQLiteError) {
    // A commit must not move a log that is to be written again first.
    if !isLogDoubtful { try check(sqlite3_wal_autocheckpoint(database, pages)) }
    checkpointPages = pages
  }

  /// How long a statement waits for the lock of another connection before it fails with ``SQLiteError/Kind/busy``.
  public func setBusyTimeout(milliseconds: Int32) throws(SQLiteError) {
    try check(sqlite3_busy_timeout(database, milliseconds))
  }

  /// Sets a pragma. Name and value are part of the statement, so they must not come from outside.
  public func setPragma(_ name: String, _ value: String) throws(SQLiteError) {
    try runScript("PRAGMA \(name) = \(value)")
  }

  /// Keeps temporary data in memory, and with it what savepoints may have to restore: SQLite would begin a file for
  /// that when it is large once, and then write the file for every savepoint.
  public func keepTemporaryDataInMemory() throws(SQLiteError) { try setPragma("temp_store", "MEMORY") }

  /// The value of a pragma that is an integer; nil where there is no such pragma.
  public func integerPragma(_ name: String) throws(SQLiteError) -> Int64? {
    try first("PRAGMA \(name)") { (row) throws(SQLiteError) in try row.integer(0) }
  }

  /// Moves what the write-ahead log holds into the database file as far as readers allow, without waiting for them.
  public func checkpoint() throws(SQLiteError) {
    try check(sqlite3_wal_checkpoint_v2(database, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil))
  }

  /// Gives back the memory of pages that are kept for reading again.
  public func releaseMemory() { sqlite3_db_release_memory(database) }

  /// Reads the whole file and throws ``SQLiteError/Kind/damaged`` where it is inconsistent.
  public func checkIntegrity() throws(SQLiteError) {
    let findings = try all("PRAGMA integrity_check") { (row) throws(SQLiteError) in try row.text(0) }
    guard findings == ["ok"] else { throw SQLiteError(.damaged, findings.joined(separator: "; ")) }
  }
}
