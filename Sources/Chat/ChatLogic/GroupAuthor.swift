import ChatAPI

/// The author of a message in a group: a member, or the channel and no member in particular.
public enum GroupAuthor: Hashable, Sendable {
  /// A member.
  case member(GroupMember)
  /// The channel. Which owner wrote the message is unknown to everybody but that owner.
  case channel

  /// The member; nil for the channel.
  public var member: GroupMember? { if case .member(let member) = self { member } else { nil } }

  /// The identifier in the group, base64url; empty for the channel, which has none.
  public var memberId: String { member?.memberId ?? "" }

  /// The database id of the member; 0 for the channel.
  public var databaseID: Int64 { member?.groupMemberId ?? 0 }

  /// The role by which features and rights are decided: only owners write as the channel.
  public var memberRole: GroupMemberRole { member?.memberRole ?? .owner }

  /// Whether the user or a moderator hides messages of the author.
  public var blocked: Bool { member?.blocked ?? false }

  /// Whether moderators hide messages of the author for everybody.
  public var blockedByAdmin: Bool { member?.blockedByAdmin ?? false }

  /// Whether the author waits to be admitted.
  public var memberPending: Bool { member?.memberPending ?? false }

  /// Whether the author's client understands a version of the chat protocol.
  public func supports(_ version: UInt16) -> Bool { member?.supports(version) ?? true }
}
