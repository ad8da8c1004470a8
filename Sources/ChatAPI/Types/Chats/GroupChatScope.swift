import SimplexJSON

/// A part of a group's chat that only some members see.
public enum GroupChatScope: JSONCodable, Hashable, Sendable {
  /// A member's conversation with the moderators; without id the user's own.
  case memberSupport(groupMemberId_: Int64?)
  /// Reports to moderators. User interfaces match items with it; the core neither sends nor accepts it.
  case reports

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "memberSupport": self = .memberSupport(groupMemberId_: try fields.get("groupMemberId_"))
    case "reports": self = .reports
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .memberSupport(let groupMemberId_): json.sum("memberSupport", "groupMemberId_", groupMemberId_)
    case .reports: json.tag("reports")
    }
  }
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

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "memberSupport": self = .memberSupport(groupMember_: try fields.get("groupMember_"))
    case "reports": self = .reports
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .memberSupport(let groupMember_): json.sum("memberSupport", "groupMember_", groupMember_)
    case .reports: json.tag("reports")
    }
  }
}
