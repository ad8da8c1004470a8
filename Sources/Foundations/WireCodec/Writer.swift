/// A buffer of encoded bytes. Every append copies its argument once, into its final position; lengths known only
/// afterwards are filled in later, so that nested values need no buffer of their own.
///
/// It is inlined into the encoders of other modules: most of what they write is a few bytes.
public struct Writer: Sendable {
  @usableFromInline var buffer: [UInt8]
  /// The negotiated protocol version, which version-gated fields depend on.
  public let version: UInt16

  /// An empty writer with room for `capacity` bytes.
  @inlinable public init(version: UInt16 = 0, capacity: Int = 0) {
    self.init(reusing: [], version: version)
    if capacity > 0 { reserve(capacity) }
  }

  /// A writer that appends to `buffer`, keeping its content and its memory.
  @inlinable public init(reusing buffer: consuming [UInt8], version: UInt16 = 0) {
    self.buffer = buffer
    self.version = version
  }

  /// The bytes written so far.
  @inlinable public var bytes: [UInt8] { buffer }

  /// The bytes written, moved out without a copy; consumes the writer.
  @inlinable public consuming func finish() -> [UInt8] { buffer }

  /// The number of bytes written so far.
  @inlinable public var count: Int { buffer.count }

  /// Makes room for this many more bytes.
  @inlinable public mutating func reserve(_ count: Int) { buffer.reserveCapacity(buffer.count + count) }

  /// An error of this kind at the current position.
  public func failure(_ kind: WireError.Kind) -> WireError { WireError(kind, offset: buffer.count) }

  /// Appends one byte.
  @inlinable public mutating func append(_ byte: UInt8) { buffer.append(byte) }

  /// Appends a fixed-width integer in network byte order.
  @inlinable public mutating func append(integer value: some FixedWidthInteger & BitwiseCopyable) {
    withUnsafeBytes(of: value.bigEndian) { buffer.append(contentsOf: $0) }
  }

  /// Appends bytes.
  @inlinable public mutating func append(_ content: [UInt8]) { buffer.append(contentsOf: content) }

  /// Appends the viewed bytes.
  @inlinable public mutating func append(_ content: RawSpan) {
    content.withUnsafeBytes { buffer.append(contentsOf: $0) }
  }

  /// Appends text as UTF-8.
  public mutating func append(_ text: String) { buffer.append(contentsOf: text.utf8) }

  /// Appends a literal.
  public mutating func append(literal: StaticString) {
    literal.withUTF8Buffer { buffer.append(contentsOf: $0) }
  }

  /// Appends the same byte `count` times.
  public mutating func append(repeating byte: UInt8, count: Int) {
    // Several times as fast as appending a repeated element.
    buffer.append(addingCapacity: max(0, count)) { $0.append(repeating: byte, count: max(0, count)) }
  }

  /// Lets `body` change in place what was written from `start` on; `start` is within what was written.
  @inlinable public mutating func change<Result, E: Error>(
    from start: Int, _ body: (inout MutableRawSpan) throws(E) -> Result
  ) throws(E) -> Result {
    var written = buffer.mutableSpan
    var bytes = written.mutableBytes
    return try bytes.withUnsafeMutableBytes { (bytes) throws(E) in
      var span = MutableRawSpan(_unsafeBytes: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
      return try body(&span)
    }
  }

  /// Removes what was written from `start` on.
  @inlinable public mutating func removeAll(from start: Int) { buffer.removeSubrange(start...) }

  /// Writes what `body` writes, preceded by its length in bytes as an integer of the type `Length`.
  ///
  /// Throws ``WireError/Kind/tooLong(limit:)`` where the length does not fit; the output is then incomplete.
  @inlinable public mutating func sized<Length: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Length.Type, _ body: (inout Writer) throws(WireError) -> Void
  ) throws(WireError) {
    let start = buffer.count
    append(integer: Length.zero)
    try body(&self)
    let length = buffer.count - start - MemoryLayout<Length>.size
    guard let prefix = Length(exactly: length) else {
      throw WireError(.tooLong(limit: Int(clamping: Length.max)), offset: start)
    }
    withUnsafeBytes(of: prefix.bigEndian) { source in
      for (index, byte) in source.enumerated() { buffer[start + index] = byte }
    }
  }
}
