import ChatAPI
import ChatStore
import SQLiteKit
import SimplexJSON
import WireCodec

extension ChatImport {
  /// What only items of groups have.
  struct GroupPart {
    var member: Int64?
    /// The author's identifier.
    var author = ""
    var quotedAuthor = ""
    var forwardedBy: Int64?
    var deletedBy: Int64?
    var isAsGroup = false
    var mentions: String?
  }

  func groupPart(_ row: SourceRow) throws(ProfileImportError) -> GroupPart {
    var part = GroupPart()
    guard let group = try row.optionalInteger("group_id") else { return part }
    part.member = try row.optionalInteger("group_member_id")
    if let member = part.member {
      part.author = memberNames[member] ?? ""
    } else if try row.bool("item_sent") {
      part.author = ownNames[group] ?? ""
    }
    part.quotedAuthor = try row.identifier("quoted_member_id") ?? ""
    if part.quotedAuthor.isEmpty, try row.bool("quoted_sent") { part.quotedAuthor = ownNames[group] ?? "" }
    part.forwardedBy = try row.optionalInteger("forwarded_by_group_member_id")
    part.deletedBy = try row.optionalInteger("item_deleted_by_group_member_id")
    part.isAsGroup = try row.bool("show_group_as_sender")
    part.mentions = try mentions(row)
    return part
  }

  private func mentions(_ row: SourceRow) throws(ProfileImportError) -> String? {
    let item = SQLiteValue.integer(try row.integer("chat_item_id"))
    var mentions: [String: CIMention] = [:]
    for row in try source.rows("chat_item_mentions", where: "chat_item_id = ?", [item], key: "chat_item_mention_id") {
      mentions[try row.text("display_name")] = CIMention(
        memberId: try row.identifier("member_id") ?? "", memberRef: nil)
    }
    return mentions.isEmpty ? nil : mentions.jsonText()
  }

  /// The statuses of messages for each member, decisions of moderators that came early, and which messages came.
  mutating func importGroupRecords() throws(ProfileImportError) {
    var duplicates = 0
    try source.forEachPage("group_snd_item_statuses", number: "group_snd_item_status_id") {
      (page) throws(ProfileImportError) in
      for row in page {
        let item = try row.integer("chat_item_id")
        guard try isTaken(item: item) else { continue }
        let status = RecipientStatusCode(StatusText.recipientStatus(try row.text("group_snd_item_status")))
        let isNew = try insertOnce(
          into: "item_recipients",
          [
            "item_id": .integer(item), "member_id": .integer(try row.integer("group_member_id")),
            "status": .integer(status.code), "status_detail": .optional(status.detail),
            "via_proxy": .optional(try row.optionalBool("via_proxy")),
          ])
        if !isNew { duplicates += 1 }
      }
    }
    for row in try source.rows("chat_item_moderations", key: "chat_item_moderation_id") {
      guard chats[.group(try row.integer("group_id"))] != nil else { continue }
      let isNew = try insertOnce(
        into: "moderations",
        [
          "group_id": .integer(try row.integer("group_id")), "author": .optional(try row.identifier("item_member_id")),
          "shared_id": .optional(try row.identifier("shared_msg_id")),
          "moderator_id": .integer(try row.integer("moderator_member_id")),
          "moderated_at": .integer(try row.time("moderated_at")), "created_at": .integer(try row.time("created_at")),
        ])
      if !isNew { duplicates += 1 }
    }
    report.leave(.duplicates, duplicates)
    let received = """
      msg_sent = 0 AND group_id IS NOT NULL AND author_group_member_id IS NOT NULL AND shared_msg_id IS NOT NULL
      """
    try source.forEachPage("messages", number: "message_id", where: received) { (page) throws(ProfileImportError) in
      for row in page where chats[.group(try row.integer("group_id"))] != nil {
        let values: [SQLiteValue] = [
          .integer(try row.integer("group_id")), .integer(try row.integer("author_group_member_id")),
          .optional(try row.identifier("shared_msg_id")),
          .integer(try row.optionalInteger("forwarded_by_group_member_id") ?? 0),
          .integer(try row.time("created_at")),
        ]
        try writing { (target) throws(SQLFailure) in
          try target.execute(
            """
            INSERT OR IGNORE INTO received_messages (group_id, author_id, shared_id, forwarded_by, received_at) \
            VALUES (?, ?, ?, ?, ?)
            """, values: values)
        }
      }
    }
  }

  /// Whether an item was taken.
  func isTaken(item: Int64) throws(ProfileImportError) -> Bool {
    try writing { (target) throws(SQLFailure) in
      try target.first("SELECT 1 FROM items WHERE item_id = ?", item) { _ in true } ?? false
    }
  }
}
