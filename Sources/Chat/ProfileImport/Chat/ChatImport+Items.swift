import ChatAPI
import ChatStore
import SQLiteKit
import SimplexJSON
import WireCodec

extension ChatImport {
  /// The items of all chats that are taken.
  mutating func importItems(progress: (Int) -> Void) throws(ProfileImportError) {
    var count = 0
    var chat = self
    // Identifiers of messages are random: their index is made much faster from all of them than one by one. And the
    // newest item of a chat needs to be known only in the end.
    let removed = try removeSchema(of: ["items_shared", "items_last_insert"])
    try writing { (target) throws(SQLFailure) in try target.execute("BEGIN IMMEDIATE") }
    try source.forEachPage("chat_items", number: "chat_item_id") {
      (page) throws(ProfileImportError) in
      let mentions = try chat.mentions(in: page)
      var items: [KeyValuePairs<String, SQLiteValue>] = []
      items.reserveCapacity(page.count)
      for row in page {
        let item = try chat.valueUnlessDamaged(.damagedItems) { (chat) throws(ProfileImportError) in
          try chat.item(row, mentions)
        }
        if let item { items.append(item) }
      }
      let inserted = try chat.insert(into: "items", rows: items, ignoringRefused: true)
      chat.report.take(.messages, inserted)
      chat.report.leave(.damagedItems, items.count - inserted)
      count += page.count
      progress(count)
    }
    self = chat
    try writing { (target) throws(SQLFailure) in
      for statement in removed { try target.runScript(statement) }
      try target.execute(
        """
        UPDATE chats SET (last_item_id, last_position) = (SELECT item_id, position FROM items \
        WHERE chat_id = chats.chat_id ORDER BY position DESC, item_id DESC LIMIT 1)
        """)
      try target.execute("COMMIT")
    }
  }

  /// Removes indexes and triggers of our database, and returns the statements that make them again.
  private func removeSchema(of names: [String]) throws(ProfileImportError) -> [String] {
    try writing { (target) throws(SQLFailure) in
      var statements: [String] = []
      for name in names {
        let found = try target.first("SELECT type, sql FROM sqlite_master WHERE name = ?", name) {
          (row) throws(SQLFailure) in (try row.text(0), try row.text(1))
        }
        guard let found else { continue }
        try target.runScript("DROP \(found.0) \(name)")
        statements.append(found.1)
      }
      return statements
    }
  }

  /// An item as our database has it; nil for one of a chat that is not taken.
  private mutating func item(
    _ row: SourceRow, _ mentions: [Int64: [String: CIMention]]
  ) throws(ProfileImportError) -> KeyValuePairs<String, SQLiteValue>? {
    guard let chat = try chat(of: row) else {
      // Those of public groups are counted with their groups.
      if try row.optionalInteger("group_id").map({ chats[.group($0)] != nil }) ?? true { report.leave(.items) }
      return nil
    }
    let raw = try row.text("item_content")
    let content = try? CIContent(jsonText: raw)
    if content == nil { report.leave(.unreadableItems) }
    if let content, content.callStatus?.isFinal == false { openCalls[try row.integer("chat_item_id")] = content }
    let sent = try row.bool("item_sent")
    let status = status(try row.text("item_status"))
    let quoted = try valueUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in
      try chat.quotation(row)
    }
    let part = try groupPart(row, mentions)
    // In groups items stand where they were sent.
    let position = try row.optionalInteger("group_id") == nil ? "created_at" : "item_ts"
    let isBanner = if case .chatBanner = content { true } else { false }
    let tag = try messageTag(row) ?? content?.msgContent?.tag.rawValue
    let item: KeyValuePairs<String, SQLiteValue> = [
      "item_id": .integer(try row.integer("chat_item_id")), "chat_id": .integer(chat),
      "user_id": .integer(try row.integer("user_id")), "position": .integer(try row.time(position)),
      "sent": .bool(sent), "status": .integer(status.code), "status_detail": .optional(status.detail),
      "item_ts": .integer(try row.time("item_ts")), "created_at": .integer(try row.time("created_at")),
      "updated_at": .integer(try row.time("updated_at")), "message_tag": .optional(tag),
      "shared_id": .optional(try row.identifier("shared_msg_id")),
      "deleted": .integer(try row.optionalInteger("item_deleted") ?? 0),
      "deleted_at": .optional(try row.optionalTime("item_deleted_ts")),
      "edited": .bool(try row.bool("item_edited")), "live": .optional(try row.optionalBool("item_live")),
      "viewed": .bool(try row.bool("item_viewed")), "user_mention": .bool(try row.bool("user_mention")),
      "has_link": .bool(try hasLink(row, tag: tag)), "banner": .bool(isBanner),
      "via_proxy": .optional(try row.optionalBool("via_proxy")),
      "timed_ttl": .optional(try row.optionalInteger("timed_ttl")),
      "delete_at": .optional(try row.optionalTime("timed_delete_at")),
      "quoted_id": .optional(quoted?.id), "quoted_sent": .optional(quoted?.sent), "quoted_at": .optional(quoted?.time),
      "quoted_content": .optional(quoted?.content), "forwarded": .optional(try forwarded(row)),
      "member_id": .optional(part.member), "author": .text(part.author), "quoted_author": .text(part.quotedAuthor),
      "forwarded_by": .optional(part.forwardedBy), "deleted_by": .optional(part.deletedBy),
      "as_group": .bool(part.isAsGroup), "mentions": .optional(part.mentions),
      "text": .text(try row.text("item_text")),
      // What cannot be read is kept as it is, and shown as invalid.
      "content": .text(content?.jsonText() ?? raw),
    ]
    return item
  }

  /// Nearly all items have one of a few statuses.
  private mutating func status(_ text: String) -> ItemStatusCode {
    if let known = statuses[text] { return known }
    let status = ItemStatusCode(StatusText.status(text))
    if statuses.count < 100 { statuses[text] = status }
    return status
  }

  /// The kind of the message's content; versions before 6.5 have a kind of their own for live messages.
  private func messageTag(_ row: SourceRow) throws(ProfileImportError) -> String? {
    let tag = try row.optionalText("msg_content_tag")
    return tag == "liveText" ? MsgContentTag.text.rawValue : tag
  }

  /// Whether the message contains a link. Versions before 6.5 do not store it; 6.5 takes it from the text.
  private func hasLink(_ row: SourceRow, tag: String?) throws(ProfileImportError) -> Bool {
    if let stored = try row.optionalBool("has_link") { return stored }
    if tag == MsgContentTag.link.rawValue { return true }
    return try row.text("item_text").lowercased().containsText("https://")
  }

  private func chat(of row: SourceRow) throws(ProfileImportError) -> Int64? {
    if let contact = try row.optionalInteger("contact_id") { return chats[.contact(contact)] }
    if let notes = try row.optionalInteger("note_folder_id") { return chats[.notes(notes)] }
    if let group = try row.optionalInteger("group_id") {
      guard try row.optionalText("group_scope_tag") != nil else { return chats[.group(group)] }
      let member = try row.optionalInteger("group_scope_group_member_id") ?? -1
      return chats[.support(group: group, member: member)]
    }
    return nil
  }

  private func quotation(
    _ row: SourceRow
  ) throws(ProfileImportError) -> (id: String?, sent: Bool?, time: Int64?, content: String?) {
    (
      try row.identifier("quoted_shared_msg_id"), try row.optionalBool("quoted_sent"),
      try row.optionalTime("quoted_sent_at"), try row.json("quoted_content", as: MsgContent.self)
    )
  }

  /// Where an item was forwarded from.
  private func forwarded(_ row: SourceRow) throws(ProfileImportError) -> String? {
    guard let tag = try row.optionalText("fwd_from_tag") else { return nil }
    let name = try row.optionalText("fwd_from_chat_name") ?? ""
    let direction: MsgDirection = try row.bool("fwd_from_msg_dir") ? .snd : .rcv
    let item = try row.optionalInteger("fwd_from_chat_item_id")
    let origin: CIForwardedFrom =
      switch tag {
      case "contact":
        .contact(
          chatName: name, msgDir: direction, contactId: try row.optionalInteger("fwd_from_contact_id"),
          chatItemId: item)
      case "group":
        .group(
          chatName: name, msgDir: direction, groupId: try row.optionalInteger("fwd_from_group_id"), chatItemId: item)
      default: .unknown
      }
    return origin.jsonText()
  }

  // MARK: What belongs to items

  mutating func importVersions() throws(ProfileImportError) {
    var count = 0
    try source.forEachPage("chat_item_versions", number: "chat_item_version_id") { (page) throws(ProfileImportError) in
      var versions: [KeyValuePairs<String, SQLiteValue>] = []
      for row in page {
        let version = try valueUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in
          try chat.version(row)
        }
        if let version { versions.append(version) }
      }
      let inserted = try insert(into: "item_versions", rows: versions, ignoringRefused: true)
      report.leave(.damagedDetails, versions.count - inserted)
      count += inserted
    }
    report.take(.versions, count)
  }

  /// A version of an item's content; nil for one of an item that is not taken.
  private func version(_ row: SourceRow) throws(ProfileImportError) -> KeyValuePairs<String, SQLiteValue>? {
    let item = try row.integer("chat_item_id")
    guard try isTaken(item: item) else { return nil }
    return [
      "version_id": .integer(try row.integer("chat_item_version_id")), "item_id": .integer(item),
      "content": .optional(try row.json("msg_content", as: MsgContent.self)),
      "version_ts": .integer(try row.time("item_version_ts")), "created_at": .integer(try row.time("created_at")),
    ]
  }

  mutating func importReactions() throws(ProfileImportError) {
    var count = 0
    try source.forEachPage("chat_item_reactions", number: "chat_item_reaction_id") {
      (page) throws(ProfileImportError) in
      var reactions: [KeyValuePairs<String, SQLiteValue>] = []
      for row in page {
        let reaction = try valueUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in
          try chat.reaction(row)
        }
        if let reaction { reactions.append(reaction) }
      }
      let inserted = try insert(into: "reactions", rows: reactions, ignoringRefused: true)
      report.leave(.damagedDetails, reactions.count - inserted)
      count += inserted
    }
    report.take(.reactions, count)
  }

  /// A reaction; nil for one in a chat that is not taken.
  private func reaction(_ row: SourceRow) throws(ProfileImportError) -> KeyValuePairs<String, SQLiteValue>? {
    let contact = try row.optionalInteger("contact_id").map { ChatKey.contact($0) }
    let group = try row.optionalInteger("group_id").map { ChatKey.group($0) }
    guard let key = contact ?? group, let chat = chats[key] else { return nil }
    let sent = try row.bool("reaction_sent")
    return [
      "chat_id": .integer(chat), "shared_id": .optional(try row.identifier("shared_msg_id")),
      "author": .text(try row.identifier("item_member_id") ?? ""), "sent": .bool(sent),
      "member_id": .integer(sent ? 0 : try row.optionalInteger("group_member_id") ?? 0),
      "reaction": .optional(try row.json("reaction", as: MsgReaction.self)),
      "reaction_ts": .integer(try row.time("reaction_ts")), "created_at": .integer(try row.time("created_at")),
    ]
  }

  /// What the messages are about whose outcomes are still to come. Later commands have later numbers.
  func importDeliveries() throws(ProfileImportError) {
    for delivery in deliveries {
      for item in delivery.items where try isTaken(item: item) {
        try insert(
          into: "deliveries", ["command_id": .integer(delivery.command), "item_id": .integer(item)])
      }
    }
    guard let last = deliveries.last else { return }
    try insert(into: "sqlite_sequence", ["name": .text("agent_commands"), "seq": .integer(last.command)])
  }
}
