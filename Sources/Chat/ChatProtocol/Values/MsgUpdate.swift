import ChatAPI
import SimplexJSON

/// A new content of a message that was sent before.
public struct MsgUpdate: JSONCodable, Hashable, Sendable {
  /// The message.
  public var msgId: SharedMsgId
  /// The new content.
  public var content: MsgContent
  /// Mentioned members, by their names in the text.
  public var mentions: [String: MsgMention]
  /// Seconds until the message disappears, if it is not known yet.
  public var ttl: Int?
  /// Whether the message is still being written.
  public var live: Bool?
  /// The part of the group it is for, if it is not known yet.
  public var scope: MsgScope?
  /// Whether it comes from the channel and from no member of it.
  public var asGroup: Bool?

  public init(
    msgId: SharedMsgId, content: MsgContent, mentions: [String: MsgMention] = [:], ttl: Int? = nil, live: Bool? = nil,
    scope: MsgScope? = nil, asGroup: Bool? = nil
  ) {
    self.msgId = msgId
    self.content = content
    self.mentions = mentions
    self.ttl = ttl
    self.live = live
    self.scope = scope
    self.asGroup = asGroup
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    try self.init(members: &fields)
  }

  init(members fields: inout JSONFields) throws(JSONError) {
    msgId = try fields.get("msgId")
    content = try fields.get("content")
    mentions = try fields.get("mentions", default: [:])
    ttl = try fields.get("ttl")
    live = try fields.get("live")
    scope = try fields.get("scope")
    asGroup = try fields.get("asGroup")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    encodeMembers(to: &json)
    json.endObject()
  }

  func encodeMembers(to json: inout JSONWriter) {
    json.field("msgId", msgId)
    json.field("content", content.betweenPeers)
    if !mentions.isEmpty { json.field("mentions", mentions) }
    json.field("ttl", ttl)
    json.field("live", live)
    json.field("scope", scope)
    json.field("asGroup", asGroup)
  }
}

/// A request to connect by an address.
public struct ContactRequestInfo: JSONCodable, Hashable, Sendable {
  /// The profile of the sender.
  public var profile: Profile
  /// The identifier of the request.
  public var contactReqId: XContactId?
  /// The welcome message of the address's data, which both parties then have.
  public var welcomeMsgId: SharedMsgId?
  /// A message sent with the request.
  public var requestMsg: RequestMessage?
  /// Whether the connection may be post-quantum although it is one of a group. The reference does not know this field:
  /// it uses no such encryption in groups, but offers it by mistake when it repeats a request to join one, and then
  /// refuses its own messages as too large.
  public var isPostQuantum = false

  /// A message sent with a request.
  public struct RequestMessage: Hashable, Sendable {
    /// The identifier of the message.
    public var msgId: SharedMsgId
    /// The message.
    public var content: MsgContent

    public init(msgId: SharedMsgId, content: MsgContent) {
      self.msgId = msgId
      self.content = content
    }
  }

  public init(
    profile: Profile, contactReqId: XContactId? = nil, welcomeMsgId: SharedMsgId? = nil,
    requestMsg: RequestMessage? = nil, isPostQuantum: Bool = false
  ) {
    self.profile = profile
    self.contactReqId = contactReqId
    self.welcomeMsgId = welcomeMsgId
    self.requestMsg = requestMsg
    self.isPostQuantum = isPostQuantum
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    try self.init(members: &fields)
  }

  /// A message without its identifier, or the other way round, is left out.
  init(members fields: inout JSONFields) throws(JSONError) {
    profile = try fields.get("profile")
    contactReqId = try fields.get("contactReqId")
    welcomeMsgId = try fields.get("welcomeMsgId")
    let msgId: SharedMsgId? = try fields.get("msgId")
    let content: MsgContent? = try fields.get("content")
    if let msgId, let content { requestMsg = RequestMessage(msgId: msgId, content: content) }
    isPostQuantum = (try? fields.get("postQuantum")) ?? false
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    encodeMembers(to: &json)
    json.endObject()
  }

  func encodeMembers(to json: inout JSONWriter) {
    json.field("profile", profile)
    json.field("contactReqId", contactReqId)
    json.field("welcomeMsgId", welcomeMsgId)
    json.field("msgId", requestMsg?.msgId)
    json.field("content", requestMsg?.content.betweenPeers)
    if isPostQuantum { json.field("postQuantum", true) }
  }
}
