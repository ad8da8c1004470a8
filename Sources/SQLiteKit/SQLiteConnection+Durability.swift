import CSQLite

extension SQLiteConnection {
  /// Makes all that was committed durable, where commits do not wait for it (``Synchronous/normal``). One call costs
  /// as much as one durable commit, however many commits came before it.
  ///
  /// When it throws, what was committed may be lost by a power failure, and cannot be made durable by calling it again:
  /// nobody may be told of it.
  public func synchronize() throws(SQLiteError) {
    if synchronizationGate?() == false { throw SQLiteError(.inputOutput, "the log cannot be synchronized") }
    var log: UnsafeMutablePointer<sqlite3_file>?
    try check(sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log))
    // Databases in memory have no log, and one that was not written to yet has not opened it.
    guard let log, let sync = log.pointee.pMethods?.pointee.xSync else { return }
    let code = sync(log, SQLITE_SYNC_NORMAL)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, database: nil) }
  }

  /// Asks `allows` before every ``synchronize()``, which fails where it says no. For tests of failing disks.
  public func gateSynchronization(_ allows: (() -> Bool)?) { synchronizationGate = allows }
}
