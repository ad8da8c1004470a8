/// A type that reads itself from JSON.
public protocol JSONDecodable {
  /// Decodes the value; the error says why it is malformed.
  init(json: JSONNode) throws(JSONError)

  /// The value of an absent or null member; nil if that is an error.
  static var jsonAbsent: Self? { get }
}

/// A type that writes itself as JSON.
public protocol JSONEncodable {
  /// Writes exactly one value.
  func encode(to json: inout JSONWriter)

  /// Whether the member that would hold this value is left out.
  var isJSONAbsent: Bool { get }
}

/// A type that has one JSON form for both directions.
public typealias JSONCodable = JSONDecodable & JSONEncodable

extension JSONDecodable {
  /// Absence is an error.
  @inlinable public static var jsonAbsent: Self? { nil }

  /// Parses one JSON text.
  public init(jsonText: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    let document = try JSONDocument(parsing: jsonText, limits: limits)
    try self.init(json: document.root)
  }

  /// Parses one JSON text given as UTF-8.
  public init(jsonBytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    let document = try JSONDocument(parsing: jsonBytes, limits: limits)
    try self.init(json: document.root)
  }
}

extension JSONEncodable {
  /// The member is always written.
  @inlinable public var isJSONAbsent: Bool { false }

  /// The JSON text, UTF-8.
  public func jsonBytes(sums: JSONSums = .tagged) -> [UInt8] {
    var writer = JSONWriter(sums: sums)
    encode(to: &writer)
    return writer.bytes
  }

  /// The JSON text.
  public func jsonText(sums: JSONSums = .tagged) -> String {
    String(decoding: jsonBytes(sums: sums), as: UTF8.self)
  }
}

// MARK: - Enumerations of plain strings

extension JSONDecodable where Self: RawRepresentable, RawValue == String {
  /// Reads the name of a case.
  @inlinable
  public init(json: JSONNode) throws(JSONError) {
    let name = try json.string()
    guard let value = Self(rawValue: name) else { throw JSONError(.unknownCase(name)) }
    self = value
  }
}

extension JSONEncodable where Self: RawRepresentable, RawValue == String {
  /// Writes the name of the case.
  @inlinable public func encode(to json: inout JSONWriter) { json.string(rawValue) }
}

// MARK: - Standard types

extension Bool: JSONDecodable, JSONEncodable {
  /// Reads `true` or `false`.
  @inlinable public init(json: JSONNode) throws(JSONError) { self = try json.bool() }
  /// Writes `true` or `false`.
  @inlinable public func encode(to json: inout JSONWriter) { json.bool(self) }
}

extension String: JSONDecodable, JSONEncodable {
  /// Reads a string.
  @inlinable public init(json: JSONNode) throws(JSONError) { self = try json.string() }
  /// Writes a string.
  @inlinable public func encode(to json: inout JSONWriter) { json.string(self) }
}

extension Double: JSONDecodable, JSONEncodable {
  /// Reads a number.
  @inlinable public init(json: JSONNode) throws(JSONError) { self = try json.double() }
  /// Writes a number.
  @inlinable public func encode(to json: inout JSONWriter) { json.double(self) }
}

extension JSONDecodable where Self: FixedWidthInteger {
  /// Reads a whole number within the range of the type.
  @inlinable public init(json: JSONNode) throws(JSONError) { self = try json.integer() }
}

extension JSONEncodable where Self: FixedWidthInteger {
  /// Writes a number.
  @inlinable public func encode(to json: inout JSONWriter) { json.integer(self) }
}

extension Int: JSONDecodable, JSONEncodable {}
extension Int64: JSONDecodable, JSONEncodable {}
extension UInt16: JSONDecodable, JSONEncodable {}
extension UInt32: JSONDecodable, JSONEncodable {}
extension UInt64: JSONDecodable, JSONEncodable {}

extension Optional: JSONDecodable where Wrapped: JSONDecodable {
  /// Absence is nil.
  @inlinable public static var jsonAbsent: Wrapped?? { .some(nil) }
  /// Reads the value; `null` is nil.
  @inlinable public init(json: JSONNode) throws(JSONError) { self = json.isNull ? nil : try Wrapped(json: json) }
}

extension Optional: JSONEncodable where Wrapped: JSONEncodable {
  /// Members that are nil are left out.
  @inlinable public var isJSONAbsent: Bool { self == nil }
  /// Writes the value; nil becomes `null` where a value is required.
  @inlinable public func encode(to json: inout JSONWriter) {
    if let value = self { value.encode(to: &json) } else { json.null() }
  }
}

extension Array: JSONDecodable where Element: JSONDecodable {
  /// Reads an array.
  @inlinable public init(json: JSONNode) throws(JSONError) { self = try json.array() }
}

extension Array: JSONEncodable where Element: JSONEncodable {
  /// Writes an array, also if it is empty.
  @inlinable public func encode(to json: inout JSONWriter) { json.array(self) }
}

extension Dictionary: JSONDecodable where Key == String, Value: JSONDecodable {
  /// Reads an object as a map.
  @inlinable public init(json: JSONNode) throws(JSONError) { self = try json.dictionary() }
}

extension Dictionary: JSONEncodable where Key == String, Value: JSONEncodable {
  /// Writes an object, its keys in ascending order so that equal values have equal texts.
  @inlinable public func encode(to json: inout JSONWriter) {
    json.beginObject()
    for (key, value) in self.sorted(by: { $0.key < $1.key }) {
      json.key(key)
      value.encode(to: &json)
    }
    json.endObject()
  }
}
