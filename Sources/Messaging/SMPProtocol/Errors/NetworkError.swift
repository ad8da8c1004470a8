import SimplexJSON
import WireCodec

/// Why there is no connection. Source: simplex-messaging.md, "Error responses".
public enum NetworkError: Error, Hashable, Sendable {
  /// The host or the proxy to it cannot be reached.
  case connectError(connectError: String)
  /// TLS failed.
  case tLSError(tlsError: String)
  /// The relay's certificate does not match its address.
  case unknownCAError
  /// Any other failure.
  case failedError
  /// The deadline passed.
  case timeoutError
  /// Subscribing failed with the connection.
  case subscribeError(subscribeError: String)
}

extension NetworkError {
  /// The wire form.
  public static let codec: Codec<NetworkError> = form(.repairedShortText)

  /// The text form, whose texts extend to the end instead of having a length.
  public static let textCodec: Codec<NetworkError> = form(.repairedText)

  private static func form(_ text: Codec<String>) -> Codec<NetworkError> {
    .keywords(
      "a network error",
      Alternative(
        "CONNECT", text, { .connectError(connectError: $0) },
        { if case .connectError(let error) = $0 { error } else { nil } }),
      Alternative(
        "TLS", text, { .tLSError(tlsError: $0) }, { if case .tLSError(let error) = $0 { error } else { nil } }),
      Alternative("UNKNOWNCA", .unknownCAError),
      Alternative("FAILED", .failedError),
      Alternative("TIMEOUT", .timeoutError),
      Alternative(
        "SUBSCRIBE", text, { .subscribeError(subscribeError: $0) },
        { if case .subscribeError(let error) = $0 { error } else { nil } }))
  }
}

extension NetworkError: JSONCodable {
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "connectError": self = try .connectError(connectError: fields.get("connectError"))
    case "tLSError": self = try .tLSError(tlsError: fields.get("tlsError"))
    case "unknownCAError": self = .unknownCAError
    case "failedError": self = .failedError
    case "timeoutError": self = .timeoutError
    case "subscribeError": self = try .subscribeError(subscribeError: fields.get("subscribeError"))
    default: throw fields.unknownTag()
    }
  }

  public func encode(to json: inout JSONWriter) {
    switch self {
    case .connectError(let error): json.sum("connectError", "connectError", error)
    case .tLSError(let error): json.sum("tLSError", "tlsError", error)
    case .unknownCAError: json.tag("unknownCAError")
    case .failedError: json.tag("failedError")
    case .timeoutError: json.tag("timeoutError")
    case .subscribeError(let error): json.sum("subscribeError", "subscribeError", error)
    }
  }
}
