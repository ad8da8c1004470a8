import FoundationTypes

import SimplexJSON

/// Subscriptions of the agent.
public struct SubscriptionsInfo: JSONCodable, Hashable, Sendable {
  /// Subscriptions confirmed by the relays.
  public var activeSubscriptions: [SubInfo]
  /// Subscriptions not yet confirmed.
  public var pendingSubscriptions: [SubInfo]
  /// Subscriptions refused by the relays.
  public var removedSubscriptions: [SubInfo]

  /// A value of its members.
  public init(
    activeSubscriptions: [SubInfo], pendingSubscriptions: [SubInfo], removedSubscriptions: [SubInfo]
  ) {
    self.activeSubscriptions = activeSubscriptions
    self.pendingSubscriptions = pendingSubscriptions
    self.removedSubscriptions = removedSubscriptions
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    activeSubscriptions = try fields.get("activeSubscriptions")
    pendingSubscriptions = try fields.get("pendingSubscriptions")
    removedSubscriptions = try fields.get("removedSubscriptions")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("activeSubscriptions", activeSubscriptions)
    json.field("pendingSubscriptions", pendingSubscriptions)
    json.field("removedSubscriptions", removedSubscriptions)
    json.endObject()
  }
}

/// A subscription of the agent.
public struct SubInfo: JSONCodable, Hashable, Sendable {
  /// Database id of the user.
  public var userId: Int64
  /// Address of the server.
  public var server: String
  /// The relay's id for receiving, base64url.
  public var rcvId: String
  /// Why it was removed.
  public var subError: String?

  /// A value of its members.
  public init(
    userId: Int64, server: String, rcvId: String, subError: String? = nil
  ) {
    self.userId = userId
    self.server = server
    self.rcvId = rcvId
    self.subError = subError
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    userId = try fields.get("userId")
    server = try fields.get("server")
    rcvId = try fields.get("rcvId")
    subError = try fields.get("subError")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("userId", userId)
    json.field("server", server)
    json.field("rcvId", rcvId)
    json.field("subError", subError)
    json.endObject()
  }
}

/// What happened to a service's subscriptions.
public enum ServiceSubEvent: JSONCodable, Hashable, Sendable {
  case up(serviceError: String?, queueCount: Int64)
  case down(queueCount: Int64)
  case all
  case end(queueCount: Int64)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "up": self = try .up(serviceError: fields.get("serviceError"), queueCount: fields.get("queueCount"))
    case "down": self = try .down(queueCount: fields.get("queueCount"))
    case "all": self = .all
    case "end": self = try .end(queueCount: fields.get("queueCount"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .up(let serviceError, let queueCount):
      json.sum("up", "serviceError", serviceError, "queueCount", queueCount)
    case .down(let queueCount): json.sum("down", "queueCount", queueCount)
    case .all: json.tag("all")
    case .end(let queueCount): json.sum("end", "queueCount", queueCount)
    }
  }
}

/// A deleted queue.
public struct DeletedRcvQueue: JSONCodable, Hashable, Sendable {
  /// The agent's id of the connection, base64url.
  public var agentConnId: String
  /// Address of the server.
  public var server: String
  /// The relay's id of the queue, base64url.
  public var agentQueueId: String
  /// Why the relay did not delete the queue.
  public var agentError_: AgentErrorType?

  /// A value of its members.
  public init(
    agentConnId: String, server: String, agentQueueId: String, agentError_: AgentErrorType? = nil
  ) {
    self.agentConnId = agentConnId
    self.server = server
    self.agentQueueId = agentQueueId
    self.agentError_ = agentError_
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    agentConnId = try fields.get("agentConnId")
    server = try fields.get("server")
    agentQueueId = try fields.get("agentQueueId")
    agentError_ = try fields.get("agentError_")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("agentConnId", agentConnId)
    json.field("server", server)
    json.field("agentQueueId", agentQueueId)
    json.field("agentError_", agentError_)
    json.endObject()
  }
}

/// Ids that only one of the two databases has.
public struct DatabaseDiff: JSONCodable, Hashable, Sendable {
  /// Ids the chat has and the agent has not.
  public var missingIds: [String]
  /// Ids the agent has and the chat has not.
  public var extraIds: [String]

  /// A value of its members.
  public init(
    missingIds: [String], extraIds: [String]
  ) {
    self.missingIds = missingIds
    self.extraIds = extraIds
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    missingIds = try fields.get("missingIds")
    extraIds = try fields.get("extraIds")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("missingIds", missingIds)
    json.field("extraIds", extraIds)
    json.endObject()
  }
}

/// A slow query.
public struct SlowSQLQuery: JSONCodable, Hashable, Sendable {
  /// Text of the query.
  public var query: String
  /// Times of the query.
  public var queryStats: SlowQueryStats

  /// A value of its members.
  public init(
    query: String, queryStats: SlowQueryStats
  ) {
    self.query = query
    self.queryStats = queryStats
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    query = try fields.get("query")
    queryStats = try fields.get("queryStats")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("query", query)
    json.field("queryStats", queryStats)
    json.endObject()
  }
}

/// Times of a query.
public struct SlowQueryStats: JSONCodable, Hashable, Sendable {
  /// How many times.
  public var count: Int64
  /// Longest time in milliseconds.
  public var timeMax: Int64
  /// Average time in milliseconds.
  public var timeAvg: Int64
  /// Errors with their counts.
  public var errs: [String: Int]

  /// A value of its members.
  public init(
    count: Int64, timeMax: Int64, timeAvg: Int64, errs: [String: Int]
  ) {
    self.count = count
    self.timeMax = timeMax
    self.timeAvg = timeAvg
    self.errs = errs
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    count = try fields.get("count")
    timeMax = try fields.get("timeMax")
    timeAvg = try fields.get("timeAvg")
    errs = try fields.get("errs")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("count", count)
    json.field("timeMax", timeMax)
    json.field("timeAvg", timeAvg)
    json.field("errs", errs)
    json.endObject()
  }
}

/// Ids and times of a received message.
public struct MsgMetaJSON: JSONCodable, Hashable, Sendable {
  /// Whether the message is in sequence.
  public var integrity: String
  /// Number of the message, the receiver's.
  public var rcvId: Int64
  /// When it was received.
  public var rcvTs: Date
  /// The relay's id of the message, base64url.
  public var serverId: String
  /// When the relay received it.
  public var serverTs: Date
  /// Number of the message, the sender's.
  public var sndId: Int64

  /// A value of its members.
  public init(
    integrity: String, rcvId: Int64, rcvTs: Date, serverId: String, serverTs: Date, sndId: Int64
  ) {
    self.integrity = integrity
    self.rcvId = rcvId
    self.rcvTs = rcvTs
    self.serverId = serverId
    self.serverTs = serverTs
    self.sndId = sndId
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    integrity = try fields.get("integrity")
    rcvId = try fields.get("rcvId")
    rcvTs = try fields.get("rcvTs")
    serverId = try fields.get("serverId")
    serverTs = try fields.get("serverTs")
    sndId = try fields.get("sndId")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("integrity", integrity)
    json.field("rcvId", rcvId)
    json.field("rcvTs", rcvTs)
    json.field("serverId", serverId)
    json.field("serverTs", serverTs)
    json.field("sndId", sndId)
    json.endObject()
  }
}

/// Sections of the help.
public enum HelpSection: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case main
  case files
  case groups
  case contacts
  case myAddress
  case incognito
  case markdown
  case messages
  case remote
  case settings
  case database
}

/// An address in parts.
public struct UriInfo: JSONCodable, Hashable, Sendable {
  /// Scheme of the address.
  public var scheme: String
  /// The address without tracking parameters, if it had any.
  public var sanitized: String?

  /// A value of its members.
  public init(
    scheme: String, sanitized: String? = nil
  ) {
    self.scheme = scheme
    self.sanitized = sanitized
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    scheme = try fields.get("scheme")
    sanitized = try fields.get("sanitized")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("scheme", scheme)
    json.field("sanitized", sanitized)
    json.endObject()
  }
}

/// An address in parts, or why it is not valid.
public struct ParsedUri: JSONCodable, Hashable, Sendable {
  /// The address in parts.
  public var uriInfo: UriInfo?
  /// Why it is not valid; empty if it is.
  public var parseError: String

  /// A value of its members.
  public init(
    uriInfo: UriInfo? = nil, parseError: String
  ) {
    self.uriInfo = uriInfo
    self.parseError = parseError
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    uriInfo = try fields.get("uriInfo")
    parseError = try fields.get("parseError")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("uriInfo", uriInfo)
    json.field("parseError", parseError)
    json.endObject()
  }
}
