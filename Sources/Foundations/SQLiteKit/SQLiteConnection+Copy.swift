import CSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension SQLiteConnection {
  /// Copies the file of this database as it is, encrypted or not, to a new file. What was at that path is replaced when
  /// the copy is complete.
  ///
  /// The connection must have the file for itself (`locking_mode` exclusive), so that nobody writes meanwhile. Where
  /// the file system can share content between files it does, and the size does not matter. The copy is not flushed to
  /// the disk.
  public func copyFile(to path: String) throws(SQLiteError) {
    guard let name = sqlite3_db_filename(database, "main") else { throw SQLiteError(.other, "no file") }
    // Everything has to be in the file.
    try emptyLog()
    let unfinished = path + ".new"
    unlink(unfinished)
    do throws(SQLiteError) {
      try copy(String(cString: name), unfinished)
      guard rename(unfinished, path) == 0 else { throw Self.failure(path) }
    } catch {
      unlink(unfinished)
      throw error
    }
  }

  func closeDescriptors() {
    for descriptor in openDescriptors { close(descriptor) }
  }

  private func copy(_ source: String, _ target: String) throws(SQLiteError) {
    #if canImport(Darwin)
      if clonefile(source, target, 0) == 0 {
        chmod(target, 0o600)
        return
      }
    #endif
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw Self.failure(source) }
    // Closing any descriptor of a file ends the locks that this process has on it, SQLite's too.
    openDescriptors.append(input)
    let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw Self.failure(target) }
    // The umask may have taken the owner's rights as well.
    fchmod(output, 0o600)
    let isCopied = Self.copyContent(input, output)
    let failure = Self.failure(target)
    guard close(output) == 0, isCopied else { throw failure }
  }

  /// Copies up to the end of a file, within the system where it can.
  private static func copyContent(_ input: Int32, _ output: Int32) -> Bool {
    #if os(Linux)
      while true {
        let count = sqlitekit_copy_range(input, output, 1 << 30)
        if count == 0 { return true }
        // Not between these file systems, or not by this system: what was not copied yet is copied by hand.
        if count < 0, errno != EINTR { break }
      }
    #endif
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    return buffer.withUnsafeMutableBytes { buffer in
      while true {
        let count = read(input, buffer.baseAddress, buffer.count)
        if count == 0 { return true }
        if count < 0 {
          if errno == EINTR { continue }
          return false
        }
        var position = 0
        while position < count {
          let part = UnsafeRawBufferPointer(rebasing: buffer[position..<count])
          let written = write(output, part.baseAddress, part.count)
          if written < 0, errno != EINTR { return false }
          position += max(0, written)
        }
      }
    }
  }

  private static func failure(_ path: String) -> SQLiteError {
    SQLiteError(.inputOutput, "\(path): \(String(cString: strerror(errno)))")
  }
}
