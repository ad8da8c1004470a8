import ChatAPI
import SQLiteKit

/// Whether two members of a group are connected, as the member who introduced them knows it. The numbers are stored.
public enum MemberRelation: UInt8, Sendable {
  /// They were not introduced.
  case none = 0
  /// They were introduced, and none of them reported that they are connected.
  case introduced = 1
  /// The member itself reported it.
  case reported = 2
  /// The other member reported it.
  case reportedByOther = 3
  /// Both reported it.
  case connected = 4
  /// The other one was told of the member, and is still to be introduced to it.
  case introductionPending = 5

  /// The relation after one of the members reported that they are connected; those who were not introduced do not
  /// connect.
  /// - Parameter byOther: whether the other one reported it.
  func connected(byOther: Bool) -> MemberRelation {
    switch (self, byOther) {
    case (.none, _): .none
    case (.connected, _), (.reportedByOther, false), (.reported, true): .connected
    case (_, true): .reportedByOther
    case (_, false): .reported
    }
  }

  /// Whether messages of the members have to be forwarded to each other.
  public var needsForwarding: Bool {
    switch self {
    case .introduced, .reported, .reportedByOther, .introductionPending: true
    case .none, .connected: false
    }
  }
}

/// The relations of a member with all others of its group, a byte at the index of each.
extension ChatTransaction {
  /// The indexes of the members that a member has one of these relations with.
  public func indexes(
    ofMember id: Int64, where matches: (MemberRelation) -> Bool
  ) throws(StoreError) -> [Int64] {
    let relations = try relations(ofMember: id)
    return relations.indices.filter { matches(MemberRelation(rawValue: relations[$0]) ?? .none) }.map { Int64($0) }
  }

  /// The indexes of the members to whom messages of a member have to be forwarded, also of those to whom it is about to
  /// be introduced.
  public func indexesToForward(ofMember id: Int64) throws(StoreError) -> [Int64] {
    let indexes = try indexes(ofMember: id, where: \.needsForwarding)
    let newcomers = try all(
      """
      SELECT n.member_id, n.index_in_group, m.index_in_group FROM members m JOIN members n ON n.group_id = m.group_id \
      WHERE m.member_id = ? AND n.is_introduced_to = 1 AND n.member_id <> m.member_id
      """, id
    ) { (row) throws(SQLFailure) in
      (id: try row.integer(0), index: try row.integer(1), ofMember: try row.integer(2))
    }
    guard !newcomers.isEmpty else { return indexes }
    var all = Set(indexes)
    for newcomer in newcomers {
      let pending = try self.indexes(ofMember: newcomer.id) { $0 == .introductionPending }
      if pending.contains(newcomer.ofMember) { all.insert(newcomer.index) }
    }
    return all.sorted()
  }

  /// Stores that others were told of a member, and are to be introduced to it.
  public func setIntroductionsPending(of others: [GroupMember], to member: GroupMember) throws(StoreError) {
    try setRelations(ofMember: member.groupMemberId, at: others.map(\.indexInGroup)) { _ in .introductionPending }
  }

  /// The next members that are to be introduced to a member: admins, who forward and answer, first.
  public func pendingIntroductions(to member: GroupMember, limit: Int) throws(StoreError) -> [GroupMember] {
    let indexes = try indexes(ofMember: member.groupMemberId) { $0 == .introductionPending }
    let next = try integers(
      """
      SELECT index_in_group FROM members WHERE group_id = ? AND index_in_group IN (SELECT value FROM json_each(?)) \
      ORDER BY role NOT IN ('admin', 'owner'), member_id LIMIT ?
      """, member.groupId, indexes.column, limit)
    let found = try members(ofGroup: member.groupId, at: next)
    return found.filter { $0.memberRole >= .admin } + found.filter { $0.memberRole < .admin }
  }

  /// Stores that a member and others were introduced to each other.
  public func setIntroduced(_ member: GroupMember, to others: [GroupMember]) throws(StoreError) {
    try setRelations(ofMember: member.groupMemberId, at: others.map(\.indexInGroup)) { _ in .introduced }
    for other in others {
      try setRelations(ofMember: other.groupMemberId, at: [member.indexInGroup]) { _ in .introduced }
    }
  }

  /// Stores that those who were still to be introduced to a member are not, because they are not there any more.
  /// - Parameter others: those; nil for all.
  public func removePendingIntroductions(
    of others: [GroupMember]? = nil, to member: GroupMember
  ) throws(StoreError) {
    var indexes = others?.map(\.indexInGroup) ?? []
    if others == nil { indexes = try self.indexes(ofMember: member.groupMemberId) { $0 == .introductionPending } }
    if !indexes.isEmpty { try setRelations(ofMember: member.groupMemberId, at: indexes) { _ in .none } }
  }

  /// Stores that a member reported that it is connected with another one; a no-op unless they were introduced.
  public func setConnected(_ member: GroupMember, with other: GroupMember) throws(StoreError) {
    try setRelations(ofMember: member.groupMemberId, at: [other.indexInGroup]) { $0.connected(byOther: false) }
    try setRelations(ofMember: other.groupMemberId, at: [member.indexInGroup]) { $0.connected(byOther: true) }
  }

  private func relations(ofMember id: Int64) throws(StoreError) -> [UInt8] {
    let found = try first("SELECT relations FROM members WHERE member_id = ?", id) {
      (row) throws(SQLFailure) in try row.bytes(0)
    }
    return found ?? []
  }

  private func setRelations(
    ofMember id: Int64, at indexes: [Int64], to change: (MemberRelation) -> MemberRelation
  ) throws(StoreError) {
    var relations = try relations(ofMember: id)
    for case let index? in indexes.map({ Int(exactly: $0) }) where index >= 0 {
      if relations.count <= index { relations += [UInt8](repeating: 0, count: index + 1 - relations.count) }
      relations[index] = change(MemberRelation(rawValue: relations[index]) ?? .none).rawValue
    }
    try execute("UPDATE members SET relations = ?2 WHERE member_id = ?1", id, relations)
  }
}
