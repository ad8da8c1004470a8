/// Why bytes are not the JSON that was expected, and where.
public struct JSONError: Error, Hashable, Sendable {
  /// The kind of failure.
  public enum Reason: Hashable, Sendable {
    /// The text ends inside a value.
    case unexpectedEnd
    /// A byte that no JSON value can have at this position.
    case unexpectedByte(UInt8)
    /// The bytes of a string are not UTF-8 (overlong forms and surrogates are not).
    case invalidUTF8
    /// A `\` escape that JSON does not know, or half of a surrogate pair.
    case invalidEscape
    /// A number that JSON does not allow: a leading zero or plus, or a missing digit.
    case invalidNumber
    /// Something follows the value.
    case trailingBytes
    /// Arrays and objects are nested deeper than allowed.
    case tooDeep(limit: Int)
    /// The text is longer than allowed, in bytes.
    case tooLarge(limit: Int)
    /// There are more values and keys than allowed.
    case tooManyValues(limit: Int)
    /// The value has another type.
    case wrongType(expected: String)
    /// A required member is absent or null.
    case missingField
    /// A variant or an enumeration value that is not known.
    case unknownCase(String)
    /// A number or text outside the range of its type.
    case outOfRange(type: String)
    /// Text that does not have the form its type requires.
    case invalidText(type: String)
  }

  /// The kind of failure.
  public var reason: Reason
  /// Keys and array indices from the top of the document to the failed value.
  public var path: [String]
  /// The offset in bytes, for errors of syntax.
  public var offset: Int?

  /// An error at the current position.
  public init(_ reason: Reason, path: [String] = [], offset: Int? = nil) {
    self.reason = reason
    self.path = path
    self.offset = offset
  }

  /// The same error as reported by the object or array that holds the failed value under `key`.
  public func inside(_ key: String) -> JSONError {
    JSONError(reason, path: [key] + path, offset: offset)
  }
}

extension JSONError: CustomStringConvertible {
  /// One line with path and reason.
  public var description: String {
    let place = path.isEmpty ? "" : path.joined(separator: ".") + ": "
    let position = offset.map { " at byte \($0)" } ?? ""
    return place + reason.text + position
  }
}

extension JSONError.Reason {
  var text: String {
    switch self {
    case .unexpectedEnd: "unexpected end"
    case .unexpectedByte(let byte): "unexpected byte \(byte)"
    case .invalidUTF8: "invalid UTF-8"
    case .invalidEscape: "invalid escape"
    case .invalidNumber: "invalid number"
    case .trailingBytes: "bytes after the value"
    case .tooDeep(let limit): "nested deeper than \(limit)"
    case .tooLarge(let limit): "longer than \(limit) bytes"
    case .tooManyValues(let limit): "more than \(limit) values"
    case .wrongType(let expected): "expected \(expected)"
    case .missingField: "missing"
    case .unknownCase(let tag): "unknown variant \(tag)"
    case .outOfRange(let type): "out of range for \(type)"
    case .invalidText(let type): "not a valid \(type)"
    }
  }
}
