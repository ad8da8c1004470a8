import SQLiteKit

extension ChatExport {
  mutating func exportUsers() throws(ProfileImportError) {
    report.take(
      .users,
      try copy(
        into: "users", from: "users u ORDER BY u.user_id",
        [
          "user_id": "u.user_id", "contact_id": "u.contact_id", "local_display_name": "u.local_display_name",
          "active_user": "u.active", "created_at": .time("u.created_at"), "updated_at": .time("u.updated_at"),
          "agent_user_id": "CAST(u.agent_user_id AS INTEGER)",
          "view_pwd_hash": .identifier("u.view_password_hash"), "view_pwd_salt": .identifier("u.view_password_salt"),
          "show_ntfs": "u.show_notifications", "send_rcpts_contacts": "u.send_receipts_contacts",
          "send_rcpts_small_groups": "u.send_receipts_groups",
          "user_member_profile_updated_at": .time("u.member_profile_updated_at"), "ui_themes": "u.ui_themes",
          "active_order": "u.active_order", "auto_accept_member_contacts": "u.accept_member_contacts",
          "is_user_chat_relay": "u.chat_relay", "client_service": "u.client_service",
        ]))
    try copy(
      into: "settings", from: "users u WHERE u.item_ttl > 0 ORDER BY u.user_id",
      [
        "chat_item_ttl": "u.item_ttl", "user_id": "u.user_id", "created_at": .time("u.created_at"),
        "updated_at": .time("u.updated_at"),
      ])
    try copy(
      into: "display_names", from: "display_names d ORDER BY d.user_id, d.name",
      [
        "user_id": "d.user_id", "local_display_name": "d.name", "ldn_base": "d.base", "ldn_suffix": "d.suffix",
        "created_at": .plain("'\(now)'"), "updated_at": .plain("'\(now)'"),
      ])
    try copy(
      into: "contact_profiles", from: "profiles p ORDER BY p.profile_id",
      [
        "contact_profile_id": "p.profile_id", "display_name": "p.display_name", "full_name": "p.full_name",
        "created_at": .time("p.created_at"), "updated_at": .time("p.updated_at"), "image": "p.image",
        "user_id": "p.user_id", "incognito": "p.incognito", "local_alias": "p.local_alias",
        "preferences": "p.preferences", "contact_link": .data("p.contact_link"), "short_descr": "p.short_descr",
        "chat_peer_type": "p.peer_type",
      ])
  }

  mutating func exportContacts() throws(ProfileImportError) {
    func direct(_ member: String) -> String { "json_extract(c.direct_invitation, '$.\(member)')" }
    try copy(
      into: "contacts",
      from: "contacts c LEFT JOIN chats h ON h.kind = 0 AND h.entity_id = c.contact_id AND h.scope = 0 "
        + "ORDER BY c.contact_id",
      [
        "contact_id": "c.contact_id", "contact_profile_id": "c.profile_id", "user_id": "c.user_id",
        "local_display_name": "c.local_display_name", "is_user": "c.is_user", "created_at": .time("c.created_at"),
        "updated_at": .time("c.updated_at"), "xcontact_id": .identifier("c.xcontact_id"),
        "enable_ntfs": "h.notifications", "unread_chat": "coalesce(h.marked_unread, 0)",
        "contact_used": "coalesce(h.listed, 0)", "user_preferences": "coalesce(c.user_preferences, '{}')",
        "chat_ts": .time("coalesce(h.ts, c.updated_at)"), "favorite": "coalesce(h.favorite, 0)",
        "send_rcpts": "h.send_receipts",
        "contact_group_member_id": Self.existing("c.member_id", in: Self.takenMembers, "member_id"),
        "contact_grp_inv_sent": "c.group_invitation_sent", "contact_status": "c.status",
        "custom_data": .data("h.custom_data"), "ui_themes": "h.ui_themes", "chat_deleted": "c.chat_deleted",
        "chat_item_ttl": "h.item_ttl", "conn_full_link_to_connect": .data("c.full_link"),
        "conn_short_link_to_connect": .data("c.short_link"),
        "welcome_shared_msg_id": .identifier("c.welcome_shared_id"),
        "request_shared_msg_id": .identifier("c.request_shared_id"),
        "contact_request_id": Self.existing("c.request_id", in: "contact_requests", "request_id"),
        "grp_direct_inv_link": .data(direct("groupDirectInvLink")),
        "grp_direct_inv_from_group_id": Self.existing(direct("fromGroupId_"), in: Self.groups, "group_id"),
        "grp_direct_inv_from_group_member_id": Self.existing(
          direct("fromGroupMemberId_"), in: Self.takenMembers, "member_id"),
        "grp_direct_inv_from_member_conn_id": Self.existing(
          direct("fromGroupMemberConnId_"), in: Self.takenConnections, "connection_id"),
        "grp_direct_inv_started_connection": .plain("coalesce(\(direct("groupDirectInvStartedConnection")), 0)"),
      ])
    report.take(.contacts, try count("contacts WHERE is_user = 0"))
    try copy(
      into: "note_folders",
      from: "note_folders f LEFT JOIN chats h ON h.kind = 2 AND h.entity_id = f.note_folder_id "
        + "ORDER BY f.note_folder_id",
      [
        "note_folder_id": "f.note_folder_id", "user_id": "f.user_id", "created_at": .time("f.created_at"),
        "updated_at": .time("f.updated_at"), "chat_ts": .time("coalesce(h.ts, f.updated_at)"),
        "favorite": "coalesce(h.favorite, 0)", "unread_chat": "coalesce(h.marked_unread, 0)",
      ])
  }

  /// The groups, members and connections that are taken, as tables of queries.
  static let groups = "(SELECT g.group_id FROM groups g WHERE \(takenGroups))"
  static let takenMembers =
    "(SELECT m.member_id FROM members m JOIN groups g ON g.group_id = m.group_id WHERE \(takenGroups))"
  static let takenConnections =
    "(SELECT n.connection_id FROM connections n JOIN taken_connections t ON t.agent_conn_id = n.agent_conn_id)"

  /// How many rows there are in our database.
  func count(_ rows: String) throws(ProfileImportError) -> Int {
    try reading { (source) throws(SQLFailure) in
      try source.first("SELECT count(*) FROM \(rows)") { (row) throws(SQLFailure) in try row.integer(0) }
    }.map { Int(clamping: $0) } ?? 0
  }

  mutating func exportTags() throws(ProfileImportError) {
    report.take(
      .tags,
      try copy(
        into: "chat_tags", from: "chat_tags t ORDER BY t.tag_id",
        [
          "chat_tag_id": "t.tag_id", "user_id": "t.user_id", "chat_tag_text": "t.text", "chat_tag_emoji": "t.emoji",
          "tag_order": "t.position",
        ]))
    try copy(
      into: "chat_tags_chats",
      from: "chat_tagging t JOIN taken_chats h ON h.chat_id = t.chat_id WHERE h.kind < 2 ORDER BY t.chat_id, t.tag_id",
      [
        "contact_id": "CASE h.kind WHEN 0 THEN h.entity_id END", "group_id": "CASE h.kind WHEN 1 THEN h.entity_id END",
        "chat_tag_id": "t.tag_id",
      ])
  }
}
