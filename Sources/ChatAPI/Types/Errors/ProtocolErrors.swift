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

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "BLOCK": self = .BLOCK
    case "SESSION": self = .SESSION
    case "CMD": self = try .CMD(cmdErr: fields.get("cmdErr"))
    case "PROXY": self = try .PROXY(proxyErr: fields.get("proxyErr"))
    case "AUTH": self = .AUTH
    case "BLOCKED": self = try .BLOCKED(blockInfo: fields.get("blockInfo"))
    case "SERVICE": self = .SERVICE
    case "CRYPTO": self = .CRYPTO
    case "QUOTA": self = .QUOTA
    case "STORE": self = try .STORE(storeErr: fields.get("storeErr"))
    case "NO_MSG": self = .NO_MSG
    case "LARGE_MSG": self = .LARGE_MSG
    case "EXPIRED": self = .EXPIRED
    case "INTERNAL": self = .INTERNAL
    case "NAME": self = try .NAME(nameErr: fields.get("nameErr"))
    case "DUPLICATE_": self = .DUPLICATE_
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .BLOCK: json.tag("BLOCK")
    case .SESSION: json.tag("SESSION")
    case .CMD(let cmdErr): json.sum("CMD", "cmdErr", cmdErr)
    case .PROXY(let proxyErr): json.sum("PROXY", "proxyErr", proxyErr)
    case .AUTH: json.tag("AUTH")
    case .BLOCKED(let blockInfo): json.sum("BLOCKED", "blockInfo", blockInfo)
    case .SERVICE: json.tag("SERVICE")
    case .CRYPTO: json.tag("CRYPTO")
    case .QUOTA: json.tag("QUOTA")
    case .STORE(let storeErr): json.sum("STORE", "storeErr", storeErr)
    case .NO_MSG: json.tag("NO_MSG")
    case .LARGE_MSG: json.tag("LARGE_MSG")
    case .EXPIRED: json.tag("EXPIRED")
    case .INTERNAL: json.tag("INTERNAL")
    case .NAME(let nameErr): json.sum("NAME", "nameErr", nameErr)
    case .DUPLICATE_: json.tag("DUPLICATE_")
    }
  }
}

/// What is wrong with a command to a server.
public enum ProtocolCommandError: JSONCodable, Hashable, Sendable, Error {
  case UNKNOWN
  case SYNTAX
  case PROHIBITED
  case NO_AUTH
  case HAS_AUTH
  case NO_ENTITY

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    let fields = try json.sum()
    switch fields.tag {
    case "UNKNOWN": self = .UNKNOWN
    case "SYNTAX": self = .SYNTAX
    case "PROHIBITED": self = .PROHIBITED
    case "NO_AUTH": self = .NO_AUTH
    case "HAS_AUTH": self = .HAS_AUTH
    case "NO_ENTITY": self = .NO_ENTITY
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
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

/// Errors of sending through another relay.
public indirect enum ProxyError: JSONCodable, Hashable, Sendable, Error {
  case PROTOCOL(protocolErr: ProtocolErrorType)
  case BROKER(brokerErr: BrokerErrorType)
  case BASIC_AUTH
  case NO_SESSION

  /// Reads the variant.
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

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .PROTOCOL(let protocolErr): json.sum("PROTOCOL", "protocolErr", protocolErr)
    case .BROKER(let brokerErr): json.sum("BROKER", "brokerErr", brokerErr)
    case .BASIC_AUTH: json.tag("BASIC_AUTH")
    case .NO_SESSION: json.tag("NO_SESSION")
    }
  }
}

/// Errors of the relay sent through.
public indirect enum ProxyClientError: JSONCodable, Hashable, Sendable, Error {
  case protocolError(protocolErr: ProtocolErrorType)
  case unexpectedResponse(responseStr: String)
  case responseError(responseErr: ProtocolErrorType)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "protocolError": self = try .protocolError(protocolErr: fields.get("protocolErr"))
    case "unexpectedResponse": self = try .unexpectedResponse(responseStr: fields.get("responseStr"))
    case "responseError": self = try .responseError(responseErr: fields.get("responseErr"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .protocolError(let protocolErr): json.sum("protocolError", "protocolErr", protocolErr)
    case .unexpectedResponse(let responseStr): json.sum("unexpectedResponse", "responseStr", responseStr)
    case .responseError(let responseErr): json.sum("responseError", "responseErr", responseErr)
    }
  }
}

/// Errors of resolving names.
public enum NameErrorType: JSONCodable, Hashable, Sendable, Error {
  case NO_RESOLVER
  case NOT_FOUND
  case RESOLVER(resolverErr: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "NO_RESOLVER": self = .NO_RESOLVER
    case "NOT_FOUND": self = .NOT_FOUND
    case "RESOLVER": self = try .RESOLVER(resolverErr: fields.get("resolverErr"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .NO_RESOLVER: json.tag("NO_RESOLVER")
    case .NOT_FOUND: json.tag("NOT_FOUND")
    case .RESOLVER(let resolverErr): json.sum("RESOLVER", "resolverErr", resolverErr)
    }
  }
}

/// Why and for how long a queue or file is blocked.
public struct BlockingInfo: JSONCodable, Hashable, Sendable {
  /// Why it was blocked.
  public var reason: BlockingReason
  /// How long to show the notice.
  public var notice: ClientNotice?

  /// A value of its members.
  public init(
    reason: BlockingReason, notice: ClientNotice? = nil
  ) {
    self.reason = reason
    self.notice = notice
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    reason = try fields.get("reason")
    notice = try fields.get("notice")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("reason", reason)
    json.field("notice", notice)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    ttl: Int64? = nil
  ) {
    self.ttl = ttl
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    ttl = try fields.get("ttl")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("ttl", ttl)
    json.endObject()
  }
}
