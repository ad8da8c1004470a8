#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Small text files of a relay: settings, statistics, metrics.
public enum TextFile {
  /// The whole text; nil where there is no such file.
  public static func read(_ path: String) throws(SMPServerError) -> String? {
    guard let file = fopen(path, "r") else {
      if errno == ENOENT { return nil }
      throw .file("\(path): \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { break }
      bytes += buffer.prefix(count)
    }
    guard ferror(file) == 0 else { throw .file("\(path) cannot be read") }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Replaces the file by one with this text, at once: readers see the old or the new one. Only the owner can read it.
  public static func write(_ text: String, to path: String) throws(SMPServerError) {
    let temporary = path + ".new"
    try put(text, to: temporary, flags: O_WRONLY | O_CREAT | O_TRUNC)
    guard rename(temporary, path) == 0 else { throw .file("\(path): \(String(cString: strerror(errno)))") }
  }

  /// Adds the text at the end.
  public static func append(_ text: String, to path: String) throws(SMPServerError) {
    try put(text, to: path, flags: O_WRONLY | O_CREAT | O_APPEND)
  }

  /// Removes the file.
  static func remove(_ path: String) throws(SMPServerError) {
    guard unlink(path) == 0 else { throw .file("\(path): \(String(cString: strerror(errno)))") }
  }

  private static func put(_ text: String, to path: String, flags: Int32) throws(SMPServerError) {
    let file = open(path, flags, 0o600)
    guard file >= 0 else { throw .file("\(path): \(String(cString: strerror(errno)))") }
    defer { close(file) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeSome(file, $0) }
      guard count > 0 else { throw .file("\(path): \(String(cString: strerror(errno)))") }
      rest = rest.dropFirst(count)
    }
  }
}

private func writeSome(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(file, bytes.baseAddress, bytes.count)
}
