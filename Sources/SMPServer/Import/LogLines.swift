#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The lines of a text file of any size, one after the other.
final class LogLines {
  private let file: UnsafeMutablePointer<FILE>
  private let path: String
  private var line: UnsafeMutablePointer<CChar>?
  private var capacity = 0
  /// The number of the last line, from 1 on.
  private(set) var number = 0
  /// Whether the last line was the end of the file, without a line break: a server that was killed leaves that.
  private(set) var isCutOff = false

  /// Opens a file; nil where there is none.
  init?(_ path: String) throws(SMPServerError) {
    guard let file = fopen(path, "r") else {
      if errno == ENOENT { return nil }
      throw .file("\(path): \(String(cString: strerror(errno)))")
    }
    self.file = file
    self.path = path
  }

  deinit {
    fclose(file)
    free(line)
  }

  /// The next line; nil at the end.
  func next() throws(SMPServerError) -> String? {
    errno = 0
    let count = getline(&line, &capacity, file)
    guard count >= 0, let line else {
      guard feof(file) != 0 else { throw .file("\(path): \(String(cString: strerror(errno)))") }
      return nil
    }
    number += 1
    let bytes = UnsafeRawBufferPointer(start: line, count: count)
    isCutOff = bytes.last != UInt8(ascii: "\n")
    return String(decoding: isCutOff ? bytes[...] : bytes.dropLast(), as: UTF8.self)
  }
}
