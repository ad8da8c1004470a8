import FoundationTypes

import SimplexJSON

/// Errors of the agent.
public indirect enum AgentErrorType: JSONCodable, Hashable, Sendable, Error {
  case CMD(cmdErr: CommandErrorType, errContext: String)
  case CONN(connErr: ConnectionErrorType, errContext: String)
  case NO_USER
  case SMP(serverAddress: String, smpErr: ProtocolErrorType)
  case NTF(serverAddress: String, ntfErr: ProtocolErrorType)
  case XFTP(serverAddress: String, xftpErr: XFTPErrorType)
  case FILE(fileErr: FileErrorType)
  case NO_NAME_SERVERS
  case PROXY(proxyServer: String, relayServer: String, proxyErr: ProxyClientError)
  case RCP(rcpErr: RCErrorType)
  case BROKER(brokerAddress: String, brokerErr: BrokerErrorType)
  case AGENT(agentErr: SMPAgentError)
  case NOTICE(server: String, preset: Bool, expiresAt: Date?)
  case INTERNAL(internalErr: String)
  case CRITICAL(offerRestart: Bool, criticalErr: String)
  case INACTIVE

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "CMD": self = try .CMD(cmdErr: fields.get("cmdErr"), errContext: fields.get("errContext"))
    case "CONN": self = try .CONN(connErr: fields.get("connErr"), errContext: fields.get("errContext"))
    case "NO_USER": self = .NO_USER
    case "SMP": self = try .SMP(serverAddress: fields.get("serverAddress"), smpErr: fields.get("smpErr"))
    case "NTF": self = try .NTF(serverAddress: fields.get("serverAddress"), ntfErr: fields.get("ntfErr"))
    case "XFTP": self = try .XFTP(serverAddress: fields.get("serverAddress"), xftpErr: fields.get("xftpErr"))
    case "FILE": self = try .FILE(fileErr: fields.get("fileErr"))
    case "NO_NAME_SERVERS": self = .NO_NAME_SERVERS
    case "PROXY":
      self = try .PROXY(
        proxyServer: fields.get("proxyServer"), relayServer: fields.get("relayServer"), proxyErr: fields.get("proxyErr")
      )
    case "RCP": self = try .RCP(rcpErr: fields.get("rcpErr"))
    case "BROKER": self = try .BROKER(brokerAddress: fields.get("brokerAddress"), brokerErr: fields.get("brokerErr"))
    case "AGENT": self = try .AGENT(agentErr: fields.get("agentErr"))
    case "NOTICE":
      self = try .NOTICE(
        server: fields.get("server"), preset: fields.get("preset"), expiresAt: fields.get("expiresAt"))
    case "INTERNAL": self = try .INTERNAL(internalErr: fields.get("internalErr"))
    case "CRITICAL":
      self = try .CRITICAL(
        offerRestart: fields.get("offerRestart"), criticalErr: fields.get("criticalErr"))
    case "INACTIVE": self = .INACTIVE
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .CMD(let cmdErr, let errContext):
      json.sum("CMD", "cmdErr", cmdErr, "errContext", errContext)
    case .CONN(let connErr, let errContext):
      json.sum("CONN", "connErr", connErr, "errContext", errContext)
    case .NO_USER: json.tag("NO_USER")
    case .SMP(let serverAddress, let smpErr):
      json.sum("SMP", "serverAddress", serverAddress, "smpErr", smpErr)
    case .NTF(let serverAddress, let ntfErr):
      json.sum("NTF", "serverAddress", serverAddress, "ntfErr", ntfErr)
    case .XFTP(let serverAddress, let xftpErr):
      json.sum("XFTP", "serverAddress", serverAddress, "xftpErr", xftpErr)
    case .FILE(let fileErr): json.sum("FILE", "fileErr", fileErr)
    case .NO_NAME_SERVERS: json.tag("NO_NAME_SERVERS")
    case .PROXY(let proxyServer, let relayServer, let proxyErr):
      json.sum("PROXY", "proxyServer", proxyServer, "relayServer", relayServer, "proxyErr", proxyErr)
    case .RCP(let rcpErr): json.sum("RCP", "rcpErr", rcpErr)
    case .BROKER(let brokerAddress, let brokerErr):
      json.sum("BROKER", "brokerAddress", brokerAddress, "brokerErr", brokerErr)
    case .AGENT(let agentErr): json.sum("AGENT", "agentErr", agentErr)
    case .NOTICE(let server, let preset, let expiresAt):
      json.sum("NOTICE", "server", server, "preset", preset, "expiresAt", expiresAt)
    case .INTERNAL(let internalErr): json.sum("INTERNAL", "internalErr", internalErr)
    case .CRITICAL(let offerRestart, let criticalErr):
      json.sum("CRITICAL", "offerRestart", offerRestart, "criticalErr", criticalErr)
    case .INACTIVE: json.tag("INACTIVE")
    }
  }
}

/// Why the agent refuses a command.
public enum CommandErrorType: JSONCodable, Hashable, Sendable, Error {
  case PROHIBITED
  case SYNTAX
  case NO_CONN
  case SIZE
  case LARGE

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    let fields = try json.sum()
    switch fields.tag {
    case "PROHIBITED": self = .PROHIBITED
    case "SYNTAX": self = .SYNTAX
    case "NO_CONN": self = .NO_CONN
    case "SIZE": self = .SIZE
    case "LARGE": self = .LARGE
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .PROHIBITED: json.tag("PROHIBITED")
    case .SYNTAX: json.tag("SYNTAX")
    case .NO_CONN: json.tag("NO_CONN")
    case .SIZE: json.tag("SIZE")
    case .LARGE: json.tag("LARGE")
    }
  }
}

/// What is wrong with a connection.
public enum ConnectionErrorType: JSONCodable, Hashable, Sendable, Error {
  case NOT_FOUND
  case DUPLICATE
  case SIMPLEX
  case NOT_ACCEPTED
  case NOT_AVAILABLE

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    let fields = try json.sum()
    switch fields.tag {
    case "NOT_FOUND": self = .NOT_FOUND
    case "DUPLICATE": self = .DUPLICATE
    case "SIMPLEX": self = .SIMPLEX
    case "NOT_ACCEPTED": self = .NOT_ACCEPTED
    case "NOT_AVAILABLE": self = .NOT_AVAILABLE
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .NOT_FOUND: json.tag("NOT_FOUND")
    case .DUPLICATE: json.tag("DUPLICATE")
    case .SIMPLEX: json.tag("SIMPLEX")
    case .NOT_ACCEPTED: json.tag("NOT_ACCEPTED")
    case .NOT_AVAILABLE: json.tag("NOT_AVAILABLE")
    }
  }
}

/// What is wrong with a peer's message.
public indirect enum SMPAgentError: JSONCodable, Hashable, Sendable, Error {
  case A_MESSAGE
  case A_PROHIBITED(prohibitedErr: String)
  case A_VERSION
  case A_LINK(linkErr: String)
  case A_CRYPTO(cryptoErr: AgentCryptoError)
  case A_DUPLICATE(droppedMsg_: DroppedMsg?)
  case A_QUEUE(queueErr: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "A_MESSAGE": self = .A_MESSAGE
    case "A_PROHIBITED": self = try .A_PROHIBITED(prohibitedErr: fields.get("prohibitedErr"))
    case "A_VERSION": self = .A_VERSION
    case "A_LINK": self = try .A_LINK(linkErr: fields.get("linkErr"))
    case "A_CRYPTO": self = try .A_CRYPTO(cryptoErr: fields.get("cryptoErr"))
    case "A_DUPLICATE": self = try .A_DUPLICATE(droppedMsg_: fields.get("droppedMsg_"))
    case "A_QUEUE": self = try .A_QUEUE(queueErr: fields.get("queueErr"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .A_MESSAGE: json.tag("A_MESSAGE")
    case .A_PROHIBITED(let prohibitedErr): json.sum("A_PROHIBITED", "prohibitedErr", prohibitedErr)
    case .A_VERSION: json.tag("A_VERSION")
    case .A_LINK(let linkErr): json.sum("A_LINK", "linkErr", linkErr)
    case .A_CRYPTO(let cryptoErr): json.sum("A_CRYPTO", "cryptoErr", cryptoErr)
    case .A_DUPLICATE(let droppedMsg_): json.sum("A_DUPLICATE", "droppedMsg_", droppedMsg_)
    case .A_QUEUE(let queueErr): json.sum("A_QUEUE", "queueErr", queueErr)
    }
  }
}

/// Errors of decryption.
public enum AgentCryptoError: JSONCodable, Hashable, Sendable, Error {
  case DECRYPT_AES
  case DECRYPT_CB
  case RATCHET_HEADER
  case RATCHET_EARLIER(UInt32)
  case RATCHET_SKIPPED(UInt32)
  case RATCHET_SYNC

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "DECRYPT_AES": self = .DECRYPT_AES
    case "DECRYPT_CB": self = .DECRYPT_CB
    case "RATCHET_HEADER": self = .RATCHET_HEADER
    case "RATCHET_EARLIER": self = .RATCHET_EARLIER(try fields.getPayload())
    case "RATCHET_SKIPPED": self = .RATCHET_SKIPPED(try fields.getPayload())
    case "RATCHET_SYNC": self = .RATCHET_SYNC
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .DECRYPT_AES: json.tag("DECRYPT_AES")
    case .DECRYPT_CB: json.tag("DECRYPT_CB")
    case .RATCHET_HEADER: json.tag("RATCHET_HEADER")
    case .RATCHET_EARLIER(let value): json.payload("RATCHET_EARLIER", value)
    case .RATCHET_SKIPPED(let value): json.payload("RATCHET_SKIPPED", value)
    case .RATCHET_SYNC: json.tag("RATCHET_SYNC")
    }
  }
}

/// A message that was received again and dropped.
public struct DroppedMsg: JSONCodable, Hashable, Sendable {
  /// When the relay received the message.
  public var brokerTs: Date
  /// How many times it was received.
  public var attempts: Int

  /// A value of its members.
  public init(
    brokerTs: Date, attempts: Int
  ) {
    self.brokerTs = brokerTs
    self.attempts = attempts
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    brokerTs = try fields.get("brokerTs")
    attempts = try fields.get("attempts")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("brokerTs", brokerTs)
    json.field("attempts", attempts)
    json.endObject()
  }
}
