import CSQLite

extension SQLiteConnection {
  /// Makes all that was committed durable, where commits do not wait for it (``Synchronous/normal``). One call costs
  /// as much as one durable commit, however many commits came before it.
  ///
  /// When it throws, what was committed may be lost by a power failure, and cannot be made durable by calling it again:
  /// its result must not be reported before ``synchronizeAgain()``.
  public func synchronize() throws(SQLiteError) {
    if synchronizationGate?() == false { throw SQLiteError(.inputOutput, "the log cannot be synchronized") }
    guard let log = try logFile(), let sync = log.pointee.pMethods?.pointee.xSync else { return }
    do { try checkFile(sync(log, SQLITE_SYNC_NORMAL)) } catch {
      // Until the log is written again, commits must not move it to the file.
      sqlite3_wal_autocheckpoint(database, 0)
      throw error
    }
  }

  /// Makes all that was committed durable after ``synchronize()`` failed, in this process or in an earlier one: writes
  /// the log again, and flushes it. No transaction may be open. Throws where another connection is writing, or with an
  /// error of the disk: nothing is durable then, and it can be called again.
  public func synchronizeAgain() throws(SQLiteError) {
    try writeLogAgain()
    try synchronize()
    try setCheckpointInterval(pages: checkpointPages)
  }

  /// Writes the content of the write-ahead log over itself; does nothing where there is no log.
  ///
  /// After a failed flush a part of the log may be in the system's page cache alone, marked as written, so that the
  /// next flush would not write it. (Where the system has dropped it from there too, it is lost.) A checkpoint does not
  /// help: a power failure could lose a part of the log of which the database has some pages already. A torn write does
  /// no harm, since the bytes are the same.
  private func writeLogAgain() throws(SQLiteError) {
    // Keeps other connections from adding to the log, and from beginning it anew.
    try runScript("BEGIN IMMEDIATE")
    do { try copyLogOntoItself() } catch {
      try? runScript("ROLLBACK")
      throw error
    }
    try runScript("ROLLBACK")
  }

  private func copyLogOntoItself() throws(SQLiteError) {
    guard let log = try logFile().map(OpenFile.stored), let methods = log.pointee.pMethods?.pointee,
      let fileSize = methods.xFileSize, let read = methods.xRead, let write = methods.xWrite
    else { return }
    var size: Int64 = 0
    try checkFile(fileSize(log, &size))
    // The methods of SQLite's files take less than 128 KiB at once.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    for offset in stride(from: 0, to: size, by: buffer.count) {
      let count = Int32(min(Int64(buffer.count), size - offset))
      try checkFile(read(log, buffer.baseAddress, count, offset))
      try checkFile(write(log, buffer.baseAddress, count, offset))
    }
  }

  /// Moves what is in the log to the database file, and empties the log. Throws where somebody is still reading from it
  /// after the busy timeout.
  public func emptyLog() throws(SQLiteError) {
    try check(sqlite3_wal_checkpoint_v2(database, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
  }

  /// The open write-ahead log; nil for a database in memory, and for one that was not used yet.
  private func logFile() throws(SQLiteError) -> UnsafeMutablePointer<sqlite3_file>? {
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
