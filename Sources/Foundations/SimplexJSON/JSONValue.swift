/// Any JSON value, for data of unknown shape: custom data, variants of newer versions.
///
/// Nothing is lost: members keep their order, and numbers that are not 64-bit integers keep their text.
public enum JSONValue: Sendable {
  /// `null`
  case null
  /// `true` or `false`
  case bool(Bool)
  /// A whole number that fits 64 bits.
  case integer(Int64)
  /// Any other number, as it was written.
  case number(String)
  /// A text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Keys with values, in order.
  case object([Member])

  /// A member of an object.
  public struct Member: Sendable {
    /// The key.
    public var key: String
    /// The value.
    public var value: JSONValue

    /// A member `key` with `value`.
    public init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The member `key` if this is an object that has it; of several the first.
  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The element at `index` if this is an array that is long enough.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The text if this is a string.
  public var stringValue: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number if this is a 64-bit integer.
  public var integerValue: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The elements if this is an array.
  public var arrayValue: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members if this is an object.
  public var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }
}

extension JSONValue: JSONDecodable, JSONEncodable {
  /// Reads any value.
  public init(json: JSONNode) throws(JSONError) {
    switch json.token.kind {
    // A set of keys is not a value.
    case .null, .keys: self = .null
    case .yes: self = .bool(true)
    case .no: self = .bool(false)
    case .number:
      if let value = json.shortInteger() ?? Int64(json.numberText()) {
        self = .integer(value)
      } else {
        self = .number(json.numberText())
      }
    case .string, .escapedString: self = .string(try json.string())
    case .array: self = .array(try json.array())
    case .object: self = .object(try json.members())
    }
  }

  /// Writes the value.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .null: json.null()
    case .bool(let value): json.bool(value)
    case .integer(let value): json.integer(value)
    case .number(let text): json.verbatim(text)
    case .string(let text): json.string(text)
    case .array(let elements): json.array(elements)
    case .object(let members):
      json.beginObject()
      for member in members {
        json.key(member.key)
        member.value.encode(to: &json)
      }
      json.endObject()
    }
  }
}

extension JSONNode {
  fileprivate func members() throws(JSONError) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    var at = index + JSONToken.beforeMembers
    while at < Int(token.next) {
      let key = try JSONNode(bytes: bytes, tokens: tokens, index: at).string()
      members.append(.init(key, try JSONValue(json: JSONNode(bytes: bytes, tokens: tokens, index: at + 1))))
      at = Int(tokens[at + 1].next)
    }
    return members
  }
}

extension JSONValue: Hashable {
  /// Equal values; the order of an object's members does not matter.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)): a == b || Double(a) == Double(b)
    case (.integer(let a), .number(let b)), (.number(let b), .integer(let a)): Double(b) == Double(a)
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)):
      a.count == b.count && a.allSatisfy { left[$0.key] == right[$0.key] } && b.allSatisfy { left[$0.key] != nil }
    default: false
    }
  }

  /// Hashes what does not depend on order or number spelling.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer, .number: hasher.combine(1)
    case .string(let text): hasher.combine(text)
    case .array(let elements): hasher.combine(elements)
    case .object(let members): hasher.combine(members.count)
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A Boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// A list.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Keys with values.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}
