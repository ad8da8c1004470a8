// Types that exist only in commands that users type.

/// The recipient of a typed message.
public enum MessageRecipient: Hashable, Sendable {
  /// `@name`
  case contact(name: String)
  /// `#name`
  case group(name: String)
  /// `#name (support)`: the moderators, or `#name (support:member)`: a member's chat with them.
  case support(group: String, member: String?)
  /// `/*`
  case notes
}

/// The name and description of a new or changed profile of a user or group.
public struct NewProfile: Hashable, Sendable {
  /// The name.
  public var displayName: String
  /// What it is about, at most 160 characters.
  public var shortDescr: String?

  /// A profile with this name.
  public init(displayName: String, shortDescr: String? = nil) {
    self.displayName = displayName
    self.shortDescr = shortDescr
  }
}

/// How long messages are kept.
public enum MessagePeriod: String, CaseIterable, Hashable, Sendable {
  case day, week, month, year
  /// Forever.
  case none

  /// The period in seconds; 0 for ever.
  public var seconds: Int64 {
    switch self {
    case .day: 86_400
    case .week: 7 * 86_400
    case .month: 30 * 86_400
    case .year: 365 * 86_400
    case .none: 0
    }
  }
}

/// Disappearing messages with a contact.
public enum TimedMessagesSetting: Hashable, Sendable {
  /// `yes <time>`: they disappear after this time.
  case enable(seconds: Int)
  /// `yes`: they disappear after the time that was set before.
  case enableAsBefore
  /// `no`
  case disable
}

/// The network configuration as people type it; what is nil stays as the core has it.
public struct NetworkOptions: Hashable, Sendable {
  /// `on`, `off` or the address of a SOCKS proxy.
  public var socksProxy: String
  /// When the proxy is used.
  public var socksMode: SocksMode?
  /// Which hosts of a server are used.
  public var hostMode: HostMode?
  /// Whether only such hosts are used.
  public var requiredHostMode = false
  /// When messages go through another server.
  public var smpProxyMode: SMPProxyMode?
  /// Whether messages go directly where that fails.
  public var smpProxyFallback: SMPProxyFallback?
  /// Which servers are reached on the port of the web.
  public var smpWebPortServers: SMPWebPortServers?
  /// Seconds until a connection attempt ends.
  public var timeout: Int?
  /// Whether TLS errors are logged.
  public var logTLSErrors = false

  /// A configuration with this proxy.
  public init(socksProxy: String) { self.socksProxy = socksProxy }
}

/// A chat relay to add.
public struct NewChatRelay: Hashable, Sendable {
  /// Its name, without spaces.
  public var name: String
  /// Its short link.
  public var address: String

  /// A relay.
  public init(name: String, address: String) {
    self.name = name
    self.address = address
  }
}

/// What the servers of an operator are used for.
public struct OperatorRoles: Hashable, Sendable {
  /// `off`, `storage`, `proxy` or `on` for both.
  public enum Roles: String, CaseIterable, Hashable, Sendable {
    case off, storage, proxy, on
  }

  /// Number of the operator.
  public var operatorId: Int64
  /// Whether the operator's servers are used.
  public var enabled: Bool
  /// What its message servers are used for.
  public var smpRoles: Roles
  /// What its file servers are used for.
  public var xftpRoles: Roles

  /// The use of an operator.
  public init(operatorId: Int64, enabled: Bool, smpRoles: Roles = .on, xftpRoles: Roles = .on) {
    self.operatorId = operatorId
    self.enabled = enabled
    self.smpRoles = smpRoles
    self.xftpRoles = xftpRoles
  }
}

/// Which device a session is for.
public enum RemoteHostStart: Hashable, Sendable {
  /// One that is not known yet.
  case new
  /// A known one, perhaps announced in the local network.
  case known(hostId: Int64, multicast: Bool)
}
