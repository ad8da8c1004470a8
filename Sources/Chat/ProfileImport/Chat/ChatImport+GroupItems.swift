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

  func groupPart(
    _ row: SourceRow, _ mentions: [Int64: [String: CIMention]]
  ) throws(ProfileImportError) -> GroupPart {
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
    part.mentions = mentions[try row.integer("chat_item_id")]?.jsonText()
    return part
  }

  /// The members that are mentioned in items, by their numbers.
  func mentions(in page: [SourceRow]) throws(ProfileImportError) -> [Int64: [String: CIMention]] {
    guard let first = page.first, let last = page.last else { return [:] }
    var mentions: [Int64: [String: CIMention]] = [:]
    let range = [SQLiteValue.integer(try first.integer("chat_item_id")), .integer(try last.integer("chat_item_id"))]
    for row in try source.rows(
      "chat_item_mentions", where: "chat_item_id BETWEEN ? AND ?", range, key: "chat_item_mention_id")
    {
      let mention = CIMention(memberId: try row.identifier("member_id") ?? "", memberRef: nil)
      mentions[try row.integer("chat_item_id"), default: [:]][try row.text("display_name")] = mention
    }
    return mentions
  }

  /// The statuses of messages for each member, decisions of moderators that came early, and which messages came.
  mutating func importGroupRecords() throws(ProfileImportError) {
    var duplicates = 0
    try source.forEachPage("group_snd_item_statuses", number: "group_snd_item_status_id") {
      (page) throws(ProfileImportError) in
      var recipients: [KeyValuePairs<String, SQLiteValue>] = []
      for row in page {
        let recipient = try valueUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in
          try chat.recipient(row)
        }
        if let recipient { recipients.append(recipient) }
      }
      duplicates += recipients.count - (try insert(into: "item_recipients", rows: recipients, ignoringRefused: true))
    }
    for row in try source.rows("chat_item_moderations", key: "chat_item_moderation_id") {
      let moderation = try valueUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in
        try chat.moderation(row)
      }
      guard let moderation else { continue }
      duplicates += try insert(into: "moderations", rows: [moderation], ignoringRefused: true) == 0 ? 1 : 0
    }
    report.leave(.duplicates, duplicates)
    let received = """
      msg_sent = 0 AND group_id IS NOT NULL AND author_group_member_id IS NOT NULL AND shared_msg_id IS NOT NULL
      """
    // Not the contents, which are most of the table.
    let columns: Set = [
      "message_id", "group_id", "author_group_member_id", "shared_msg_id", "forwarded_by_group_member_id", "created_at",
    ]
    try source.forEachPage("messages", columns: columns, number: "message_id", where: received) {
      (page) throws(ProfileImportError) in
      var messages: [KeyValuePairs<String, SQLiteValue>] = []
      for row in page {
        let message = try valueUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in
          try chat.receivedMessage(row)
        }
        if let message { messages.append(message) }
      }
      let inserted = try insert(into: "received_messages", rows: messages, ignoringRefused: true)
      report.leave(.damagedDetails, messages.count - inserted)
    }
  }

  /// The status of a message for a member; nil for one of an item that is not taken.
  private func recipient(_ row: SourceRow) throws(ProfileImportError) -> KeyValuePairs<String, SQLiteValue>? {
    let item = try row.integer("chat_item_id")
    guard try isTaken(item: item) else { return nil }
    let status = RecipientStatusCode(StatusText.recipientStatus(try row.text("group_snd_item_status")))
    return [
      "item_id": .integer(item), "member_id": .integer(try row.integer("group_member_id")),
      "status": .integer(status.code), "status_detail": .optional(status.detail),
      "via_proxy": .optional(try row.optionalBool("via_proxy")),
    ]
  }

  private func moderation(_ row: SourceRow) throws(ProfileImportError) -> KeyValuePairs<String, SQLiteValue>? {
    guard chats[.group(try row.integer("group_id"))] != nil else { return nil }
    return [
      "group_id": .integer(try row.integer("group_id")), "author": .optional(try row.identifier("item_member_id")),
      "shared_id": .optional(try row.identifier("shared_msg_id")),
      "moderator_id": .integer(try row.integer("moderator_member_id")),
      "moderated_at": .integer(try row.time("moderated_at")), "created_at": .integer(try row.time("created_at")),
    ]
  }

  private func receivedMessage(_ row: SourceRow) throws(ProfileImportError) -> KeyValuePairs<String, SQLiteValue>? {
    guard chats[.group(try row.integer("group_id"))] != nil else { return nil }
    return [
      "group_id": .integer(try row.integer("group_id")),
      "author_id": .integer(try row.integer("author_group_member_id")),
      "shared_id": .optional(try row.identifier("shared_msg_id")),
      "forwarded_by": .integer(try row.optionalInteger("forwarded_by_group_member_id") ?? 0),
      "received_at": .integer(try row.time("created_at")),
    ]
  }

  /// Whether an item was taken.
  func isTaken(item: Int64) throws(ProfileImportError) -> Bool {
    try writing { (target) throws(SQLFailure) in
      try target.first("SELECT 1 FROM items WHERE item_id = ?", item) { _ in true } ?? false
    }
  }
}
