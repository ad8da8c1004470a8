import ChatAPI
import FoundationTypes
import SQLiteKit

// Groups that a link showed and the user may join. They have a host and the user as members, whose identities the host
// tells when it accepts the user.

extension ChatTransaction {
  /// Creates the group that a link shows, without members.
  /// - Parameter welcomeSharedMsgId: the identifier of the group's welcome message, base64url.
  public func createPreparedGroup(
    profile: GroupProfile, link: CreatedConnLink, welcomeSharedMsgId: String?, of user: User
  ) throws(StoreError) -> Int64 {
    let id = try createGroup(profile: profile, of: user)
    try execute(
      "UPDATE groups SET full_link = ?2, short_link = ?3, welcome_shared_id = ?4 WHERE group_id = ?1", id,
      link.connFullLink, link.connShortLink, welcomeSharedMsgId)
    return id
  }

  /// The group that was prepared from a short link; nil where there is none, or the user is no longer a member.
  public func group(shortLinkToConnect link: String, of user: User) throws(StoreError) -> GroupInfo? {
    let id = try integer(
      """
      SELECT g.group_id FROM groups g JOIN members m ON m.member_id = g.membership_id WHERE g.user_id = ? \
      AND g.short_link = ? AND m.status NOT IN ('rejected', 'removed', 'left', 'deleted') \
      ORDER BY g.group_id DESC LIMIT 1
      """, user.userId, link)
    return try id.map { (id) throws(StoreError) in try group(id, of: user) }
  }

  /// Stores the shared id of the message that is sent with the request to join.
  public func setRequestSharedMsgId(_ id: String, ofGroup group: Int64) throws(StoreError) {
    try execute("UPDATE groups SET request_shared_id = ?2 WHERE group_id = ?1", group, id)
  }

  /// Stores the identifier that a member of a prepared group has, and what it wrote under the one it had before.
  public func setIdentity(
    of member: GroupMember, sharedId: String, role: GroupMemberRole
  ) throws(StoreError) {
    try setIdentity(sharedId: sharedId, role: role, ofMember: member.groupMemberId)
    try execute(
      """
      UPDATE items SET author = ?3 WHERE author = ?2 \
      AND chat_id IN (SELECT chat_id FROM chats WHERE kind = 1 AND entity_id = ?1)
      """, member.groupId, member.memberId, sharedId)
  }

  /// Stores that there is a connection to ask the host by, and the incognito profile that the user asks with.
  public func setLinkPrepared(
    _ link: CreatedConnLink, incognito: Int64?, of group: GroupInfo, for user: User
  ) throws(StoreError) {
    try execute(
      "UPDATE groups SET link_prepared = 1, via_link = ?2, updated_at = ?3 WHERE group_id = ?1", group.groupId,
      link.connFullLink, nowMicroseconds)
    let membership = group.membership
    try execute(
      "UPDATE members SET profile_id = coalesce(?2, contact_profile_id), updated_at = ?3 WHERE member_id = ?1",
      membership.groupMemberId, incognito, nowMicroseconds)
    if membership.memberIncognito { try deleteUnusedIncognitoProfile(membership.memberProfile.profileId, of: user) }
  }

  /// Stores that the host was asked over a connection; has no effect on connections of other groups.
  public func setLinkStarted(by connection: Int64) throws(StoreError) {
    try execute(
      """
      UPDATE groups SET link_started = 1, updated_at = ?2 WHERE full_link IS NOT NULL AND link_started = 0 \
      AND group_id = (SELECT m.group_id FROM members m WHERE m.connection_id = ?1)
      """, connection, nowMicroseconds)
  }

  /// Moves a prepared group, which the user has not asked to join, to another user.
  /// - Parameter host: the host; nil for a channel, which has none.
  public func move(
    prepared group: GroupInfo, host: GroupMember?, from old: User, to user: User
  ) throws(StoreError) -> GroupInfo {
    let name = try takeName(group.groupProfile.displayName, user: user.userId)
    try execute(
      "UPDATE groups SET user_id = ?2, local_display_name = ?3, updated_at = ?4 WHERE group_id = ?1", group.groupId,
      user.userId, name, nowMicroseconds)
    try execute(
      """
      UPDATE members SET user_id = ?2, local_display_name = ?3, contact_id = ?4, profile_id = ?5, \
      contact_profile_id = ?5, updated_at = ?6 WHERE member_id = ?1
      """, group.membership.groupMemberId, user.userId, user.localDisplayName, user.userContactId,
      user.profile.profileId, nowMicroseconds)
    if let host {
      let name = try takeName(host.memberProfile.displayName, user: user.userId)
      try execute(
        "UPDATE members SET user_id = ?2, local_display_name = ?3, updated_at = ?4 WHERE member_id = ?1",
        host.groupMemberId, user.userId, name, nowMicroseconds)
      try execute(
        "UPDATE profiles SET user_id = ?2, updated_at = ?3 WHERE profile_id = ?1", host.memberProfile.profileId,
        user.userId, nowMicroseconds)
      try releaseName(host.localDisplayName, user: old.userId)
    }
    try execute(
      "UPDATE items SET user_id = ?2 WHERE chat_id IN (SELECT chat_id FROM chats WHERE kind = 1 AND entity_id = ?1)",
      group.groupId, user.userId)
    try execute(
      """
      DELETE FROM chat_tagging WHERE chat_id IN (SELECT chat_id FROM chats WHERE kind = 1 AND entity_id = ?)
      """, group.groupId)
    try execute("UPDATE chats SET user_id = ?2 WHERE kind = 1 AND entity_id = ?1", group.groupId, user.userId)
    try releaseName(group.localDisplayName, user: old.userId)
    return try self.group(group.groupId, of: user)
  }
}
