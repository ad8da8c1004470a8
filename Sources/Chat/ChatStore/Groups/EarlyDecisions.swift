import ChatAPI
import SQLiteKit

/// What was decided about a member of a group whom nobody has introduced yet, or who was removed and forgotten. The
/// host, the member who decided and who passes messages on send over different connections, so a decision may come
/// first.
public enum EarlyDecision: Equatable, Sendable {
  /// A moderator admitted the member, who waited, with this role.
  case accepted(as: GroupMemberRole)
  /// A member with this role removed it.
  case removed(by: GroupMemberRole)
}

extension ChatTransaction {
  /// Stores what was decided about a member. A removal by the highest role is final, and the first acceptance counts.
  /// - Parameter member: its identifier in the group, base64url.
  public func addDecision(
    _ decision: EarlyDecision, about member: String, inGroup group: Int64
  ) throws(StoreError) {
    let (conflict, role, removes) =
      switch decision {
      case .accepted(let role): ("IGNORE", role, false)
      case .removed(let role): ("REPLACE", role, true)
      }
    if removes, case .removed(let other) = try self.decision(about: member, inGroup: group), other >= role { return }
    try execute(
      """
      INSERT OR \(conflict) INTO early_decisions (group_id, shared_member_id, role, removes, created_at) \
      VALUES (?, ?, ?, ?, ?)
      """, group, member, role.rawValue, removes, nowMicroseconds)
  }

  /// What was decided about a member before it was introduced; nil for nothing.
  public func decision(about member: String, inGroup group: Int64) throws(StoreError) -> EarlyDecision? {
    try first(
      "SELECT role, removes FROM early_decisions WHERE group_id = ? AND shared_member_id = ?", group, member
    ) { (row) throws(SQLFailure) in
      let role = GroupMemberRole(rawValue: try row.text(0))
      return try row.integer(1) == 1 ? .removed(by: role) : .accepted(as: role)
    }
  }
}
