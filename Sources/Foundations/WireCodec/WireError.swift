/// Why bytes could not be decoded, or a value could not be encoded.
///
/// All outside data (of peers, files and people) fails with this value and never traps. The error says what was wrong,
/// in which field (`path`, outermost first) and at which byte (`offset`).
public struct WireError: Error, Hashable, Sendable {
  /// What was wrong.
  public enum Kind: Hashable, Sendable {
    /// The input ended before the value did.
    case endOfInput
    /// The value ended before the input did; this many bytes were left.
    case trailingBytes(Int)
    /// The bytes are not a value of this type; the text names what was expected.
    case expected(String)
    /// A length or a count exceeds the limit of the format or of the reader.
    case tooLong(limit: Int)
    /// Values are nested deeper than the reader allows.
    case tooDeep
    /// A value cannot be written in the negotiated protocol version.
    case unsupportedVersion(UInt16)
  }

  /// What was wrong.
  public let kind: Kind
  /// The number of bytes of input consumed (or of output written) when the error was noticed.
  public let offset: Int
  /// Names of the fields that lead to the failed value, outermost first.
  public private(set) var path: [String] = []

  /// An error at a byte offset, not yet inside any named field.
  public init(_ kind: Kind, offset: Int = 0) {
    self.kind = kind
    self.offset = offset
  }

  /// The same error as reported by the value that has the failed one in the field `name`.
  public func within(_ name: StaticString) -> WireError {
    var error = self
    error.path.insert(name.description, at: 0)
    return error
  }
}

extension WireError: CustomStringConvertible {
  /// One line for people, for example `message.body: input ended early (at byte 12)`.
  public var description: String {
    let place = path.isEmpty ? "" : path.joined(separator: ".") + ": "
    return "\(place)\(kind) (at byte \(offset))"
  }
}

extension WireError.Kind: CustomStringConvertible {
  /// A short phrase for people.
  public var description: String {
    switch self {
    case .endOfInput: "input ended early"
    case .trailingBytes(let count): "\(count) bytes left over"
    case .expected(let what): "expected \(what)"
    case .tooLong(let limit): "longer than \(limit)"
    case .tooDeep: "nested too deep"
    case .unsupportedVersion(let version): "not possible in version \(version)"
    }
  }
}
