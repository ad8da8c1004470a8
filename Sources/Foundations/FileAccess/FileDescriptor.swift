#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open file, closed with the value. Every operation is repeated when a signal interrupts it.
public struct FileDescriptor: ~Copyable, Sendable {
  /// The mode of opening a file.
  public enum Access: Sendable {
    /// An existing file, to read.
    case reading
    /// A file to write from its beginning: created, or emptied.
    case writing
    /// A new file to write; there must be none.
    case creating
    /// A file to write at its end; created if there is none.
    case appending
    /// A file to read and write; created if there is none.
    case updating

    var flags: Int32 {
      switch self {
      case .reading: O_RDONLY
      case .writing: O_WRONLY | O_CREAT | O_TRUNC
      case .creating: O_WRONLY | O_CREAT | O_EXCL
      case .appending: O_WRONLY | O_CREAT | O_APPEND
      case .updating: O_RDWR | O_CREAT
      }
    }
  }

  /// The path it was opened with.
  public let path: String
  /// The system's number of the open file.
  public let raw: Int32

  /// Opens a file.
  /// - Parameter permissions: those of a file that is created, except the ones that the process masks (umask); by
  ///   default only its owner can read it.
  public init(_ path: String, _ access: Access, permissions: UInt16 = 0o600) throws(FileError) {
    let descriptor = retryingInterrupts { open(path, access.flags | O_CLOEXEC, mode_t(permissions)) }
    guard descriptor >= 0 else { throw FileError(.open, path, code: errno) }
    self.path = path
    raw = descriptor
  }

  deinit { close(raw) }

  /// The size of the file in bytes.
  public func size() throws(FileError) -> Int64 {
    var status = stat()
    guard fstat(raw, &status) == 0, status.st_size >= 0 else { throw FileError(.read, path, code: errno) }
    return Int64(status.st_size)
  }

  /// Reads into the buffer and returns the number of bytes; fewer than the buffer holds only at the end of the file.
  /// - Parameter offset: where to read; nil for the position after what was read or written last.
  public func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64? = nil) throws(FileError) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    var position = 0
    while position < buffer.count {
      let target = base + position
      let rest = buffer.count - position
      let count =
        if let offset {
          retryingInterrupts { pread(raw, target, rest, off_t(offset) + off_t(position)) }
        } else {
          retryingInterrupts { systemRead(from: raw, into: target, count: rest) }
        }
      guard count >= 0 else { throw FileError(.read, path, code: errno) }
      if count == 0 { break }
      position += count
    }
    return position
  }

  /// The next bytes; fewer than `count` only at the end of the file.
  public func readPart(_ count: Int) throws(FileError) -> [UInt8] {
    var part = [UInt8](repeating: 0, count: count)
    var span = part.mutableSpan
    var bytes = span.mutableBytes
    let size = try bytes.withUnsafeMutableBytes { (buffer) throws(FileError) in try read(buffer) }
    part.removeLast(count - size)
    return part
  }

  /// Writes all bytes.
  /// - Parameter offset: where to write; nil for the position after what was read or written last.
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64? = nil) throws(FileError) {
    guard let base = bytes.baseAddress else { return }
    var position = 0
    while position < bytes.count {
      let source = base + position
      let rest = bytes.count - position
      let count =
        if let offset {
          retryingInterrupts { pwrite(raw, source, rest, off_t(offset) + off_t(position)) }
        } else {
          retryingInterrupts { systemWrite(to: raw, from: source, count: rest) }
        }
      // A write of nothing has no error number, and would be repeated forever.
      guard count > 0 else { throw FileError(.write, path, code: count == 0 ? EIO : errno) }
      position += count
    }
  }

  /// Flushes what was written to the disk.
  /// - Parameter dataOnly: leaves out times and other metadata that reading the data does not need.
  public func sync(dataOnly: Bool = false) throws(FileError) {
    #if canImport(Darwin)
      let result = retryingInterrupts { fcntl(raw, F_FULLFSYNC) }
    #else
      let result = retryingInterrupts { dataOnly ? fdatasync(raw) : fsync(raw) }
    #endif
    guard result == 0 else { throw FileError(.sync, path, code: errno) }
  }

  /// Flushes the entry of a file in its folder: a file is only durable when its name is.
  public static func syncFolder(of path: String) throws(FileError) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let folder = parts.joined(separator: "/")
    let descriptor = try FileDescriptor(folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder, .reading)
    // Some file systems cannot flush folders.
    guard retryingInterrupts({ fsync(descriptor.raw) }) == 0 || errno == EINVAL else {
      throw FileError(.sync, path, code: errno)
    }
  }

  /// Sets the permissions of the file exactly, also those that the process masks when it creates files.
  public func setPermissions(_ permissions: UInt16) throws(FileError) {
    guard retryingInterrupts({ fchmod(raw, mode_t(permissions)) }) == 0 else {
      throw FileError(.write, path, code: errno)
    }
  }

  /// Sets the size to zero.
  public func truncate() throws(FileError) {
    guard retryingInterrupts({ ftruncate(raw, 0) }) == 0 else { throw FileError(.write, path, code: errno) }
  }

  /// Takes the lock that one open file at a time has; false if another has it. File systems without locks lock nothing.
  public func tryLock() -> Bool {
    retryingInterrupts { flock(raw, LOCK_EX | LOCK_NB) } == 0 || errno != EWOULDBLOCK
  }

  /// Takes the lock as ``tryLock()`` does, and tries for a second: a program that is exiting, or a child between fork
  /// and exec, may still hold it briefly.
  public func lockSoon() -> Bool {
    for _ in 0..<100 {
      if tryLock() { return true }
      usleep(10_000)
    }
    return tryLock()
  }
}

/// Calls until the call is not interrupted by a signal.
private func retryingInterrupts<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}

// Inside the type the names `read` and `write` mean its own functions.
private func systemRead(from file: Int32, into buffer: UnsafeMutableRawPointer, count: Int) -> Int {
  read(file, buffer, count)
}

private func systemWrite(to file: Int32, from buffer: UnsafeRawPointer, count: Int) -> Int {
  write(file, buffer, count)
}
