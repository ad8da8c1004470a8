import SimplexJSON
import WireCodec

/// The parameters of INFO: the state of a queue, as JSON. Source: simplex-messaging.md, "Queue information".
public struct QueueInfo: Hashable, Sendable {
  /// Whether the sender's commands have to be authorized.
  public var qiSnd: Bool
  /// Whether there is a notifier.
  public var qiNtf: Bool
  /// The subscription of this connection or another.
  public var qiSub: QSub?
  /// The number of messages.
  public var qiSize: Int
  /// The first of them.
  public var qiMsg: MsgInfo?

  public init(qiSnd: Bool, qiNtf: Bool, qiSub: QSub? = nil, qiSize: Int, qiMsg: MsgInfo? = nil) {
    self.qiSnd = qiSnd
    self.qiNtf = qiNtf
    self.qiSub = qiSub
    self.qiSize = qiSize
    self.qiMsg = qiMsg
  }
}

/// The subscription of a queue.
public struct QSub: Hashable, Sendable {
  /// Whether messages are delivered.
  public var qSubThread: QSubThread
  /// The message that was delivered and is not acknowledged, in base64url.
  public var qDelivered: String?

  public init(qSubThread: QSubThread, qDelivered: String? = nil) {
    self.qSubThread = qSubThread
    self.qDelivered = qDelivered
  }
}

/// Whether a subscription delivers.
public enum QSubThread: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case noSub
  case subPending
  case subThread
  case prohibitSub
}

/// A message in a queue.
public struct MsgInfo: Hashable, Sendable {
  /// Its identifier in base64url.
  public var msgId: String
  /// When the relay received it.
  public var msgTs: UTCTime
  /// Whether it is a message, or the notice that the queue was full.
  public var msgType: MsgType

  public init(msgId: String, msgTs: UTCTime, msgType: MsgType) {
    self.msgId = msgId
    self.msgTs = msgTs
    self.msgType = msgType
  }
}

/// The kind of a delivery.
public enum MsgType: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case message
  case quota
}

extension BrokerMessage {
  static let infoForm = MessageForm<BrokerMessage>(
    "INFO", (), .response, Codec<QueueInfo>.json, { .info($0) }, { if case .info(let info) = $0 { info } else { nil } })
}

extension QueueInfo: JSONCodable {
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    qiSnd = try fields.get("qiSnd")
    qiNtf = try fields.get("qiNtf")
    qiSub = try fields.get("qiSub")
    qiSize = try fields.get("qiSize")
    qiMsg = try fields.get("qiMsg")
  }

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

extension QSub: JSONCodable {
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    qSubThread = try fields.get("qSubThread")
    qDelivered = try fields.get("qDelivered")
  }

  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("qSubThread", qSubThread)
    json.field("qDelivered", qDelivered)
    json.endObject()
  }
}

extension MsgInfo: JSONCodable {
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    msgId = try fields.get("msgId")
    let time: String = try fields.get("msgTs")
    guard let time = try? UTCTime.textCodec.decode(text: time) else { throw JSONError(.invalidText(type: "date")) }
    msgTs = time
    msgType = try fields.get("msgType")
  }

  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("msgId", msgId)
    json.field("msgTs", msgTs.description)
    json.field("msgType", msgType)
    json.endObject()
  }
}
