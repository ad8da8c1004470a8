import CSQLite

extension SQLiteConnection {
  /// Copies the database to a new file, which is durable when this returns; its name is when the folder is flushed.
  /// Other connections and processes may write meanwhile.
  ///
  /// With an open transaction the copy is what that reads, else the state at the beginning. Free pages are copied too.
  /// Not for encrypted databases, whose copies `export(to:key:)` makes.
  /// - Throws: Also where there is a file at `path`. No part of a copy stays.
  public func backUp(to path: String) throws(SQLiteError) {
    guard !DatabaseFile.exists(path) else { throw SQLiteError(.cannotOpen, "\(path): there is a file already") }
    do throws(SQLiteError) {
      try copyPages(to: path)
      try DatabaseFile.synchronize(path)
    } catch {
      DatabaseFile.remove(path)
      throw error
    }
  }

  private func copyPages(to path: String) throws(SQLiteError) {
    let copy = try SQLiteConnection(path: path)
    // A copy that was interrupted is made again.
    try copy.leaveJournal()
    guard let backup = sqlite3_backup_init(copy.database, "main", database, "main") else {
      throw SQLiteError(code: sqlite3_extended_errcode(copy.database), database: copy.database)
    }
    let code = sqlite3_backup_step(backup, -1)
    let end = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE else { throw SQLiteError(code: code, database: copy.database) }
    try copy.check(end)
  }
}
