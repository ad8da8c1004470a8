import ChatAPI
import FoundationTypes
import SQLiteKit

// Contacts of members of groups: a member whom the user writes to directly, or who writes to the user.

extension ChatTransaction {
  /// Creates the contact of a member, with the member's name and profile. All members with this profile are the contact
  /// then.
  /// - Parameter incognito: whether the contact knows the user by the incognito profile that the group knows.
  public func createContact(
    of member: GroupMember, incognito: Bool, for user: User
  ) throws(StoreError) -> Contact {
    let id = try insertContact(
      named: member.localDisplayName, profileId: member.memberContactProfileId, of: user,
      preferences: incognito ? user.profile.preferences ?? Preferences() : Preferences(), requestId: nil)
    try execute(
      "UPDATE members SET contact_id = ?2, updated_at = ?3 WHERE contact_profile_id = ?1 AND category <> 'user'",
      member.memberContactProfileId, id, nowMicroseconds)
    return try contact(id, of: user)
  }

  /// Stores that the user invites a contact over the connection of this member.
  public func setInviting(member: Int64, ofContact id: Int64) throws(StoreError) {
    try execute(
      "UPDATE contacts SET member_id = ?2, group_invitation_sent = 0, updated_at = ?3 WHERE contact_id = ?1", id,
      member,
      nowMicroseconds)
  }

  /// Stores that the invitation was sent to the contact.
  public func setInvitationSent(ofContact id: Int64) throws(StoreError) {
    try execute(
      "UPDATE contacts SET group_invitation_sent = 1, updated_at = ?2 WHERE contact_id = ?1", id, nowMicroseconds)
  }

  /// Stores that the contact accepted the user's invitation.
  public func resetInviting(ofContact id: Int64) throws(StoreError) {
    try execute(
      "UPDATE contacts SET member_id = NULL, group_invitation_sent = 0, updated_at = ?2 WHERE contact_id = ?1", id,
      nowMicroseconds)
  }

  /// Stores the invitation that a contact sent as member of a group. A deleted contact is active again.
  public func setInvited(_ invitation: GroupDirectInvitation, ofContact id: Int64) throws(StoreError) {
    try execute(
      """
      UPDATE contacts SET status = 'active', member_id = NULL, group_invitation_sent = 0, direct_invitation = ?2, \
      updated_at = ?3 WHERE contact_id = ?1
      """, id, invitation.column, nowMicroseconds)
  }

  /// Stores how far an invitation of a contact as member of a group is.
  public func setDirectInvitation(
    _ invitation: GroupDirectInvitation, ofContact id: Int64
  ) throws(StoreError) {
    try execute(
      "UPDATE contacts SET direct_invitation = ?2, updated_at = ?3 WHERE contact_id = ?1", id, invitation.column,
      nowMicroseconds)
  }

  /// Stores that an invitation that the user sent over the connection of this member was refused, so that it can be
  /// sent again.
  public func resetInvitationSent(overMember id: Int64) throws(StoreError) {
    try execute(
      "UPDATE contacts SET group_invitation_sent = 0, updated_at = ?2 WHERE member_id = ?1", id, nowMicroseconds)
  }

  /// The link by which the other side of a connection joins; nil where it is not known any more.
  public func invitation(ofConnection id: Int64) throws(StoreError) -> String? {
    try text("SELECT invitation_link FROM connections WHERE connection_id = ?", id)
  }
}
