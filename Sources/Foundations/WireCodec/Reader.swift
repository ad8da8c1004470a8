/// A cursor over borrowed bytes. Reading is total: every operation checks bounds and throws a ``WireError``.
///
/// The reader itself copies nothing; ``bytes(_:)`` makes the one copy of a body that outlives the input, and
/// ``span(_:)`` returns a view of it. A reader is a value: to look ahead, read from a copy.
public struct Reader: ~Escapable {
  @usableFromInline var rest: RawSpan
  @usableFromInline let end: Int
  /// The negotiated protocol version, which version-gated fields depend on.
  public let version: UInt16
  /// How many more levels of nested values may be entered.
  @usableFromInline var depth: Int

  /// The default limit of nesting.
  public static var defaultDepth: Int { 32 }

  /// Starts at the first byte of `span`.
  @inlinable @_lifetime(copy span)
  public init(_ span: RawSpan, version: UInt16 = 0, depth: Int = Reader.defaultDepth) {
    self.init(span, version: version, depth: depth, end: span.byteCount)
  }

  @inlinable @_lifetime(copy span)
  init(_ span: RawSpan, version: UInt16, depth: Int, end: Int) {
    self.rest = span
    self.end = end
    self.version = version
    self.depth = depth
  }

  /// The number of bytes not read yet.
  @inlinable public var remaining: Int { rest.byteCount }

  /// Whether all bytes were read.
  @inlinable public var isAtEnd: Bool { rest.byteCount == 0 }

  /// The number of bytes from the start of the outermost input.
  @inlinable public var offset: Int { end - rest.byteCount }

  /// An error of this kind at the current position.
  @inlinable public func failure(_ kind: WireError.Kind) -> WireError { WireError(kind, offset: offset) }

  /// The next byte, not consumed; nil at the end.
  @inlinable public var peek: UInt8? {
    rest.byteCount == 0 ? nil : rest.unsafeLoad(as: UInt8.self)
  }

  /// The next byte.
  @inlinable @_lifetime(self: copy self)
  public mutating func byte() throws(WireError) -> UInt8 {
    guard rest.byteCount > 0 else { throw failure(.endOfInput) }
    let value = rest.unsafeLoad(as: UInt8.self)
    rest = rest.extracting(droppingFirst: 1)
    return value
  }

  /// A fixed-width integer in network byte order.
  @inlinable @_lifetime(self: copy self)
  public mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type = T.self) throws(WireError) -> T {
    let size = MemoryLayout<T>.size
    guard rest.byteCount >= size else { throw failure(.endOfInput) }
    let value = rest.unsafeLoadUnaligned(as: T.self)
    rest = rest.extracting(droppingFirst: size)
    return T(bigEndian: value)
  }

  /// A view of the next `count` bytes.
  @inlinable @_lifetime(copy self) @_lifetime(self: copy self)
  public mutating func span(_ count: Int) throws(WireError) -> RawSpan {
    guard count >= 0, count <= rest.byteCount else { throw failure(.endOfInput) }
    let span = rest.extracting(first: count)
    rest = rest.extracting(droppingFirst: count)
    return span
  }

  /// A copy of the next `count` bytes.
  @inlinable @_lifetime(self: copy self)
  public mutating func bytes(_ count: Int) throws(WireError) -> [UInt8] {
    [UInt8](copying: try span(count))
  }

  /// A view of all remaining bytes.
  @inlinable @_lifetime(copy self) @_lifetime(self: copy self)
  public mutating func restSpan() -> RawSpan {
    let span = rest
    rest = rest.extracting(first: 0)
    return span
  }

  /// A view of the longest prefix whose bytes all satisfy the condition; may be empty.
  @inlinable @_lifetime(copy self) @_lifetime(self: copy self)
  public mutating func span(while condition: (UInt8) -> Bool) -> RawSpan {
    var count = 0
    while count < rest.byteCount, condition(rest.unsafeLoad(fromByteOffset: count, as: UInt8.self)) { count += 1 }
    let span = rest.extracting(first: count)
    rest = rest.extracting(droppingFirst: count)
    return span
  }

  /// Consumes `literal` if it comes next, and returns whether it did.
  @inlinable @_lifetime(self: copy self)
  public mutating func take(_ literal: StaticString) -> Bool {
    let count = literal.utf8CodeUnitCount
    guard count <= rest.byteCount, literal.hasPointerRepresentation else { return false }
    for index in 0..<count
    where rest.unsafeLoad(fromByteOffset: index, as: UInt8.self) != literal.utf8Start[index] {
      return false
    }
    rest = rest.extracting(droppingFirst: count)
    return true
  }

  /// A reader of only the next `count` bytes, of the same version, one level deeper.
  @inlinable @_lifetime(copy self) @_lifetime(self: copy self)
  public mutating func nested(_ count: Int) throws(WireError) -> Reader {
    guard depth > 0 else { throw failure(.tooDeep) }
    guard count >= 0, count <= rest.byteCount else { throw failure(.endOfInput) }
    let inner = Reader(rest.extracting(first: count), version: version, depth: depth - 1, end: offset + count)
    rest = rest.extracting(droppingFirst: count)
    return inner
  }

  /// Fails unless all bytes were read.
  @inlinable public func finish() throws(WireError) {
    guard isAtEnd else { throw failure(.trailingBytes(remaining)) }
  }
}

extension [UInt8] {
  /// A copy of the viewed bytes.
  @inlinable public init(copying span: RawSpan) {
    // Takes two thirds of the time of filling uninitialized memory.
    self = span.withUnsafeBytes { [UInt8]($0) }
  }
}

extension String {
  /// The viewed bytes as text; nil where they are not UTF-8.
  @inlinable public init?(validating span: RawSpan) {
    guard let text = span.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else { return nil }
    self = text
  }
}
