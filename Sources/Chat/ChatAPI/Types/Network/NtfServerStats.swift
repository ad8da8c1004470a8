import SimplexJSON

/// Statistics of notification servers.
public struct NtfServersSummary: JSONCodable, Hashable, Sendable {
  /// Totals of all servers.
  public var ntfTotals: NtfTotals
  /// Servers in use.
  public var currentlyUsedNtfServers: [NtfServerSummary]
  /// Servers no longer in use.
  public var previouslyUsedNtfServers: [NtfServerSummary]
}

/// Totals of notification servers.
public struct NtfTotals: JSONCodable, Hashable, Sendable {
  /// Connections to the servers.
  public var sessions: ServerSessions
  /// Counts since the statistics began.
  public var stats: AgentNtfServerStatsData
}

/// Statistics of a notification server.
public struct NtfServerSummary: JSONCodable, Hashable, Sendable {
  /// Address of the server.
  public var ntfServer: String
  /// Whether the server is one of the user's.
  public var known: Bool?
  /// Connections to the server.
  public var sessions: ServerSessions?
  /// Counts since the statistics began.
  public var stats: AgentNtfServerStatsData?
}

/// Counts of work with a notification server.
public struct AgentNtfServerStatsData: JSONCodable, Hashable, Sendable {
  /// Created subscriptions.
  public var _ntfCreated: Int
  /// Attempts to create subscriptions.
  public var _ntfCreateAttempts: Int
  /// Checked tokens.
  public var _ntfChecked: Int
  /// Attempts to check tokens.
  public var _ntfCheckAttempts: Int
  /// Deleted subscriptions.
  public var _ntfDeleted: Int
  /// Attempts to delete subscriptions.
  public var _ntfDelAttempts: Int
}
