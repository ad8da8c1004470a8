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

  /// Has what is written in whole blocks go to the disk without a copy in the system's memory, where that is possible:
  /// it costs a third less. Nothing can be read afterwards.
  func writeDirectly() {
    #if os(Linux)
      let flags = fcntl(descriptor, F_GETFL)
      if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags | Self.direct) }
    #endif
  }

  /// Writes with a copy from now on; false where it was so before.
  private func stopWritingDirectly() -> Bool {
    #if os(Linux)
      let flags = fcntl(descriptor, F_GETFL)
      return flags >= 0 && flags & Self.direct != 0 && fcntl(descriptor, F_SETFL, flags & ~Self.direct) == 0
    #else
      return false
    #endif
  }

  #if os(Linux)
    #if arch(arm64) || arch(arm)
      /// `O_DIRECT`, which C headers show to few.
      private static let direct: Int32 = 0o200000
    #else
      private static let direct: Int32 = 0o40000
    #endif
  #endif

  /// Writes blocks at a place.
  func write(_ piece: borrowing PieceBuffer, at offset: Int) throws(SQLiteError) {
    let bytes = piece.blocks
    var position = 0
    while position < bytes.byteCount {
      let count = bytes.extracting(droppingFirst: position).withUnsafeBytes { rest in
        pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + position))
      }
      // Some file systems, and the rest of what was written in part, can only be written with a copy.
      if count < 0, errno != EINTR, errno != EINVAL || !stopWritingDirectly() { throw Self.failure("writing") }
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
