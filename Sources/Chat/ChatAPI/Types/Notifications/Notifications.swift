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
}

/// A message a notification is about.
public struct NtfMsgInfo: JSONCodable, Hashable, Sendable {
  /// Id of the message, base64url.
  public var msgId: String
  /// When the relay received the message.
  public var msgTs: Date
}

/// A message that was acknowledged.
public struct NtfMsgAckInfo: JSONCodable, Hashable, Sendable {
  /// Id of the message, base64url.
  public var msgId: String
  /// When the relay received the message.
  public var msgTs_: Date?
}

/// A message fetched for a notification, or why not.
public indirect enum RcvNtfMsgInfo: JSONCodable, Hashable, Sendable {
  case info(ntfMsgInfo: NtfMsgInfo?)
  case error(ntfMsgError: AgentErrorType)
}
