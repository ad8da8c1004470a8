#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the system knows about files, by their paths; symbolic links are followed.
public enum PathStatus {
  /// Whether there is a file, and no folder or the like.
  public static func exists(_ path: String) -> Bool { size(of: path) != nil }

  /// The size of a file in bytes; nil where there is none, or a folder or the like.
  public static func size(of path: String) -> Int64? {
    guard let found = status(of: path), found.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(found.st_size)
  }

  /// Whether two files or folders are on the same file system, so that one can be moved to the other without a copy.
  /// False where one of them does not exist.
  public static func areTogether(_ path: String, _ other: String) -> Bool {
    guard let first = status(of: path), let second = status(of: other) else { return false }
    return first.st_dev == second.st_dev
  }

  /// Whether a path names a symbolic link itself.
  public static func isLink(_ path: String) -> Bool {
    var found = stat()
    return lstat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFLNK
  }

  /// Whether there is a file of this user without content, and no link to one, that was last changed before a time.
  /// - Parameter time: in seconds since 1970.
  public static func isEmptyFile(_ path: String, changedBefore time: Double) -> Bool {
    var found = stat()
    guard lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_size == 0, found.st_uid == geteuid(),
      found.st_nlink == 1
    else { return false }
    #if canImport(Darwin)
      let changed = found.st_mtimespec
    #else
      let changed = found.st_mtim
    #endif
    return Double(changed.tv_sec) + Double(changed.tv_nsec) / 1e9 < time
  }

  private static func status(of path: String) -> stat? {
    var found = stat()
    return stat(path, &found) == 0 ? found : nil
  }
}
