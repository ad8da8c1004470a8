import FoundationTypes

import SimplexJSON

/// A quoted message.
public struct CIQuote: JSONCodable, Hashable, Sendable {
  /// Who sent the item.
  public var chatDir: CIDirection
  /// Database id of the item.
  public var itemId: Int64?
  /// The id both sides know, base64url.
  public var sharedMsgId: String?
  /// When it was sent.
  public var sentAt: Date
  /// The quoted content.
  public var content: MsgContent
  /// The text in formatted parts; absent if it is all plain.
  public var formattedText: [FormattedText]?

  /// A value of its members.
  public init(
    chatDir: CIDirection, itemId: Int64? = nil, sharedMsgId: String? = nil, sentAt: Date, content: MsgContent,
    formattedText: [FormattedText]? = nil
  ) {
    self.chatDir = chatDir
    self.itemId = itemId
    self.sharedMsgId = sharedMsgId
    self.sentAt = sentAt
    self.content = content
    self.formattedText = formattedText
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    chatDir = try fields.get("chatDir")
    itemId = try fields.get("itemId")
    sharedMsgId = try fields.get("sharedMsgId")
    sentAt = try fields.get("sentAt")
    content = try fields.get("content")
    formattedText = try fields.get("formattedText")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("chatDir", chatDir)
    json.field("itemId", itemId)
    json.field("sharedMsgId", sharedMsgId)
    json.field("sentAt", sentAt)
    json.field("content", content)
    json.field("formattedText", formattedText)
    json.endObject()
  }
}

/// A reaction and how many gave it.
public struct CIReactionCount: JSONCodable, Hashable, Sendable {
  /// The reaction.
  public var reaction: MsgReaction
  /// Whether the user reacted.
  public var userReacted: Bool
  /// How many reacted.
  public var totalReacted: Int

  /// A value of its members.
  public init(
    reaction: MsgReaction, userReacted: Bool, totalReacted: Int
  ) {
    self.reaction = reaction
    self.userReacted = userReacted
    self.totalReacted = totalReacted
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    reaction = try fields.get("reaction")
    userReacted = try fields.get("userReacted")
    totalReacted = try fields.get("totalReacted")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("reaction", reaction)
    json.field("userReacted", userReacted)
    json.field("totalReacted", totalReacted)
    json.endObject()
  }
}

/// A mentioned member.
public struct CIMention: JSONCodable, Hashable, Sendable {
  /// Id of the member in the group, base64url.
  public var memberId: String
  /// The member, if known.
  public var memberRef: CIMentionMember?

  /// A value of its members.
  public init(
    memberId: String, memberRef: CIMentionMember? = nil
  ) {
    self.memberId = memberId
    self.memberRef = memberRef
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    memberId = try fields.get("memberId")
    memberRef = try fields.get("memberRef")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("memberId", memberId)
    json.field("memberRef", memberRef)
    json.endObject()
  }
}

/// What is known of a mentioned member.
public struct CIMentionMember: JSONCodable, Hashable, Sendable {
  /// Database id of the member.
  public var groupMemberId: Int64
  /// The short name.
  public var displayName: String
  /// The name the user gave; may be empty.
  public var localAlias: String?
  /// The role of the member.
  public var memberRole: GroupMemberRole

  /// A value of its members.
  public init(
    groupMemberId: Int64, displayName: String, localAlias: String? = nil, memberRole: GroupMemberRole
  ) {
    self.groupMemberId = groupMemberId
    self.displayName = displayName
    self.localAlias = localAlias
    self.memberRole = memberRole
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    groupMemberId = try fields.get("groupMemberId")
    displayName = try fields.get("displayName")
    localAlias = try fields.get("localAlias")
    memberRole = try fields.get("memberRole")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("groupMemberId", groupMemberId)
    json.field("displayName", displayName)
    json.field("localAlias", localAlias)
    json.field("memberRole", memberRole)
    json.endObject()
  }
}
