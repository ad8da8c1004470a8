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
}

/// A timeout for two kinds of work.
public struct NetworkTimeout: JSONCodable, Hashable, Sendable {
  /// Timeout of work in the background, in microseconds.
  public var backgroundTimeout: Int
  /// Timeout of work the user waits for, in microseconds.
  public var interactiveTimeout: Int
}

/// TCP keep-alive.
public struct KeepAliveOpts: JSONCodable, Hashable, Sendable {
  /// Seconds without traffic before the first probe.
  public var keepIdle: Int
  /// Seconds between probes.
  public var keepIntvl: Int
  /// Probes without answer before giving up.
  public var keepCnt: Int
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
