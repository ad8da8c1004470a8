import SimplexJSON

/// Network settings.
public struct NetCfg: JSONCodable, Hashable, Sendable {
  /// Address of the SOCKS proxy.
  public var socksProxy: String?
  /// Which connections use the SOCKS proxy.
  public var socksMode: SocksMode
  /// Which of a server's host names are used.
  public var hostMode: HostMode
  /// Whether hosts of the chosen kind are required.
  public var requiredHostMode: Bool
  /// What shares one connection to a server.
  public var sessionMode: TransportSessionMode
  /// When relays are reached through others.
  public var smpProxyMode: SMPProxyMode
  /// When a relay may be reached directly instead.
  public var smpProxyFallback: SMPProxyFallback
  /// Which servers are reached on port 443.
  public var smpWebPortServers: SMPWebPortServers
  /// Timeout of opening a connection.
  public var tcpConnectTimeout: NetworkTimeout
  /// Timeout of a response.
  public var tcpTimeout: NetworkTimeout
  /// Further time per kilobyte, in microseconds.
  public var tcpTimeoutPerKb: Int
  /// How many messages are processed at a time.
  public var rcvConcurrency: Int
  /// TCP keep-alive; absent if off.
  public var tcpKeepAlive: KeepAliveOpts?
  /// Time between pings, in microseconds.
  public var smpPingInterval: Int
  /// Lost pings before a connection is closed.
  public var smpPingCount: Int
  /// Whether TLS errors are logged.
  public var logTLSErrors: Bool

  /// A value of its members.
  public init(
    socksProxy: String? = nil, socksMode: SocksMode, hostMode: HostMode, requiredHostMode: Bool,
    sessionMode: TransportSessionMode, smpProxyMode: SMPProxyMode, smpProxyFallback: SMPProxyFallback,
    smpWebPortServers: SMPWebPortServers, tcpConnectTimeout: NetworkTimeout, tcpTimeout: NetworkTimeout,
    tcpTimeoutPerKb: Int, rcvConcurrency: Int, tcpKeepAlive: KeepAliveOpts? = nil, smpPingInterval: Int,
    smpPingCount: Int, logTLSErrors: Bool
  ) {
    self.socksProxy = socksProxy
    self.socksMode = socksMode
    self.hostMode = hostMode
    self.requiredHostMode = requiredHostMode
    self.sessionMode = sessionMode
    self.smpProxyMode = smpProxyMode
    self.smpProxyFallback = smpProxyFallback
    self.smpWebPortServers = smpWebPortServers
    self.tcpConnectTimeout = tcpConnectTimeout
    self.tcpTimeout = tcpTimeout
    self.tcpTimeoutPerKb = tcpTimeoutPerKb
    self.rcvConcurrency = rcvConcurrency
    self.tcpKeepAlive = tcpKeepAlive
    self.smpPingInterval = smpPingInterval
    self.smpPingCount = smpPingCount
    self.logTLSErrors = logTLSErrors
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    socksProxy = try fields.get("socksProxy")
    socksMode = try fields.get("socksMode")
    hostMode = try fields.get("hostMode")
    requiredHostMode = try fields.get("requiredHostMode")
    sessionMode = try fields.get("sessionMode")
    smpProxyMode = try fields.get("smpProxyMode")
    smpProxyFallback = try fields.get("smpProxyFallback")
    smpWebPortServers = try fields.get("smpWebPortServers")
    tcpConnectTimeout = try fields.get("tcpConnectTimeout")
    tcpTimeout = try fields.get("tcpTimeout")
    tcpTimeoutPerKb = try fields.get("tcpTimeoutPerKb")
    rcvConcurrency = try fields.get("rcvConcurrency")
    tcpKeepAlive = try fields.get("tcpKeepAlive")
    smpPingInterval = try fields.get("smpPingInterval")
    smpPingCount = try fields.get("smpPingCount")
    logTLSErrors = try fields.get("logTLSErrors")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("socksProxy", socksProxy)
    json.field("socksMode", socksMode)
    json.field("hostMode", hostMode)
    json.field("requiredHostMode", requiredHostMode)
    json.field("sessionMode", sessionMode)
    json.field("smpProxyMode", smpProxyMode)
    json.field("smpProxyFallback", smpProxyFallback)
    json.field("smpWebPortServers", smpWebPortServers)
    json.field("tcpConnectTimeout", tcpConnectTimeout)
    json.field("tcpTimeout", tcpTimeout)
    json.field("tcpTimeoutPerKb", tcpTimeoutPerKb)
    json.field("rcvConcurrency", rcvConcurrency)
    json.field("tcpKeepAlive", tcpKeepAlive)
    json.field("smpPingInterval", smpPingInterval)
    json.field("smpPingCount", smpPingCount)
    json.field("logTLSErrors", logTLSErrors)
    json.endObject()
  }
}

/// A timeout for two kinds of work.
public struct NetworkTimeout: JSONCodable, Hashable, Sendable {
  /// Timeout of work in the background, in microseconds.
  public var backgroundTimeout: Int
  /// Timeout of work the user waits for, in microseconds.
  public var interactiveTimeout: Int

  /// A value of its members.
  public init(
    backgroundTimeout: Int, interactiveTimeout: Int
  ) {
    self.backgroundTimeout = backgroundTimeout
    self.interactiveTimeout = interactiveTimeout
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    backgroundTimeout = try fields.get("backgroundTimeout")
    interactiveTimeout = try fields.get("interactiveTimeout")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("backgroundTimeout", backgroundTimeout)
    json.field("interactiveTimeout", interactiveTimeout)
    json.endObject()
  }
}

/// TCP keep-alive.
public struct KeepAliveOpts: JSONCodable, Hashable, Sendable {
  /// Seconds without traffic before the first probe.
  public var keepIdle: Int
  /// Seconds between probes.
  public var keepIntvl: Int
  /// Probes without answer before giving up.
  public var keepCnt: Int

  /// A value of its members.
  public init(
    keepIdle: Int, keepIntvl: Int, keepCnt: Int
  ) {
    self.keepIdle = keepIdle
    self.keepIntvl = keepIntvl
    self.keepCnt = keepCnt
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    keepIdle = try fields.get("keepIdle")
    keepIntvl = try fields.get("keepIntvl")
    keepCnt = try fields.get("keepCnt")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("keepIdle", keepIdle)
    json.field("keepIntvl", keepIntvl)
    json.field("keepCnt", keepCnt)
    json.endObject()
  }
}

/// Which of a server's host names are used.
public enum HostMode: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case onionViaSocks
  case onionHost = "onion"
  case publicHost = "public"
}

/// Which connections use the SOCKS proxy.
public enum SocksMode: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case always
  case onion
}

/// What shares one connection to a server.
public enum TransportSessionMode: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case user
  case session
  case server
  case entity
}

/// When relays are reached through others.
public enum SMPProxyMode: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case always
  case unknown
  case unprotected
  case never
}

/// When a relay may be reached directly instead.
public enum SMPProxyFallback: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case allow
  case allowProtected
  case prohibit
}

/// Which servers are reached on port 443.
public enum SMPWebPortServers: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case all
  case preset
  case off
}
