/// One alternative of a sum type: its tag and the wire form of its payload.
public struct Alternative<Sum>: Sendable {
  @usableFromInline let tag: [UInt8]
  @usableFromInline let hasPayload: Bool
  @usableFromInline let decode: @Sendable (inout Reader) throws(WireError) -> Sum
  /// Writes prefix and payload if the value is this alternative; otherwise writes nothing and returns false.
  @usableFromInline let encode: @Sendable (Sum, inout Writer, _ prefix: [UInt8]) throws(WireError) -> Bool

  /// An alternative with a payload: how to construct the sum from it, and how to extract it (nil: another case).
  public init<Payload>(
    _ tag: StaticString, _ payload: Codec<Payload>, _ embed: @escaping @Sendable (Payload) -> Sum,
    _ extract: @escaping @Sendable (Sum) -> Payload?
  ) {
    let name = tag.description
    self.tag = Array(name.utf8)
    hasPayload = true
    decode = { (reader) throws(WireError) -> Sum in
      do throws(WireError) {
        return embed(try payload.decode(&reader))
      } catch {
        throw error.within(tag)
      }
    }
    encode = { (sum, writer, prefix) throws(WireError) -> Bool in
      guard let value = extract(sum) else { return false }
      writer.append(prefix)
      do throws(WireError) {
        try payload.encode(value, &writer)
      } catch {
        throw error.within(tag)
      }
      return true
    }
  }

  /// An alternative without a payload.
  public init(_ tag: StaticString, _ value: Sum) where Sum: Equatable & Sendable {
    self.tag = Array(tag.description.utf8)
    hasPayload = false
    decode = { (_) throws(WireError) -> Sum in value }
    encode = { (sum, writer, prefix) throws(WireError) -> Bool in
      guard sum == value else { return false }
      writer.append(prefix)
      return true
    }
  }
}

extension Codec {
  /// A sum whose alternatives begin with a fixed tag, directly followed by the payload.
  ///
  /// The longest matching tag is taken, so that a tag may be a prefix of another one.
  public static func tagged(_ expected: StaticString, _ alternatives: Alternative<Value>...) -> Codec {
    let byLength = alternatives.sorted { $0.tag.count > $1.tag.count }
    return Codec(
      decode: { (reader) throws(WireError) -> Value in
        for alternative in byLength where reader.take(alternative.tag) {
          return try alternative.decode(&reader)
        }
        throw reader.failure(.expected("\(expected)"))
      },
      encode: encoder(expected, alternatives.map { ($0, $0.tag) }))
  }

  /// A sum whose alternatives are keywords: a run of bytes up to a space or the end, then a space and the payload
  /// if the alternative has one.
  public static func keywords(_ expected: StaticString, _ alternatives: Alternative<Value>...) -> Codec {
    keywords(expected, alternatives)
  }

  /// The same from an array.
  public static func keywords(_ expected: StaticString, _ alternatives: [Alternative<Value>]) -> Codec {
    let space = UInt8(ascii: " ")
    return Codec(
      decode: { (reader) throws(WireError) -> Value in
        let start = reader.offset
        let keyword = reader.span { $0 != space }
        for alternative in alternatives where keyword.elementsEqual(alternative.tag) {
          if alternative.hasPayload, !reader.take(" ") { throw reader.failure(.expected("a space")) }
          return try alternative.decode(&reader)
        }
        throw WireError(.expected("\(expected)"), offset: start)
      },
      encode: encoder(expected, alternatives.map { ($0, $0.hasPayload ? $0.tag + [space] : $0.tag) }))
  }

  private static func encoder(
    _ expected: StaticString, _ alternatives: [(Alternative<Value>, prefix: [UInt8])]
  ) -> @Sendable (Value, inout Writer) throws(WireError) -> Void {
    { (value, writer) throws(WireError) in
      for (alternative, prefix) in alternatives where try alternative.encode(value, &writer, prefix) { return }
      throw writer.failure(.expected("\(expected)"))
    }
  }
}

extension Reader {
  @_lifetime(self: copy self)
  mutating func take(_ tag: [UInt8]) -> Bool {
    guard tag.count <= rest.byteCount, rest.extracting(first: tag.count).elementsEqual(tag) else { return false }
    rest = rest.extracting(droppingFirst: tag.count)
    return true
  }
}

extension RawSpan {
  /// Whether the viewed bytes equal `bytes`.
  @inlinable public func elementsEqual(_ bytes: [UInt8]) -> Bool {
    guard byteCount == bytes.count else { return false }
    for index in 0..<bytes.count where unsafeLoad(fromByteOffset: index, as: UInt8.self) != bytes[index] {
      return false
    }
    return true
  }
}
