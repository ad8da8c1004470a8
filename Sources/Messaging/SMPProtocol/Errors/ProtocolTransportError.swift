import SimplexJSON
import WireCodec

/// Why a connection cannot carry the protocol. Source: simplex-messaging.md, "Error responses".
public enum ProtocolTransportError: Error, Hashable, Sendable {
  /// A block is malformed.
  case badBlock
  /// The parties have no version in common.
  case version
  /// A transmission does not fit in a block.
  case largeMsg
  /// The session identifier in the handshake is not this connection's.
  case badSession
  /// The relay provided no key, but the command needs one to be authorized.
  case noServerAuth
  /// The handshake failed.
  case handshake(handshakeErr: SMPHandshakeError)
}

/// Why a handshake failed. Source: simplex-messaging.md, "Transport handshake".
public enum SMPHandshakeError: String, Error, Hashable, Sendable, CaseIterable {
  /// A hello is malformed.
  case PARSE
  /// The client expects another relay.
  case IDENTITY
  /// The key in a hello is not signed correctly.
  case BAD_AUTH
  /// The relay cannot register the client as a service.
  case BAD_SERVICE
}

extension ProtocolTransportError {
  /// The wire form; also the text form.
  public static let codec = Codec<ProtocolTransportError>.keywords(
    "a transport error",
    Alternative("BLOCK", .badBlock),
    Alternative("VERSION", .version),
    Alternative("LARGE_MSG", .largeMsg),
    Alternative("SESSION", .badSession),
    Alternative("NO_AUTH", .noServerAuth),
    Alternative(
      "HANDSHAKE", SMPHandshakeError.codec, { .handshake(handshakeErr: $0) },
      { if case .handshake(let error) = $0 { error } else { nil } }))
}

extension SMPHandshakeError {
  /// The name of the error.
  public static let codec: Codec<SMPHandshakeError> = Codec<String>.word().compactMap(
    "a handshake error", { SMPHandshakeError(rawValue: $0) }, \.rawValue)
}

extension ProtocolTransportError: JSONCodable {
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "badBlock": self = .badBlock
    case "version": self = .version
    case "largeMsg": self = .largeMsg
    case "badSession": self = .badSession
    case "noServerAuth": self = .noServerAuth
    case "handshake": self = try .handshake(handshakeErr: fields.get("handshakeErr"))
    default: throw fields.unknownTag()
    }
  }

  public func encode(to json: inout JSONWriter) {
    switch self {
    case .badBlock: json.tag("badBlock")
    case .version: json.tag("version")
    case .largeMsg: json.tag("largeMsg")
    case .badSession: json.tag("badSession")
    case .noServerAuth: json.tag("noServerAuth")
    case .handshake(let error): json.sum("handshake", "handshakeErr", error)
    }
  }
}

extension SMPHandshakeError: JSONCodable {
  public init(json: JSONNode) throws(JSONError) {
    let fields = try json.sum()
    guard let error = SMPHandshakeError(rawValue: fields.tag) else { throw fields.unknownTag() }
    self = error
  }

  public func encode(to json: inout JSONWriter) {
    switch self {
    case .PARSE: json.tag("PARSE")
    case .IDENTITY: json.tag("IDENTITY")
    case .BAD_AUTH: json.tag("BAD_AUTH")
    case .BAD_SERVICE: json.tag("BAD_SERVICE")
    }
  }
}
