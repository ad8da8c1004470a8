import SimplexJSON
import WireCodec

/// Why communication with a relay failed. Source: simplex-messaging.md, "Error responses".
public enum BrokerErrorType: Error, Hashable, Sendable {
  /// Its response is malformed.
  case RESPONSE(respErr: String)
  /// Its response does not belong to this command.
  case UNEXPECTED(respErr: String)
  /// It cannot be reached.
  case NETWORK(networkError: NetworkError)
  /// None of its hosts may be used: onion where a public one is required, or the other way round.
  case HOST
  /// The client side has no service credentials.
  case NO_SERVICE
  /// The handshake or the framing failed.
  case TRANSPORT(transportErr: ProtocolTransportError)
  /// It did not respond before the deadline.
  case TIMEOUT
}

extension BrokerErrorType {
  /// The wire form, which ends with the input. The details of `NETWORK` are never sent; they are read as
  /// ``NetworkError/failedError`` unless a peer sends them.
  public static let codec: Codec<BrokerErrorType> = form(.repairedShortText, NetworkError.codec)

  /// The text form, whose texts extend to the end instead of having a length.
  public static let textCodec: Codec<BrokerErrorType> = form(.repairedText, NetworkError.textCodec)

  private static func form(_ text: Codec<String>, _ network: Codec<NetworkError>) -> Codec<BrokerErrorType> {
    let details: Codec<NetworkError?> = network.optional(after: " ")
    let others = Codec<BrokerErrorType>.keywords(
      "a broker error",
      Alternative(
        "RESPONSE", text, { .RESPONSE(respErr: $0) }, { if case .RESPONSE(let error) = $0 { error } else { nil } }),
      Alternative(
        "UNEXPECTED", text, { .UNEXPECTED(respErr: $0) },
        { if case .UNEXPECTED(let error) = $0 { error } else { nil } }),
      Alternative("HOST", .HOST),
      Alternative("NO_SERVICE", .NO_SERVICE),
      Alternative(
        "TRANSPORT", ProtocolTransportError.codec, { .TRANSPORT(transportErr: $0) },
        { if case .TRANSPORT(let error) = $0 { error } else { nil } }),
      Alternative("TIMEOUT", .TIMEOUT))
    return Codec(
      decode: { (reader) throws(WireError) -> BrokerErrorType in
        guard reader.take("NETWORK") else { return try others.decode(&reader) }
        return .NETWORK(networkError: try details.decode(&reader) ?? .failedError)
      },
      encode: { (error, writer) throws(WireError) in
        if case .NETWORK = error { return writer.append(literal: "NETWORK") }
        try others.encode(error, &writer)
      })
  }
}

extension BrokerErrorType: JSONCodable {
  /// Reads the variant. A `NETWORK` error without details is ``NetworkError/failedError``.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "RESPONSE": self = try .RESPONSE(respErr: fields.get("respErr"))
    case "UNEXPECTED": self = try .UNEXPECTED(respErr: fields.get("respErr"))
    case "NETWORK": self = try .NETWORK(networkError: fields.get("networkError", default: .failedError))
    case "HOST": self = .HOST
    case "NO_SERVICE": self = .NO_SERVICE
    case "TRANSPORT": self = try .TRANSPORT(transportErr: fields.get("transportErr"))
    case "TIMEOUT": self = .TIMEOUT
    default: throw fields.unknownTag()
    }
  }

  public func encode(to json: inout JSONWriter) {
    switch self {
    case .RESPONSE(let error): json.sum("RESPONSE", "respErr", error)
    case .UNEXPECTED(let error): json.sum("UNEXPECTED", "respErr", error)
    case .NETWORK(let error): json.sum("NETWORK", "networkError", error)
    case .HOST: json.tag("HOST")
    case .NO_SERVICE: json.tag("NO_SERVICE")
    case .TRANSPORT(let error): json.sum("TRANSPORT", "transportErr", error)
    case .TIMEOUT: json.tag("TIMEOUT")
    }
  }
}
