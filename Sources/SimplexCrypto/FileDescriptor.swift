#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open file, closed with the value.
struct FileDescriptor: ~Copyable {
  let raw: Int32

  /// Opens an existing file.
  init(reading path: String) throws(CryptoError) {
    try self.init(path, O_RDONLY | O_CLOEXEC)
  }

  /// Creates a file that only its owner can read, or empties an existing one.
  init(writing path: String) throws(CryptoError) {
    try self.init(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC)
  }

  private init(_ path: String, _ flags: Int32) throws(CryptoError) {
    raw = open(path, flags, 0o600)
    if raw < 0 { throw .file(operation: .open, code: errno) }
  }

  deinit {
    close(raw)
  }

  /// The size of the file in bytes.
  func size() throws(CryptoError) -> Int64 {
    var status = stat()
    if fstat(raw, &status) != 0 { throw .file(operation: .open, code: errno) }
    return Int64(status.st_size)
  }

  /// Fills the buffer, or stops at the end of the file; returns how many bytes were read.
  func read(_ buffer: UnsafeMutableRawBufferPointer) throws(CryptoError) -> Int {
    var position = 0
    while position < buffer.count {
      let count = systemRead(raw, buffer.octets + position, buffer.count - position)
      if count == 0 { break }
      if count < 0 && errno != EINTR { throw .file(operation: .read, code: errno) }
      position += max(count, 0)
    }
    return position
  }

  /// Writes all bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var position = 0
    while position < bytes.count {
      let count = systemWrite(raw, bytes.octets + position, bytes.count - position)
      if count < 0 && errno != EINTR { throw .file(operation: .write, code: errno) }
      position += max(count, 0)
    }
  }
}

// Inside the type the method names hide the system's functions.
private let systemRead = read(_:_:_:)
private let systemWrite = write(_:_:_:)
