import ChatAPI
import SQLiteKit

/// What makes a connection one that the list of chats shows by itself, apart from its being prepared only.
let pendingCondition = """
  n.kind = 'contact' AND n.contact_id IS NULL AND n.level = 0 AND n.via_contact IS NULL
  """

let pendingColumns = """
  n.connection_id, n.agent_conn_id, n.status, n.status_error, n.via_link_hash IS NOT NULL, n.via_address, \
  n.group_link_id, n.custom_profile_id, n.invitation_link, n.invitation_short_link, n.local_alias, n.created_at, \
  n.updated_at
  """

func readPendingConnection(_ row: borrowing SQLiteRow) throws(SQLFailure) -> PendingContactConnection {
  var at = ColumnIndex()
  let id = try row.integer(&at)
  let agentConnId = try row.text(&at)
  let status = try row.connectionStatus(&at, otherwise: .failed(connError: "its status cannot be read"))
  let viaContactUri = try row.bool(&at)
  let viaAddress = try row.optionalInteger(&at)
  let groupLinkId = try row.optionalText(&at)
  let customProfile = try row.optionalInteger(&at)
  let full = try row.optionalText(&at)
  let short = try row.optionalText(&at)
  return PendingContactConnection(
    pccConnId: id, pccAgentConnId: agentConnId, pccConnStatus: status, viaContactUri: viaContactUri,
    viaUserContactLink: viaAddress, groupLinkId: groupLinkId, customUserProfileId: customProfile,
    connLinkInv: full.map { CreatedConnLink(connFullLink: $0, connShortLink: short) }, localAlias: try row.text(&at),
    createdAt: try row.date(&at), updatedAt: try row.date(&at))
}

extension ChatTransaction {
  /// The connection with this number, which has no contact yet.
  public func pendingConnection(_ id: Int64, of user: User) throws(StoreError) -> PendingContactConnection {
    let found = try first(
      "SELECT \(pendingColumns) FROM connections n WHERE n.connection_id = ? AND n.user_id = ? AND \(pendingCondition)",
      id, user.userId, row: readPendingConnection)
    guard let found else { throw .pendingConnectionNotFound(connId: id) }
    return found
  }

  /// A connection that was begun just now, as ``pendingConnection(_:of:)`` returns it. The peer may be so fast that it
  /// has a contact already.
  public func startedConnection(_ id: Int64, of user: User) throws(StoreError) -> PendingContactConnection {
    let found = try first(
      "SELECT \(pendingColumns) FROM connections n WHERE n.connection_id = ? AND n.user_id = ?", id, user.userId,
      row: readPendingConnection)
    guard let found else { throw .pendingConnectionNotFound(connId: id) }
    return found
  }

  /// Deletes a connection that has no contact yet, and its incognito profile.
  public func deletePendingConnection(_ id: Int64, of user: User) throws(StoreError) {
    let pending = try pendingConnection(id, of: user)
    try deleteConnection(id)
    if let profile = pending.customUserProfileId { try deleteUnusedIncognitoProfile(profile, of: user) }
  }

  /// Names a connection until it has a contact, which takes the name over.
  public func setAlias(
    _ alias: String, ofPending pending: PendingContactConnection, of user: User
  ) throws(StoreError) -> PendingContactConnection {
    try execute(
      "UPDATE connections SET local_alias = ?2, updated_at = ?3 WHERE connection_id = ?1", pending.pccConnId, alias,
      nowMicroseconds)
    return try pendingConnection(pending.pccConnId, of: user)
  }

  /// Sets the profile that whoever joins the invitation sees (nil for the user's own), and the new short link that
  /// shows it. The former incognito profile is forgotten.
  public func setIncognito(
    profile: Int64?, shortLink: String?, ofPending pending: PendingContactConnection, of user: User
  ) throws(StoreError) -> PendingContactConnection {
    try execute(
      """
      UPDATE connections SET custom_profile_id = ?2, invitation_short_link = ?3, updated_at = ?4 \
      WHERE connection_id = ?1
      """, pending.pccConnId, profile, shortLink, nowMicroseconds)
    if let old = pending.customUserProfileId, old != profile { try deleteUnusedIncognitoProfile(old, of: user) }
    return try pendingConnection(pending.pccConnId, of: user)
  }

  /// Moves a pending connection to another user, for whom it was found to be meant.
  public func move(
    pending: PendingContactConnection, to user: User, agentConnId: String? = nil, invitation: CreatedConnLink? = nil
  ) throws(StoreError) -> PendingContactConnection {
    try execute(
      """
      UPDATE connections SET user_id = ?2, agent_conn_id = coalesce(?3, agent_conn_id), \
      invitation_link = coalesce(?4, invitation_link), invitation_short_link = coalesce(?5, invitation_short_link), \
      custom_profile_id = NULL, updated_at = ?6, \
      profile_version = coalesce((SELECT p.version FROM users u JOIN profiles p ON p.profile_id = u.profile_id \
      WHERE u.user_id = ?2), 0) WHERE connection_id = ?1
      """, pending.pccConnId, user.userId, agentConnId, invitation?.connFullLink, invitation?.connShortLink,
      nowMicroseconds)
    return try pendingConnection(pending.pccConnId, of: user)
  }
}
