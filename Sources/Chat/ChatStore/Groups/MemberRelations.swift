import ChatAPI
import SQLiteKit

/// Whether two members of a group are connected, as the member who introduced them knows it. The numbers are stored.
public enum MemberRelation: UInt8, Sendable {
  /// They were not introduced.
  case none = 0
  /// They were introduced, and none of them said that they are connected.
  case introduced = 1
  /// The member itself said so.
  case reported = 2
  /// The other member said so.
  case reportedByOther = 3
  /// Both said so.
  case connected = 4

  /// The relation after one of the members said that they are connected.
  /// - Parameter byOther: whether the other one said it.
  func connected(byOther: Bool) -> MemberRelation {
    switch (self, byOther) {
    case (.connected, _), (.reportedByOther, false), (.reported, true): .connected
    case (_, true): .reportedByOther
    case (_, false): .reported
    }
  }

  /// Whether messages of the members have to be forwarded to each other.
  public var needsForwarding: Bool { self == .introduced || self == .reported || self == .reportedByOther }
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

  /// Stores that a member was introduced to others.
  public func setIntroduced(_ member: GroupMember, to others: [GroupMember]) throws(StoreError) {
    try setRelations(ofMember: member.groupMemberId, at: others.map(\.indexInGroup)) { _ in .introduced }
    for other in others {
      try setRelations(ofMember: other.groupMemberId, at: [member.indexInGroup]) { _ in .introduced }
    }
  }

  /// Stores that a member said that it is connected with another one.
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
