import ChatAPI
import ChatLogic

extension ChatTransaction {
  /// Stores whether the user is hidden (``User/viewPwdHash``) and muted (``User/showNtfs``).
  public func setPrivacy(of user: User) throws(StoreError) {
    try execute(
      """
      UPDATE users SET view_password_hash = ?2, view_password_salt = ?3, show_notifications = ?4 WHERE user_id = ?1
      """, user.userId, user.viewPwdHash?.hash, user.viewPwdHash?.salt, user.showNtfs)
  }

  /// Switches receipts for all users that are not hidden.
  public func setReceiptsOfAllUsers(_ enabled: Bool) throws(StoreError) {
    try execute(
      """
      UPDATE users SET send_receipts_contacts = ?1, send_receipts_groups = ?1 WHERE view_password_hash IS NULL
      """, enabled)
  }

  /// Switches receipts for the user's contacts.
  public func setContactReceipts(_ settings: UserMsgReceiptSettings, of user: User) throws(StoreError) {
    try execute("UPDATE users SET send_receipts_contacts = ?2 WHERE user_id = ?1", user.userId, settings.enable)
    if settings.clearOverrides { try clearReceipts(of: user, kind: .direct) }
  }

  /// Switches receipts for the user's small groups.
  public func setGroupReceipts(_ settings: UserMsgReceiptSettings, of user: User) throws(StoreError) {
    try execute("UPDATE users SET send_receipts_groups = ?2 WHERE user_id = ?1", user.userId, settings.enable)
    if settings.clearOverrides { try clearReceipts(of: user, kind: .group) }
  }

  private func clearReceipts(of user: User, kind: ChatKind) throws(StoreError) {
    try execute("UPDATE chats SET send_receipts = NULL WHERE user_id = ? AND kind = ?", user.userId, kind.rawValue)
  }

  /// Switches whether direct messages of members are accepted without asking.
  public func setAutoAcceptMemberContacts(_ accepts: Bool, of user: User) throws(StoreError) {
    try execute("UPDATE users SET accept_member_contacts = ?2 WHERE user_id = ?1", user.userId, accepts)
  }

  /// Switches whether the user is a service.
  public func setClientService(_ isService: Bool, of user: User) throws(StoreError) {
    try execute("UPDATE users SET client_service = ?2 WHERE user_id = ?1", user.userId, isService)
  }

  /// Replaces the profile of the user. Where the name changes, it has to be free;
  /// a hidden user that has it gets another one.
  public func updateProfile(of user: User, to profile: Profile) throws(StoreError) -> User {
    let old = user.profile
    if profile.displayName != old.displayName {
      try freeNameOfHiddenUser(profile.displayName)
      let taken = try integer(
        "SELECT 1 FROM users WHERE local_display_name = ? AND user_id <> ?", profile.displayName, user.userId)
      guard taken == nil else { throw .duplicateName }
      try takeExactName(profile.displayName, user: user.userId)
      try rename(user, to: profile.displayName)
    }
    // Members of groups are sent these only.
    let shown = (old.displayName, old.fullName, old.shortDescr, old.image)
    if shown != (profile.displayName, profile.fullName, profile.shortDescr, profile.image) {
      // Later than what groups were sent before, even where the clock was ahead then.
      try execute(
        """
        UPDATE users SET member_profile_updated_at = max(?2, coalesce((SELECT max(profile_sent_at) + 1 FROM groups g \
        WHERE g.user_id = ?1), ?2)) WHERE user_id = ?1
        """, user.userId, nowMicroseconds)
    }
    try updateProfile(old.profileId, to: profile)
    return try self.user(user.userId)
  }

  /// Puts the link of the user's address into the profile, or takes it out.
  public func setContactLink(_ link: String?, inProfileOf user: User) throws(StoreError) -> User {
    try execute(
      "UPDATE profiles SET contact_link = ?2, updated_at = ?3, version = version + 1 WHERE profile_id = ?1",
      user.profile.profileId, link,
      nowMicroseconds)
    var changed = user
    changed.profile.contactLink = link
    return changed
  }

  /// Stores the changes of the theme for all chats of the user.
  public func setThemes(_ themes: ThemeModeOverrides?, of user: User) throws(StoreError) {
    try execute(
      "UPDATE users SET ui_themes = ?2, updated_at = ?3 WHERE user_id = ?1", user.userId, themes?.column,
      nowMicroseconds)
  }

  /// Seconds after which items of the user's chats are deleted; 0 for never.
  public func itemTTL(of user: User) throws(StoreError) -> Int64 {
    try integer("SELECT item_ttl FROM users WHERE user_id = ?", user.userId) ?? 0
  }

  /// Sets the seconds after which items of the user's chats are deleted; 0 for never.
  public func setItemTTL(_ seconds: Int64, of user: User) throws(StoreError) {
    try execute("UPDATE users SET item_ttl = ?2 WHERE user_id = ?1", user.userId, seconds)
  }
}
