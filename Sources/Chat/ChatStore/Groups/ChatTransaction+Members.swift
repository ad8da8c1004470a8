import ChatAPI
import FoundationTypes
import SQLiteKit

let memberQuery = "SELECT \(memberColumns) FROM \(memberTables)"
// Those that are used most are put together once: a statement is found by where its text lies.
private let memberByID = memberQuery + " WHERE m.member_id = ? AND m.user_id = ?"
private let memberBySharedID = memberQuery + " WHERE m.group_id = ? AND m.shared_member_id = ?"
// In the order of an index, so that nothing is sorted.
private let membersOfGroup =
  memberQuery + " WHERE m.group_id = ?1 AND (?2 OR m.category <> 'user') ORDER BY m.group_id, m.index_in_group"
/// The statuses of records of members who are not there any more, as a list of SQL.
let goneStatuses = GroupMemberStatus.allCases.filter(\.isGone).map { "'\($0.rawValue)'" }.joined(separator: ", ")
private let statusUpdate = """
  UPDATE members SET status = ?2, is_current = ?3, removed_at = coalesce(?4, removed_at), updated_at = ?5 \
  WHERE member_id = ?1 AND (?6 OR category = 'user' OR status NOT IN (\(goneStatuses)))
  """
private let itemMemberByID = memberQuery + " WHERE m.member_id = ?1"
// With all conditions of the partial indexes `members_unknown` and `members_introduced`, which hold their columns.
let unknownMembersQuery = """
  SELECT count(*) FROM members WHERE group_id = ? AND invited_by_member = ? AND status = 'unknown'
  """
let connectingMembersQuery = """
  SELECT 1 FROM members WHERE group_id = ? AND invited_by_member = ? AND category = 'post' \
  AND status IN ('intro-inv', 'pending_approval', 'pending_review') AND created_at > ? LIMIT 1 OFFSET ?
  """
let introducedMembersQuery = """
  SELECT 1 FROM members WHERE group_id = ? AND category = 'pre' AND status IN ('introduced', 'intro-inv') \
  LIMIT 1 OFFSET ?
  """

func readMember(_ row: borrowing SQLiteRow) throws(SQLFailure) -> GroupMember {
  var at = ColumnIndex()
  return try row.member(&at)
}

extension ChatTransaction {
  // MARK: Finding

  /// The member with this database id.
  public func member(_ id: Int64, of user: User) throws(StoreError) -> GroupMember {
    guard let found = try memberIfPresent(id, of: user) else { throw .groupMemberNotFound(groupMemberId: id) }
    return found
  }

  /// The member with this database id; nil where it is deleted.
  public func memberIfPresent(_ id: Int64, of user: User) throws(StoreError) -> GroupMember? {
    try first(memberByID, id, user.userId, row: readMember)
  }

  /// The member of a group with this database id.
  public func member(_ id: Int64, ofGroup group: Int64, of user: User) throws(StoreError) -> GroupMember {
    let found = try member(id, of: user)
    guard found.groupId == group else { throw .groupMemberNotFound(groupMemberId: id) }
    return found
  }

  /// The member with this database id as items show it; nil where there is none.
  func itemMember(_ id: Int64) throws(SQLFailure) -> GroupMember? {
    try connection.first(itemMemberByID, id, row: readMember)
  }

  /// The member with this identifier as quotes show it; nil where there is none.
  func itemMember(sharedId: String, group: Int64) throws(SQLFailure) -> GroupMember? {
    try connection.first(memberBySharedID, group, sharedId, row: readMember)
  }

  /// The member that has this identifier in the group; nil where there is none, or the member is gone.
  public func member(sharedId: String, ofGroup group: Int64) throws(StoreError) -> GroupMember? {
    guard let found = try memberRecord(sharedId: sharedId, ofGroup: group), !found.memberGone else { return nil }
    return found
  }

  /// The record of the member that has this identifier in the group, or had it: of one who is gone it is kept while
  /// items are that member's. For what such a member wrote, and to know one who was there.
  public func memberRecord(sharedId: String, ofGroup group: Int64) throws(StoreError) -> GroupMember? {
    try first(memberBySharedID, group, sharedId, row: readMember)
  }

  /// The members of a group in the order in which they came, without the user.
  public func members(ofGroup id: Int64, includingUser: Bool = false) throws(StoreError) -> [GroupMember] {
    try all(membersOfGroup, id, includingUser, row: readMember)
  }

  /// The members of a group who are moderators or more, without the user.
  public func moderators(ofGroup id: Int64) throws(StoreError) -> [GroupMember] {
    try all(
      memberQuery + """
         WHERE m.group_id = ?1 AND m.category <> 'user' AND m.role IN ('moderator', 'admin', 'owner') \
        ORDER BY m.group_id, m.index_in_group
        """, id, row: readMember)
  }

  /// The members of a group whom the user invited and moderators review, in the order in which they came.
  /// - Parameter index: the position in the group after which they come.
  public func membersUnderReview(
    ofGroup id: Int64, after index: Int64, limit: Int
  ) throws(StoreError) -> [GroupMember] {
    try all(
      memberQuery + """
         WHERE m.group_id = ?1 AND m.index_in_group > ?2 AND m.status = 'pending_review' AND m.category = 'invitee' \
        ORDER BY m.group_id, m.index_in_group LIMIT ?3
        """, id, index, limit, row: readMember)
  }

  /// The members at these positions of a group.
  public func members(ofGroup id: Int64, at indexes: [Int64]) throws(StoreError) -> [GroupMember] {
    try all(
      memberQuery + """
         WHERE m.group_id = ?1 AND m.index_in_group IN (SELECT value FROM json_each(?2)) \
        ORDER BY m.group_id, m.index_in_group
        """, id, indexes.column, row: readMember)
  }

  /// The member of this name.
  public func memberID(named name: String, ofGroup group: Int64, of user: User) throws(StoreError) -> Int64 {
    let id = try integer(
      "SELECT member_id FROM members WHERE group_id = ? AND local_display_name = ? AND user_id = ?", group, name,
      user.userId)
    guard let id else { throw .groupMemberNameNotFound(groupId: group, groupMemberName: name) }
    return id
  }

  /// The member whose profile has this name, as texts mention members; of several, the one who came first.
  public func memberID(displayName name: String, ofGroup group: Int64, of user: User) throws(StoreError) -> Int64 {
    let id = try integer(
      """
      SELECT m.member_id FROM members m JOIN profiles p ON p.profile_id = m.profile_id WHERE m.group_id = ?1 \
      AND m.user_id = ?3 AND ?2 IN (p.display_name, m.local_display_name) ORDER BY m.member_id LIMIT 1
      """, group, name, user.userId)
    guard let id else { throw .groupMemberNameNotFound(groupId: group, groupMemberName: name) }
    return id
  }

  /// The connected members of this name, with their groups, of groups that the user is in.
  public func activeMembers(
    named name: String, of user: User
  ) throws(StoreError) -> [(group: GroupInfo, member: GroupMember)] {
    let found = try all(
      memberQuery + """
         WHERE m.user_id = ? AND m.local_display_name = ? AND m.category <> 'user' \
        AND m.status IN ('connected', 'complete') ORDER BY m.updated_at DESC
        """, user.userId, name, row: readMember)
    var active: [(group: GroupInfo, member: GroupMember)] = []
    for member in found {
      let group = try group(member.groupId, of: user)
      if group.membership.memberActive { active.append((group, member)) }
    }
    return active
  }

  /// The member through whom the user joined a group.
  public func hostMember(ofGroup id: Int64, of user: User) throws(StoreError) -> GroupMember {
    let host = try integer(
      "SELECT member_id FROM members WHERE group_id = ? AND category = 'host' AND user_id = ?", id, user.userId)
    guard let host else { throw .hostMemberIdNotFound(groupId: id) }
    return try member(host, of: user)
  }

  /// The contact as member of a group; nil where it is none. Members who left or were removed are not found.
  public func member(contact: Int64, ofGroup group: Int64) throws(StoreError) -> GroupMember? {
    try first(
      memberQuery + """
         WHERE m.contact_id = ?1 AND m.group_id = ?2 AND m.category <> 'user' \
        AND m.status NOT IN (\(goneStatuses)) LIMIT 1
        """, contact, group, row: readMember)
  }

  /// Whether any item of a group is a member's.
  public func hasItems(ofMember id: Int64, inGroup group: Int64) throws(StoreError) -> Bool {
    try integer(memberHasItemsQuery, id, group) != nil
  }

  /// How many members, who are known only from messages that this one forwarded, a group has.
  public func countUnknown(forwardedBy id: Int64, inGroup group: Int64) throws(StoreError) -> Int {
    Int(try integer(unknownMembersQuery, group, id) ?? 0)
  }

  /// Whether at least `count` members of a group were introduced to the user and are not connected with it yet.
  public func hasIntroducedMembers(atLeast count: Int, inGroup group: Int64) throws(StoreError) -> Bool {
    try integer(introducedMembersQuery, group, count - 1) != nil
  }

  /// Whether the user is connecting with at least `count` members that this one invited and that were announced in the
  /// last 30 days, or they wait to be admitted.
  public func hasConnectingMembers(
    atLeast count: Int, invitedBy id: Int64, inGroup group: Int64
  ) throws(StoreError) -> Bool {
    try integer(connectingMembersQuery, group, id, nowMicroseconds - 30 * 86_400 * 1_000_000, count - 1) != nil
  }

  // MARK: Changing

  /// Stores how far a member is connected. What waits for one who is gone is deleted. A no-op where the member is gone,
  /// unless it is the user: nobody comes back.
  public func setStatus(_ status: GroupMemberStatus, ofMember id: Int64) throws(StoreError) {
    let removed: Int64? = status == .memRemoved || status == .memLeft ? nowMicroseconds : nil
    try execute(
      statusUpdate, id, status.rawValue, status.isCurrent, removed, nowMicroseconds, status.isGone)
    if status.isGone { try deletePending(ofMember: id) }
  }

  /// Stores a member's role.
  public func setRole(_ role: GroupMemberRole, ofMember id: Int64) throws(StoreError) {
    try execute(
      "UPDATE members SET role = ?2, updated_at = ?3 WHERE member_id = ?1", id, role.rawValue, nowMicroseconds)
  }

  /// Stores the identifier and role that a new invitation gives the user.
  public func setIdentity(sharedId: String, role: GroupMemberRole, ofMember id: Int64) throws(StoreError) {
    try execute(
      "UPDATE members SET shared_member_id = ?2, role = ?3, updated_at = ?4 WHERE member_id = ?1", id, sharedId,
      role.rawValue, nowMicroseconds)
  }

  /// Stores the user's settings for a member.
  public func setSettings(_ settings: GroupMemberSettings, ofMember id: Int64) throws(StoreError) {
    try execute(
      "UPDATE members SET show_messages = ?2, updated_at = ?3 WHERE member_id = ?1", id, settings.showMessages,
      nowMicroseconds)
  }

  /// Stores whether a member's messages are hidden for everybody.
  public func setBlocked(_ isBlocked: Bool, ofMember id: Int64) throws(StoreError) {
    try execute(
      "UPDATE members SET blocked_by_admin = ?2, updated_at = ?3 WHERE member_id = ?1", id, isBlocked, nowMicroseconds)
  }

  /// Stores that a member, of whom only forwarded messages were known, was announced by another one.
  /// - Parameter publicKey: the key of its signatures, base64url; a key that is known already stays.
  public func setAnnounced(
    role: GroupMemberRole, versions: VersionRange, by inviter: Int64, status: GroupMemberStatus,
    publicKey: String? = nil, ofMember id: Int64
  ) throws(StoreError) {
    try setRole(role, ofMember: id)
    try setVersions(versions, ofMember: id)
    try setStatus(status, ofMember: id)
    try execute(
      """
      UPDATE members SET invited_by_member = ?2, category = 'post', public_key = coalesce(public_key, ?3) \
      WHERE member_id = ?1
      """, id, inviter, publicKey)
  }

  /// Stores the versions that a member understands.
  public func setVersions(_ versions: VersionRange, ofMember id: Int64) throws(StoreError) {
    try execute(
      "UPDATE members SET min_version = ?2, max_version = ?3 WHERE member_id = ?1", id, versions.minVersion,
      versions.maxVersion)
  }

  /// Stores the link of the connection that an invited member is sent; nil when it is no longer needed.
  public func setInvitation(_ link: String?, ofMember id: Int64) throws(StoreError) {
    try execute("UPDATE members SET invitation = ?2 WHERE member_id = ?1", id, link)
  }

  /// The link of the connection that an invited member is sent; nil where there is none yet.
  public func invitation(ofMember id: Int64) throws(StoreError) -> String? {
    try text("SELECT invitation FROM members WHERE member_id = ?", id)
  }

  /// Stores a member's new profile; a new name is made unique. Members who are contacts have the contact's name.
  public func updateProfile(of member: GroupMember, to profile: Profile, of user: User) throws(StoreError) {
    if member.memberContactId == nil, profile.displayName != member.memberProfile.displayName {
      let name = try takeName(profile.displayName, user: user.userId)
      try execute("UPDATE members SET local_display_name = ?2 WHERE member_id = ?1", member.groupMemberId, name)
      try releaseName(member.localDisplayName, user: user.userId)
    }
    try updateProfile(member.memberProfile.profileId, to: profile)
    try execute("UPDATE members SET updated_at = ?2 WHERE member_id = ?1", member.groupMemberId, nowMicroseconds)
  }

  // MARK: Deleting

  /// Deletes a member that has no items in its group, with its connection and whatever items still refer to it.
  public func deleteMember(_ member: GroupMember, of user: User) throws(StoreError) {
    try delete(try integers("SELECT item_id FROM items WHERE member_id = ?", member.groupMemberId))
    try forget(member, of: user)
  }

  /// Deletes some of the members who were removed this many seconds ago or earlier and of whom nothing is shown.
  /// - Returns: whether there are more.
  public func deleteRemovedMembers(of user: User, olderThan seconds: Double) throws(StoreError) -> Bool {
    guard trustsClock else { return false }
    let limit = 100
    let removed = try all(
      memberQuery + """
         WHERE m.removed_at < ?2 AND m.user_id = ?1 AND m.status = 'removed' AND m.category <> 'user' \
        AND NOT EXISTS (SELECT 1 FROM items i WHERE i.member_id = m.member_id) LIMIT ?3
        """, user.userId, now.addingTimeInterval(-seconds).microseconds, limit, row: readMember)
    for member in removed { try deleteMember(member, of: user) }
    return removed.count == limit
  }

  /// Deletes a member and its connection, without its items.
  public func forget(_ member: GroupMember, of user: User) throws(StoreError) {
    let id = member.groupMemberId
    try deleteSupportChat(ofMember: id, inGroup: member.groupId)
    try deletePending(ofMember: id)
    try deleteConnections(ofMember: id)
    try execute("DELETE FROM members WHERE member_id = ? AND user_id = ?", id, user.userId)
    try releaseName(member.localDisplayName, user: user.userId)
    guard member.memberContactId == nil else { return }
    let profile = member.memberContactProfileId
    guard try integer("SELECT 1 FROM members WHERE contact_profile_id = ? LIMIT 1", profile) == nil else { return }
    try deleteUnusedProfile(profile)
  }

  /// Deletes the connections of a member.
  public func deleteConnections(ofMember id: Int64) throws(StoreError) {
    for connection in try integers("SELECT connection_id FROM connections WHERE member_id = ?", id) {
      try deleteConnection(connection)
    }
  }
}
