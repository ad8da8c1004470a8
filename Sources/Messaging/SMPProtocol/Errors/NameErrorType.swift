import SimplexJSON
import WireCodec

/// Why a relay does not resolve a name. Source: simplex-messaging.md, "Resolve name command".
public enum NameErrorType: Error, Hashable, Sendable {
  /// This relay resolves no names; another one may.
  case NO_RESOLVER
  /// There is no such name.
  case NOT_FOUND
  /// The relay's resolver failed; a retry may help.
  case RESOLVER(resolverErr: String)
}

extension NameErrorType {
  /// The wire form, which is the text form too, and ends with the input.
  public static let codec: Codec<NameErrorType> = .keywords(
    "a name error",
    Alternative("NO_RESOLVER", .NO_RESOLVER),
    Alternative("NOT_FOUND", .NOT_FOUND),
    Alternative(
      "RESOLVER", .repairedText, { .RESOLVER(resolverErr: $0) },
      { if case .RESOLVER(let error) = $0 { error } else { nil } }))
}

extension NameErrorType: JSONCodable {
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "NO_RESOLVER": self = .NO_RESOLVER
    case "NOT_FOUND": self = .NOT_FOUND
    case "RESOLVER": self = try .RESOLVER(resolverErr: fields.get("resolverErr"))
    default: throw fields.unknownTag()
    }
  }

  public func encode(to json: inout JSONWriter) {
    switch self {
    case .NO_RESOLVER: json.tag("NO_RESOLVER")
    case .NOT_FOUND: json.tag("NOT_FOUND")
    case .RESOLVER(let error): json.sum("RESOLVER", "resolverErr", error)
    }
  }
}
