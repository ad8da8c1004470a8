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

  /// A value of its members.
  public init(
    server: String, rcvId: String, sndId: String, ntfId: String? = nil, status: String, info: QueueInfo
  ) {
    self.server = server
    self.rcvId = rcvId
    self.sndId = sndId
    self.ntfId = ntfId
    self.status = status
    self.info = info
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    server = try fields.get("server")
    rcvId = try fields.get("rcvId")
    sndId = try fields.get("sndId")
    ntfId = try fields.get("ntfId")
    status = try fields.get("status")
    info = try fields.get("info")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("server", server)
    json.field("rcvId", rcvId)
    json.field("sndId", sndId)
    json.field("ntfId", ntfId)
    json.field("status", status)
    json.field("info", info)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    qiSnd: Bool, qiNtf: Bool, qiSub: QSub? = nil, qiSize: Int, qiMsg: MsgInfo? = nil
  ) {
    self.qiSnd = qiSnd
    self.qiNtf = qiNtf
    self.qiSub = qiSub
    self.qiSize = qiSize
    self.qiMsg = qiMsg
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    qiSnd = try fields.get("qiSnd")
    qiNtf = try fields.get("qiNtf")
    qiSub = try fields.get("qiSub")
    qiSize = try fields.get("qiSize")
    qiMsg = try fields.get("qiMsg")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("qiSnd", qiSnd)
    json.field("qiNtf", qiNtf)
    json.field("qiSub", qiSub)
    json.field("qiSize", qiSize)
    json.field("qiMsg", qiMsg)
    json.endObject()
  }
}

/// The subscription of a queue.
public struct QSub: JSONCodable, Hashable, Sendable {
  /// How the subscription is served.
  public var qSubThread: QSubThread
  /// The message delivered and not yet acknowledged.
  public var qDelivered: String?

  /// A value of its members.
  public init(
    qSubThread: QSubThread, qDelivered: String? = nil
  ) {
    self.qSubThread = qSubThread
    self.qDelivered = qDelivered
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    qSubThread = try fields.get("qSubThread")
    qDelivered = try fields.get("qDelivered")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("qSubThread", qSubThread)
    json.field("qDelivered", qDelivered)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    msgId: String, msgTs: Date, msgType: MsgType
  ) {
    self.msgId = msgId
    self.msgTs = msgTs
    self.msgType = msgType
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    msgId = try fields.get("msgId")
    msgTs = try fields.get("msgTs")
    msgType = try fields.get("msgType")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("msgId", msgId)
    json.field("msgTs", msgTs)
    json.field("msgType", msgType)
    json.endObject()
  }
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
  /// How far the message was processed.
  public var msgDeliveryStatus: String
  /// The agent's number of the message.
  public var agentMsgId: Int64
  /// The agent's description of the message, as text.
  public var agentMsgMeta: String

  /// A value of its members.
  public init(
    msgId: Int64, msgDeliveryId: Int64, msgDeliveryStatus: String, agentMsgId: Int64, agentMsgMeta: String
  ) {
    self.msgId = msgId
    self.msgDeliveryId = msgDeliveryId
    self.msgDeliveryStatus = msgDeliveryStatus
    self.agentMsgId = agentMsgId
    self.agentMsgMeta = agentMsgMeta
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    msgId = try fields.get("msgId")
    msgDeliveryId = try fields.get("msgDeliveryId")
    msgDeliveryStatus = try fields.get("msgDeliveryStatus")
    agentMsgId = try fields.get("agentMsgId")
    agentMsgMeta = try fields.get("agentMsgMeta")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("msgId", msgId)
    json.field("msgDeliveryId", msgDeliveryId)
    json.field("msgDeliveryStatus", msgDeliveryStatus)
    json.field("agentMsgId", agentMsgId)
    json.field("agentMsgMeta", agentMsgMeta)
    json.endObject()
  }
}
