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
}

/// Errors of the network.
public enum NetworkError: JSONCodable, Hashable, Sendable, Error {
  case connectError(connectError: String)
  case tLSError(tlsError: String)
  case unknownCAError
  case failedError
  case timeoutError
  case subscribeError(subscribeError: String)
}

/// Errors of the transport.
public indirect enum ProtocolTransportError: JSONCodable, Hashable, Sendable, Error {
  case badBlock
  case version
  case largeMsg
  case badSession
  case noServerAuth
  case handshake(handshakeErr: SMPHandshakeError)
}

/// Errors of the handshake.
public enum SMPHandshakeError: JSONCodable, Hashable, Sendable, Error {
  case PARSE
  case IDENTITY
  case BAD_AUTH
  case BAD_SERVICE
}
