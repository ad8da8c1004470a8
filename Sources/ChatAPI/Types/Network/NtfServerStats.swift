import SimplexJSON

/// Statistics of notification servers.
public struct NtfServersSummary: JSONCodable, Hashable, Sendable {
  /// Totals of all servers.
  public var ntfTotals: NtfTotals
  /// Servers in use.
  public var currentlyUsedNtfServers: [NtfServerSummary]
  /// Servers no longer in use.
  public var previouslyUsedNtfServers: [NtfServerSummary]

  /// A value of its members.
  public init(
    ntfTotals: NtfTotals, currentlyUsedNtfServers: [NtfServerSummary], previouslyUsedNtfServers: [NtfServerSummary]
  ) {
    self.ntfTotals = ntfTotals
    self.currentlyUsedNtfServers = currentlyUsedNtfServers
    self.previouslyUsedNtfServers = previouslyUsedNtfServers
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    ntfTotals = try fields.get("ntfTotals")
    currentlyUsedNtfServers = try fields.get("currentlyUsedNtfServers")
    previouslyUsedNtfServers = try fields.get("previouslyUsedNtfServers")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("ntfTotals", ntfTotals)
    json.field("currentlyUsedNtfServers", currentlyUsedNtfServers)
    json.field("previouslyUsedNtfServers", previouslyUsedNtfServers)
    json.endObject()
  }
}

/// Totals of notification servers.
public struct NtfTotals: JSONCodable, Hashable, Sendable {
  /// Connections to the servers.
  public var sessions: ServerSessions
  /// Counts since the statistics began.
  public var stats: AgentNtfServerStatsData

  /// A value of its members.
  public init(
    sessions: ServerSessions, stats: AgentNtfServerStatsData
  ) {
    self.sessions = sessions
    self.stats = stats
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    sessions = try fields.get("sessions")
    stats = try fields.get("stats")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("sessions", sessions)
    json.field("stats", stats)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    ntfServer: String, known: Bool? = nil, sessions: ServerSessions? = nil, stats: AgentNtfServerStatsData? = nil
  ) {
    self.ntfServer = ntfServer
    self.known = known
    self.sessions = sessions
    self.stats = stats
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    ntfServer = try fields.get("ntfServer")
    known = try fields.get("known")
    sessions = try fields.get("sessions")
    stats = try fields.get("stats")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("ntfServer", ntfServer)
    json.field("known", known)
    json.field("sessions", sessions)
    json.field("stats", stats)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    _ntfCreated: Int, _ntfCreateAttempts: Int, _ntfChecked: Int, _ntfCheckAttempts: Int, _ntfDeleted: Int,
    _ntfDelAttempts: Int
  ) {
    self._ntfCreated = _ntfCreated
    self._ntfCreateAttempts = _ntfCreateAttempts
    self._ntfChecked = _ntfChecked
    self._ntfCheckAttempts = _ntfCheckAttempts
    self._ntfDeleted = _ntfDeleted
    self._ntfDelAttempts = _ntfDelAttempts
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    _ntfCreated = try fields.get("_ntfCreated")
    _ntfCreateAttempts = try fields.get("_ntfCreateAttempts")
    _ntfChecked = try fields.get("_ntfChecked")
    _ntfCheckAttempts = try fields.get("_ntfCheckAttempts")
    _ntfDeleted = try fields.get("_ntfDeleted")
    _ntfDelAttempts = try fields.get("_ntfDelAttempts")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("_ntfCreated", _ntfCreated)
    json.field("_ntfCreateAttempts", _ntfCreateAttempts)
    json.field("_ntfChecked", _ntfChecked)
    json.field("_ntfCheckAttempts", _ntfCheckAttempts)
    json.field("_ntfDeleted", _ntfDeleted)
    json.field("_ntfDelAttempts", _ntfDelAttempts)
    json.endObject()
  }
}
