import SQLiteKit

extension ChatExport {
  /// The items of chats that are taken, as a table of queries.
  static let takenItems = "(SELECT i.item_id FROM items i JOIN taken_chats h ON h.chat_id = i.chat_id)"

  /// The shared identifier of an item; NULL for later items of the same chat and author, because the reference's index
  /// allows it once, and peers may repeat one.
  private static let sharedID = """
    CASE WHEN h.kind < 2 AND EXISTS (SELECT 1 FROM taken_chats e JOIN items d ON d.chat_id = e.chat_id \
    AND d.shared_id = i.shared_id WHERE e.kind = h.kind AND e.entity_id = h.entity_id AND d.item_id < i.item_id \
    AND (h.kind = 0 OR d.member_id = i.member_id)) THEN NULL ELSE i.shared_id END
    """

  /// The items of all chats that are taken.
  mutating func exportItems(progress: (Int) -> Void) throws(ProfileImportError) {
    var done = 0
    func forwarded(_ member: String) -> String { "json_extract(i.forwarded, '$.\(member)')" }
    let count = try copy(
      into: "chat_items",
      from: "items i CROSS JOIN taken_chats h ON h.chat_id = i.chat_id ORDER BY i.item_id",
      [
        "chat_item_id": "i.item_id", "user_id": "i.user_id", "contact_id": "CASE h.kind WHEN 0 THEN h.entity_id END",
        "group_id": "CASE h.kind WHEN 1 THEN h.entity_id END",
        "note_folder_id": "CASE h.kind WHEN 2 THEN h.entity_id END",
        "group_scope_tag": "CASE WHEN h.kind = 1 AND h.scope <> 0 THEN 'member_support' END",
        "group_scope_group_member_id": "CASE WHEN h.kind = 1 AND h.scope > 0 THEN h.scope END",
        "group_member_id": Self.existing("i.member_id", in: "members", "member_id"), "item_sent": "i.sent",
        "item_ts": .time("i.item_ts"), "item_deleted": "i.deleted",
        "item_content": .text("i.content", ItemText.content),
        "item_content_tag": .text("i.content", ItemText.contentTag), "item_text": "i.text",
        // In chats with contacts items stand where they were created.
        "created_at": .time("CASE h.kind WHEN 1 THEN i.created_at ELSE i.position END"),
        "updated_at": .time("i.updated_at"),
        "item_status": .code("i.status", detail: "i.status_detail", convert: ItemText.status),
        "shared_msg_id": .identifier(Self.sharedID), "quoted_shared_msg_id": .identifier("i.quoted_id"),
        "quoted_sent_at": .time("i.quoted_at"), "quoted_content": "i.quoted_content", "quoted_sent": "i.quoted_sent",
        "quoted_member_id": .identifier("CASE WHEN i.quoted_sent = 1 THEN NULL ELSE nullif(i.quoted_author, '') END"),
        "item_edited": "nullif(i.edited, 0)", "timed_ttl": "i.timed_ttl", "timed_delete_at": .time("i.delete_at"),
        "item_live": "i.live",
        "item_deleted_by_group_member_id": Self.existing("i.deleted_by", in: "members", "member_id"),
        "item_deleted_ts": .time("i.deleted_at"),
        "forwarded_by_group_member_id": Self.existing("i.forwarded_by", in: "members", "member_id"),
        "fwd_from_tag": .plain(forwarded("type")), "fwd_from_chat_name": .plain(forwarded("chatName")),
        "fwd_from_msg_dir": .plain("CASE \(forwarded("msgDir")) WHEN 'snd' THEN 1 WHEN 'rcv' THEN 0 END"),
        "fwd_from_contact_id": Self.existing(forwarded("contactId"), in: "contacts", "contact_id"),
        "fwd_from_group_id": Self.existing(forwarded("groupId"), in: Self.groups, "group_id"),
        "fwd_from_chat_item_id": Self.existing(forwarded("chatItemId"), in: Self.takenItems, "item_id"),
        "via_proxy": "i.via_proxy", "msg_content_tag": "i.message_tag",
        "include_in_history":
          "h.kind = 1 AND h.scope = 0 AND i.message_tag IS NOT NULL AND i.message_tag <> 'report'",
        "user_mention": "i.user_mention", "show_group_as_sender": "i.as_group", "has_link": "i.has_link",
        "item_viewed": "i.viewed",
      ]
    ) {
      done += 1
      if done % 1_000 == 0 { progress(done) }
    }
    progress(done)
    report.take(.messages, count)
    report.leave(.duplicates, done - count)
    report.leave(.items, try self.count("items") - done)
    // Numbers of removed items are not used again.
    let last = try reading { (source) throws(SQLFailure) in
      try source.first("SELECT seq FROM sqlite_sequence WHERE name = 'items'") { (row) throws(SQLFailure) in
        try row.integer(0)
      }
    }
    guard let last, count > 0 else { return }
    try writing { (target) throws(SQLFailure) in
      _ = try target.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'chat_items'", last)
    }
  }

  /// Mentions, earlier versions and reactions.
  mutating func exportWhatBelongsToItems() throws(ProfileImportError) {
    try copy(
      into: "chat_item_mentions",
      from: "items i JOIN taken_chats h ON h.chat_id = i.chat_id, json_each(i.mentions) m "
        + "WHERE i.mentions IS NOT NULL AND h.kind = 1 ORDER BY i.item_id, m.key",
      [
        "group_id": "h.entity_id", "member_id": .identifier("json_extract(m.value, '$.memberId')"),
        "chat_item_id": "i.item_id", "display_name": "m.key",
      ])
    report.take(
      .versions,
      try copy(
        into: "chat_item_versions",
        from: "item_versions v WHERE v.item_id IN \(Self.takenItems) ORDER BY v.version_id",
        [
          "chat_item_version_id": "v.version_id", "chat_item_id": "v.item_id", "msg_content": "v.content",
          "item_version_ts": .time("v.version_ts"), "created_at": .time("v.created_at"),
          "updated_at": .time("v.created_at"),
        ]))
    report.take(
      .reactions,
      try copy(
        into: "chat_item_reactions",
        from: "reactions r JOIN taken_chats h ON h.chat_id = r.chat_id WHERE h.kind < 2 ORDER BY r.created_at",
        [
          "item_member_id": .identifier("nullif(r.author, '')"), "shared_msg_id": .identifier("r.shared_id"),
          "contact_id": "CASE h.kind WHEN 0 THEN h.entity_id END",
          "group_id": "CASE h.kind WHEN 1 THEN h.entity_id END",
          "group_member_id": Self.existing("r.member_id", in: "members", "member_id"), "reaction": "r.reaction",
          "reaction_sent": "r.sent", "reaction_ts": .time("r.reaction_ts"), "created_at": .time("r.created_at"),
          "updated_at": .time("r.created_at"),
        ]))
  }

  /// What the messages are about that the agent remembers, by which receipts find their items.
  func exportDeliveries() throws(ProfileImportError) {
    var messages: [Int64: Int64] = [:]
    for message in sent {
      let items = try reading { (source) throws(SQLFailure) in
        try source.all(
          """
          SELECT d.item_id, CASE h.kind WHEN 1 THEN h.entity_id END FROM deliveries d \
          JOIN items i ON i.item_id = d.item_id JOIN taken_chats h ON h.chat_id = i.chat_id \
          WHERE d.command_id = ? ORDER BY d.item_id
          """, message.command
        ) { (row) throws(SQLFailure) in
          (id: try row.integer(0), group: try row.optionalInteger(1))
        }
      }
      guard !items.isEmpty, let connection = try connectionNumber(message.connection) else { continue }
      for item in items {
        var known = messages[item.id]
        if known == nil {
          known = try insertMessage(of: item.id, inGroup: item.group, to: connection, at: message.time)
        }
        guard let number = known else { continue }
        messages[item.id] = number
        try target.insert(
          into: "msg_deliveries",
          [
            "message_id": .integer(number), "connection_id": .integer(connection),
            "agent_msg_id": .integer(message.message), "chat_ts": .text(message.time),
            "created_at": .text(message.time),
            "updated_at": .text(message.time),
            "delivery_status": .text(message.isReceived ? "snd_rcvd ok" : "snd_sent"),
          ])
      }
    }
  }

  private func connectionNumber(_ agentID: String) throws(ProfileImportError) -> Int64? {
    try reading { (source) throws(SQLFailure) in
      try source.first("SELECT connection_id FROM connections WHERE agent_conn_id = ?", agentID) {
        (row) throws(SQLFailure) in try row.integer(0)
      }
    }
  }

  /// The message that an item was sent with; its text is with the agent as long as it waits.
  private func insertMessage(
    of item: Int64, inGroup group: Int64?, to connection: Int64, at time: String
  ) throws(ProfileImportError) -> Int64 {
    let number = try target.insert(
      into: "messages",
      [
        "msg_sent": .integer(1), "chat_msg_event": .text("x.msg.new"), "msg_body": .blob([]),
        "created_at": .text(time), "updated_at": .text(time),
        "connection_id": group == nil ? .integer(connection) : .null, "group_id": .optional(group),
      ])
    guard let number else {
      throw .value(table: "items", column: "item_id", row: "\(item)", reason: "it is there twice")
    }
    try target.insert(
      into: "chat_item_messages",
      [
        "chat_item_id": .integer(item), "message_id": .integer(number), "created_at": .text(time),
        "updated_at": .text(time),
      ])
    return number
  }
}
