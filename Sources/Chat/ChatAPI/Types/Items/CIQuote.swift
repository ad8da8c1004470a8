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
}

/// A reaction and the number of people who set it.
public struct CIReactionCount: JSONCodable, Hashable, Sendable {
  /// The reaction.
  public var reaction: MsgReaction
  /// Whether the user reacted.
  public var userReacted: Bool
  /// How many reacted.
  public var totalReacted: Int
}

/// A mentioned member.
public struct CIMention: JSONCodable, Hashable, Sendable {
  /// Id of the member in the group, base64url.
  public var memberId: String
  /// The member, if known.
  public var memberRef: CIMentionMember?
}

/// What is known of a mentioned member.
public struct CIMentionMember: JSONCodable, Hashable, Sendable {
  /// Database id of the member.
  public var groupMemberId: Int64
  /// The short name.
  public var displayName: String
  /// The name that the user chose; may be empty.
  public var localAlias: String?
  /// The role of the member.
  public var memberRole: GroupMemberRole
}
