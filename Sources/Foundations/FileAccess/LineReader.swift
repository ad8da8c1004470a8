/// Reads a file of any size line by line.
public final class LineReader {
  private let file: FileDescriptor
  private var buffer: [UInt8] = []
  /// The first byte in the buffer that no line has had yet.
  private var position = 0
  private var isAtEnd = false
  private static let partSize = 1 << 16

  /// Opens the file.
  public init(_ path: String) throws(FileError) { file = try FileDescriptor(path, .reading) }

  /// The next line without its end, with invalid UTF-8 repaired; nil after the last one.
  public func next() throws(FileError) -> String? {
    var searched = position
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { position = end + 1 }
        return String(decoding: buffer[position..<end], as: UTF8.self)
      }
      if isAtEnd { break }
      buffer.removeFirst(position)
      position = 0
      searched = buffer.count
      try fill()
    }
    guard position < buffer.count else { return nil }
    defer { position = buffer.count }
    return String(decoding: buffer[position...], as: UTF8.self)
  }

  /// Appends the next part of the file to the buffer.
  private func fill() throws(FileError) {
    var part = [UInt8](repeating: 0, count: Self.partSize)
    var span = part.mutableSpan
    var octets = span.mutableBytes
    let count = try octets.withUnsafeMutableBytes { (bytes) throws(FileError) in try file.read(bytes) }
    buffer += part[..<count]
    isAtEnd = count < Self.partSize
  }
}
