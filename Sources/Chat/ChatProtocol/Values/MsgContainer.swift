import ChatAPI
import SimplexJSON
import WireCodec

/// A new message with its content and context. A quote, a parent and the mark of a forwarded message may
/// be combined.
public struct MsgContainer: JSONCodable, Hashable, Sendable {
  /// The content.
  public var content: MsgContent
  /// Mentioned members, by their names in the text.
  public var mentions: [String: MsgMention]
  /// The file that comes with it.
  public var file: FileInvitation?
  /// Seconds until the message disappears.
  public var ttl: Int?
  /// Whether the message is still being written; updates follow.
  public var live: Bool?
  /// The part of the group it is for.
  public var scope: MsgScope?
  /// Whether it comes from the channel and from no member of it.
  public var asGroup: Bool?
  /// The message it answers.
  public var quote: QuotedMsg?
  /// The message it comments on.
  public var parent: MsgRef?
  /// Whether it was forwarded; absent for others. Older versions sent `false` as well.
  public var forward: Bool?

  public init(
    content: MsgContent, mentions: [String: MsgMention] = [:], file: FileInvitation? = nil, ttl: Int? = nil,
    live: Bool? = nil, scope: MsgScope? = nil, asGroup: Bool? = nil, quote: QuotedMsg? = nil, parent: MsgRef? = nil,
    forward: Bool? = nil
  ) {
    self.content = content
    self.mentions = mentions
    self.file = file
    self.ttl = ttl
    self.live = live
    self.scope = scope
    self.asGroup = asGroup
    self.quote = quote
    self.parent = parent
    self.forward = forward
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    try self.init(members: &fields)
  }

  init(members fields: inout JSONFields) throws(JSONError) {
    content = try fields.get("content")
    mentions = try fields.get("mentions", default: [:])
    file = try fields.get("file")
    ttl = try fields.get("ttl")
    live = try fields.get("live")
    scope = try fields.get("scope")
    asGroup = try fields.get("asGroup")
    quote = try fields.get("quote")
    parent = try fields.get("parent")
    forward = try fields.get("forward")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    encodeMembers(to: &json)
    json.endObject()
  }

  func encodeMembers(to json: inout JSONWriter) {
    json.field("content", content.betweenPeers)
    if !mentions.isEmpty { json.field("mentions", mentions) }
    json.field("file", file)
    json.field("ttl", ttl)
    json.field("live", live)
    json.field("scope", scope)
    json.field("asGroup", asGroup)
    json.field("quote", quote)
    json.field("parent", parent)
    json.field("forward", forward)
  }
}

/// A member who is mentioned.
public struct MsgMention: JSONCodable, Hashable, Sendable {
  /// The member.
  public var memberId: MemberId

  /// A mention of the member.
  public init(memberId: MemberId) { self.memberId = memberId }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    memberId = try fields.get("memberId")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("memberId", memberId)
    json.endObject()
  }
}

/// A message that another one refers to.
public struct MsgRef: JSONCodable, Hashable, Sendable {
  /// The message; nil if its sender set no identifier.
  public var msgId: SharedMsgId?
  /// When it was sent.
  public var sentAt: UTCTime
  /// Whether the author of the reference sent it.
  public var sent: Bool
  /// Its author in a group; absent for messages of a channel.
  public var memberId: MemberId?

  public init(msgId: SharedMsgId?, sentAt: UTCTime, sent: Bool, memberId: MemberId? = nil) {
    self.msgId = msgId
    self.sentAt = sentAt
    self.sent = sent
    self.memberId = memberId
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    msgId = try fields.get("msgId")
    sentAt = try fields.get("sentAt", UTCTime.textCodec)
    sent = try fields.get("sent")
    memberId = try fields.get("memberId")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("msgId", msgId)
    json.field("sentAt", sentAt, UTCTime.textCodec)
    json.field("sent", sent)
    json.field("memberId", memberId)
    json.endObject()
  }
}

/// A message that is answered, with its content as the author of the answer saw it.
public struct QuotedMsg: JSONCodable, Hashable, Sendable {
  /// The reference to the message.
  public var msgRef: MsgRef
  /// Its content.
  public var content: MsgContent

  public init(msgRef: MsgRef, content: MsgContent) {
    self.msgRef = msgRef
    self.content = content
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    msgRef = try fields.get("msgRef")
    content = try fields.get("content")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("msgRef", msgRef)
    json.field("content", content.betweenPeers)
    json.endObject()
  }
}

/// The part of a group that a message is for. It is encoded with `type` between peers.
public enum MsgScope: JSONCodable, Hashable, Sendable {
  /// The support chat of a member. Moderators may name any member, members only themselves.
  case member(MemberId)

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    let type: String = try fields.get("type")
    guard type == "member" else { throw JSONError(.unknownCase(type)) }
    self = .member(try fields.get("memberId"))
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .member(let memberId):
      json.beginTagged("member")
      json.field("memberId", memberId)
      json.endObject()
    }
  }
}
