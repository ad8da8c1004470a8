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
  /// The connection state of the member.
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
}

/// How a member came to the group, as seen by the user.
public enum GroupMemberCategory: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case userMember = "user"
  case inviteeMember = "invitee"
  case hostMember = "host"
  case preMember = "pre"
  case postMember = "post"
}

/// The connection state of a member.
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
}

/// Who invited a member.
public enum InvitedBy: JSONCodable, Hashable, Sendable {
  case contact(byContactId: Int64)
  case user
  case unknown
}

/// A member as named in events.
public struct GroupMemberRef: JSONCodable, Hashable, Sendable {
  /// Database id of the member.
  public var groupMemberId: Int64
  /// The profile.
  public var profile: Profile
}

/// A reaction and the member who set it.
public struct MemberReaction: JSONCodable, Hashable, Sendable {
  /// The member.
  public var groupMember: GroupMember
  /// When the member reacted.
  public var reactionTs: Date
}
