import COpenSSL

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Whole files of a few kilobytes, such as keys and certificates.
enum SmallFile {
  /// More than any certificate file needs.
  static let largestSize = 1 << 20

  /// The content of the file.
  static func read(_ path: String) throws(CertificateError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .file(path: path, code: errno) }
    defer { close(file) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16384)
    content.reserveCapacity(chunk.count)
    defer { erase(&chunk) }
    while true {
      let count = retryingInterrupts { systemRead(file, &chunk, chunk.count) }
      guard count >= 0 else { throw .file(path: path, code: errno) }
      if count == 0 { return content }
      content += chunk[..<count]
      guard content.count <= largestSize else { throw .file(path: path, code: EFBIG) }
    }
  }

  /// Reads a file whose content is secret; the bytes are erased after `body`.
  static func withSecret<Result>(
    _ path: String, _ body: ([UInt8]) throws(CertificateError) -> Result
  ) throws(CertificateError) -> Result {
    var content = try read(path)
    defer { erase(&content) }
    return try body(content)
  }

  /// Overwrites secret bytes with zeros.
  static func erase(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
  }

  /// Replaces the file at once: readers see the old content or the new, never a part. A secret file is readable by
  /// its owner alone from the start.
  static func write(_ content: [UInt8], to path: String, isSecret: Bool = false) throws(CertificateError) {
    let draft = path + ".new"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isSecret ? 0o600 : 0o644)
    guard file >= 0 else { throw .file(path: path, code: errno) }
    let failure = writeAll(content, to: file)
    close(file)
    guard failure == 0 else {
      unlink(draft)
      throw .file(path: path, code: failure)
    }
    guard rename(draft, path) == 0 else { throw .file(path: path, code: errno) }
  }

  /// Zero, or the system's error number.
  private static func writeAll(_ content: [UInt8], to file: Int32) -> Int32 {
    content.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let slice = UnsafeRawBufferPointer(rebasing: rest)
        let count = retryingInterrupts { systemWrite(file, slice.baseAddress, slice.count) }
        guard count > 0 else { return errno == 0 ? EIO : errno }
        rest = rest.dropFirst(count)
      }
      return fsync(file) == 0 ? 0 : errno
    }
  }

  private static func retryingInterrupts(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }
}

// Inside the enumeration the names `read` and `write` mean its own functions.
private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(file, buffer, count)
}

private func systemWrite(_ file: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  write(file, buffer, count)
}
