/// Why bytes could not be decoded, or a value could not be encoded.
///
/// Everything that comes from a peer, a file or a person fails with this value and never traps. The error says
/// what was wrong, where in the value (`path`, outermost field first) and where in the bytes (`offset`).
public struct WireError: Error, Hashable, Sendable {
  /// What was wrong.
  public enum Kind: Hashable, Sendable {
    /// The input ended before the value did.
    case endOfInput
    /// The value ended before the input did; this many bytes were left.
    case trailingBytes(Int)
    /// The bytes are no value of this type; the text names what was expected.
    case expected(String)
    /// A length or a count is above the limit that the format or the reader sets.
    case tooLong(limit: Int)
    /// Values are nested deeper than the reader allows.
    case tooDeep
    /// A value cannot be written in the protocol version that was agreed.
    case unsupportedVersion(UInt16)
  }

  /// What was wrong.
  public let kind: Kind
  /// Bytes of input consumed (or of output written) when it was noticed.
  public let offset: Int
  /// Names of the fields that lead to the place, outermost first.
  public private(set) var path: [String] = []

  /// An error at a byte offset, not yet inside any named field.
  public init(_ kind: Kind, offset: Int = 0) {
    self.kind = kind
    self.offset = offset
  }

  /// The same error, seen from the value that has it in the field `name`.
  public func within(_ name: StaticString) -> WireError {
    var error = self
    error.path.insert(name.description, at: 0)
    return error
  }
}

extension WireError: CustomStringConvertible {
  /// One line for a person, for example `message.body: input ended early (at byte 12)`.
  public var description: String {
    let place = path.isEmpty ? "" : path.joined(separator: ".") + ": "
    return "\(place)\(kind) (at byte \(offset))"
  }
}

extension WireError.Kind: CustomStringConvertible {
  /// A short phrase for a person.
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
