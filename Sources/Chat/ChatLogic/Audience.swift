import ChatAPI
import ChatProtocol

/// The members to forward a message to: those without a connection to its author.
public enum Audience: Hashable, Sendable {
  /// No member.
  case nobody
  /// The members; with those who wait to be admitted where it concerns them.
  case members(includingPending: Bool)
  /// A member, a database id, and the moderators.
  case support(Int64)

  /// The members who see what happens in a part of a group.
  public init(_ chat: ChatRef, of group: GroupInfo) {
    switch chat.chatScope {
    case .memberSupport(let member): self = .support(member ?? group.membership.groupMemberId)
    default: self = .members(includingPending: false)
    }
  }

  /// The members who see what a member does, or what happens to it.
  public init(_ member: GroupMember) {
    switch member.memberStatus {
    case .memPendingApproval: self = .nobody
    case .memPendingReview: self = .support(member.groupMemberId)
    default: self = .members(includingPending: member.memberRole >= .moderator)
    }
  }

  /// Whether a member is one of them.
  public func includes(_ member: GroupMember) -> Bool {
    switch self {
    case .nobody: false
    case .members(let includingPending): includingPending ? member.memberCurrentOrPending : member.memberCurrent
    case .support(let id): member.groupMemberId == id || member.understandsScopes
    }
  }
}

extension GroupMember {
  /// Whether the member sees a part of its group's chat. A member who waits to be admitted does not see the main one.
  public func takesPart(in chat: ChatRef) -> Bool {
    guard case .memberSupport(let id) = chat.chatScope else { return !memberPending }
    return memberRole >= .moderator || groupMemberId == id
  }

  /// Whether the member is a moderator who takes part in members' support chats.
  public var understandsScopes: Bool {
    memberRole >= .moderator && memberCurrent && supports(ChatVersion.messageScopes)
  }
}
