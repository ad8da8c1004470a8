import SimplexJSON
import WireCodec

/// Why a relay could not forward a command to another relay. Source: simplex-messaging.md, "Error responses".
public indirect enum ProxyError: Error, Hashable, Sendable {
  /// The other relay answered with this error.
  case PROTOCOL(protocolErr: ProtocolErrorType)
  /// The other relay could not be reached, or violated the protocol.
  case BROKER(brokerErr: BrokerErrorType)
  /// The password for using this proxy is wrong or missing.
  case BASIC_AUTH
  /// The proxy has no such session with another relay, or no longer has it.
  case NO_SESSION
}

extension ProxyError {
  /// The wire form, which ends with the input.
  public static let codec: Codec<ProxyError> = form(.lazy { ProtocolErrorType.codec }, BrokerErrorType.codec)

  /// The text form.
  public static let textCodec: Codec<ProxyError> = form(
    .lazy { ProtocolErrorType.textCodec }, BrokerErrorType.textCodec)

  private static func form(
    _ protocolError: Codec<ProtocolErrorType>, _ brokerError: Codec<BrokerErrorType>
  ) -> Codec<ProxyError> {
    .keywords(
      "a proxy error",
      Alternative(
        "PROTOCOL", protocolError, { .PROTOCOL(protocolErr: $0) },
        { if case .PROTOCOL(let error) = $0 { error } else { nil } }),
      Alternative(
        "BROKER", brokerError, { .BROKER(brokerErr: $0) }, { if case .BROKER(let error) = $0 { error } else { nil } }),
      Alternative("BASIC_AUTH", .BASIC_AUTH),
      Alternative("NO_SESSION", .NO_SESSION))
  }
}

extension ProxyError: JSONCodable {
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "PROTOCOL": self = try .PROTOCOL(protocolErr: fields.get("protocolErr"))
    case "BROKER": self = try .BROKER(brokerErr: fields.get("brokerErr"))
    case "BASIC_AUTH": self = .BASIC_AUTH
    case "NO_SESSION": self = .NO_SESSION
    default: throw fields.unknownTag()
    }
  }

  public func encode(to json: inout JSONWriter) {
    switch self {
    case .PROTOCOL(let error): json.sum("PROTOCOL", "protocolErr", error)
    case .BROKER(let error): json.sum("BROKER", "brokerErr", error)
    case .BASIC_AUTH: json.tag("BASIC_AUTH")
    case .NO_SESSION: json.tag("NO_SESSION")
    }
  }
}
