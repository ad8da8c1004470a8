extension ProtocolErrorType {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .BLOCK: "The server received a block of a wrong size"
    case .SESSION: "The session does not belong to this connection"
    case .CMD(let error): error.text
    case .PROXY(let error): error.text
    case .AUTH: "Not authorized: the queue may be deleted, or the password wrong"
    case .BLOCKED(let blockInfo): "Blocked by the server: \(blockInfo.reason.rawValue)"
    case .SERVICE: "The server does not accept the service"
    case .CRYPTO: "The server could not check the key"
    case .QUOTA: "The queue is full: the recipient has not received earlier messages"
    case .STORE(let message): "The storage of the server failed: \(message)"
    case .NO_MSG: "There is no message to acknowledge"
    case .LARGE_MSG: "The message is too large"
    case .EXPIRED: "The message is too old"
    case .INTERNAL: "Internal error of the server"
    case .NAME(let error): error.text
    case .DUPLICATE_: "The server responded twice"
    }
  }
}

extension ProtocolCommandError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .UNKNOWN: "The server does not know the command"
    case .SYNTAX: "The server could not read the command"
    case .PROHIBITED: "The server does not allow the command"
    case .NO_AUTH: "The command was not signed"
    case .HAS_AUTH: "The command must not be signed"
    case .NO_ENTITY: "The command names no queue or file"
    }
  }
}

extension ProxyError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .PROTOCOL(let error): error.text
    case .BROKER(let error): error.text
    case .BASIC_AUTH: "The forwarding server needs a password"
    case .NO_SESSION: "The forwarding server has no session with the other server"
    }
  }
}

extension ProxyClientError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .protocolError(let error): error.text
    case .unexpectedResponse(let response): "Unexpected response of the forwarding server: \(response)"
    case .responseError(let error): "The response could not be read: \(error.text)"
    }
  }
}

extension NameErrorType {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .NO_RESOLVER: "The server does not resolve names"
    case .NOT_FOUND: "The name is not registered"
    case .RESOLVER(let message): "The name could not be resolved: \(message)"
    }
  }
}

extension BrokerErrorType {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .RESPONSE(let message): "The response of the server could not be read: \(message)"
    case .UNEXPECTED(let message): "Unexpected response of the server: \(message)"
    case .NETWORK(let error): error.text
    case .HOST: "The address of the server is not valid for this network"
    case .NO_SERVICE: "The server does not support service certificates"
    case .TRANSPORT(let error): error.text
    case .TIMEOUT: "The server did not respond in time"
    }
  }
}

extension NetworkError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .connectError(let message): "The server cannot be reached: \(message)"
    case .tLSError(let message): "TLS failed: \(message)"
    case .unknownCAError: "The certificate of the server does not match the fingerprint in its address"
    case .failedError: "The network connection failed"
    case .timeoutError: "Connecting took too long"
    case .subscribeError(let message): "Subscribing failed: \(message)"
    }
  }
}

extension ProtocolTransportError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .badBlock: "A block could not be read"
    case .version: "The server uses a version that is not supported"
    case .largeMsg: "The message is too large for a block"
    case .badSession: "The session does not belong to this connection"
    case .noServerAuth: "The server has no key for authorization"
    case .handshake(let error): error.text
    }
  }
}

extension SMPHandshakeError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .PARSE: "The handshake could not be read"
    case .IDENTITY: "The certificate of the server does not match the fingerprint in its address"
    case .BAD_AUTH: "The key of the server is not signed by its certificate"
    case .BAD_SERVICE: "The service certificate is not valid"
    }
  }
}
