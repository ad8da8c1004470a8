import FoundationTypes

import SimplexJSON

/// A member of a group.
public struct GroupMember: JSONCodable, Hashable, Sendable {
  /// Database id of the member.
  public var groupMemberId: Int64
  /// Database id of the group.
  public var groupId: Int64
  /// Number of the member in the group.
  public var indexInGroup: Int64
  /// Id of the member in the group, base64url.
  public var memberId: String
  /// The role of the member.
  public var memberRole: GroupMemberRole
  /// How the member came to the group.
  public var memberCategory: GroupMemberCategory
  /// How far the member is connected.
  public var memberStatus: GroupMemberStatus
  /// The user's settings for the member.
  public var memberSettings: GroupMemberSettings
  /// Whether moderators blocked the member for all.
  public var blockedByAdmin: Bool
  /// Who invited the member.
  public var invitedBy: InvitedBy
  /// The member who invited.
  public var invitedByGroupMemberId: Int64?
  /// The name made unique on this device.
  public var localDisplayName: String
  /// Names and image of the member.
  public var memberProfile: LocalProfile
  /// The contact the member is.
  public var memberContactId: Int64?
  /// Database id of the profile.
  public var memberContactProfileId: Int64
  /// The connection to the peer; absent until there is one.
  public var activeConn: Connection?
  /// Versions of the chat protocol the member understands.
  public var memberChatVRange: VersionRange
  /// When it was created.
  public var createdAt: Date
  /// When it was last changed.
  public var updatedAt: Date
  /// The member's conversation with the moderators.
  public var supportChat: GroupSupportChat?
  /// Public signing key of the member, base64url.
  public var memberPubKey: String?
  /// The security code of the member's key that was verified.
  public var memberVerifiedCode: SecurityCode?
  /// Short link of the relay.
  public var relayLink: String?

  /// A value of its members.
  public init(
    groupMemberId: Int64, groupId: Int64, indexInGroup: Int64, memberId: String, memberRole: GroupMemberRole,
    memberCategory: GroupMemberCategory, memberStatus: GroupMemberStatus, memberSettings: GroupMemberSettings,
    blockedByAdmin: Bool, invitedBy: InvitedBy, invitedByGroupMemberId: Int64? = nil, localDisplayName: String,
    memberProfile: LocalProfile, memberContactId: Int64? = nil, memberContactProfileId: Int64,
    activeConn: Connection? = nil, memberChatVRange: VersionRange, createdAt: Date, updatedAt: Date,
    supportChat: GroupSupportChat? = nil, memberPubKey: String? = nil, memberVerifiedCode: SecurityCode? = nil,
    relayLink: String? = nil
  ) {
    self.groupMemberId = groupMemberId
    self.groupId = groupId
    self.indexInGroup = indexInGroup
    self.memberId = memberId
    self.memberRole = memberRole
    self.memberCategory = memberCategory
    self.memberStatus = memberStatus
    self.memberSettings = memberSettings
    self.blockedByAdmin = blockedByAdmin
    self.invitedBy = invitedBy
    self.invitedByGroupMemberId = invitedByGroupMemberId
    self.localDisplayName = localDisplayName
    self.memberProfile = memberProfile
    self.memberContactId = memberContactId
    self.memberContactProfileId = memberContactProfileId
    self.activeConn = activeConn
    self.memberChatVRange = memberChatVRange
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.supportChat = supportChat
    self.memberPubKey = memberPubKey
    self.memberVerifiedCode = memberVerifiedCode
    self.relayLink = relayLink
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    groupMemberId = try fields.get("groupMemberId")
    groupId = try fields.get("groupId")
    indexInGroup = try fields.get("indexInGroup")
    memberId = try fields.get("memberId")
    memberRole = try fields.get("memberRole")
    memberCategory = try fields.get("memberCategory")
    memberStatus = try fields.get("memberStatus")
    memberSettings = try fields.get("memberSettings")
    blockedByAdmin = try fields.get("blockedByAdmin")
    invitedBy = try fields.get("invitedBy")
    invitedByGroupMemberId = try fields.get("invitedByGroupMemberId")
    localDisplayName = try fields.get("localDisplayName")
    memberProfile = try fields.get("memberProfile")
    memberContactId = try fields.get("memberContactId")
    memberContactProfileId = try fields.get("memberContactProfileId")
    activeConn = try fields.get("activeConn")
    memberChatVRange = try fields.get("memberChatVRange")
    createdAt = try fields.get("createdAt")
    updatedAt = try fields.get("updatedAt")
    supportChat = try fields.get("supportChat")
    memberPubKey = try fields.get("memberPubKey")
    memberVerifiedCode = try fields.get("memberVerifiedCode")
    relayLink = try fields.get("relayLink")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("groupMemberId", groupMemberId)
    json.field("groupId", groupId)
    json.field("indexInGroup", indexInGroup)
    json.field("memberId", memberId)
    json.field("memberRole", memberRole)
    json.field("memberCategory", memberCategory)
    json.field("memberStatus", memberStatus)
    json.field("memberSettings", memberSettings)
    json.field("blockedByAdmin", blockedByAdmin)
    json.field("invitedBy", invitedBy)
    json.field("invitedByGroupMemberId", invitedByGroupMemberId)
    json.field("localDisplayName", localDisplayName)
    json.field("memberProfile", memberProfile)
    json.field("memberContactId", memberContactId)
    json.field("memberContactProfileId", memberContactProfileId)
    json.field("activeConn", activeConn)
    json.field("memberChatVRange", memberChatVRange)
    json.field("createdAt", createdAt)
    json.field("updatedAt", updatedAt)
    json.field("supportChat", supportChat)
    json.field("memberPubKey", memberPubKey)
    json.field("memberVerifiedCode", memberVerifiedCode)
    json.field("relayLink", relayLink)
    json.endObject()
  }
}

/// How a member came to the group, as seen by the user.
public enum GroupMemberCategory: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case userMember = "user"
  case inviteeMember = "invitee"
  case hostMember = "host"
  case preMember = "pre"
  case postMember = "post"
}

/// How far a member is connected.
public enum GroupMemberStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case memRejected = "rejected"
  case memRemoved = "removed"
  case memLeft = "left"
  case memGroupDeleted = "deleted"
  case memUnknown = "unknown"
  case memInvited = "invited"
  case memPendingApproval = "pending_approval"
  case memPendingReview = "pending_review"
  case memIntroduced = "introduced"
  case memIntroInvited = "intro-inv"
  case memAccepted = "accepted"
  case memAnnounced = "announced"
  case memConnected = "connected"
  case memComplete = "complete"
  case memCreator = "creator"
}

/// The user's settings for a member.
public struct GroupMemberSettings: JSONCodable, Hashable, Sendable {
  /// Whether messages of the member are shown.
  public var showMessages: Bool

  /// A value of its members.
  public init(
    showMessages: Bool
  ) {
    self.showMessages = showMessages
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    showMessages = try fields.get("showMessages")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("showMessages", showMessages)
    json.endObject()
  }
}

/// A member's conversation with the moderators.
public struct GroupSupportChat: JSONCodable, Hashable, Sendable {
  /// When the conversation last changed.
  public var chatTs: Date
  /// Number of unread messages.
  public var unread: Int
  /// Unanswered messages of the member.
  public var memberAttention: Int
  /// Unread mentions of the user.
  public var mentions: Int
  /// When the member last wrote.
  public var lastMsgFromMemberTs: Date?

  /// A value of its members.
  public init(
    chatTs: Date, unread: Int, memberAttention: Int, mentions: Int, lastMsgFromMemberTs: Date? = nil
  ) {
    self.chatTs = chatTs
    self.unread = unread
    self.memberAttention = memberAttention
    self.mentions = mentions
    self.lastMsgFromMemberTs = lastMsgFromMemberTs
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    chatTs = try fields.get("chatTs")
    unread = try fields.get("unread")
    memberAttention = try fields.get("memberAttention")
    mentions = try fields.get("mentions")
    lastMsgFromMemberTs = try fields.get("lastMsgFromMemberTs")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("chatTs", chatTs)
    json.field("unread", unread)
    json.field("memberAttention", memberAttention)
    json.field("mentions", mentions)
    json.field("lastMsgFromMemberTs", lastMsgFromMemberTs)
    json.endObject()
  }
}

/// Who invited a member.
public enum InvitedBy: JSONCodable, Hashable, Sendable {
  case contact(byContactId: Int64)
  case user
  case unknown

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "contact": self = try .contact(byContactId: fields.get("byContactId"))
    case "user": self = .user
    case "unknown": self = .unknown
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .contact(let byContactId): json.sum("contact", "byContactId", byContactId)
    case .user: json.tag("user")
    case .unknown: json.tag("unknown")
    }
  }
}

/// A member as named in events.
public struct GroupMemberRef: JSONCodable, Hashable, Sendable {
  /// Database id of the member.
  public var groupMemberId: Int64
  /// The profile.
  public var profile: Profile

  /// A value of its members.
  public init(
    groupMemberId: Int64, profile: Profile
  ) {
    self.groupMemberId = groupMemberId
    self.profile = profile
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    groupMemberId = try fields.get("groupMemberId")
    profile = try fields.get("profile")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("groupMemberId", groupMemberId)
    json.field("profile", profile)
    json.endObject()
  }
}

/// A reaction and who gave it.
public struct MemberReaction: JSONCodable, Hashable, Sendable {
  /// The member.
  public var groupMember: GroupMember
  /// When the member reacted.
  public var reactionTs: Date

  /// A value of its members.
  public init(
    groupMember: GroupMember, reactionTs: Date
  ) {
    self.groupMember = groupMember
    self.reactionTs = reactionTs
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    groupMember = try fields.get("groupMember")
    reactionTs = try fields.get("reactionTs")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("groupMember", groupMember)
    json.field("reactionTs", reactionTs)
    json.endObject()
  }
}
