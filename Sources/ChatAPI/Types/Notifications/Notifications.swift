import FoundationTypes

import SimplexJSON

/// What a notification is about.
public struct NtfConn: JSONCodable, Hashable, Sendable {
  /// The user.
  public var user: User
  /// The agent's id of the connection, base64url.
  public var agentConnId: String
  /// The agent's database id of the queue.
  public var agentDbQueueId: Int64
  /// What the connection belongs to.
  public var connEntity: ConnectionEntity
  /// The message the notification is about.
  public var expectedMsg_: NtfMsgInfo?

  /// A value of its members.
  public init(
    user: User, agentConnId: String, agentDbQueueId: Int64, connEntity: ConnectionEntity,
    expectedMsg_: NtfMsgInfo? = nil
  ) {
    self.user = user
    self.agentConnId = agentConnId
    self.agentDbQueueId = agentDbQueueId
    self.connEntity = connEntity
    self.expectedMsg_ = expectedMsg_
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    user = try fields.get("user")
    agentConnId = try fields.get("agentConnId")
    agentDbQueueId = try fields.get("agentDbQueueId")
    connEntity = try fields.get("connEntity")
    expectedMsg_ = try fields.get("expectedMsg_")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("user", user)
    json.field("agentConnId", agentConnId)
    json.field("agentDbQueueId", agentDbQueueId)
    json.field("connEntity", connEntity)
    json.field("expectedMsg_", expectedMsg_)
    json.endObject()
  }
}

/// A message a notification is about.
public struct NtfMsgInfo: JSONCodable, Hashable, Sendable {
  /// Id of the message, base64url.
  public var msgId: String
  /// When the relay received the message.
  public var msgTs: Date

  /// A value of its members.
  public init(
    msgId: String, msgTs: Date
  ) {
    self.msgId = msgId
    self.msgTs = msgTs
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    msgId = try fields.get("msgId")
    msgTs = try fields.get("msgTs")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("msgId", msgId)
    json.field("msgTs", msgTs)
    json.endObject()
  }
}

/// A message that was acknowledged.
public struct NtfMsgAckInfo: JSONCodable, Hashable, Sendable {
  /// Id of the message, base64url.
  public var msgId: String
  /// When the relay received the message.
  public var msgTs_: Date?

  /// A value of its members.
  public init(
    msgId: String, msgTs_: Date? = nil
  ) {
    self.msgId = msgId
    self.msgTs_ = msgTs_
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    msgId = try fields.get("msgId")
    msgTs_ = try fields.get("msgTs_")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("msgId", msgId)
    json.field("msgTs_", msgTs_)
    json.endObject()
  }
}

/// A message fetched for a notification, or why not.
public indirect enum RcvNtfMsgInfo: JSONCodable, Hashable, Sendable {
  case info(ntfMsgInfo: NtfMsgInfo?)
  case error(ntfMsgError: AgentErrorType)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "info": self = try .info(ntfMsgInfo: fields.get("ntfMsgInfo"))
    case "error": self = try .error(ntfMsgError: fields.get("ntfMsgError"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .info(let ntfMsgInfo): json.sum("info", "ntfMsgInfo", ntfMsgInfo)
    case .error(let ntfMsgError): json.sum("error", "ntfMsgError", ntfMsgError)
    }
  }
}
