import ChatAPI
import ChatProtocol

/// The outcome of a request to join a group by its link.
public enum GroupJoinDecision: Hashable, Sendable {
  /// Joins with this role: at once, unless moderators review newcomers, or when the host approves or moderators accept.
  case accept(GroupAcceptance, as: GroupMemberRole)
  /// May not join. The reason is sent, unless the client of who asked is too old to understand it.
  case reject(GroupRejectionReason)
}
