import ChatAPI
import ChatLogic
import SQLiteKit
import SimplexJSON

private let contactQuery = "SELECT \(contactColumns) FROM \(contactTables)"
private let contactByNumber = contactQuery + " WHERE c.contact_id = ? AND c.user_id = ?"

extension ChatTransaction {

  private func reader(_ user: User) -> (borrowing SQLiteRow) throws(SQLFailure) -> Contact {
    { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return try row.contact(&at, of: user)
    }
  }

  // MARK: Finding

  /// The contact with this number.
  public func contact(_ id: Int64, of user: User) throws(StoreError) -> Contact {
    let found = try first(contactByNumber, id, user.userId, row: reader(user))
    guard let found else { throw .contactNotFound(contactId: id) }
    return found
  }

  /// The number of the contact of this name.
  public func contactID(named name: String, of user: User) throws(StoreError) -> Int64 {
    let id = try integer(
      "SELECT contact_id FROM contacts WHERE user_id = ? AND local_display_name = ? AND is_user = 0", user.userId, name)
    guard let id else { throw .contactNotFoundByName(contactName: name) }
    return id
  }

  /// The contact of this name.
  public func contact(named name: String, of user: User) throws(StoreError) -> Contact {
    try contact(try contactID(named: name, of: user), of: user)
  }

  /// The user's contacts that have a connection.
  public func contacts(of user: User) throws(StoreError) -> [Contact] {
    try all(
      contactQuery + " WHERE c.user_id = ? AND c.connection_id IS NOT NULL ORDER BY c.contact_id", user.userId,
      row: reader(user))
  }

  /// The active contact that was asked for by an address with one of these hashes.
  public func contact(viaLinkHashes hashes: [String], of user: User) throws(StoreError) -> Contact? {
    try first(
      contactQuery + """
         WHERE c.status NOT IN ('deleted', 'deletedByUser') AND c.contact_id = (SELECT v.contact_id FROM connections v WHERE v.user_id = ?1 \
        AND v.via_link_hash IN (SELECT value FROM json_each(?2)) AND v.contact_id IS NOT NULL \
        ORDER BY v.connection_id DESC LIMIT 1)
        """, user.userId, hashes.column, row: reader(user))
  }

  /// A contact that has no connection and an address of one of these spellings, as the preset cards have.
  public func contactWithoutConnection(viaAddresses links: [String], of user: User) throws(StoreError) -> Contact? {
    try first(
      contactQuery + """
         WHERE p.user_id = ?1 AND p.contact_link IN (SELECT value FROM json_each(?2)) AND c.is_user = 0 \
        AND NOT EXISTS (SELECT 1 FROM connections o WHERE o.contact_id = c.contact_id) LIMIT 1
        """, user.userId, links.column, row: reader(user))
  }

  /// A prepared contact by the short link to connect to it.
  public func contact(shortLinkToConnect link: String, of user: User) throws(StoreError) -> Contact? {
    try first(contactQuery + " WHERE c.user_id = ? AND c.short_link = ? LIMIT 1", user.userId, link, row: reader(user))
  }

  /// A prepared contact by one of the spellings of the full link to connect to it.
  public func contact(linksToConnect links: [String], of user: User) throws(StoreError) -> Contact? {
    try first(
      contactQuery + " WHERE c.user_id = ?1 AND c.full_link IN (SELECT value FROM json_each(?2)) LIMIT 1", user.userId,
      links.column, row: reader(user))
  }

  /// The contact made when a request with this random identifier was accepted.
  public func contact(acceptedXContactId id: String, of user: User) throws(StoreError) -> Contact? {
    try first(contactQuery + " WHERE c.user_id = ? AND c.xcontact_id = ?", user.userId, id, row: reader(user))
  }

  // MARK: Making

  /// Makes a contact that has no connection, as the cards that come with the program.
  public func createContact(
    profile: Profile, of user: User, preferences: Preferences = Preferences(), alias: String = ""
  ) throws(StoreError) -> Contact {
    try contact(try insertContact(profile, of: user, preferences: preferences, alias: alias), of: user)
  }

  /// Makes a contact of what a link shows, before connecting to it.
  public func createPreparedContact(
    profile: Profile, link: CreatedConnLink, mode: ConnectionMode, welcomeSharedMsgId: String?, of user: User
  ) throws(StoreError) -> Contact {
    let preferences = Preferences.forNewContact(profile: user.fullPreferences, contact: profile.preferences)
    let id = try insertContact(profile, of: user, preferences: preferences)
    try execute(
      """
      UPDATE contacts SET full_link = ?2, short_link = ?3, link_mode = ?4, welcome_shared_id = ?5 WHERE contact_id = ?1
      """, id, link.connFullLink, link.connShortLink, mode.rawValue, welcomeSharedMsgId)
    return try contact(id, of: user)
  }

  /// Makes the contact of a connection, when the peer's profile is known. It takes over the connection's alias.
  public func createContact(
    profile: Profile, connection: Connection, of user: User
  ) throws(StoreError) -> Contact {
    let preferences = Preferences.forNewContact(profile: user.fullPreferences, contact: profile.preferences)
    let id = try insertContact(profile, of: user, preferences: preferences, alias: connection.localAlias)
    try execute(
      "UPDATE connections SET contact_id = ?2, updated_at = ?3 WHERE connection_id = ?1", connection.connId, id,
      nowMicroseconds)
    try execute("UPDATE contacts SET connection_id = ?2 WHERE contact_id = ?1", id, connection.connId)
    return try contact(id, of: user)
  }

  private func insertContact(
    _ profile: Profile, of user: User, preferences: Preferences, alias: String = ""
  ) throws(StoreError) -> Int64 {
    let name = try takeName(profile.displayName, user: user.userId)
    let profileId = try insertProfile(profile, user: user.userId, alias: alias, at: nowMicroseconds)
    return try insertContact(named: name, profileId: profileId, of: user, preferences: preferences, requestId: nil)
  }

  /// Makes a contact of a name and a profile that are there already.
  func insertContact(
    named name: String, profileId: Int64, of user: User, preferences: Preferences, requestId: Int64?
  ) throws(StoreError) -> Int64 {
    let id = try insert(
      """
      INSERT INTO contacts (user_id, profile_id, local_display_name, user_preferences, request_id, created_at, \
      updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
      """, user.userId, profileId, name, preferences.optionalColumn, requestId, nowMicroseconds)
    try createChat(.direct, id, user: user.userId)
    return id
  }

  /// Moves a prepared contact to another user.
  public func move(prepared contact: Contact, from old: User, to user: User) throws(StoreError) -> Contact {
    let name = try takeName(contact.profile.displayName, user: user.userId)
    let preferences = Preferences.forNewContact(
      profile: user.fullPreferences, contact: contact.profile.preferences)
    try execute(
      """
      UPDATE contacts SET user_id = ?2, local_display_name = ?3, user_preferences = ?4, updated_at = ?5 \
      WHERE contact_id = ?1
      """, contact.contactId, user.userId, name, preferences.optionalColumn, nowMicroseconds)
    try execute(
      "UPDATE profiles SET user_id = ?2, updated_at = ?3 WHERE profile_id = ?1", contact.profile.profileId, user.userId,
      nowMicroseconds)
    try execute(
      """
      UPDATE items SET user_id = ?2 WHERE chat_id = (SELECT chat_id FROM chats WHERE kind = 0 AND entity_id = ?1 \
      AND scope = 0)
      """, contact.contactId, user.userId)
    try execute(
      "DELETE FROM chat_tagging WHERE chat_id IN (SELECT chat_id FROM chats WHERE kind = 0 AND entity_id = ?)",
      contact.contactId)
    try execute(
      "UPDATE chats SET user_id = ?2 WHERE kind = 0 AND entity_id = ?1 AND scope = 0", contact.contactId, user.userId)
    try releaseName(contact.localDisplayName, user: old.userId)
    return try self.contact(contact.contactId, of: user)
  }

  /// Deletes a contact, its connections and profile. Its items go with ``purge(limit:)``.
  public func deleteContact(_ contact: Contact, of user: User) throws(StoreError) {
    guard contact.contactId != user.userContactId else {
      throw .prohibitedDeleteUser(userId: user.userId, contactId: contact.contactId)
    }
    let incognito = try integers(
      "SELECT custom_profile_id FROM connections WHERE contact_id = ? AND custom_profile_id IS NOT NULL",
      contact.contactId)
    try deleteConnections(ofContact: contact.contactId)
    try leaveItems(where: "kind = 0 AND entity_id = ? AND scope = 0", contact.contactId)
    try deleteRequests(ofContact: contact.contactId)
    // Members who were this contact stay, with its name and profile.
    try execute("UPDATE members SET contact_id = NULL WHERE contact_id = ?", contact.contactId)
    try leaveForeignMembers(ofContact: contact.contactId)
    try execute("DELETE FROM contacts WHERE contact_id = ? AND user_id = ?", contact.contactId, user.userId)
    try deleteUnusedProfile(contact.profile.profileId)
    try releaseName(contact.localDisplayName, user: user.userId)
    for profile in incognito { try deleteUnusedIncognitoProfile(profile, of: user) }
  }

  func deleteUnusedProfile(_ id: Int64) throws(StoreError) {
    try execute(
      """
      DELETE FROM profiles WHERE profile_id = ?1 AND NOT EXISTS (SELECT 1 FROM contacts WHERE profile_id = ?1) \
      AND NOT EXISTS (SELECT 1 FROM contact_requests WHERE profile_id = ?1) \
      AND NOT EXISTS (SELECT 1 FROM connections WHERE custom_profile_id = ?1) \
      AND NOT EXISTS (SELECT 1 FROM members WHERE profile_id = ?1) \
      AND NOT EXISTS (SELECT 1 FROM members WHERE contact_profile_id = ?1) \
      AND NOT EXISTS (SELECT 1 FROM foreign_values WHERE \(Self.foreignProfiles) AND value = ?1)
      """, id)
  }
}
