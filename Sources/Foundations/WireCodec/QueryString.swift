/// The parameters of a URI's query, in order. Values are bytes, since not every value is text.
///
/// Written with percent-encoding of everything but unreserved characters (RFC 3986 section 2.3); read with `+` as a
/// space, as the links of the network require.
public struct QueryString: Hashable, Sendable {
  /// One parameter.
  public struct Parameter: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// Its value, percent-decoded.
    public var value: [UInt8]

    public init(name: String, value: [UInt8]) {
      self.name = name
      self.value = value
    }
  }

  /// All parameters, in order; a name may occur more than once.
  public var parameters: [Parameter]

  public init(_ parameters: [Parameter] = []) { self.parameters = parameters }

  /// The value of the first parameter with this name.
  public subscript(name: String) -> [UInt8]? {
    parameters.first { $0.name == name }?.value
  }

  /// Adds a parameter with a textual value at the end.
  public mutating func append(_ name: String, _ value: String) {
    parameters.append(Parameter(name: name, value: Array(value.utf8)))
  }

  /// The value of the first parameter with this name, decoded whole; nil where there is none.
  public func value<Value>(_ name: StaticString, _ codec: Codec<Value>) throws(WireError) -> Value? {
    guard let bytes = self[name.description] else { return nil }
    do throws(WireError) {
      return try codec.decode(bytes)
    } catch {
      throw error.within(name)
    }
  }

  /// As ``value(_:_:)``, where the parameter has to be present.
  public func required<Value>(_ name: StaticString, _ codec: Codec<Value>) throws(WireError) -> Value {
    guard let value = try value(name, codec) else { throw WireError(.expected("the parameter \(name)")) }
    return value
  }

  /// Adds a parameter with the textual form of a value at the end.
  public mutating func append<Value>(_ name: String, _ value: Value, _ codec: Codec<Value>) throws(WireError) {
    parameters.append(Parameter(name: name, value: try codec.encode(value)))
  }
}

extension QueryString {
  /// The query text after the `?`, up to a space or the end; accepts any text whose percent-encoding is valid.
  public static let codec = Codec<QueryString>(
    decode: { (reader) throws(WireError) -> QueryString in
      let start = reader.offset
      let text = [UInt8](copying: reader.span { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") })
      var query = QueryString()
      for part in text.split(separator: UInt8(ascii: "&")) {
        let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
        guard let nameBytes = PercentEncoding.decode(part[..<equals]),
          let name = String(validating: nameBytes, as: UTF8.self),
          let value = PercentEncoding.decode(part[equals...].dropFirst())
        else { throw WireError(.expected("a query string"), offset: start) }
        query.parameters.append(Parameter(name: name, value: value))
      }
      return query
    },
    encode: { (query, writer) throws(WireError) in
      for (index, parameter) in query.parameters.enumerated() {
        if index > 0 { writer.append(UInt8(ascii: "&")) }
        writer.append(PercentEncoding.encode(Array(parameter.name.utf8)))
        writer.append(UInt8(ascii: "="))
        writer.append(PercentEncoding.encode(parameter.value))
      }
    })
}

/// Percent-encoding of URIs (RFC 3986 section 2.1).
public enum PercentEncoding {
  /// `bytes` with everything but letters, digits and `-_.~` as `%XX`.
  public static func encode(_ bytes: [UInt8]) -> [UInt8] {
    let hex = Array("0123456789ABCDEF".utf8)
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    for byte in bytes {
      if isUnreserved(byte) {
        output.append(byte)
      } else {
        output.append(UInt8(ascii: "%"))
        output.append(hex[Int(byte >> 4)])
        output.append(hex[Int(byte & 15)])
      }
    }
    return output
  }

  /// The decoded bytes; nil where a `%` is not followed by two hexadecimal digits. `plusIsSpace` as in query strings.
  public static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = true) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    var bytes = text.makeIterator()
    while let byte = bytes.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = bytes.next().flatMap(hexValue), let low = bytes.next().flatMap(hexValue) else { return nil }
        output.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: output.append(UInt8(ascii: " "))
      default: output.append(byte)
      }
    }
    return output
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
