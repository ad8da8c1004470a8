import ChatAPI
import SQLiteKit

private let linkQuery = """
  SELECT address_id, full_link, short_link, link_data_set, link_large_data_set, group_link_id, member_role FROM addresses
  """

private func readGroupLink(_ row: borrowing SQLiteRow) throws(SQLFailure) -> GroupLink {
  var at = ColumnIndex()
  let id = try row.integer(&at)
  let link = CreatedConnLink(connFullLink: try row.text(&at), connShortLink: try row.optionalText(&at))
  let dataSet = try row.bool(&at)
  let largeDataSet = try row.bool(&at)
  return GroupLink(
    userContactLinkId: id, connLinkContact: link, shortLinkDataSet: dataSet, shortLinkLargeDataSet: largeDataSet,
    groupLinkId: try row.optionalText(&at) ?? "",
    acceptMemberRole: GroupMemberRole(rawValue: try row.optionalText(&at) ?? GroupMemberRole.member.rawValue))
}

let joinRequestQuery = """
  SELECT 1 FROM members WHERE join_xcontact_id = ? AND group_id = ? \
  AND status NOT IN (\(goneStatuses)) LIMIT 1
  """
let businessRequestQuery = """
  SELECT g.group_id FROM members m CROSS JOIN groups g ON g.group_id = m.group_id \
  WHERE m.join_xcontact_id = ? AND g.user_id = ? AND g.business IS NOT NULL \
  AND m.shared_member_id = CASE WHEN json_valid(g.business) THEN json_extract(g.business, '$.customerId') END LIMIT 1
  """

/// Links by which anyone can join a group: addresses with a group.
extension ChatTransaction {
  /// The link of a group.
  /// - Throws: `groupLinkNotFound` where it has none.
  public func groupLink(of group: GroupInfo) throws(StoreError) -> GroupLink {
    guard let found = try groupLinkIfPresent(of: group) else { throw .groupLinkNotFound(groupInfo: group) }
    return found
  }

  /// The link of a group; nil where it has none.
  public func groupLinkIfPresent(of group: GroupInfo) throws(StoreError) -> GroupLink? {
    try first(linkQuery + " WHERE group_id = ?", group.groupId, row: readGroupLink)
  }

  /// Creates the link of a group and its connection.
  /// - Parameter linkId: names the link in requests by it, base64url.
  /// - Throws: `duplicateGroupLink` where the group has one.
  public func createGroupLink(
    _ link: CreatedConnLink, linkId: String, role: GroupMemberRole, agentConnId: String, of group: GroupInfo,
    for user: User
  ) throws(StoreError) -> GroupLink {
    let id = try insert(
      """
      INSERT INTO addresses (user_id, group_id, full_link, short_link, link_data_set, link_large_data_set, \
      auto_accept, group_link_id, member_role, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?5, 1, ?6, ?7, ?8, ?8)
      """, user.userId, group.groupId, link.connFullLink, link.connShortLink, link.connShortLink != nil, linkId,
      role.rawValue, nowMicroseconds, duplicate: .duplicateGroupLink(groupInfo: group))
    _ = try createConnection(NewConnection(agentConnId: agentConnId, entity: .address(id)), of: user)
    return try groupLink(of: group)
  }

  /// Stores the role of those who join by the link.
  public func setRole(_ role: GroupMemberRole, ofLinkOf group: GroupInfo) throws(StoreError) -> GroupLink {
    try execute(
      "UPDATE addresses SET member_role = ?2, updated_at = ?3 WHERE group_id = ?1", group.groupId, role.rawValue,
      nowMicroseconds)
    return try groupLink(of: group)
  }

  /// Deletes the link of a group; returns the agent's identifier of its connection, nil where there is no link.
  public func deleteGroupLink(of group: GroupInfo) throws(StoreError) -> String? {
    let address = try integer("SELECT address_id FROM addresses WHERE group_id = ?", group.groupId)
    guard let address else { return nil }
    let connection = try text("SELECT agent_conn_id FROM connections WHERE address_id = ?", address)
    try execute("DELETE FROM connections WHERE address_id = ?", address)
    try execute("DELETE FROM addresses WHERE address_id = ?", address)
    return connection
  }

  /// The agent's identifier of the connection of a group's link.
  public func connection(ofGroupLink link: GroupLink) throws(StoreError) -> String {
    let found = try text("SELECT agent_conn_id FROM connections WHERE address_id = ?", link.userContactLinkId)
    guard let found else { throw .userContactLinkNotFound }
    return found
  }

  /// The user's group whose link this is, in one of these spellings.
  public func ownGroup(link spellings: [String], of user: User) throws(StoreError) -> GroupInfo? {
    let id = try integer(
      """
      SELECT group_id FROM addresses WHERE user_id = ?1 AND group_id IS NOT NULL \
      AND (full_link IN (SELECT value FROM json_each(?2)) OR short_link IN (SELECT value FROM json_each(?2)))
      """, user.userId, spellings.column)
    return try id.map { (id) throws(StoreError) in try group(id, of: user) }
  }

  /// The group that was joined by a link with one of these hashes; of several one that the user is in, if any.
  public func joinedGroup(viaLinkHashes hashes: [String], of user: User) throws(StoreError) -> GroupInfo? {
    let id = try integer(
      """
      SELECT m.group_id FROM connections n JOIN members m ON m.member_id = n.member_id \
      JOIN groups g ON g.group_id = m.group_id JOIN members u ON u.member_id = g.membership_id WHERE n.user_id = ?1 \
      AND n.via_link_hash IN (SELECT value FROM json_each(?2)) \
      ORDER BY u.status IN ('removed', 'left', 'deleted'), n.connection_id DESC LIMIT 1
      """, user.userId, hashes.column)
    return try id.map { (id) throws(StoreError) in try group(id, of: user) }
  }

  /// Whether a member of a group joined by a request with this random identifier, base64url.
  public func hasMember(joinedBy xContactId: String, ofGroup group: Int64) throws(StoreError) -> Bool {
    try integer(joinRequestQuery, xContactId, group) != nil
  }

  /// The chat of a business with the customer who sent a request with this random identifier, base64url.
  func businessChat(joinedBy xContactId: String, of user: User) throws(StoreError) -> GroupInfo? {
    let id = try integer(businessRequestQuery, xContactId, user.userId)
    return try id.map { (id) throws(StoreError) in try group(id, of: user) }
  }

  /// Stores what a member asked to join with.
  public func setRequest(xContactId: String?, welcomeId: String?, ofMember id: Int64) throws(StoreError) {
    try execute(
      "UPDATE members SET join_xcontact_id = ?2, join_welcome_id = ?3 WHERE member_id = ?1", id, xContactId, welcomeId)
  }

  /// Whether a member saw the group's welcome message before joining by its link.
  public func hasSeenWelcome(member id: Int64) throws(StoreError) -> Bool {
    try integer("SELECT 1 FROM members WHERE member_id = ? AND join_welcome_id IS NOT NULL", id) != nil
  }

  /// The connection by which the user asked to join becomes one with the member who answered.
  public func setMember(_ member: Int64, ofConnection id: Int64) throws(StoreError) {
    try execute(
      "UPDATE connections SET kind = 'member', member_id = ?2, contact_id = NULL WHERE connection_id = ?1", id, member)
    try execute("UPDATE members SET connection_id = ?2 WHERE member_id = ?1", member, id)
  }

  /// The full link by which the user asked for a connection; nil for others.
  public func viaLink(ofConnection id: Int64) throws(StoreError) -> String? {
    try text("SELECT via_link FROM connections WHERE connection_id = ?", id)
  }

  /// Stores that the host's profile was received after joining by a link; false where it was before.
  public func setHostProfileReceived(ofMember id: Int64) throws(StoreError) -> Bool {
    try execute(
      "UPDATE members SET host_profile_received = 1 WHERE member_id = ? AND host_profile_received = 0", id) == 1
  }
}
