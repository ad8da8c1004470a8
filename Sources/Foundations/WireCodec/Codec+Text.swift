// Textual primitives: the same codecs over UTF-8 bytes, for addresses, links and commands.

extension Codec where Value: FixedWidthInteger & SendableMetatype {
  /// Decimal digits, with a minus sign where the type has one; no leading `+`.
  public static var decimal: Codec {
    Codec(
      decode: { (reader) throws(WireError) -> Value in
        let start = reader.offset
        let isNegative = Value.isSigned && reader.take("-")
        var value = Value.zero
        let digits = reader.span { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        guard digits.byteCount > 0 else { throw WireError(.expected("a number"), offset: start) }
        for index in 0..<digits.byteCount {
          let digit = Value(digits.unsafeLoad(fromByteOffset: index, as: UInt8.self) - UInt8(ascii: "0"))
          let (tenfold, overflow1) = value.multipliedReportingOverflow(by: 10)
          let (next, overflow2) =
            isNegative ? tenfold.subtractingReportingOverflow(digit) : tenfold.addingReportingOverflow(digit)
          guard !overflow1, !overflow2 else {
            throw WireError(.expected("a number from \(Value.min) to \(Value.max)"), offset: start)
          }
          value = next
        }
        return value
      },
      encode: { (value, writer) throws(WireError) in writer.append(String(value)) })
  }
}

extension Codec where Value == String {
  /// Text up to the first of the `delimiters` or the end; at least one byte, valid UTF-8.
  public static func word(endingAt delimiters: StaticString = " ") -> Codec {
    let stops = Array(delimiters.description.utf8)
    return Codec(
      decode: { (reader) throws(WireError) -> String in
        let start = reader.offset
        let bytes = reader.span { !stops.contains($0) }
        guard bytes.byteCount > 0, let text = String(validating: bytes) else {
          throw WireError(.expected("a word"), offset: start)
        }
        return text
      },
      encode: { (text, writer) throws(WireError) in
        guard !text.isEmpty, !text.utf8.contains(where: stops.contains) else {
          throw writer.failure(.expected("a word"))
        }
        writer.append(text)
      })
  }

  /// All remaining text; may be empty.
  public static var tailText: Codec { Codec<[UInt8]>.tail.utf8 }
}

extension Codec {
  /// This value, a separator (by default a space) and the other value.
  public func pair<Other>(_ other: Codec<Other>, separator: StaticString = " ") -> Codec<(Value, Other)> {
    Codec<(Value, Other)>(
      decode: { (reader) throws(WireError) -> (Value, Other) in
        let first = try decode(&reader)
        guard reader.take(separator) else { throw reader.failure(.expected("\"\(separator)\"")) }
        return (first, try other.decode(&reader))
      },
      encode: { (value, writer) throws(WireError) in
        try encode(value.0, &writer)
        writer.append(literal: separator)
        try other.encode(value.1, &writer)
      })
  }

  /// At least `minimum` values with a separator between them.
  ///
  /// Each value reads as far as its codec does, so its form must not contain the separator.
  public func separated(by separator: StaticString = ",", atLeast minimum: Int = 1) -> Codec<[Value]> {
    Codec<[Value]>(
      decode: { (reader) throws(WireError) -> [Value] in
        var values: [Value] = []
        if minimum == 0, reader.isAtEnd { return values }
        repeat { values.append(try decode(&reader)) } while reader.take(separator)
        guard values.count >= minimum else { throw reader.failure(.expected("\(minimum) values")) }
        return values
      },
      encode: { (values, writer) throws(WireError) in
        guard values.count >= minimum else { throw writer.failure(.expected("\(minimum) values")) }
        for (index, value) in values.enumerated() {
          if index > 0 { writer.append(literal: separator) }
          try encode(value, &writer)
        }
      })
  }

  /// A value with `prefix` before it, or nothing.
  public func optional(after prefix: StaticString) -> Codec<Value?> {
    Codec<Value?>(
      decode: { (reader) throws(WireError) -> Value? in
        guard reader.take(prefix) else { return nil }
        return try decode(&reader)
      },
      encode: { (value, writer) throws(WireError) in
        guard let value else { return }
        writer.append(literal: prefix)
        try encode(value, &writer)
      })
  }

  /// This form in the text up to the first of the `delimiters` or the end; that text has to be consumed completely.
  ///
  /// Encoding fails where the form contains a delimiter.
  public func upTo(_ delimiters: StaticString) -> Codec {
    let stops = Array(delimiters.description.utf8)
    return Codec(
      decode: { (reader) throws(WireError) -> Value in
        let start = reader.offset
        let span = reader.span { !stops.contains($0) }
        var part = Reader(span, version: reader.version, depth: reader.depth, end: start + span.byteCount)
        let value = try decode(&part)
        try part.finish()
        return value
      },
      encode: { (value, writer) throws(WireError) in
        let start = writer.count
        try encode(value, &writer)
        guard !writer.bytes[start...].contains(where: stops.contains) else {
          throw WireError(.expected("text without any of \"\(delimiters)\""), offset: start)
        }
      })
  }
}
