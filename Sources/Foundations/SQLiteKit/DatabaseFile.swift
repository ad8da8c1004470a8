#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Files of databases that are not open: their names, rights and removal.
public enum DatabaseFile {
  /// The suffixes of files that SQLite may keep beside a database.
  private static let companions = ["-wal", "-shm", "-journal"]

  /// Whether there is a file.
  public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Whether there is a file with content. SQLite treats an empty file as a new database.
  public static func hasContent(_ path: String) -> Bool {
    var found = stat()
    return stat(path, &found) == 0 && found.st_size > 0
  }

  /// Whether a database has a write-ahead log with content: it is open, or the last process did not close it.
  public static func hasLog(_ path: String) -> Bool { hasContent(path + "-wal") }

  /// Whether a database has a log or a journal with content, so that its file alone may be torn.
  static func hasUnfinished(_ path: String) -> Bool { hasLog(path) || hasContent(path + "-journal") }

  /// Whether a file has the size of an encrypted database and does not begin as one in the clear.
  public static func mayBeEncrypted(_ path: String) -> Bool {
    var found = stat()
    guard stat(path, &found) == 0, found.st_size > 0, found.st_size % off_t(PageCipher.pageSize) == 0 else {
      return false
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let magic = Array("SQLite format 3".utf8)
    var start = [UInt8](repeating: 0, count: magic.count)
    return read(descriptor, &start, start.count) == start.count && start != magic
  }

  /// Removes a database with its logs; does nothing where there is none.
  public static func remove(_ path: String) {
    unlink(path)
    removeLogs(of: path)
  }

  /// Gives a database and what SQLite keeps beside it another name, durably; does nothing where there is none. Repeated
  /// after a crash, it moves what is left.
  /// - Parameter reach: called before each file but the first with its name; for tests of crashes, where it throws.
  public static func rename(
    _ path: String, to target: String, reach: (String) throws(SQLiteError) -> Void = { _ in }
  ) throws(SQLiteError) {
    // The database first: without its journal it would have half of a transaction, and must not have its name then.
    for suffix in [""] + companions where exists(path + suffix) {
      if !suffix.isEmpty { try reach("name of \(path + suffix)") }
      guard moveFile(path + suffix, target + suffix) else { throw failure(path + suffix) }
    }
    try synchronizeFolder(of: target)
  }

  /// A suffix that none of these databases has a file with, or what SQLite keeps beside one: this one, or this one with
  /// a number.
  public static func freeSuffix(_ suffix: String, of paths: [String]) -> String {
    var free = suffix
    var number = 1
    while paths.contains(where: { path in ([""] + companions).contains { exists(path + free + $0) } }) {
      number += 1
      free = suffix + "\(number)"
    }
    return free
  }

  /// Removes the files that have these names and this suffix, or it and a number, as ``freeSuffix(_:of:)`` gives them.
  public static func removeAll(_ suffix: String, of paths: [String]) {
    let free = freeSuffix(suffix, of: paths)
    var suffixes: [String] = []
    while suffixes.last != free { suffixes.append(suffixes.isEmpty ? suffix : suffix + "\(suffixes.count + 1)") }
    // The first one is what is looked for, so it goes last.
    for suffix in suffixes.reversed() { for path in paths { remove(path + suffix) } }
  }

  /// What changes with a file: which one it is, its size in bytes, and when it was written last. Nil where there is
  /// none.
  public static func stamp(_ path: String) -> [Int64]? {
    var found = stat()
    guard stat(path, &found) == 0 else { return nil }
    #if canImport(Darwin)
      let written = found.st_mtimespec
    #else
      let written = found.st_mtim
    #endif
    return [
      Int64(truncatingIfNeeded: found.st_dev), Int64(truncatingIfNeeded: found.st_ino), Int64(found.st_size),
      Int64(written.tv_sec), Int64(written.tv_nsec),
    ]
  }

  /// Which file it is, wherever its file system is. Nil where there is none.
  public static func identity(_ path: String) -> [Int64]? { stamp(path).map { Array($0.prefix(2)) } }

  /// The number of a file in its file system, which it keeps when it is renamed or written to. Nil where there is none.
  public static func number(_ path: String) -> UInt64? {
    var found = stat()
    return stat(path, &found) == 0 ? UInt64(found.st_ino) : nil
  }

  /// A path from the root.
  public static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }

  private static func moveFile(_ path: String, _ target: String) -> Bool {
    #if canImport(Darwin)
      Darwin.rename(path, target) == 0
    #elseif canImport(Glibc)
      Glibc.rename(path, target) == 0
    #elseif canImport(Musl)
      Musl.rename(path, target) == 0
    #endif
  }

  /// Removes what SQLite keeps beside a database.
  static func removeLogs(of path: String) {
    for suffix in companions { unlink(path + suffix) }
  }

  /// Makes an empty file that only its owner can read and write (0600), whatever the umask is. Does nothing where a
  /// file exists or cannot be created: then opening it says why. SQLite gives its logs the same rights.
  public static func create(_ path: String) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    fchmod(descriptor, 0o600)
    close(descriptor)
  }

  /// Takes the rights of everybody but the owner from an existing database and its logs; best effort.
  public static func restrict(_ path: String) {
    for file in [path] + companions.map({ path + $0 }) {
      var found = stat()
      guard stat(file, &found) == 0, found.st_mode & 0o077 != 0 else { continue }
      chmod(file, found.st_mode & 0o700)
    }
  }

  /// Flushes the folder of a file, where the file system can flush folders.
  static func synchronizeFolder(of path: String) throws(SQLiteError) {
    try synchronize(folder(of: path), unless: [EINVAL, ENOTSUP, ENOSYS, EACCES, EPERM, EBADF])
  }

  /// Flushes the folder of a file, so that its name is durable; for renames before a step that cannot be undone.
  /// - Throws: Also where the file system does not support it.
  public static func synchronizeName(of path: String) throws(SQLiteError) { try synchronize(folder(of: path)) }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Makes the content of a file durable.
  /// - Parameter accepted: the error numbers that are no errors, as those of file systems that do not flush folders.
  static func synchronize(_ path: String, unless accepted: [Int32] = []) throws(SQLiteError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if accepted.contains(errno) { return }
      throw failure(path)
    }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 || accepted.contains(errno) else { throw failure(path) }
  }

  static func failure(_ path: String) -> SQLiteError {
    SQLiteError(.inputOutput, "\(path): \(String(cString: strerror(errno)))")
  }
}
