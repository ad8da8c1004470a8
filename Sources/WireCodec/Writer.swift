/// Collects encoded bytes. Every append copies its argument once, into the final place; lengths that are known only
/// afterwards are filled in later, so that nested values need no buffer of their own.
public struct Writer: Sendable {
  /// What was written so far.
  public private(set) var bytes: [UInt8]
  /// The protocol version that was agreed; version-gated fields look at it.
  public let version: UInt16

  /// An empty writer with room for `capacity` bytes.
  @inlinable public init(version: UInt16 = 0, capacity: Int = 0) {
    self.init(reusing: [], version: version)
    if capacity > 0 { reserve(capacity) }
  }

  /// A writer that appends to `buffer`, keeping its content and its memory.
  public init(reusing buffer: consuming [UInt8], version: UInt16 = 0) {
    self.bytes = buffer
    self.version = version
  }

  /// The bytes written, handed over without a copy; the writer is used up.
  @inlinable public consuming func finish() -> [UInt8] { bytes }

  /// Bytes written so far.
  public var count: Int { bytes.count }

  /// Makes room for this many more bytes.
  public mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

  /// An error of this kind at the current place.
  public func failure(_ kind: WireError.Kind) -> WireError { WireError(kind, offset: bytes.count) }

  /// Appends one byte.
  public mutating func append(_ byte: UInt8) { bytes.append(byte) }

  /// Appends a fixed-width integer in network byte order.
  public mutating func append(integer value: some FixedWidthInteger & BitwiseCopyable) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends bytes.
  public mutating func append(_ content: [UInt8]) { bytes.append(contentsOf: content) }

  /// Appends the viewed bytes.
  public mutating func append(_ content: RawSpan) {
    content.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  /// Appends text as UTF-8.
  public mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Appends a literal.
  public mutating func append(literal: StaticString) {
    literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Appends the same byte `count` times.
  public mutating func append(repeating byte: UInt8, count: Int) {
    // Several times as fast as appending a repeated element.
    bytes.append(addingCapacity: max(0, count)) { $0.append(repeating: byte, count: max(0, count)) }
  }

  /// Writes what `body` writes, with its length in bytes before it as an integer of the type `Length`.
  ///
  /// Throws ``WireError/Kind/tooLong(limit:)`` where the length does not fit; what was written then stays incomplete.
  public mutating func sized<Length: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Length.Type, _ body: (inout Writer) throws(WireError) -> Void
  ) throws(WireError) {
    let start = bytes.count
    append(integer: Length.zero)
    try body(&self)
    let length = bytes.count - start - MemoryLayout<Length>.size
    guard let prefix = Length(exactly: length) else {
      throw WireError(.tooLong(limit: Int(clamping: Length.max)), offset: start)
    }
    withUnsafeBytes(of: prefix.bigEndian) { source in
      for (index, byte) in source.enumerated() { bytes[start + index] = byte }
    }
  }
}
