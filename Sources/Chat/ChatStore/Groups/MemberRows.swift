import ChatAPI
import SQLiteKit

/// Everything of a member: `m` is the member, `p` its profile, `n` its connection, `s` its support chat.
let memberColumns = """
  m.member_id, m.group_id, m.index_in_group, m.shared_member_id, m.role, m.category, m.status, m.show_messages, \
  m.blocked_by_admin, m.invited_by, m.invited_by_contact, m.invited_by_member, m.local_display_name, m.contact_id, \
  m.contact_profile_id, m.min_version, m.max_version, m.public_key, m.relay_link, m.created_at, m.updated_at, \
  s.ts, s.unread_count, s.member_attention, s.unread_mentions, s.last_member_ts, \
  \(profileColumns("p")), \(connectionColumns("n"))
  """

/// The tables of ``memberColumns``; the user's own support chat has the scope -1.
let memberTables = """
  members m JOIN profiles p ON p.profile_id = m.profile_id \
  LEFT JOIN connections n ON n.connection_id = m.connection_id \
  LEFT JOIN chats s ON s.kind = 1 AND s.entity_id = m.group_id \
  AND s.scope = CASE m.category WHEN 'user' THEN -1 ELSE m.member_id END
  """

extension SQLiteRow {
  /// Reads ``memberColumns``.
  func member(_ at: inout ColumnIndex) throws(SQLFailure) -> GroupMember {
    let id = try integer(&at)
    let groupId = try integer(&at)
    let index = try integer(&at)
    let memberId = try text(&at)
    let role = GroupMemberRole(rawValue: try text(&at))
    let category: GroupMemberCategory = try name(&at, otherwise: .postMember)
    let status: GroupMemberStatus = try name(&at, otherwise: .memUnknown)
    let showMessages = try bool(&at)
    let blocked = try bool(&at)
    let invitedBy = try invitedBy(&at)
    let invitedByMember = try optionalInteger(&at)
    let localDisplayName = try text(&at)
    let contactId = try optionalInteger(&at)
    let contactProfileId = try integer(&at)
    let versions = VersionRange(try int(&at), try int(&at))
    let key = try optionalText(&at)
    let relayLink = try optionalText(&at)
    let createdAt = try date(&at)
    let updatedAt = try date(&at)
    let support = try supportChat(&at)
    let profile = try localProfile(&at)
    return GroupMember(
      groupMemberId: id, groupId: groupId, indexInGroup: index, memberId: memberId, memberRole: role,
      memberCategory: category, memberStatus: status, memberSettings: GroupMemberSettings(showMessages: showMessages),
      blockedByAdmin: blocked, invitedBy: invitedBy, invitedByGroupMemberId: invitedByMember,
      localDisplayName: localDisplayName, memberProfile: profile, memberContactId: contactId,
      memberContactProfileId: contactProfileId, activeConn: try optionalConnection(&at), memberChatVRange: versions,
      createdAt: createdAt, updatedAt: updatedAt, supportChat: support, memberPubKey: key, relayLink: relayLink)
  }

  private func invitedBy(_ at: inout ColumnIndex) throws(SQLFailure) -> InvitedBy {
    let kind = try integer(&at)
    let contact = try optionalInteger(&at)
    switch (kind, contact) {
    case (1, _): return .user
    case (2, let contact?): return .contact(byContactId: contact)
    default: return .unknown
    }
  }

  private func supportChat(_ at: inout ColumnIndex) throws(SQLFailure) -> GroupSupportChat? {
    let time = try optionalDate(&at)
    let unread = try optionalInteger(&at)
    let attention = try optionalInteger(&at)
    let mentions = try optionalInteger(&at)
    let last = try optionalDate(&at)
    guard let time else { return nil }
    return GroupSupportChat(
      chatTs: time, unread: Int(unread ?? 0), memberAttention: Int(attention ?? 0), mentions: Int(mentions ?? 0),
      lastMsgFromMemberTs: last)
  }
}

extension InvitedBy {
  var stored: (kind: Int64, contact: Int64?) {
    switch self {
    case .unknown: (0, nil)
    case .user: (1, nil)
    case .contact(let id): (2, id)
    }
  }
}
