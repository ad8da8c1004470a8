import FoundationTypes
import SimplexJSON

/// Statistics of all servers.
public struct PresentedServersSummary: JSONCodable, Hashable, Sendable {
  /// When the statistics began.
  public var statsStartedAt: Date
  /// Messaging servers, all users together.
  public var allUsersSMP: SMPServersSummary
  /// File servers, all users together.
  public var allUsersXFTP: XFTPServersSummary
  /// Notification servers, all users together.
  public var allUsersNtf: NtfServersSummary
  /// Messaging servers of the current user.
  public var currentUserSMP: SMPServersSummary
  /// File servers of the current user.
  public var currentUserXFTP: XFTPServersSummary
  /// Notification servers of the current user.
  public var currentUserNtf: NtfServersSummary
}

/// Statistics of messaging servers.
public struct SMPServersSummary: JSONCodable, Hashable, Sendable {
  /// Totals of all servers.
  public var smpTotals: SMPTotals
  /// Servers in use.
  public var currentlyUsedSMPServers: [SMPServerSummary]
  /// Servers no longer in use.
  public var previouslyUsedSMPServers: [SMPServerSummary]
  /// Servers reached through others only.
  public var onlyProxiedSMPServers: [SMPServerSummary]
}

/// Totals of messaging servers.
public struct SMPTotals: JSONCodable, Hashable, Sendable {
  /// Connections to the servers.
  public var sessions: ServerSessions
  /// Subscriptions.
  public var subs: SMPServerSubs
  /// Counts since the statistics began.
  public var stats: AgentSMPServerStatsData
}

/// Statistics of a messaging server.
public struct SMPServerSummary: JSONCodable, Hashable, Sendable {
  /// Address of the server.
  public var smpServer: String
  /// Whether the server is one of the user's.
  public var known: Bool?
  /// Connections to the server.
  public var sessions: ServerSessions?
  /// Subscriptions.
  public var subs: SMPServerSubs?
  /// Counts since the statistics began.
  public var stats: AgentSMPServerStatsData?
}

/// Counts of subscriptions.
public struct SMPServerSubs: JSONCodable, Hashable, Sendable {
  /// Confirmed subscriptions.
  public var ssActive: Int
  /// Subscriptions not yet confirmed.
  public var ssPending: Int
}

/// Counts of connections.
public struct ServerSessions: JSONCodable, Hashable, Sendable {
  /// Open connections.
  public var ssConnected: Int
  /// Connections that failed.
  public var ssErrors: Int
  /// Connections being opened.
  public var ssConnecting: Int
}
