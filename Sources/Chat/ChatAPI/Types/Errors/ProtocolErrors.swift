import SimplexJSON

/// Errors of messaging servers.
public indirect enum ProtocolErrorType: JSONCodable, Hashable, Sendable, Error {
  case BLOCK
  case SESSION
  case CMD(cmdErr: ProtocolCommandError)
  case PROXY(proxyErr: ProxyError)
  case AUTH
  case BLOCKED(blockInfo: BlockingInfo)
  case SERVICE
  case CRYPTO
  case QUOTA
  case STORE(storeErr: String)
  case NO_MSG
  case LARGE_MSG
  case EXPIRED
  case INTERNAL
  case NAME(nameErr: NameErrorType)
  case DUPLICATE_
}

/// An error in a command to a server.
public enum ProtocolCommandError: JSONCodable, Hashable, Sendable, Error {
  case UNKNOWN
  case SYNTAX
  case PROHIBITED
  case NO_AUTH
  case HAS_AUTH
  case NO_ENTITY
}

/// Errors of sending through another relay.
public indirect enum ProxyError: JSONCodable, Hashable, Sendable, Error {
  case PROTOCOL(protocolErr: ProtocolErrorType)
  case BROKER(brokerErr: BrokerErrorType)
  case BASIC_AUTH
  case NO_SESSION
}

/// Errors of the relay sent through.
public indirect enum ProxyClientError: JSONCodable, Hashable, Sendable, Error {
  case protocolError(protocolErr: ProtocolErrorType)
  case unexpectedResponse(responseStr: String)
  case responseError(responseErr: ProtocolErrorType)
}

/// Errors of resolving names.
public enum NameErrorType: JSONCodable, Hashable, Sendable, Error {
  case NO_RESOLVER
  case NOT_FOUND
  case RESOLVER(resolverErr: String)
}

/// Why and for how long a queue or file is blocked.
public struct BlockingInfo: JSONCodable, Hashable, Sendable {
  /// Why it was blocked.
  public var reason: BlockingReason
  /// How long to show the notice.
  public var notice: ClientNotice?
}

/// Why a queue or file is blocked.
public enum BlockingReason: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case spam
  case content
}

/// A notice from a server.
public struct ClientNotice: JSONCodable, Hashable, Sendable {
  /// For how long, in seconds.
  public var ttl: Int64?
}
