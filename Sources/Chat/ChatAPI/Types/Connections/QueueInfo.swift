import FoundationTypes
import SimplexJSON

/// What a relay says of a queue.
public struct ServerQueueInfo: JSONCodable, Hashable, Sendable {
  /// Address of the server.
  public var server: String
  /// The relay's id for receiving, base64url.
  public var rcvId: String
  /// The relay's id for sending, base64url.
  public var sndId: String
  /// The relay's id for notifications, base64url.
  public var ntfId: String?
  /// Its status.
  public var status: String
  /// State of the queue.
  public var info: QueueInfo
}

/// State of a queue at its relay.
public struct QueueInfo: JSONCodable, Hashable, Sendable {
  /// Whether the queue is secured by the sender.
  public var qiSnd: Bool
  /// Whether notifications are set up.
  public var qiNtf: Bool
  /// The subscription.
  public var qiSub: QSub?
  /// Number of messages in the queue.
  public var qiSize: Int
  /// The first message in the queue.
  public var qiMsg: MsgInfo?
}

/// The subscription of a queue.
public struct QSub: JSONCodable, Hashable, Sendable {
  /// How the subscription is served.
  public var qSubThread: QSubThread
  /// The message delivered and not yet acknowledged.
  public var qDelivered: String?
}

/// How a relay serves a subscription.
public enum QSubThread: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case noSub
  case subPending
  case subThread
  case prohibitSub
}

/// The first message of a queue.
public struct MsgInfo: JSONCodable, Hashable, Sendable {
  /// Id of the message, base64url.
  public var msgId: String
  /// When the relay received the message.
  public var msgTs: Date
  /// Whether it is a message or the notice that the queue was full.
  public var msgType: MsgType
}

/// What a relay delivers.
public enum MsgType: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case message
  case quota
}

/// The last message received on a connection.
public struct RcvMsgInfo: JSONCodable, Hashable, Sendable {
  /// Database id of the message.
  public var msgId: Int64
  /// Database id of the delivery.
  public var msgDeliveryId: Int64
  /// The processing state of the message.
  public var msgDeliveryStatus: String
  /// The agent's number of the message.
  public var agentMsgId: Int64
  /// The agent's description of the message, as text.
  public var agentMsgMeta: String
}
