import SimplexJSON

/// A part of a group's chat that only some members see.
public enum GroupChatScope: JSONCodable, Hashable, Sendable {
  /// A member's conversation with the moderators; without id the user's own.
  case memberSupport(groupMemberId_: Int64?)
  /// Reports to moderators. User interfaces match items with it; the core neither sends nor accepts it.
  case reports
}

/// A part of a group's chat, with its member.
public indirect enum GroupChatScopeInfo: JSONCodable, Hashable, Sendable {
  /// A member's conversation with the moderators; without member the user's own.
  case memberSupport(groupMember_: GroupMember?)
  /// Reports to moderators, see ``GroupChatScope/reports``.
  case reports

  /// The same part, named by ids.
  public func toChatScope() -> GroupChatScope {
    switch self {
    case .memberSupport(let member): .memberSupport(groupMemberId_: member?.groupMemberId)
    case .reports: .reports
    }
  }
}
