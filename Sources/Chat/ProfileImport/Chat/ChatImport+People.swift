import ChatAPI
import SQLiteKit
import SimplexJSON
import WireCodec

extension ChatImport {
  mutating func importUsers() throws(ProfileImportError) {
    var lifetimes: [Int64: Int64] = [:]
    for row in try source.rows("settings", key: "settings_id") {
      lifetimes[try row.integer("user_id")] = try row.optionalInteger("chat_item_ttl")
    }
    for row in try source.rows("users", key: "user_id") {
      let user = try row.integer("user_id")
      let contact = try row.integer("contact_id")
      let agentUser = try row.integer("agent_user_id")
      agentUsers[user] = agentUser
      userContacts.insert(contact)
      let own = try source.rows("contacts", where: "contact_id = ?", [.integer(contact)], key: "contact_id")
      guard let profile = try own.first?.integer("contact_profile_id") else {
        throw row.unusable("contact_id", "the user has no profile")
      }
      try insert(
        into: "users",
        [
          "user_id": .integer(user), "agent_user_id": .text("\(agentUser)"),
          "contact_id": .integer(contact), "profile_id": .integer(profile),
          "local_display_name": .text(try row.text("local_display_name")),
          "active": .bool(try row.bool("active_user")), "active_order": .integer(try row.integer("active_order")),
          "view_password_hash": .optional(try row.identifier("view_pwd_hash")),
          "view_password_salt": .optional(try row.identifier("view_pwd_salt")),
          "show_notifications": .bool(try row.bool("show_ntfs")),
          "send_receipts_contacts": .bool(try row.bool("send_rcpts_contacts")),
          "send_receipts_groups": .bool(try row.bool("send_rcpts_small_groups")),
          "accept_member_contacts": .bool(try row.bool("auto_accept_member_contacts")),
          "member_profile_updated_at": .optional(try row.optionalTime("user_member_profile_updated_at")),
          "chat_relay": .bool(try row.bool("is_user_chat_relay")),
          "client_service": .bool(try row.bool("client_service")),
          "ui_themes": .optional(try row.json("ui_themes", as: ThemeModeOverrides.self)),
          "item_ttl": .integer(lifetimes[user] ?? 0),
          "created_at": .integer(try row.time("created_at")), "updated_at": .integer(try row.time("updated_at")),
        ])
      report.take(.users)
    }
    for row in try source.rows("display_names", key: "local_display_name") {
      try insert(
        into: "display_names",
        [
          "user_id": .integer(try row.integer("user_id")), "name": .text(try row.text("local_display_name")),
          "base": .text(try row.text("ldn_base")), "suffix": .integer(try row.integer("ldn_suffix")),
        ])
    }
  }

  mutating func importProfiles() throws(ProfileImportError) {
    try source.forEachPage("contact_profiles", number: "contact_profile_id", where: "user_id IS NOT NULL") {
      (page) throws(ProfileImportError) in
      for row in page { try importProfile(row) }
    }
  }

  private mutating func importProfile(_ row: SourceRow) throws(ProfileImportError) {
    let preferences = try valueUnlessDamaged(.damagedDetails) { (_) throws(ProfileImportError) in
      try row.json("preferences", as: Preferences.self)
    }
    try insert(
      into: "profiles",
      [
        "profile_id": .integer(try row.integer("contact_profile_id")), "user_id": .integer(try row.integer("user_id")),
        "display_name": .text(try row.text("display_name")), "full_name": .text(try row.text("full_name")),
        "short_descr": .optional(try row.optionalText("short_descr")),
        "contact_link": .optional(try row.optionalText("contact_link")),
        "preferences": .optional(preferences),
        "peer_type": .optional(try row.optionalText("chat_peer_type").flatMap(ChatPeerType.init)?.rawValue),
        "local_alias": .text(try row.optionalText("local_alias") ?? ""),
        "incognito": .bool(try row.bool("incognito")), "created_at": .integer(try row.time("created_at")),
        "updated_at": .integer(try row.time("updated_at")), "image": .optional(try row.optionalText("image")),
      ])
  }

  mutating func importContacts() throws(ProfileImportError) {
    for row in try source.rows("contacts", where: "deleted = 0", key: "contact_id") {
      // Without the user's own there is no user.
      if let id = try? row.integer("contact_id"), userContacts.contains(id) {
        try importContact(row)
      } else {
        try writeUnlessDamaged(.damagedChats) { (chat) throws(ProfileImportError) in try chat.importContact(row) }
      }
    }
  }

  private mutating func importContact(_ row: SourceRow) throws(ProfileImportError) {
    let id = try row.integer("contact_id")
    let preferences = try row.json("user_preferences", as: Preferences.self)
    try insert(
      into: "contacts",
      [
        "contact_id": .integer(id), "user_id": .integer(try row.integer("user_id")),
        "profile_id": .integer(try row.integer("contact_profile_id")),
        "local_display_name": .text(try row.text("local_display_name")), "is_user": .bool(try row.bool("is_user")),
        "status": .text(try contactStatus(row)), "connection_id": .optional(try connection(where: "contact_id", id)),
        "user_preferences": .optional(preferences == Preferences().jsonText() ? nil : preferences),
        "created_at": .integer(try row.time("created_at")), "updated_at": .integer(try row.time("updated_at")),
        "xcontact_id": .optional(try row.identifier("xcontact_id")),
        "request_id": .optional(try request(row)),
        "member_id": .optional(try row.optionalInteger("contact_group_member_id")),
        "group_invitation_sent": .bool(try row.bool("contact_grp_inv_sent")),
        "direct_invitation": .optional(try directInvitation(row)),
        "full_link": .optional(try row.optionalText("conn_full_link_to_connect")),
        "short_link": .optional(try row.optionalText("conn_short_link_to_connect")),
        "link_mode": .optional(try linkMode(row)),
        "welcome_shared_id": .optional(try row.identifier("welcome_shared_msg_id")),
        "request_shared_id": .optional(try row.identifier("request_shared_msg_id")),
        "chat_deleted": .bool(try row.bool("chat_deleted")),
      ])
    guard try !row.bool("is_user") else { return }
    chats[.contact(id)] = try importChat(of: row, kind: 0, entity: id, isListed: try row.bool("contact_used"))
    report.take(.contacts)
  }

  private func contactStatus(_ row: SourceRow) throws(ProfileImportError) -> String {
    guard let status = ContactStatus(rawValue: try row.text("contact_status")) else {
      throw row.unusable("contact_status", "it is not known")
    }
    return status.rawValue
  }

  /// The request that a contact sent, if it is taken.
  private func request(_ row: SourceRow) throws(ProfileImportError) -> Int64? {
    guard let request = try row.optionalInteger("contact_request_id") else { return nil }
    let rows = try source.rows(
      "contact_requests", where: "contact_request_id = ? AND NOT (\(ProfileSource.requestWithoutAddress))",
      [.integer(request)], key: "contact_request_id")
    return rows.isEmpty ? nil : request
  }

  /// The invitation that a member of a group sent.
  private func directInvitation(_ row: SourceRow) throws(ProfileImportError) -> String? {
    guard let link = try row.optionalText("grp_direct_inv_link") else { return nil }
    return GroupDirectInvitation(
      groupDirectInvLink: link, fromGroupId_: try row.optionalInteger("grp_direct_inv_from_group_id"),
      fromGroupMemberId_: try row.optionalInteger("grp_direct_inv_from_group_member_id"),
      fromGroupMemberConnId_: try row.optionalInteger("grp_direct_inv_from_member_conn_id"),
      groupDirectInvStartedConnection: try row.bool("grp_direct_inv_started_connection")
    ).jsonText()
  }

  private func linkMode(_ row: SourceRow) throws(ProfileImportError) -> String? {
    guard let link = try row.optionalText("conn_full_link_to_connect") else { return nil }
    let isInvitation = link.hasPrefix("simplex:/invitation") || link.hasPrefix("https://simplex.chat/invitation")
    return (isInvitation ? ConnectionMode.inv : .con).rawValue
  }

  /// The connection in use: an established one before others, the newest of several.
  func connection(where column: String, _ id: Int64) throws(ProfileImportError) -> Int64? {
    try writing { (target) throws(SQLFailure) in
      try target.first(
        """
        SELECT connection_id FROM connections WHERE \(column) = ? \
        ORDER BY status IN ('ready', 'sndReady') DESC, created_at DESC LIMIT 1
        """, id
      ) { (row) throws(SQLFailure) in try row.integer(0) }
    }
  }

  /// The counters and settings of a chat, which the reference keeps with what it belongs to.
  func importChat(
    of row: SourceRow, kind: Int64, entity: Int64, isListed: Bool
  ) throws(ProfileImportError) -> Int64 {
    var time = try row.time("updated_at")
    if let last = try row.optionalTime("chat_ts") { time = last }
    return try insert(
      into: "chats",
      [
        "user_id": .integer(try row.integer("user_id")), "kind": .integer(kind), "entity_id": .integer(entity),
        "ts": .integer(time), "listed": .bool(isListed),
        "favorite": .bool(try row.bool("favorite")), "marked_unread": .bool(try row.bool("unread_chat")),
        "notifications": .integer(try row.optionalInteger("enable_ntfs") ?? 1),
        "send_receipts": .optional(try row.optionalBool("send_rcpts")),
        "item_ttl": .optional(try row.optionalInteger("chat_item_ttl")),
        "ui_themes": .optional(try row.json("ui_themes", as: ThemeModeOverrides.self)),
        "custom_data": .optional(try row.json("custom_data", as: JSONValue.self)),
      ])
  }

  mutating func importNotes() throws(ProfileImportError) {
    for row in try source.rows("note_folders", key: "note_folder_id") {
      try writeUnlessDamaged(.damagedChats) { (chat) throws(ProfileImportError) in
        let id = try row.integer("note_folder_id")
        try chat.insert(
          into: "note_folders",
          [
            "note_folder_id": .integer(id), "user_id": .integer(try row.integer("user_id")),
            "created_at": .integer(try row.time("created_at")), "updated_at": .integer(try row.time("updated_at")),
          ])
        chat.chats[.notes(id)] = try chat.importChat(of: row, kind: 2, entity: id, isListed: true)
      }
    }
  }

  mutating func importTags() throws(ProfileImportError) {
    var tags: Set<Int64> = []
    for row in try source.rows("chat_tags", where: "user_id IS NOT NULL", key: "chat_tag_id") {
      try writeUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in
        let tag = try row.integer("chat_tag_id")
        try chat.insert(
          into: "chat_tags",
          [
            "tag_id": .integer(tag), "user_id": .integer(try row.integer("user_id")),
            "text": .text(try row.text("chat_tag_text")), "emoji": .optional(try row.optionalText("chat_tag_emoji")),
            "position": .integer(try row.integer("tag_order")),
          ])
        chat.report.take(.tags)
        tags.insert(tag)
      }
    }
    for row in try source.rows("chat_tags_chats", key: "chat_tag_id") {
      let contact = try row.optionalInteger("contact_id").map { ChatKey.contact($0) }
      let group = try row.optionalInteger("group_id").map { ChatKey.group($0) }
      let tag = try row.integer("chat_tag_id")
      guard let key = contact ?? group, let chat = chats[key], tags.contains(tag) else { continue }
      try insert(into: "chat_tagging", ["chat_id": .integer(chat), "tag_id": .integer(tag)])
    }
  }
}
