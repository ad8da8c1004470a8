#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Reads a file of any size line by line.
final class LineFile {
  private let path: String
  private let file: UnsafeMutablePointer<FILE>
  private var line: UnsafeMutablePointer<CChar>?
  private var capacity = 0

  /// Opens the file.
  init(_ path: String) throws(SMPServerError) {
    guard let file = fopen(path, "r") else { throw .file("\(path): \(String(cString: strerror(errno)))") }
    self.path = path
    self.file = file
  }

  deinit {
    free(line)
    fclose(file)
  }

  /// The next line without its end; nil after the last one.
  func next() throws(SMPServerError) -> String? {
    var count = getline(&line, &capacity, file)
    guard count >= 0, let line else {
      guard ferror(file) == 0 else { throw .file("\(path) cannot be read") }
      return nil
    }
    if count > 0, line[count - 1] == CChar(bitPattern: UInt8(ascii: "\n")) { count -= 1 }
    return String(decoding: UnsafeRawBufferPointer(start: line, count: count), as: UTF8.self)
  }
}
