/// The wire form of a type in both directions: one value decodes and encodes it.
///
/// Codecs are composed of smaller codecs. Decoding is total (every failure is a ``WireError`` with the path of the
/// field) and consumes exactly what encoding wrote. The same machinery serves binary and textual forms: text is read
/// and written as UTF-8 bytes.
public struct Codec<Value>: Sendable {
  /// Reads one value.
  public let decode: @Sendable (inout Reader) throws(WireError) -> Value
  /// Writes one value; fails only for values that the wire form cannot hold.
  public let encode: @Sendable (Value, inout Writer) throws(WireError) -> Void

  /// A codec of two functions, which have to be inverse to each other.
  @inlinable public init(
    decode: @escaping @Sendable (inout Reader) throws(WireError) -> Value,
    encode: @escaping @Sendable (Value, inout Writer) throws(WireError) -> Void
  ) {
    self.decode = decode
    self.encode = encode
  }
}

extension Codec {
  /// The value that all of `bytes` encode.
  ///
  /// Throws ``WireError/Kind/trailingBytes(_:)`` where bytes are left over.
  @inlinable public func decode(_ bytes: [UInt8], version: UInt16 = 0) throws(WireError) -> Value {
    try decodeAll(bytes.span.bytes, version: version)
  }

  /// The value that all of the viewed bytes encode.
  @inlinable public func decodeAll(_ span: RawSpan, version: UInt16 = 0) throws(WireError) -> Value {
    var reader = Reader(span, version: version)
    let value = try decode(&reader)
    try reader.finish()
    return value
  }

  /// The value that the whole text encodes.
  @inlinable public func decode(text: String, version: UInt16 = 0) throws(WireError) -> Value {
    try decode(Array(text.utf8), version: version)
  }

  /// The wire form of `value`. `capacity` is a hint of its size in bytes.
  @inlinable public func encode(_ value: Value, version: UInt16 = 0, capacity: Int = 0) throws(WireError) -> [UInt8] {
    var writer = Writer(version: version, capacity: capacity)
    try encode(value, &writer)
    return writer.bytes
  }

  /// The textual form of `value`.
  @inlinable public func text(_ value: Value, version: UInt16 = 0) throws(WireError) -> String {
    String(decoding: try encode(value, version: version), as: UTF8.self)
  }
}

extension Codec {
  /// The same wire form for another type, with a conversion that always succeeds.
  @inlinable public func map<Other>(
    _ convert: @escaping @Sendable (Value) -> Other, _ back: @escaping @Sendable (Other) -> Value
  ) -> Codec<Other> {
    Codec<Other>(
      decode: { (reader) throws(WireError) -> Other in convert(try decode(&reader)) },
      encode: { (value, writer) throws(WireError) in try encode(back(value), &writer) })
  }

  /// The same wire form for another type; where `convert` returns nil, decoding fails with what was expected.
  @inlinable public func compactMap<Other>(
    _ expected: StaticString, _ convert: @escaping @Sendable (Value) -> Other?,
    _ back: @escaping @Sendable (Other) -> Value
  ) -> Codec<Other> {
    Codec<Other>(
      decode: { (reader) throws(WireError) -> Other in
        let start = reader.offset
        guard let value = convert(try decode(&reader)) else {
          throw WireError(.expected("\(expected)"), offset: start)
        }
        return value
      },
      encode: { (value, writer) throws(WireError) in try encode(back(value), &writer) })
  }

  /// The same wire form for the values that satisfy the condition, in both directions.
  @inlinable public func validated(
    _ expected: StaticString, _ isValid: @escaping @Sendable (Value) -> Bool
  ) -> Codec {
    Codec(
      decode: { (reader) throws(WireError) -> Value in
        let start = reader.offset
        let value = try decode(&reader)
        guard isValid(value) else { throw WireError(.expected("\(expected)"), offset: start) }
        return value
      },
      encode: { (value, writer) throws(WireError) in
        guard isValid(value) else { throw writer.failure(.expected("\(expected)")) }
        try encode(value, &writer)
      })
  }

  /// A value that exists on the wire only from `version` on; in earlier versions it decodes to `absent` and is not
  /// written.
  @inlinable public func since(_ version: UInt16, otherwise absent: Value) -> Codec where Value: Sendable {
    Codec(
      decode: { (reader) throws(WireError) -> Value in
        reader.version >= version ? try decode(&reader) : absent
      },
      encode: { (value, writer) throws(WireError) in
        if writer.version >= version { try encode(value, &writer) }
      })
  }

  /// This form from `version` on, and `older` in earlier versions.
  @inlinable public func since(_ version: UInt16, before older: Codec) -> Codec {
    Codec(
      decode: { (reader) throws(WireError) -> Value in
        try (reader.version >= version ? self : older).decode(&reader)
      },
      encode: { (value, writer) throws(WireError) in
        try (writer.version >= version ? self : older).encode(value, &writer)
      })
  }

  /// A codec that is created on first use, for recursive types. Each use is one level of nesting.
  @inlinable public static func lazy(_ codec: @escaping @Sendable () -> Codec) -> Codec {
    Codec(
      decode: { (reader) throws(WireError) -> Value in
        guard reader.depth > 0 else { throw reader.failure(.tooDeep) }
        reader.depth -= 1
        let value = try codec().decode(&reader)
        reader.depth += 1
        return value
      },
      encode: { (value, writer) throws(WireError) in try codec().encode(value, &writer) })
  }
}
