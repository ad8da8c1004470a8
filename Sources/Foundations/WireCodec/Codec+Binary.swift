// The binary primitives of the SMP encoding (simplex-messaging.md, "SMP encoding"; Encoding in the protocol documents).

extension Codec where Value: FixedWidthInteger & BitwiseCopyable & SendableMetatype {
  /// A fixed-width integer in network byte order (Word16, Word32, Int64 of the protocol).
  @inlinable public static var integer: Codec {
    Codec(
      decode: { (reader) throws(WireError) -> Value in try reader.integer() },
      encode: { (value, writer) throws(WireError) in writer.append(integer: value) })
  }
}

extension Codec where Value == Bool {
  /// `T` or `F`.
  public static var bool: Codec {
    Codec<UInt8>.integer.compactMap(
      "T or F",
      { $0 == UInt8(ascii: "T") ? true : $0 == UInt8(ascii: "F") ? false : nil },
      { $0 ? UInt8(ascii: "T") : UInt8(ascii: "F") })
  }
}

extension Codec where Value == [UInt8] {
  /// Up to 255 bytes after a 1-byte length.
  public static var short: Codec { sized(UInt8.self) }

  /// Up to 65,535 bytes after a 2-byte length.
  public static var large: Codec { sized(UInt16.self) }

  /// All remaining bytes.
  public static var tail: Codec {
    Codec(
      decode: { (reader) throws(WireError) -> [UInt8] in [UInt8](copying: reader.restSpan()) },
      encode: { (bytes, writer) throws(WireError) in writer.append(bytes) })
  }

  /// Exactly `count` bytes without a length prefix.
  public static func fixed(_ count: Int) -> Codec {
    Codec(
      decode: { (reader) throws(WireError) -> [UInt8] in try reader.bytes(count) },
      encode: { (bytes, writer) throws(WireError) in
        guard bytes.count == count else { throw writer.failure(.expected("\(count) bytes")) }
        writer.append(bytes)
      })
  }

  /// Bytes after their length as an integer of type `Length`.
  static func sized<Length: FixedWidthInteger & UnsignedInteger & BitwiseCopyable & SendableMetatype>(
    _ type: Length.Type
  ) -> Codec {
    Codec(
      decode: { (reader) throws(WireError) -> [UInt8] in
        let length = try reader.integer(Length.self)
        return try reader.bytes(Int(clamping: length))
      },
      encode: { (bytes, writer) throws(WireError) in
        guard let length = Length(exactly: bytes.count) else {
          throw writer.failure(.tooLong(limit: Int(clamping: Length.max)))
        }
        writer.append(integer: length)
        writer.append(bytes)
      })
  }
}

extension Codec where Value == String {
  /// UTF-8 text of up to 255 bytes after a 1-byte length.
  public static var shortText: Codec { Codec<[UInt8]>.short.utf8 }

  /// UTF-8 text of up to 65,535 bytes after a 2-byte length.
  public static var largeText: Codec { Codec<[UInt8]>.large.utf8 }
}

extension Codec where Value == [UInt8] {
  /// The same bytes as text; decoding fails where they are not UTF-8.
  public var utf8: Codec<String> {
    compactMap("UTF-8 text", { String(validating: $0, as: UTF8.self) }, { Array($0.utf8) })
  }
}

extension Codec {
  /// This form inside a 2-byte length; its bytes have to be consumed completely. One level of nesting.
  public var inLarge: Codec { within(UInt16.self) }

  /// This form inside a 1-byte length; its bytes have to be consumed completely. One level of nesting.
  public var inShort: Codec { within(UInt8.self) }

  private func within<Length: FixedWidthInteger & UnsignedInteger & BitwiseCopyable & SendableMetatype>(
    _ type: Length.Type
  ) -> Codec {
    Codec(
      decode: { (reader) throws(WireError) -> Value in
        let length = try reader.integer(Length.self)
        var inner = try reader.nested(Int(clamping: length))
        let value = try decode(&inner)
        try inner.finish()
        return value
      },
      encode: { (value, writer) throws(WireError) in
        try writer.sized(Length.self) { (writer) throws(WireError) in try encode(value, &writer) }
      })
  }

  /// `0`, or `1` and a value (Maybe of the protocol).
  public var optional: Codec<Value?> {
    Codec<Value?>(
      decode: { (reader) throws(WireError) -> Value? in
        switch try reader.byte() {
        case UInt8(ascii: "0"): return nil
        case UInt8(ascii: "1"): return try decode(&reader)
        default: throw WireError(.expected("0 or 1"), offset: reader.offset - 1)
        }
      },
      encode: { (value, writer) throws(WireError) in
        guard let value else { return writer.append(UInt8(ascii: "0")) }
        writer.append(UInt8(ascii: "1"))
        try encode(value, &writer)
      })
  }

  /// Up to 255 values after a 1-byte count.
  public var list: Codec<[Value]> { list(atLeast: 0) }

  /// One to 255 values after a 1-byte count.
  public var nonEmptyList: Codec<[Value]> { list(atLeast: 1) }

  private func list(atLeast minimum: Int) -> Codec<[Value]> {
    Codec<[Value]>(
      decode: { (reader) throws(WireError) -> [Value] in
        let count = Int(try reader.byte())
        guard count >= minimum else { throw WireError(.expected("a non-empty list"), offset: reader.offset - 1) }
        var values: [Value] = []
        // The count comes from the sender: never reserve more than the bytes could hold.
        values.reserveCapacity(Swift.min(count, reader.remaining))
        for _ in 0..<count { values.append(try decode(&reader)) }
        return values
      },
      encode: { (values, writer) throws(WireError) in
        guard values.count >= minimum else { throw writer.failure(.expected("a non-empty list")) }
        guard let count = UInt8(exactly: values.count) else { throw writer.failure(.tooLong(limit: 255)) }
        writer.append(count)
        for value in values { try encode(value, &writer) }
      })
  }
}
