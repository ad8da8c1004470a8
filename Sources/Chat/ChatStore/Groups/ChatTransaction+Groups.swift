import ChatAPI
import FoundationTypes
import SQLiteKit

private let groupQuery = "SELECT \(groupColumns), \(memberColumns) FROM \(groupTables)"
let groupByNumber = groupQuery + " WHERE g.group_id = ? AND g.user_id = ?"

func readGroup(_ row: borrowing SQLiteRow) throws(SQLFailure) -> GroupInfo {
  var at = ColumnIndex()
  return try row.group(&at)
}

extension ChatTransaction {
  // MARK: Finding

  /// The group with this database id.
  public func group(_ id: Int64, of user: User) throws(StoreError) -> GroupInfo {
    guard let found = try first(groupByNumber, id, user.userId, row: readGroup) else {
      throw .groupNotFound(groupId: id)
    }
    return found
  }

  /// The database id of the group of this name.
  public func groupID(named name: String, of user: User) throws(StoreError) -> Int64 {
    let id = try integer("SELECT group_id FROM groups WHERE user_id = ? AND local_display_name = ?", user.userId, name)
    guard let id else { throw .groupNotFoundByName(groupName: name) }
    return id
  }

  /// The user's groups, in the order they were made.
  /// - Parameters:
  ///   - contact: only groups with this contact as member.
  ///   - search: only groups with this text in a name.
  public func groups(of user: User, contact: Int64? = nil, search: String? = nil) throws(StoreError) -> [GroupInfo] {
    try all(
      groupQuery + """
         WHERE g.user_id = ?1 AND (?2 IS NULL OR EXISTS (SELECT 1 FROM members o WHERE o.group_id = g.group_id \
        AND o.contact_id = ?2)) AND (?3 IS NULL OR contains_folded(g.display_name, ?3) \
        OR contains_folded(g.full_name, ?3) OR contains_folded(g.local_display_name, ?3)) ORDER BY g.group_id
        """, user.userId, contact, search?.lowercased(), row: readGroup)
  }

  /// The database id of the group that an invitation with this link made, if it was received before.
  public func groupID(invitation link: String, of user: User) throws(StoreError) -> Int64? {
    try integer("SELECT group_id FROM groups WHERE user_id = ? AND invitation = ?", user.userId, link)
  }

  /// How many invitations of a contact, a database id, wait for the user's answer.
  public func countInvitations(by contact: Int64, of user: User) throws(StoreError) -> Int {
    let count = try integer(
      """
      SELECT count(*) FROM members h JOIN groups g ON g.group_id = h.group_id \
      JOIN members u ON u.member_id = g.membership_id WHERE h.contact_id = ? AND h.category = 'host' \
      AND u.user_id = ? AND u.status = 'invited'
      """, contact, user.userId)
    return Int(count ?? 0)
  }

  /// The link of the invitation by which a group is joined, and the item that shows it; nil for other groups.
  public func invitation(toGroup id: Int64) throws(StoreError) -> (link: String, item: Int64?)? {
    let found = try first("SELECT invitation, invitation_item_id FROM groups WHERE group_id = ?", id) {
      (row) throws(SQLFailure) in (try row.optionalText(0), try row.optionalInteger(1))
    }
    guard let found, let link = found.0 else { return nil }
    return (link, found.1)
  }

  /// The user whose group this is.
  public func user(ofGroup id: Int64) throws(StoreError) -> User {
    guard let number = try integer("SELECT user_id FROM groups WHERE group_id = ?", id),
      let user = try userIfPresent(number)
    else { throw .groupNotFound(groupId: id) }
    return user
  }

  /// The last messages of a group that a newcomer gets, oldest first: none that were deleted or are still being
  /// written, and none that were sent to it, or wait for it.
  /// - Parameter member: the newcomer, a database id.
  public func history(
    of group: GroupInfo, forMember member: Int64, of user: User, limit: Int
  ) throws(StoreError) -> [ChatItem] {
    let chat = ChatRef(chatType: .group, chatId: group.groupId)
    let found = try all(
      """
      SELECT \(itemColumns) FROM items i WHERE i.chat_id = ?1 AND i.message_tag IS NOT NULL AND i.deleted = 0 \
      AND i.shared_id IS NOT NULL AND coalesce(i.live, 0) = 0 AND NOT EXISTS (SELECT 1 FROM item_recipients r \
      WHERE r.item_id = i.item_id AND r.member_id = ?2) ORDER BY i.position DESC, i.item_id DESC LIMIT ?3
      """, try chatID(chat, of: user), member, limit, row: itemReader(try context(chat)))
    return found.reversed()
  }

  // MARK: Making

  /// Creates a group without members; the membership of the user has to follow.
  /// - Parameters:
  ///   - known: the name, where it is taken for the group already; nil for a new one, after the profile.
  ///   - invitation: the link of the invitation that was received.
  public func createGroup(
    profile: GroupProfile, named known: String? = nil, invitation: String? = nil, business: BusinessChatInfo? = nil,
    of user: User
  ) throws(StoreError) -> Int64 {
    let name = if let known { known } else { try takeName(profile.displayName, user: user.userId) }
    let id = try insert(
      """
      INSERT INTO groups (user_id, local_display_name, display_name, full_name, short_descr, description, image, \
      public_group, preferences, admission, business, invitation, profile_sent_at, created_at, updated_at) \
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, \
      max(?13, coalesce((SELECT member_profile_updated_at FROM users WHERE user_id = ?1), ?13)), ?13, ?13)
      """, user.userId, name, profile.displayName, profile.fullName, profile.shortDescr, profile.description,
      profile.image, profile.publicGroup?.column, profile.groupPreferences?.column, profile.memberAdmission?.column,
      business?.column, invitation, nowMicroseconds)
    try createChat(.group, id, user: user.userId)
    return id
  }

  /// Stores who the user is in a group, and through whom it was joined.
  public func setMembership(_ membership: Int64, host: Int64?, ofGroup id: Int64) throws(StoreError) {
    try execute(
      "UPDATE groups SET membership_id = ?2, host_member_id = ?3 WHERE group_id = ?1", id, membership, host)
  }

  /// Stores the item that shows the invitation to a group.
  public func setInvitationItem(_ item: Int64, ofGroup id: Int64) throws(StoreError) {
    try execute("UPDATE groups SET invitation_item_id = ?2 WHERE group_id = ?1", id, item)
  }

  /// Stores the group link by which a group was joined.
  public func setViaLink(_ link: String, ofGroup id: Int64) throws(StoreError) {
    try execute("UPDATE groups SET via_link = ?2 WHERE group_id = ?1", id, link)
  }

  // MARK: Changing

  /// Stores a group's new profile; with a new name, the group is called by that.
  public func updateProfile(
    of group: GroupInfo, to profile: GroupProfile, of user: User
  ) throws(StoreError) -> GroupInfo {
    var name = group.localDisplayName
    if profile.displayName != group.groupProfile.displayName {
      name = try takeName(profile.displayName, user: user.userId)
      try releaseName(group.localDisplayName, user: user.userId)
    }
    try execute(
      """
      UPDATE groups SET local_display_name = ?2, display_name = ?3, full_name = ?4, short_descr = ?5, \
      description = ?6, image = ?7, public_group = ?8, preferences = ?9, admission = ?10, updated_at = ?11, \
      profile_version = profile_version + 1 \
      WHERE group_id = ?1
      """, group.groupId, name, profile.displayName, profile.fullName, profile.shortDescr, profile.description,
      profile.image, profile.publicGroup?.column, profile.groupPreferences?.column, profile.memberAdmission?.column,
      nowMicroseconds)
    return try self.group(group.groupId, of: user)
  }

  /// Stores the name that the user chose for a group; empty for none.
  public func setAlias(_ alias: String, ofGroup id: Int64, of user: User) throws(StoreError) -> GroupInfo {
    try execute(
      "UPDATE groups SET local_alias = ?2, updated_at = ?3 WHERE group_id = ?1 AND user_id = ?4", id, alias,
      nowMicroseconds, user.userId)
    return try group(id, of: user)
  }

  /// Stores the parties of a chat with a business.
  public func setBusiness(_ business: BusinessChatInfo, ofGroup id: Int64) throws(StoreError) {
    try execute("UPDATE groups SET business = ?2 WHERE group_id = ?1", id, business.column)
  }

  /// Stores that the members have the user's current profile.
  public func setProfileSent(toGroup id: Int64) throws(StoreError) {
    try execute(
      """
      UPDATE groups SET profile_sent_at = max(?2, coalesce((SELECT member_profile_updated_at FROM users u \
      WHERE u.user_id = groups.user_id), ?2)) WHERE group_id = ?1
      """, id, nowMicroseconds)
  }

  /// Whether the profile of a group was changed after a member was added.
  public func hasChangedProfile(ofGroupOf member: GroupMember) throws(StoreError) -> Bool {
    try integer(
      """
      SELECT 1 FROM members m JOIN groups g ON g.group_id = m.group_id \
      WHERE m.member_id = ? AND g.profile_version > m.group_version
      """, member.groupMemberId) != nil
  }

  // MARK: Deleting

  /// Deletes a group, but for its members, whose connections are marked as deleted: they go with ``forget(_:of:)``,
  /// records of messages with ``deleteRecords(ofDeletedGroup:limit:)``, and items with ``purge(limit:)``.
  public func deleteGroup(_ group: GroupInfo, of user: User) throws(StoreError) {
    let id = group.groupId
    try leaveItems(where: "kind = 1 AND entity_id = ?", id)
    try setConnectionsDeleted(ofGroup: id)
    try deleteMemberJobs(ofGroup: id)
    let requested = try integers("SELECT profile_id FROM contact_requests WHERE business_group_id = ?", id)
    try execute("DELETE FROM contact_requests WHERE business_group_id = ?", id)
    for profile in requested { try deleteUnusedProfile(profile) }
    try execute("DELETE FROM groups WHERE group_id = ? AND user_id = ?", id, user.userId)
    try execute("UPDATE members SET status = 'removed', is_current = 0 WHERE group_id = ?", id)
    try forget(group.membership, of: user)
    try deleteUnusedIncognitoProfile(group.membership.memberProfile.profileId, of: user)
    try releaseName(group.localDisplayName, user: user.userId)
  }

  /// Marks the connections of all members of a group as deleted: nothing is sent or received over them any more.
  public func setConnectionsDeleted(ofGroup id: Int64) throws(StoreError) {
    try execute(
      """
      UPDATE connections SET status = 'deleted', custom_profile_id = NULL \
      WHERE member_id IN (SELECT member_id FROM members WHERE group_id = ?) AND status <> 'deleted'
      """, id)
  }

  /// The agent's identifiers of the first connections of a group's members that are marked as deleted.
  public func deletedConnections(ofGroup id: Int64, limit: Int) throws(StoreError) -> [String] {
    try texts(
      """
      SELECT n.agent_conn_id FROM members m JOIN connections n ON n.member_id = m.member_id \
      WHERE m.group_id = ? AND n.status = 'deleted' ORDER BY m.group_id, m.index_in_group LIMIT ?
      """, id, limit)
  }

  /// The first members of a group that is deleted.
  public func members(ofDeletedGroup id: Int64, limit: Int) throws(StoreError) -> [GroupMember] {
    try all(memberQuery + " WHERE m.group_id = ? ORDER BY m.index_in_group LIMIT ?", id, limit, row: readMember)
  }

  /// Deletes up to `limit` records of a group that is deleted: of received messages, and of what was decided early
  /// about messages and members, and deliveries.
  /// - Returns: how many; fewer than `limit` where that was all.
  public func deleteRecords(ofDeletedGroup id: Int64, limit: Int) throws(StoreError) -> Int {
    var count = try deleteSomeReceived(ofGroup: id, limit: limit)
    count += try deleteEarlyDeletions(where: "group_id = ?", id, limit: limit - count)
    count += try deliveries.deleteSome(ofDeletedGroup: id, limit: limit - count)
    count += try execute(
      """
      DELETE FROM early_decisions WHERE decision_id IN (SELECT decision_id FROM early_decisions WHERE group_id = ? \
      LIMIT ?)
      """, id, limit - count)
    return count
  }
}
