#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Files of databases that nobody has open.
public enum DatabaseFile {
  /// Whether there is a file.
  public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Removes a database with its write-ahead log and index; does nothing where there is none.
  public static func remove(_ path: String) {
    unlink(path)
    removeLog(of: path)
  }

  /// Puts a complete database in the place of another, which is kept under a third name. What was there under that name
  /// is gone; at every moment one of the names has each database.
  public static func replace(_ path: String, by new: String, keeping old: String) throws(SQLiteError) {
    removeLog(of: path)
    guard rename(path, old) == 0, rename(new, path) == 0 else {
      throw SQLiteError(.other, "cannot replace \(path): error \(errno)")
    }
  }

  private static func removeLog(of path: String) {
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
  }
}
