import ChatAPI
import ChatProtocol

/// What becomes of somebody who asks to join a group by its link.
public enum GroupJoinDecision: Hashable, Sendable {
  /// Joins with this role: at once, unless moderators review newcomers, or when the host approves or moderators accept.
  case accept(GroupAcceptance, as: GroupMemberRole)
  /// May not join, and is told why; whose client is too old for that hears nothing.
  case reject(GroupRejectionReason)
}
