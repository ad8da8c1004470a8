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

  /// A value of its members.
  public init(
    statsStartedAt: Date, allUsersSMP: SMPServersSummary, allUsersXFTP: XFTPServersSummary,
    allUsersNtf: NtfServersSummary, currentUserSMP: SMPServersSummary, currentUserXFTP: XFTPServersSummary,
    currentUserNtf: NtfServersSummary
  ) {
    self.statsStartedAt = statsStartedAt
    self.allUsersSMP = allUsersSMP
    self.allUsersXFTP = allUsersXFTP
    self.allUsersNtf = allUsersNtf
    self.currentUserSMP = currentUserSMP
    self.currentUserXFTP = currentUserXFTP
    self.currentUserNtf = currentUserNtf
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    statsStartedAt = try fields.get("statsStartedAt")
    allUsersSMP = try fields.get("allUsersSMP")
    allUsersXFTP = try fields.get("allUsersXFTP")
    allUsersNtf = try fields.get("allUsersNtf")
    currentUserSMP = try fields.get("currentUserSMP")
    currentUserXFTP = try fields.get("currentUserXFTP")
    currentUserNtf = try fields.get("currentUserNtf")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("statsStartedAt", statsStartedAt)
    json.field("allUsersSMP", allUsersSMP)
    json.field("allUsersXFTP", allUsersXFTP)
    json.field("allUsersNtf", allUsersNtf)
    json.field("currentUserSMP", currentUserSMP)
    json.field("currentUserXFTP", currentUserXFTP)
    json.field("currentUserNtf", currentUserNtf)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    smpTotals: SMPTotals, currentlyUsedSMPServers: [SMPServerSummary], previouslyUsedSMPServers: [SMPServerSummary],
    onlyProxiedSMPServers: [SMPServerSummary]
  ) {
    self.smpTotals = smpTotals
    self.currentlyUsedSMPServers = currentlyUsedSMPServers
    self.previouslyUsedSMPServers = previouslyUsedSMPServers
    self.onlyProxiedSMPServers = onlyProxiedSMPServers
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    smpTotals = try fields.get("smpTotals")
    currentlyUsedSMPServers = try fields.get("currentlyUsedSMPServers")
    previouslyUsedSMPServers = try fields.get("previouslyUsedSMPServers")
    onlyProxiedSMPServers = try fields.get("onlyProxiedSMPServers")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("smpTotals", smpTotals)
    json.field("currentlyUsedSMPServers", currentlyUsedSMPServers)
    json.field("previouslyUsedSMPServers", previouslyUsedSMPServers)
    json.field("onlyProxiedSMPServers", onlyProxiedSMPServers)
    json.endObject()
  }
}

/// Totals of messaging servers.
public struct SMPTotals: JSONCodable, Hashable, Sendable {
  /// Connections to the servers.
  public var sessions: ServerSessions
  /// Subscriptions.
  public var subs: SMPServerSubs
  /// Counts since the statistics began.
  public var stats: AgentSMPServerStatsData

  /// A value of its members.
  public init(
    sessions: ServerSessions, subs: SMPServerSubs, stats: AgentSMPServerStatsData
  ) {
    self.sessions = sessions
    self.subs = subs
    self.stats = stats
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    sessions = try fields.get("sessions")
    subs = try fields.get("subs")
    stats = try fields.get("stats")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("sessions", sessions)
    json.field("subs", subs)
    json.field("stats", stats)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    smpServer: String, known: Bool? = nil, sessions: ServerSessions? = nil, subs: SMPServerSubs? = nil,
    stats: AgentSMPServerStatsData? = nil
  ) {
    self.smpServer = smpServer
    self.known = known
    self.sessions = sessions
    self.subs = subs
    self.stats = stats
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    smpServer = try fields.get("smpServer")
    known = try fields.get("known")
    sessions = try fields.get("sessions")
    subs = try fields.get("subs")
    stats = try fields.get("stats")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("smpServer", smpServer)
    json.field("known", known)
    json.field("sessions", sessions)
    json.field("subs", subs)
    json.field("stats", stats)
    json.endObject()
  }
}

/// Counts of subscriptions.
public struct SMPServerSubs: JSONCodable, Hashable, Sendable {
  /// Confirmed subscriptions.
  public var ssActive: Int
  /// Subscriptions not yet confirmed.
  public var ssPending: Int

  /// A value of its members.
  public init(
    ssActive: Int, ssPending: Int
  ) {
    self.ssActive = ssActive
    self.ssPending = ssPending
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    ssActive = try fields.get("ssActive")
    ssPending = try fields.get("ssPending")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("ssActive", ssActive)
    json.field("ssPending", ssPending)
    json.endObject()
  }
}

/// Counts of connections.
public struct ServerSessions: JSONCodable, Hashable, Sendable {
  /// Open connections.
  public var ssConnected: Int
  /// Connections that failed.
  public var ssErrors: Int
  /// Connections being opened.
  public var ssConnecting: Int

  /// A value of its members.
  public init(
    ssConnected: Int, ssErrors: Int, ssConnecting: Int
  ) {
    self.ssConnected = ssConnected
    self.ssErrors = ssErrors
    self.ssConnecting = ssConnecting
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    ssConnected = try fields.get("ssConnected")
    ssErrors = try fields.get("ssErrors")
    ssConnecting = try fields.get("ssConnecting")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("ssConnected", ssConnected)
    json.field("ssErrors", ssErrors)
    json.field("ssConnecting", ssConnecting)
    json.endObject()
  }
}
