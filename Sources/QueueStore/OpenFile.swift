import SQLiteKit

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that one program at a time has open, to read and to write; closed with the object. Failures are told as those
/// of the database are.
final class OpenFile: Sendable {
  private let descriptor: Int32

  /// Opens or creates the file.
  init(_ path: String) throws(SQLiteError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SQLiteError(.cannotOpen, "\(path): error \(errno)") }
    // A program that is ending, or a child between its fork and its start, may still have the lock for a moment. Some
    // file systems have no locks.
    var attempts = 100
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      guard attempts > 0 else {
        close(descriptor)
        throw SQLiteError(.busy, "\(path): another program uses it")
      }
      attempts -= 1
      usleep(10_000)
    }
    self.descriptor = descriptor
    try Self.syncFolder(of: path)
  }

  deinit { close(descriptor) }

  /// A file is only durable when its name is.
  private static func syncFolder(of path: String) throws(SQLiteError) {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let descriptor = open(folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("opening the folder of") }
    defer { close(descriptor) }
    // Some file systems know no such thing.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure("syncing the folder of") }
  }

  /// All that is in it.
  func contents() throws(SQLiteError) -> [UInt8] {
    var status = stat()
    guard fstat(descriptor, &status) == 0, let size = Int(exactly: status.st_size) else {
      throw Self.failure("reading")
    }
    var bytes = [UInt8](repeating: 0, count: size)
    var position = 0
    while position < size {
      let count = bytes.withUnsafeMutableBytes { bytes in
        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[position...])
        return pread(descriptor, rest.baseAddress, rest.count, off_t(position))
      }
      if count == 0 { break }
      if count < 0, errno != EINTR { throw Self.failure("reading") }
      position += max(count, 0)
    }
    return bytes
  }

  /// Writes bytes at a place.
  func write(_ bytes: [UInt8], at offset: Int) throws(SQLiteError) {
    var position = 0
    while position < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
        return pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + position))
      }
      if count < 0, errno != EINTR { throw Self.failure("writing") }
      position += max(count, 0)
    }
  }

  /// Makes durable what was written.
  func sync() throws(SQLiteError) {
    #if canImport(Darwin)
      let isDone = fcntl(descriptor, F_FULLFSYNC) == 0
    #else
      let isDone = fdatasync(descriptor) == 0
    #endif
    guard isDone else { throw Self.failure("syncing") }
  }

  /// Removes the content. Where that fails it stays.
  func empty() { _ = ftruncate(descriptor, 0) }

  private static func failure(_ what: String) -> SQLiteError {
    let code = errno
    let isFull = code == ENOSPC || code == EDQUOT
    return SQLiteError(isFull ? .diskFull : .inputOutput, "\(what) the journal of messages: error \(code)")
  }
}
