import SimplexJSON
import WireCodec

/// What is wrong with a command. Source: simplex-messaging.md, "Error responses".
public enum ProtocolCommandError: String, Error, Hashable, Sendable, CaseIterable {
  /// There is no such command.
  case UNKNOWN
  /// Its parameters cannot be read.
  case SYNTAX
  /// It is not allowed in this session or state.
  case PROHIBITED
  /// It needs an authorization or an entity that the transmission does not have.
  case NO_AUTH
  /// The transmission has an authorization or an entity that the command must not have.
  case HAS_AUTH
  /// It needs an entity that the transmission does not have.
  case NO_ENTITY
}

extension ProtocolCommandError {
  /// The name of the error. Old relays write `NO_QUEUE` for `NO_ENTITY`.
  public static let codec: Codec<ProtocolCommandError> = Codec<String>.word().compactMap(
    "a command error", { $0 == "NO_QUEUE" ? .NO_ENTITY : ProtocolCommandError(rawValue: $0) }, \.rawValue)
}

extension ProtocolCommandError: JSONCodable {
  public init(json: JSONNode) throws(JSONError) {
    let fields = try json.sum()
    guard let error = ProtocolCommandError(rawValue: fields.tag) else { throw fields.unknownTag() }
    self = error
  }

  public func encode(to json: inout JSONWriter) {
    switch self {
    case .UNKNOWN: json.tag("UNKNOWN")
    case .SYNTAX: json.tag("SYNTAX")
    case .PROHIBITED: json.tag("PROHIBITED")
    case .NO_AUTH: json.tag("NO_AUTH")
    case .HAS_AUTH: json.tag("HAS_AUTH")
    case .NO_ENTITY: json.tag("NO_ENTITY")
    }
  }
}
