import ChatAPI
import SQLiteKit
import SimplexJSON

/// The columns of a profile as ``SQLiteRow/localProfile(_:)`` reads them.
func profileColumns(_ table: String) -> String {
  """
  \(table).profile_id, \(table).display_name, \(table).full_name, \(table).short_descr, \(table).description, \
  \(table).image, \(table).contact_link, \(table).preferences, \(table).peer_type, \(table).local_badge, \
  \(table).local_alias, \(table).domain, \(table).domain_verified
  """
}

extension SQLiteRow {
  func localProfile(_ at: inout ColumnIndex) throws(SQLFailure) -> LocalProfile {
    LocalProfile(
      profileId: try integer(&at), displayName: try text(&at), fullName: try text(&at),
      shortDescr: try optionalText(&at), description: try optionalText(&at), image: try optionalText(&at),
      contactLink: try optionalText(&at), preferences: try optionalJSON(&at), peerType: try optionalName(&at),
      localBadge: try optionalJSON(&at), localAlias: try text(&at), contactDomain: try optionalJSON(&at),
      contactDomainVerified: try optionalBool(&at))
  }
}

extension Profile {
  /// The profile as this device keeps it.
  public func local(profileId: Int64, localAlias: String = "", localBadge: LocalBadge? = nil) -> LocalProfile {
    LocalProfile(
      profileId: profileId, displayName: displayName, fullName: fullName, shortDescr: shortDescr,
      description: description, image: image, contactLink: contactLink, preferences: preferences, peerType: peerType,
      localBadge: localBadge, localAlias: localAlias, contactDomain: contactDomain)
  }
}

extension LocalProfile {
  /// What the owner of the profile sent.
  public var shared: Profile {
    Profile(
      displayName: displayName, fullName: fullName, shortDescr: shortDescr, description: description, image: image,
      contactLink: contactLink, preferences: preferences, peerType: peerType, contactDomain: contactDomain)
  }
}

extension ChatTransaction {
  func insertProfile(
    _ profile: Profile, user: Int64, alias: String = "", incognito: Bool = false, at time: Int64
  ) throws(StoreError) -> Int64 {
    try insert(
      """
      INSERT INTO profiles (user_id, display_name, full_name, short_descr, description, image, contact_link, \
      preferences, peer_type, badge, domain, local_alias, incognito, created_at, updated_at) \
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?14)
      """, user, profile.displayName, profile.fullName, profile.shortDescr, profile.description, profile.image,
      profile.contactLink, profile.preferences?.column, profile.peerType?.rawValue, profile.badge?.column,
      profile.contactDomain?.column, alias, incognito, time)
  }

  func updateProfile(_ id: Int64, to profile: Profile) throws(StoreError) {
    try execute(
      """
      UPDATE profiles SET display_name = ?2, full_name = ?3, short_descr = ?4, description = ?5, image = ?6, \
      contact_link = ?7, preferences = ?8, peer_type = ?9, badge = ?10, domain = ?11, updated_at = ?12, \
      version = version + 1 \
      WHERE profile_id = ?1
      """, id, profile.displayName, profile.fullName, profile.shortDescr, profile.description, profile.image,
      profile.contactLink, profile.preferences?.column, profile.peerType?.rawValue, profile.badge?.column,
      profile.contactDomain?.column, nowMicroseconds)
  }

  /// The profile with this number.
  public func profile(_ id: Int64, of user: User) throws(StoreError) -> LocalProfile {
    let found = try first(
      "SELECT \(profileColumns("p")) FROM profiles p WHERE p.profile_id = ? AND p.user_id = ?", id, user.userId
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return try row.localProfile(&at)
    }
    guard let found else { throw .profileNotFound(profileId: id) }
    return found
  }

  /// Stores a profile that the user shows to one contact only; returns its database id. Only names, description and
  /// image are kept: an incognito profile has no link and no preferences.
  public func createIncognitoProfile(_ profile: Profile, of user: User) throws(StoreError) -> Int64 {
    let shown = Profile(
      displayName: profile.displayName, fullName: profile.fullName, shortDescr: profile.shortDescr, image: profile.image
    )
    return try insertProfile(shown, user: user.userId, incognito: true, at: nowMicroseconds)
  }

  /// Whether the profile of a user was changed after a connection was created; by versions, because the clock may have
  /// been wrong.
  public func hasChangedProfile(_ user: User, since connection: Connection) throws(StoreError) -> Bool {
    try integer(
      """
      SELECT 1 FROM profiles p JOIN connections n ON p.version > n.profile_version \
      WHERE p.profile_id = ?1 AND n.connection_id = ?2
      """, user.profile.profileId, connection.connId) != nil
  }

  /// Deletes an incognito profile that no connection uses any more.
  public func deleteUnusedIncognitoProfile(_ id: Int64, of user: User) throws(StoreError) {
    try execute(
      """
      DELETE FROM profiles WHERE profile_id = ?1 AND user_id = ?2 AND incognito = 1 \
      AND NOT EXISTS (SELECT 1 FROM connections WHERE custom_profile_id = ?1) \
      AND NOT EXISTS (SELECT 1 FROM members WHERE profile_id = ?1) \
      AND NOT EXISTS (SELECT 1 FROM foreign_values WHERE \(Self.foreignProfiles) AND value = ?1)
      """, id, user.userId)
  }
}
