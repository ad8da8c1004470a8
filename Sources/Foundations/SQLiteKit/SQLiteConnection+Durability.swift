import CSQLite

extension SQLiteConnection {
  /// Makes all that was committed durable, where commits do not wait for it (``Synchronous/normal``). One call costs
  /// as much as one durable commit, however many commits came before it.
  ///
  /// When it throws, what was committed may be lost by a power failure, and its result must not be reported. The next
  /// call writes the log again first; it then throws where a transaction is open.
  public func synchronize() throws(SQLiteError) {
    if isLogDoubtful { try writeLogAgain() }
    do throws(SQLiteError) { try flushLog() } catch {
      doubtLog()
      throw error
    }
    try trustLog()
  }

  /// Makes all that was committed durable after a flush may have failed, in this process or in an earlier one: writes
  /// the log again, and flushes it. No transaction may be open. Throws where another connection is writing, or with an
  /// error of the disk: nothing is durable then, and it can be called again.
  public func synchronizeAgain() throws(SQLiteError) {
    doubtLog()
    try synchronize()
  }

  /// Declares that a flush of the log may have failed in an earlier process: it is written again before the next flush,
  /// and not moved to the database file before that.
  public func doubtLog() {
    isLogDoubtful = true
    sqlite3_wal_autocheckpoint(database, 0)
  }

  private func trustLog() throws(SQLiteError) {
    guard isLogDoubtful else { return }
    isLogDoubtful = false
    try setCheckpointInterval(pages: checkpointPages)
  }

  private func flushLog() throws(SQLiteError) {
    try askGate()
    guard let log = try logFile(), let sync = log.pointee.pMethods?.pointee.xSync else { return }
    try checkFile(sync(log, SQLITE_SYNC_NORMAL))
  }

  /// Keeps a doubtful log that cannot be made durable for the next connection: closing would move it to the file.
  func keepDoubtfulLog() {
    if isLogDoubtful, (try? synchronize()) == nil { keepLogWhenClosing() }
  }

  /// Has the end of the connection leave the log as it is.
  func keepLogWhenClosing() { _ = sqlitekit_keep_log_when_closing(database) }

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

  /// Moves what is in the log to the database file, and empties the log, so that it has no copies of deleted content.
  /// All that was committed is durable then. No transaction may be open. Throws where another connection is still
  /// reading from the log after the busy timeout.
  ///
  /// After a failed flush the log is written again first. An error of the disk counts as one.
  public func emptyLog() throws(SQLiteError) {
    if isLogDoubtful { try synchronize() }
    do throws(SQLiteError) {
      try askGate()
      try check(sqlite3_wal_checkpoint_v2(database, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
    } catch {
      if error.kind == .inputOutput { doubtLog() }
      throw error
    }
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

  private func askGate() throws(SQLiteError) {
    if synchronizationGate?() == false { throw SQLiteError(.inputOutput, "the log cannot be synchronized") }
  }

  /// Asks `allows` before every ``synchronize()`` and ``emptyLog()``, which fail where it returns false. For tests of
  /// failing disks.
  public func gateSynchronization(_ allows: (() -> Bool)?) { synchronizationGate = allows }
}
