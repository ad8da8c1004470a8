import CSQLite

extension SQLiteConnection {
  /// Makes all that was committed durable, where commits do not wait for it (``Synchronous/normal``). One call costs
  /// as much as one durable commit, however many commits came before it.
  ///
  /// When it throws, what was committed may be lost by a power failure, and cannot be made durable by calling it again:
  /// its result must not be reported before ``synchronizeAgain()``.
  public func synchronize() throws(SQLiteError) {
    if synchronizationGate?() == false { throw SQLiteError(.inputOutput, "the log cannot be synchronized") }
    guard let log = try openLog(), let sync = log.pointee.pMethods?.pointee.xSync else { return }
    try checkFile(sync(log, SQLITE_SYNC_NORMAL))
  }

  /// Makes all that was committed durable after ``synchronize()`` failed. No transaction may be under way.
  public func synchronizeAgain() throws(SQLiteError) {
    try writeLogAgain()
    try synchronize()
  }

  /// Writes the log once more, as it is. The system may have dropped what it could not flush, in this process or in one
  /// that has ended: it is in the system's memory alone then, and looks durable, but the next flush would not write it.
  /// Moving it to the file would not do: a power failure could take the log and leave a part of what was moved. No
  /// transaction may be under way.
  public func writeLogAgain() throws(SQLiteError) {
    // Until the end nobody adds to the log, or begins it anew.
    try runScript("BEGIN IMMEDIATE")
    do { try copyLogOntoItself() } catch {
      try? runScript("ROLLBACK")
      throw error
    }
    try runScript("ROLLBACK")
  }

  private func copyLogOntoItself() throws(SQLiteError) {
    guard let log = try openLog(), let methods = log.pointee.pMethods?.pointee, let fileSize = methods.xFileSize,
      let read = methods.xRead, let write = methods.xWrite
    else { return }
    var size: Int64 = 0
    try checkFile(fileSize(log, &size))
    // SQLite's files take less than 128 KB at once.
    let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { part.deallocate() }
    for offset in stride(from: 0, to: size, by: part.count) {
      let count = Int32(min(Int64(part.count), size - offset))
      try checkFile(read(log, part.baseAddress, count, offset))
      try checkFile(write(log, part.baseAddress, count, offset))
    }
  }

  /// Moves what is in the log to the file, and empties the log.
  public func emptyLog() throws(SQLiteError) {
    try check(sqlite3_wal_checkpoint_v2(database, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
  }

  /// The file of the log. Databases in memory have none, and one that was not used yet has not opened it.
  private func openLog() throws(SQLiteError) -> UnsafeMutablePointer<sqlite3_file>? {
    var log: UnsafeMutablePointer<sqlite3_file>?
    try check(sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log))
    return log
  }

  private func checkFile(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw SQLiteError(code: code, database: nil) }
  }

  /// Asks `allows` before every ``synchronize()``, which fails where it says no. For tests of failing disks.
  public func gateSynchronization(_ allows: (() -> Bool)?) { synchronizationGate = allows }
}
