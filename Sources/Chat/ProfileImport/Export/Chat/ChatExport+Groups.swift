import SQLiteKit

extension ChatExport {
  /// Groups with their profiles, chats and members.
  mutating func exportGroups() throws(ProfileImportError) {
    try copy(
      into: "group_profiles", from: "groups g WHERE \(Self.takenGroups) ORDER BY g.group_id",
      [
        // Ours keep both in one row.
        "group_profile_id": "g.group_id", "display_name": "g.display_name", "full_name": "g.full_name",
        "created_at": .time("g.created_at"), "updated_at": .time("g.updated_at"), "image": "g.image",
        "user_id": "g.user_id", "preferences": "g.preferences", "description": "g.description",
        "member_admission": "g.admission", "short_descr": "g.short_descr",
      ])
    func business(_ member: String) -> String { "json_extract(g.business, '$.\(member)')" }
    report.take(
      .groups,
      try copy(
        into: "groups",
        from: "groups g LEFT JOIN chats h ON h.kind = 1 AND h.entity_id = g.group_id AND h.scope = 0 "
          + "WHERE \(Self.takenGroups) ORDER BY g.group_id",
        [
          "group_id": "g.group_id", "user_id": "g.user_id", "local_display_name": "g.local_display_name",
          "group_profile_id": "g.group_id", "inv_queue_info": .data("g.invitation"),
          "created_at": .time("g.created_at"), "updated_at": .time("g.updated_at"),
          "chat_item_id": Self.existing("g.invitation_item_id", in: Self.takenItems, "item_id"),
          "enable_ntfs": "coalesce(h.notifications, 1)", "unread_chat": "coalesce(h.marked_unread, 0)",
          "chat_ts": .time("coalesce(h.ts, g.updated_at)"), "favorite": "coalesce(h.favorite, 0)",
          "send_rcpts": "h.send_receipts", "user_member_profile_sent_at": .time("g.profile_sent_at"),
          "custom_data": .data("h.custom_data"), "ui_themes": "h.ui_themes",
          // The reference finds by it that the user has joined.
          "via_group_link_uri_hash": .linkHash(
            "g.via_link",
            or: "(SELECT n.via_link_hash FROM connections n WHERE n.member_id = g.host_member_id LIMIT 1)"),
          "business_xcontact_id": .identifier(
            """
            (SELECT m.join_xcontact_id FROM members m WHERE m.group_id = g.group_id \
            AND m.shared_member_id = \(business("customerId")))
            """),
          "business_member_id": .identifier(business("businessId")), "business_chat": .plain(business("chatType")),
          "customer_member_id": .identifier(business("customerId")), "chat_item_ttl": "h.item_ttl",
          "local_alias": "g.local_alias",
          "members_require_attention":
            """
          (SELECT count(*) FROM chats s WHERE s.kind = 1 AND s.entity_id = g.group_id AND s.scope > 0 \
          AND s.member_attention > 0)
          """,
          "conn_full_link_to_connect": .data("g.full_link"), "conn_short_link_to_connect": .data("g.short_link"),
          "conn_link_started_connection": "g.link_started",
          "welcome_shared_msg_id": .identifier("g.welcome_shared_id"),
          "request_shared_msg_id": .identifier("g.request_shared_id"),
          "conn_link_prepared_connection": "g.link_prepared", "via_group_link_uri": .data("g.via_link"),
          "member_index": "g.next_index",
        ]))
    try exportMembers()
  }

  /// The schema's triggers count those who are current.
  private mutating func exportMembers() throws(ProfileImportError) {
    report.take(
      .members,
      try copy(
        into: "group_members",
        from: """
          members m JOIN groups g ON g.group_id = m.group_id LEFT JOIN users u ON u.user_id = m.user_id \
          LEFT JOIN chats h ON h.kind = 1 AND h.entity_id = m.group_id \
          AND h.scope = CASE m.category WHEN 'user' THEN -1 ELSE m.member_id END \
          WHERE \(Self.takenGroups) ORDER BY m.group_id, m.member_id
          """,
        [
          "group_member_id": "m.member_id", "group_id": "m.group_id",
          "member_id": .identifier("m.shared_member_id"), "member_role": "m.role", "member_category": "m.category",
          "member_status": "m.status",
          "invited_by": Self.existing(
            "CASE m.invited_by WHEN 1 THEN u.contact_id WHEN 2 THEN m.invited_by_contact END", in: "contacts",
            "contact_id"),
          "sent_inv_queue_info": .data("m.invitation"), "user_id": "m.user_id",
          "local_display_name": "m.local_display_name", "contact_profile_id": "m.contact_profile_id",
          "contact_id": Self.existing("m.contact_id", in: "contacts", "contact_id"),
          "created_at": .time("m.created_at"), "updated_at": .time("m.updated_at"),
          "member_profile_id": "nullif(m.profile_id, m.contact_profile_id)", "show_messages": "m.show_messages",
          "xgrplinkmem_received": "m.host_profile_received",
          "invited_by_group_member_id": Self.existing("m.invited_by_member", in: Self.takenMembers, "member_id"),
          "peer_chat_min_version": "m.min_version", "peer_chat_max_version": "m.max_version",
          "member_restriction": "CASE WHEN m.blocked_by_admin THEN 'blocked' END", "support_chat_ts": .time("h.ts"),
          "support_chat_items_unread": "coalesce(h.unread_count, 0)",
          "support_chat_items_member_attention": "coalesce(h.member_attention, 0)",
          "support_chat_items_mentions": "coalesce(h.unread_mentions, 0)",
          "support_chat_last_msg_from_member_ts": .time("h.last_member_ts"),
          "member_xcontact_id": .identifier("m.join_xcontact_id"),
          "member_welcome_shared_msg_id": .identifier("m.join_welcome_id"),
          "index_in_group": "m.index_in_group", "member_relations_vector": "m.relations",
          "member_pub_key": .identifier("m.public_key"), "removed_at": .time("m.removed_at"),
        ]))
  }

  /// The statuses of messages for each member, decisions of moderators that came early, and which messages came.
  mutating func exportGroupRecords() throws(ProfileImportError) {
    try copy(
      into: "group_snd_item_statuses",
      from: "item_recipients r WHERE r.item_id IN \(Self.takenItems) AND r.member_id IN \(Self.takenMembers) "
        + "ORDER BY r.item_id, r.member_id",
      [
        "chat_item_id": "r.item_id", "group_member_id": "r.member_id",
        "group_snd_item_status": .code("r.status", detail: "r.status_detail", convert: ItemText.recipientStatus),
        "via_proxy": "r.via_proxy", "created_at": .plain("'\(now)'"), "updated_at": .plain("'\(now)'"),
      ])
    try copy(
      into: "chat_item_moderations",
      from: "moderations d WHERE d.moderator_id IN \(Self.takenMembers) ORDER BY d.created_at",
      [
        "group_id": "d.group_id", "moderator_member_id": "d.moderator_id", "item_member_id": .identifier("d.author"),
        "shared_msg_id": .identifier("d.shared_id"), "moderated_at": .time("d.moderated_at"),
        "created_at": .time("d.created_at"), "updated_at": .time("d.created_at"),
      ])
    try copy(
      into: "messages",
      from: "received_messages r WHERE r.author_id IN \(Self.takenMembers) ORDER BY r.received_at",
      [
        // Only that they came counts: other members may forward them again.
        "msg_sent": "0", "chat_msg_event": "'x.msg.new'", "created_at": .time("r.received_at"),
        "updated_at": .time("r.received_at"), "group_id": "r.group_id", "shared_msg_id": .identifier("r.shared_id"),
        "author_group_member_id": "r.author_id",
        "forwarded_by_group_member_id": Self.existing("r.forwarded_by", in: Self.takenMembers, "member_id"),
      ])
  }
}
