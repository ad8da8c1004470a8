import CSQLite

extension SQLiteConnection {
  /// Makes all that was committed durable, where commits do not wait for it (``Synchronous/normal``). One call costs
  /// as much as one durable commit, however many commits came before it.
  ///
  /// When it throws, what was committed may be lost by a power failure, and cannot be made durable by calling it again:
  /// its result must not be reported before ``synchronizeAgain()``.
  public func synchronize() throws(SQLiteError) {
    if synchronizationGate?() == false { throw SQLiteError(.inputOutput, "the log cannot be synchronized") }
    var log: UnsafeMutablePointer<sqlite3_file>?
    try check(sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log))
    // Databases in memory have no log, and one that was not written to yet has not opened it.
    guard let log, let sync = log.pointee.pMethods?.pointee.xSync else { return }
    let code = sync(log, SQLITE_SYNC_NORMAL)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, database: nil) }
  }

  /// Makes all that was committed durable after ``synchronize()`` failed. The system may have dropped what it could not
  /// write, and report the next attempt as successful; so everything is written again, to the file, and the log is
  /// emptied. No transaction may be under way.
  public func synchronizeAgain() throws(SQLiteError) {
    try check(sqlite3_wal_checkpoint_v2(database, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
    try synchronize()
  }

  /// Asks `allows` before every ``synchronize()``, which fails where it says no. For tests of failing disks.
  public func gateSynchronization(_ allows: (() -> Bool)?) { synchronizationGate = allows }
}
