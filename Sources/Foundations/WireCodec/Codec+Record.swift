/// One field of a record: its name for errors, its getter and its wire form.
public struct Field<Record, Value>: Sendable {
  @usableFromInline let name: StaticString
  @usableFromInline let get: @Sendable (Record) -> Value
  @usableFromInline let codec: Codec<Value>

  /// A field; `get` is usually a key path such as `\.body`.
  @inlinable public init(_ name: StaticString, _ get: @escaping @Sendable (Record) -> Value, _ codec: Codec<Value>) {
    self.name = name
    self.get = get
    self.codec = codec
  }

  @inlinable func decode(_ reader: inout Reader) throws(WireError) -> Value {
    do throws(WireError) {
      return try codec.decode(&reader)
    } catch {
      throw error.within(name)
    }
  }

  @inlinable func encode(_ record: Record, _ writer: inout Writer) throws(WireError) {
    do throws(WireError) {
      try codec.encode(get(record), &writer)
    } catch {
      throw error.within(name)
    }
  }
}

extension Codec {
  /// A record: its fields one after another, without separators.
  @inlinable public static func record<each Part>(
    _ fields: repeat Field<Value, each Part>, build: @escaping @Sendable (repeat each Part) -> Value
  ) -> Codec {
    let fields = (repeat each fields)
    return Codec(
      decode: { (reader) throws(WireError) -> Value in
        build(repeat try (each fields).decode(&reader))
      },
      encode: { (record, writer) throws(WireError) in
        repeat try (each fields).encode(record, &writer)
      })
  }

  /// A value with a fixed prefix before it.
  @inlinable public func after(_ prefix: StaticString) -> Codec {
    Codec(
      decode: { (reader) throws(WireError) -> Value in
        guard reader.take(prefix) else { throw reader.failure(.expected("\"\(prefix)\"")) }
        return try decode(&reader)
      },
      encode: { (value, writer) throws(WireError) in
        writer.append(literal: prefix)
        try encode(value, &writer)
      })
  }

  /// A value with a fixed suffix after it.
  @inlinable public func followed(by suffix: StaticString) -> Codec {
    Codec(
      decode: { (reader) throws(WireError) -> Value in
        let value = try decode(&reader)
        guard reader.take(suffix) else { throw reader.failure(.expected("\"\(suffix)\"")) }
        return value
      },
      encode: { (value, writer) throws(WireError) in
        try encode(value, &writer)
        writer.append(literal: suffix)
      })
  }
}

extension Codec where Value == Void {
  /// The empty form: no bytes.
  public static var empty: Codec {
    Codec(decode: { (_) throws(WireError) in }, encode: { (_, _) throws(WireError) in })
  }

  /// A fixed text.
  public static func literal(_ text: StaticString) -> Codec { Codec.empty.after(text) }
}
