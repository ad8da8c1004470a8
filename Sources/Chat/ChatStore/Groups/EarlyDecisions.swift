import ChatAPI
import SQLiteKit

/// A decision about a member of a group whom nobody has introduced yet, or who was removed and forgotten. The host, the
/// member who decided and who forwards messages send over different connections, so a decision may come first.
public enum EarlyDecision: Equatable, Sendable {
  /// A moderator admitted the member, who waited, with this role.
  case accepted(as: GroupMemberRole)
  /// A member with this role removed it.
  case removed(by: GroupMemberRole)
  /// A member gave it a role.
  case role(GroupMemberRole, by: GroupMemberRole)
  /// A member blocked it for everybody, or no longer.
  case blocked(Bool, by: GroupMemberRole)
}

/// What was decided about a member before it was introduced.
public struct EarlyDecisions: Equatable, Sendable {
  /// The role that it was admitted with.
  public var acceptedAs: GroupMemberRole?
  /// The highest role of those who removed it.
  public var removedBy: GroupMemberRole?
  /// The roles that it was given, the last one by each role of who decided, oldest first.
  public var roles: [Decided<GroupMemberRole>] = []
  /// Whether it was blocked, the last decision by each role of who decided, oldest first.
  public var blockings: [Decided<Bool>] = []

  /// Nothing decided.
  public init() {}

  /// A value, and the role of the member who decided.
  public struct Decided<Value: Equatable & Sendable>: Equatable, Sendable {
    /// What was decided.
    public var value: Value
    /// The role of who decided it.
    public var by: GroupMemberRole
  }

  /// The role of a member that is introduced with another one: each decision counts that was a right of who decided.
  public func role(of introduced: GroupMemberRole) -> GroupMemberRole {
    roles.reduce(introduced) { $1.by >= max(.admin, max($1.value, $0)) ? $1.value : $0 }
  }

  /// Whether a member that is introduced with this role is blocked.
  public func isBlocked(_ introduced: Bool, role: GroupMemberRole) -> Bool {
    blockings.last { $0.by >= max(.moderator, role) }?.value ?? introduced
  }
}

extension ChatTransaction {
  /// Stores what was decided about a member. A removal by the highest role is final and the first acceptance counts;
  /// whether a role and a blocking count is known when the member is introduced.
  /// - Parameters:
  ///   - member: its identifier in the group, base64url.
  ///   - moderator: who decided about a member that is not known, a database id; nil where it is known.
  public func addDecision(
    _ decision: EarlyDecision, about member: String, inGroup group: Int64, by moderator: Int64? = nil
  ) throws(StoreError) {
    let known = try decisions(about: member, inGroup: group)
    let (kind, value, role): (String, String?, GroupMemberRole?)
    switch decision {
    case .accepted(let accepted):
      guard known.acceptedAs == nil, known.removedBy == nil else { return }
      (kind, value, role) = ("accepted", accepted.rawValue, nil)
    case .removed(let by):
      if let other = known.removedBy, other >= by { return }
      (kind, value, role) = ("removed", nil, by)
    case .role(let given, let by): (kind, value, role) = ("role", given.rawValue, by)
    case .blocked(let blocks, let by): (kind, value, role) = ("blocked", blocks ? "yes" : "no", by)
    }
    // Not replaced by the insertion, which would fire no trigger.
    try execute(
      "DELETE FROM early_decisions WHERE group_id = ? AND shared_member_id = ? AND kind = ? AND by_role = ?", group,
      member, kind, role?.rawValue ?? "")
    try execute(
      """
      INSERT INTO early_decisions (group_id, shared_member_id, kind, value, by_role, by_member, created_at, charged_to) \
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, group, member, kind, value, role?.rawValue ?? "", moderator, nowMicroseconds, moderator == nil ? 0 : payer)
  }

  /// What was decided about a member before it was introduced.
  public func decisions(about member: String, inGroup group: Int64) throws(StoreError) -> EarlyDecisions {
    var decisions = EarlyDecisions()
    let rows = try all(
      """
      SELECT kind, value, by_role FROM early_decisions WHERE group_id = ? AND shared_member_id = ? ORDER BY decision_id
      """, group, member
    ) { (row) throws(SQLFailure) in
      (kind: try row.text(0), value: try row.optionalText(1), by: try row.text(2))
    }
    for row in rows {
      let by = GroupMemberRole(rawValue: row.by)
      switch (row.kind, row.value) {
      case ("accepted", let role?): decisions.acceptedAs = GroupMemberRole(rawValue: role)
      case ("removed", _): decisions.removedBy = max(decisions.removedBy ?? by, by)
      case ("role", let role?): decisions.roles.append(.init(value: GroupMemberRole(rawValue: role), by: by))
      case ("blocked", let text?): decisions.blockings.append(.init(value: text == "yes", by: by))
      default: break
      }
    }
    return decisions
  }

  /// Forgets the role and the blocking of a member who was introduced with them.
  public func removeAppliedDecisions(about member: String, inGroup group: Int64) throws(StoreError) {
    try execute(
      """
      DELETE FROM early_decisions WHERE group_id = ? AND shared_member_id = ? AND kind IN ('role', 'blocked')
      """, group, member)
  }
}
