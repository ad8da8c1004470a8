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

  private static func status(of path: String) -> stat? {
    var found = stat()
    return stat(path, &found) == 0 ? found : nil
  }
}
