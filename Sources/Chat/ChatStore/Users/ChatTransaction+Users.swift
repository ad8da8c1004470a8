import ChatAPI
import ChatLogic
import FoundationTypes
import SQLiteKit

private let userQuery = """
  SELECT u.user_id, u.agent_user_id, u.contact_id, u.local_display_name, u.active, u.active_order, \
  u.view_password_hash, u.view_password_salt, u.show_notifications, u.send_receipts_contacts, u.send_receipts_groups, \
  u.accept_member_contacts, u.member_profile_updated_at, u.chat_relay, u.client_service, u.ui_themes, \
  \(profileColumns("p")) FROM users u JOIN profiles p ON p.profile_id = u.profile_id
  """

private let userOfConnection = userQuery + " JOIN connections c ON c.user_id = u.user_id WHERE c.agent_conn_id = ?"

extension SQLiteRow {
  fileprivate func user(_ at: inout ColumnIndex) throws(SQLFailure) -> User {
    let userId = try integer(&at)
    let agentUserId = try text(&at)
    let contactId = try integer(&at)
    let name = try text(&at)
    let active = try bool(&at)
    let order = try integer(&at)
    let hash = try optionalText(&at)
    let salt = try optionalText(&at)
    let showNtfs = try bool(&at)
    let receipts = try bool(&at)
    let groupReceipts = try bool(&at)
    let accepts = try bool(&at)
    let profileUpdated = try optionalDate(&at)
    let relay = try bool(&at)
    let service = try bool(&at)
    let themes: ThemeModeOverrides? = try optionalJSON(&at)
    let profile = try localProfile(&at)
    let password = hash.flatMap { hash in salt.map { UserPwdHash(hash: hash, salt: $0) } }
    return User(
      userId: userId, agentUserId: agentUserId, userContactId: contactId, localDisplayName: name, profile: profile,
      fullPreferences: FullPreferences(filling: profile.preferences), activeUser: active, activeOrder: order,
      viewPwdHash: password, showNtfs: showNtfs, sendRcptsContacts: receipts, sendRcptsSmallGroups: groupReceipts,
      autoAcceptMemberContacts: accepts, userMemberProfileUpdatedAt: profileUpdated, userChatRelay: relay,
      clientService: service, uiThemes: themes)
  }
}

private func readUser(_ row: borrowing SQLiteRow) throws(SQLFailure) -> User {
  var at = ColumnIndex()
  return try row.user(&at)
}

extension ChatTransaction {
  // MARK: Finding

  /// All users, hidden ones included, in the order they were made.
  public func users() throws(StoreError) -> [User] {
    try all(userQuery + " ORDER BY u.user_id", row: readUser)
  }

  /// The agent's identifiers of all users, as they are stored.
  public func agentUserIDs() throws(StoreError) -> [String] { try texts("SELECT agent_user_id FROM users") }

  /// All users with the number of unread items in chats that notify.
  public func usersInfo() throws(StoreError) -> [UserInfo] {
    var infos: [UserInfo] = []
    for user in try users() {
      let unread = try integer(
        """
        SELECT sum(CASE CASE t.scope WHEN 0 THEN t.notifications ELSE (SELECT z.notifications FROM chats z \
        WHERE z.kind = t.kind AND z.entity_id = t.entity_id AND z.scope = 0) END \
        WHEN 1 THEN t.unread_count WHEN 2 THEN t.unread_mentions ELSE 0 END) \
        FROM chats t WHERE t.user_id = ? AND t.kind IN (0, 1)
        """, user.userId)
      infos.append(UserInfo(user: user, unreadCount: Int(unread ?? 0)))
    }
    return infos
  }

  /// The user with this database id.
  public func user(_ id: Int64) throws(StoreError) -> User {
    guard let user = try userIfPresent(id) else { throw .userNotFound(userId: id) }
    return user
  }

  /// The user with this database id; nil where there is none.
  public func userIfPresent(_ id: Int64) throws(StoreError) -> User? {
    try first(userQuery + " WHERE u.user_id = ?", id, row: readUser)
  }

  /// The active user, if there is one.
  public func activeUser() throws(StoreError) -> User? {
    try first(userQuery + " WHERE u.active = 1", row: readUser)
  }

  /// The user whose connection this is; nil where no connection has the agent's identifier.
  public func user(ofConnection agentConnId: String) throws(StoreError) -> User? {
    try first(userOfConnection, agentConnId, row: readUser)
  }

  /// The user who has the contact.
  public func user(ofContact id: Int64) throws(StoreError) -> User {
    let user = try first(
      userQuery + " JOIN contacts c ON c.user_id = u.user_id WHERE c.contact_id = ?", id, row: readUser)
    guard let user else { throw .userNotFoundByContactId(contactId: id) }
    return user
  }

  /// The user who got the contact request.
  public func user(ofContactRequest id: Int64) throws(StoreError) -> User {
    let user = try first(
      userQuery + " JOIN contact_requests r ON r.user_id = u.user_id WHERE r.request_id = ?", id, row: readUser)
    guard let user else { throw .userNotFoundByContactRequestId(contactRequestId: id) }
    return user
  }

  /// The user whose notes these are.
  public func user(ofNoteFolder id: Int64) throws(StoreError) -> User {
    let user = try first(
      userQuery + " JOIN note_folders n ON n.user_id = u.user_id WHERE n.note_folder_id = ?", id, row: readUser)
    guard let user else { throw .noteFolderNotFound(noteFolderId: id) }
    return user
  }

  // MARK: Making and switching

  /// Creates a user, with a contact that represents it.
  ///
  /// - Parameters:
  ///   - agentUserId: the agent's number of the user.
  ///   - active: whether it becomes the active user.
  ///   - createdAt: when it claims to be made, if that is not now.
  /// - Throws: `duplicateName` where a user has this name who is not hidden; a hidden one gets another name.
  public func createUser(
    agentUserId: String, profile: Profile, active: Bool = true, chatRelay: Bool = false, clientService: Bool = false,
    createdAt: Date? = nil
  ) throws(StoreError) -> User {
    let time = createdAt?.microseconds ?? nowMicroseconds
    if active { try execute("UPDATE users SET active = 0 WHERE active = 1") }
    let name = profile.displayName
    try freeNameOfHiddenUser(name)
    let userId = try insert(
      """
      INSERT INTO users (agent_user_id, local_display_name, active, active_order, chat_relay, client_service, \
      created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
      """, agentUserId, name, active, try nextActiveOrder(), chatRelay, clientService, time, duplicate: .duplicateName)
    try takeExactName(name, user: userId)
    let profileId = try insertProfile(profile, user: userId, at: time)
    let contactId = try insert(
      """
      INSERT INTO contacts (user_id, profile_id, local_display_name, is_user, created_at, updated_at) \
      VALUES (?1, ?2, ?3, 1, ?4, ?4)
      """, userId, profileId, name, time)
    try execute("UPDATE users SET contact_id = ?2, profile_id = ?3 WHERE user_id = ?1", userId, contactId, profileId)
    return try user(userId)
  }

  /// Makes this the active user.
  public func setActive(_ user: User) throws(StoreError) -> User {
    var active = user
    active.activeUser = true
    active.activeOrder = try nextActiveOrder()
    try execute("UPDATE users SET active = 0 WHERE active = 1")
    try execute("UPDATE users SET active = 1, active_order = ?2 WHERE user_id = ?1", user.userId, active.activeOrder)
    return active
  }

  private func nextActiveOrder() throws(StoreError) -> Int64 {
    let last = try integer("SELECT max(active_order) FROM users") ?? 0
    guard last == .max else { return last + 1 }
    try execute("UPDATE users SET active_order = active_order - ?", Int64.max)
    return 1
  }
}
