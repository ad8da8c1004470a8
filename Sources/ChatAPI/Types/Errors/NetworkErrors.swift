import SimplexJSON

/// Errors of the connection to a server.
public indirect enum BrokerErrorType: JSONCodable, Hashable, Sendable, Error {
  case RESPONSE(respErr: String)
  case UNEXPECTED(respErr: String)
  case NETWORK(networkError: NetworkError)
  case HOST
  case NO_SERVICE
  case TRANSPORT(transportErr: ProtocolTransportError)
  case TIMEOUT

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "RESPONSE": self = try .RESPONSE(respErr: fields.get("respErr"))
    case "UNEXPECTED": self = try .UNEXPECTED(respErr: fields.get("respErr"))
    case "NETWORK": self = try .NETWORK(networkError: fields.get("networkError"))
    case "HOST": self = .HOST
    case "NO_SERVICE": self = .NO_SERVICE
    case "TRANSPORT": self = try .TRANSPORT(transportErr: fields.get("transportErr"))
    case "TIMEOUT": self = .TIMEOUT
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .RESPONSE(let respErr): json.sum("RESPONSE", "respErr", respErr)
    case .UNEXPECTED(let respErr): json.sum("UNEXPECTED", "respErr", respErr)
    case .NETWORK(let networkError): json.sum("NETWORK", "networkError", networkError)
    case .HOST: json.tag("HOST")
    case .NO_SERVICE: json.tag("NO_SERVICE")
    case .TRANSPORT(let transportErr): json.sum("TRANSPORT", "transportErr", transportErr)
    case .TIMEOUT: json.tag("TIMEOUT")
    }
  }
}

/// Errors of the network.
public enum NetworkError: JSONCodable, Hashable, Sendable, Error {
  case connectError(connectError: String)
  case tLSError(tlsError: String)
  case unknownCAError
  case failedError
  case timeoutError
  case subscribeError(subscribeError: String)

  /// Reads the variant.
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

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .connectError(let connectError): json.sum("connectError", "connectError", connectError)
    case .tLSError(let tlsError): json.sum("tLSError", "tlsError", tlsError)
    case .unknownCAError: json.tag("unknownCAError")
    case .failedError: json.tag("failedError")
    case .timeoutError: json.tag("timeoutError")
    case .subscribeError(let subscribeError): json.sum("subscribeError", "subscribeError", subscribeError)
    }
  }
}

/// Errors of the transport.
public indirect enum ProtocolTransportError: JSONCodable, Hashable, Sendable, Error {
  case badBlock
  case version
  case largeMsg
  case badSession
  case noServerAuth
  case handshake(handshakeErr: SMPHandshakeError)

  /// Reads the variant.
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

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .badBlock: json.tag("badBlock")
    case .version: json.tag("version")
    case .largeMsg: json.tag("largeMsg")
    case .badSession: json.tag("badSession")
    case .noServerAuth: json.tag("noServerAuth")
    case .handshake(let handshakeErr): json.sum("handshake", "handshakeErr", handshakeErr)
    }
  }
}

/// Errors of the handshake.
public enum SMPHandshakeError: JSONCodable, Hashable, Sendable, Error {
  case PARSE
  case IDENTITY
  case BAD_AUTH
  case BAD_SERVICE

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    let fields = try json.sum()
    switch fields.tag {
    case "PARSE": self = .PARSE
    case "IDENTITY": self = .IDENTITY
    case "BAD_AUTH": self = .BAD_AUTH
    case "BAD_SERVICE": self = .BAD_SERVICE
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .PARSE: json.tag("PARSE")
    case .IDENTITY: json.tag("IDENTITY")
    case .BAD_AUTH: json.tag("BAD_AUTH")
    case .BAD_SERVICE: json.tag("BAD_SERVICE")
    }
  }
}
