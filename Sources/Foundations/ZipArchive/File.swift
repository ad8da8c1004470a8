#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open file, closed with the value.
struct File: ~Copyable {
  /// Where it is.
  let path: String
  private let descriptor: Int32

  /// Opens an existing file.
  init(reading path: String) throws(ZipError) { try self.init(path, O_RDONLY | O_CLOEXEC) }

  /// Creates a file that only its owner can read and write (0600), or empties an existing one.
  init(writing path: String) throws(ZipError) {
    try self.init(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC)
    // A file that existed keeps its rights, and the umask takes some of a new one's.
    fchmod(descriptor, 0o600)
  }

  private init(_ path: String, _ flags: Int32) throws(ZipError) {
    let descriptor = open(path, flags, 0o600)
    if descriptor < 0 { throw Self.failure(path) }
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  private static func failure(_ path: String) -> ZipError {
    .file(path: path, reason: String(cString: strerror(errno)))
  }

  /// The size in bytes.
  func size() throws(ZipError) -> UInt64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size >= 0 else { throw Self.failure(path) }
    return UInt64(status.st_size)
  }

  /// At most `count` bytes from `offset` on; fewer only at the end of the file.
  func read(_ count: Int, at offset: UInt64) throws(ZipError) -> [UInt8] {
    guard let start = off_t(exactly: offset), count >= 0, start <= off_t.max - off_t(count) else {
      throw .damaged("a position outside of the file")
    }
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let buffer = UnsafeMutableRawBufferPointer(buffer)
      while filled < count {
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        let result = pread(descriptor, part.baseAddress, part.count, start + off_t(filled))
        if result == 0 { break }
        if result < 0 && errno != EINTR {
          failed = true
          break
        }
        filled += max(0, result)
      }
    }
    if failed { throw Self.failure(path) }
    return bytes
  }

  /// Writes all bytes at `offset`.
  func write(_ bytes: ArraySlice<UInt8>, at offset: UInt64) throws(ZipError) {
    guard let start = off_t(exactly: offset), start <= off_t.max - off_t(bytes.count) else {
      throw .unsupported("a file of this size")
    }
    let isWritten = bytes.withUnsafeBytes { buffer in
      var position = 0
      while position < buffer.count {
        let part = UnsafeRawBufferPointer(rebasing: buffer[position...])
        let result = pwrite(descriptor, part.baseAddress, part.count, start + off_t(position))
        if result < 0 && errno != EINTR { return false }
        position += max(0, result)
      }
      return true
    }
    guard isWritten else { throw Self.failure(path) }
  }

  /// Makes what was written durable.
  func synchronize() throws(ZipError) {
    guard fsync(descriptor) == 0 else { throw Self.failure(path) }
  }
}
