import ChatAPI
import ChatLogic
import SimplexJSON

extension ChatTransaction {
  /// Stores the profile that the contact sent. A new name is made unique.
  public func updateProfile(of contact: Contact, to profile: Profile, of user: User) throws(StoreError) -> Contact {
    if profile.displayName != contact.profile.displayName {
      let name = try takeName(profile.displayName, user: user.userId)
      try execute(
        "UPDATE contacts SET local_display_name = ?2, updated_at = ?3 WHERE contact_id = ?1", contact.contactId, name,
        nowMicroseconds)
      try execute("UPDATE members SET local_display_name = ?2 WHERE contact_id = ?1", contact.contactId, name)
      try releaseName(contact.localDisplayName, user: user.userId)
    }
    try updateProfile(contact.profile.profileId, to: profile)
    return try self.contact(contact.contactId, of: user)
  }

  /// Stores what the user allows this contact.
  public func setPreferences(
    _ preferences: Preferences, of contact: Contact, of user: User
  ) throws(StoreError) -> Contact {
    try execute(
      "UPDATE contacts SET user_preferences = ?2, updated_at = ?3 WHERE contact_id = ?1", contact.contactId,
      preferences.optionalColumn, nowMicroseconds)
    return try self.contact(contact.contactId, of: user)
  }

  /// Stores the name that the user gives the contact; empty for none.
  public func setAlias(_ alias: String, of contact: Contact) throws(StoreError) -> Contact {
    try execute(
      "UPDATE profiles SET local_alias = ?2, updated_at = ?3 WHERE profile_id = ?1", contact.profile.profileId, alias,
      nowMicroseconds)
    var changed = contact
    changed.profile.localAlias = alias
    return changed
  }

  /// Stores whether the contact was deleted, and by whom.
  public func setStatus(_ status: ContactStatus, of contact: Contact) throws(StoreError) -> Contact {
    try execute(
      "UPDATE contacts SET status = ?2, updated_at = ?3 WHERE contact_id = ?1", contact.contactId, status.rawValue,
      nowMicroseconds)
    var changed = contact
    changed.contactStatus = status
    return changed
  }

  /// Stores whether the contact's conversation is in the list of chats.
  public func setUsed(_ used: Bool, of contact: Contact) throws(StoreError) -> Contact {
    try execute(
      "UPDATE chats SET listed = ?2 WHERE kind = 0 AND entity_id = ?1 AND scope = 0", contact.contactId, used)
    var changed = contact
    changed.contactUsed = used
    return changed
  }

  /// Stores whether the conversation was deleted while the contact was kept. The next item undoes it.
  public func setChatDeleted(_ deleted: Bool, of contact: Contact) throws(StoreError) -> Contact {
    try execute(
      "UPDATE contacts SET chat_deleted = ?2, updated_at = ?3 WHERE contact_id = ?1", contact.contactId, deleted,
      nowMicroseconds)
    var changed = contact
    changed.chatDeleted = deleted
    return changed
  }

  /// Stores the random identifier of the request that was accepted, by which a repeated request is known.
  public func setAcceptedXContactId(_ id: String, ofContact contact: Int64) throws(StoreError) {
    try execute("UPDATE contacts SET xcontact_id = ?2 WHERE contact_id = ?1", contact, id)
  }

  /// Stores the shared id of the message that was sent with the request to connect.
  public func setRequestSharedMsgId(_ id: String, ofContact contact: Int64) throws(StoreError) {
    try execute("UPDATE contacts SET request_shared_id = ?2 WHERE contact_id = ?1", contact, id)
  }

  /// Stores the message that is sent as soon as the invitation of a prepared contact is joined; nil for none.
  public func setJoiningMessage(_ content: MsgContent?, ofContact contact: Int64) throws(StoreError) {
    try execute("UPDATE contacts SET joining_message = ?2 WHERE contact_id = ?1", contact, content?.jsonText())
  }

  /// Removes and returns the message that is sent as soon as the invitation is joined; nil if there is none.
  public func takeJoiningMessage(ofContact contact: Int64) throws(StoreError) -> MsgContent? {
    let text = try text("SELECT joining_message FROM contacts WHERE contact_id = ?", contact)
    guard let content = text.flatMap({ try? MsgContent(jsonText: $0) }) else { return nil }
    try setJoiningMessage(nil, ofContact: contact)
    return content
  }

  /// Deletes the links of a prepared contact.
  public func clearPreparedLinks(ofContact contact: Int64) throws(StoreError) {
    try execute(
      "UPDATE contacts SET full_link = NULL, short_link = NULL, link_mode = NULL WHERE contact_id = ?", contact)
  }

  /// Stores that the contact, made of a group member, was sent an invitation.
  public func setGroupInvitationSent(_ sent: Bool, ofContact contact: Int64) throws(StoreError) {
    try execute("UPDATE contacts SET group_invitation_sent = ?2 WHERE contact_id = ?1", contact, sent)
  }
}
