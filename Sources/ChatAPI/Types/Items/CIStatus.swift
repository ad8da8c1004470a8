import SimplexJSON

/// Delivery or reading status of an item.
public indirect enum CIStatus: JSONCodable, Hashable, Sendable {
  case sndNew
  case sndSent(sndProgress: SndCIStatusProgress)
  case sndRcvd(msgRcptStatus: MsgReceiptStatus, sndProgress: SndCIStatusProgress)
  case sndErrorAuth
  case sndError(agentError: SndError)
  case sndWarning(agentError: SndError)
  case rcvNew
  case rcvRead
  case invalid(text: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "sndNew": self = .sndNew
    case "sndSent": self = try .sndSent(sndProgress: fields.get("sndProgress"))
    case "sndRcvd":
      self = try .sndRcvd(
        msgRcptStatus: fields.get("msgRcptStatus"), sndProgress: fields.get("sndProgress"))
    case "sndErrorAuth": self = .sndErrorAuth
    case "sndError": self = try .sndError(agentError: fields.get("agentError"))
    case "sndWarning": self = try .sndWarning(agentError: fields.get("agentError"))
    case "rcvNew": self = .rcvNew
    case "rcvRead": self = .rcvRead
    case "invalid": self = try .invalid(text: fields.get("text"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .sndNew: json.tag("sndNew")
    case .sndSent(let sndProgress): json.sum("sndSent", "sndProgress", sndProgress)
    case .sndRcvd(let msgRcptStatus, let sndProgress):
      json.sum("sndRcvd", "msgRcptStatus", msgRcptStatus, "sndProgress", sndProgress)
    case .sndErrorAuth: json.tag("sndErrorAuth")
    case .sndError(let agentError): json.sum("sndError", "agentError", agentError)
    case .sndWarning(let agentError): json.sum("sndWarning", "agentError", agentError)
    case .rcvNew: json.tag("rcvNew")
    case .rcvRead: json.tag("rcvRead")
    case .invalid(let text): json.sum("invalid", "text", text)
    }
  }
}

/// Whether all recipients are reached.
public enum SndCIStatusProgress: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case partial
  case complete
}

/// What a receipt says.
public enum MsgReceiptStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case ok
  case badMsgHash
}

/// Why a message was not sent.
public indirect enum SndError: JSONCodable, Hashable, Sendable {
  case auth
  case quota
  case expired
  case relay(srvError: SrvError)
  case proxy(proxyServer: String, srvError: SrvError)
  case proxyRelay(proxyServer: String, srvError: SrvError)
  case other(sndError: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "auth": self = .auth
    case "quota": self = .quota
    case "expired": self = .expired
    case "relay": self = try .relay(srvError: fields.get("srvError"))
    case "proxy": self = try .proxy(proxyServer: fields.get("proxyServer"), srvError: fields.get("srvError"))
    case "proxyRelay": self = try .proxyRelay(proxyServer: fields.get("proxyServer"), srvError: fields.get("srvError"))
    case "other": self = try .other(sndError: fields.get("sndError"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .auth: json.tag("auth")
    case .quota: json.tag("quota")
    case .expired: json.tag("expired")
    case .relay(let srvError): json.sum("relay", "srvError", srvError)
    case .proxy(let proxyServer, let srvError):
      json.sum("proxy", "proxyServer", proxyServer, "srvError", srvError)
    case .proxyRelay(let proxyServer, let srvError):
      json.sum("proxyRelay", "proxyServer", proxyServer, "srvError", srvError)
    case .other(let sndError): json.sum("other", "sndError", sndError)
    }
  }
}

/// Why a server could not be reached.
public enum SrvError: JSONCodable, Hashable, Sendable {
  case host
  case version
  case other(srvError: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "host": self = .host
    case "version": self = .version
    case "other": self = try .other(srvError: fields.get("srvError"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .host: json.tag("host")
    case .version: json.tag("version")
    case .other(let srvError): json.sum("other", "srvError", srvError)
    }
  }
}

/// Delivery to one member of a group.
public indirect enum GroupSndStatus: JSONCodable, Hashable, Sendable {
  case new
  case forwarded
  case inactive
  case sent
  case rcvd(msgRcptStatus: MsgReceiptStatus)
  case error(agentError: SndError)
  case warning(agentError: SndError)
  case invalid(text: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "new": self = .new
    case "forwarded": self = .forwarded
    case "inactive": self = .inactive
    case "sent": self = .sent
    case "rcvd": self = try .rcvd(msgRcptStatus: fields.get("msgRcptStatus"))
    case "error": self = try .error(agentError: fields.get("agentError"))
    case "warning": self = try .warning(agentError: fields.get("agentError"))
    case "invalid": self = try .invalid(text: fields.get("text"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .new: json.tag("new")
    case .forwarded: json.tag("forwarded")
    case .inactive: json.tag("inactive")
    case .sent: json.tag("sent")
    case .rcvd(let msgRcptStatus): json.sum("rcvd", "msgRcptStatus", msgRcptStatus)
    case .error(let agentError): json.sum("error", "agentError", agentError)
    case .warning(let agentError): json.sum("warning", "agentError", agentError)
    case .invalid(let text): json.sum("invalid", "text", text)
    }
  }
}
