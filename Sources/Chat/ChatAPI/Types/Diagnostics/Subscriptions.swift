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
}

/// An event of a service's subscriptions.
public enum ServiceSubEvent: JSONCodable, Hashable, Sendable {
  case up(serviceError: String?, queueCount: Int64)
  case down(queueCount: Int64)
  case all
  case end(queueCount: Int64)
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
}

/// Ids that only one of the two databases has.
public struct DatabaseDiff: JSONCodable, Hashable, Sendable {
  /// Ids the chat has and the agent has not.
  public var missingIds: [String]
  /// Ids the agent has and the chat has not.
  public var extraIds: [String]
}

/// A slow query.
public struct SlowSQLQuery: JSONCodable, Hashable, Sendable {
  /// Text of the query.
  public var query: String
  /// Times of the query.
  public var queryStats: SlowQueryStats
}

/// Times of a query.
public struct SlowQueryStats: JSONCodable, Hashable, Sendable {
  /// The number of times.
  public var count: Int64
  /// Longest time in milliseconds.
  public var timeMax: Int64
  /// Average time in milliseconds.
  public var timeAvg: Int64
  /// Errors with their counts.
  public var errs: [String: Int]
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
}

/// An address in parts, or why it is not valid.
public struct ParsedUri: JSONCodable, Hashable, Sendable {
  /// The address in parts.
  public var uriInfo: UriInfo?
  /// Why it is not valid; empty if it is.
  public var parseError: String
}
