import ChatAPI
import FoundationTypes
import SQLiteKit
import SimplexJSON

extension ChatTransaction {
  /// Creates the row that holds counters and settings of a chat.
  @discardableResult
  func createChat(
    _ kind: ChatKind, _ entity: Int64, user: Int64, listed: Bool = true, at time: Int64? = nil
  ) throws(StoreError) -> Int64 {
    try insert(
      "INSERT INTO chats (user_id, kind, entity_id, listed, ts) VALUES (?, ?, ?, ?, ?)", user, kind.rawValue, entity,
      listed, time ?? nowMicroseconds)
  }

  /// The row of a chat of the user.
  func chatID(_ chat: ChatRef, of user: User) throws(StoreError) -> Int64 {
    guard let id = try chatIDIfPresent(chat, of: user) else { throw chat.notFound }
    return id
  }

  /// The row of a chat of the user; nil where it was deleted.
  func chatIDIfPresent(_ chat: ChatRef, of user: User) throws(StoreError) -> Int64? {
    let kind: ChatKind
    switch chat.chatType {
    case .direct: kind = .direct
    case .group: kind = .group
    case .local: kind = .notes
    case .contactRequest, .contactConnection: throw .internalError(message: "unsupported chat type")
    }
    return try integer(
      "SELECT chat_id FROM chats WHERE kind = ? AND entity_id = ? AND scope = ? AND user_id = ?", kind.rawValue,
      chat.chatId, chat.storedScope, user.userId)
  }
}

extension ChatRef {
  /// 0 for the whole chat, -1 for the user's own support chat, else the member's database id.
  var storedScope: Int64 {
    switch chatScope {
    case nil, .reports: 0
    case .memberSupport(let member): member ?? -1
    }
  }

  var notFound: StoreError {
    switch chatType {
    case .direct: .contactNotFound(contactId: chatId)
    case .group: .groupNotFound(groupId: chatId)
    case .local: .noteFolderNotFound(noteFolderId: chatId)
    case .contactRequest: .contactRequestNotFound(contactRequestId: chatId)
    case .contactConnection: .pendingConnectionNotFound(connId: chatId)
    }
  }
}

extension ChatTransaction {
  // MARK: Settings of a chat, of any kind

  /// Stores notifications, receipts and favourite flag.
  public func setSettings(_ settings: ChatSettings, of chat: ChatRef, of user: User) throws(StoreError) {
    try execute(
      "UPDATE chats SET notifications = ?2, send_receipts = ?3, favorite = ?4 WHERE chat_id = ?1",
      try chatID(chat, of: user), settings.enableNtfs.stored, settings.sendRcpts, settings.favorite)
  }

  /// Marks a chat as unread, or no longer so, whatever its items are.
  public func setMarkedUnread(_ unread: Bool, of chat: ChatRef, of user: User) throws(StoreError) {
    try execute("UPDATE chats SET marked_unread = ?2 WHERE chat_id = ?1", try chatID(chat, of: user), unread)
  }

  /// Stores the seconds after which items of the chat are deleted: 0 for never, nil for the user's setting.
  public func setItemTTL(_ seconds: Int64?, of chat: ChatRef, of user: User) throws(StoreError) {
    try execute("UPDATE chats SET item_ttl = ?2 WHERE chat_id = ?1", try chatID(chat, of: user), seconds)
  }

  /// The seconds after which items of the chat are deleted; nil for the user's setting.
  public func itemTTL(of chat: ChatRef, of user: User) throws(StoreError) -> Int64? {
    try integer("SELECT item_ttl FROM chats WHERE chat_id = ?", try chatID(chat, of: user))
  }

  /// Stores the changes of the theme for a chat.
  public func setThemes(_ themes: ThemeModeOverrides?, of chat: ChatRef, of user: User) throws(StoreError) {
    try execute("UPDATE chats SET ui_themes = ?2 WHERE chat_id = ?1", try chatID(chat, of: user), themes?.column)
  }

  /// Stores what a bot keeps with a chat.
  public func setCustomData(_ data: JSONValue?, of chat: ChatRef, of user: User) throws(StoreError) {
    try execute("UPDATE chats SET custom_data = ?2 WHERE chat_id = ?1", try chatID(chat, of: user), data?.column)
  }

  /// Moves a chat to its place in the list for something that happened at `time`.
  public func touch(_ chat: ChatRef, at time: Date, of user: User) throws(StoreError) {
    try touch(chat, number: try chatID(chat, of: user), at: time)
  }

  func touch(_ chat: ChatRef, number: Int64, at time: Date) throws(StoreError) {
    try execute("UPDATE chats SET ts = ?2 WHERE chat_id = ?1", number, time.microseconds)
    if chat.chatType == .group, chat.chatScope != nil {
      try execute(
        "UPDATE chats SET ts = ?2 WHERE kind = 1 AND entity_id = ?1 AND scope = 0", chat.chatId, time.microseconds)
    }
    guard chat.chatType == .direct else { return }
    try execute("UPDATE contacts SET chat_deleted = 0 WHERE contact_id = ? AND chat_deleted = 1", chat.chatId)
  }
}

/// Reads three columns: kind, entity and scope of a chat.
func readChatRef(_ row: borrowing SQLiteRow) throws(SQLFailure) -> ChatRef {
  let type: ChatType =
    switch try row.integer(0) {
    case ChatKind.group.rawValue: .group
    case ChatKind.notes.rawValue: .local
    default: .direct
    }
  let scope = try row.integer(2)
  return ChatRef(
    chatType: type, chatId: try row.integer(1),
    chatScope: scope == 0 ? nil : .memberSupport(groupMemberId_: scope == -1 ? nil : scope))
}

extension ChatTransaction {
  /// Whom a chat is with.
  public func chatInfo(_ chat: ChatRef, of user: User) throws(StoreError) -> ChatInfo {
    switch chat.chatType {
    case .direct: .direct(contact: try contact(chat.chatId, of: user))
    case .local: .local(noteFolder: try noteFolder(chat.chatId, of: user))
    case .contactRequest: .contactRequest(contactRequest: try contactRequest(chat.chatId, of: user))
    case .contactConnection: .contactConnection(contactConnection: try pendingConnection(chat.chatId, of: user))
    case .group: .group(groupInfo: try group(chat.chatId, of: user), groupChatScope: try scopeInfo(chat, of: user))
    }
  }

  /// The part of a group's chat; nil for the main one.
  private func scopeInfo(_ chat: ChatRef, of user: User) throws(StoreError) -> GroupChatScopeInfo? {
    switch chat.chatScope {
    case nil: nil
    case .reports: .reports
    case .memberSupport(nil): .memberSupport(groupMember_: nil)
    case .memberSupport(let id?): .memberSupport(groupMember_: try member(id, ofGroup: chat.chatId, of: user))
    }
  }

  /// The counters of a chat.
  public func stats(_ chat: ChatRef, of user: User) throws(StoreError) -> ChatStats {
    let chatId = try chatID(chat, of: user)
    let stats = try first("SELECT \(statsColumns) FROM chats t WHERE t.chat_id = ?", chatId) {
      (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return try row.stats(&at)
    }
    return stats ?? .none
  }
}

/// The counters of the chat `t`. Reports are in members' support chats, and count for the whole group.
let statsColumns = """
  t.unread_count, t.unread_mentions, CASE WHEN t.kind <> 1 OR t.scope <> 0 THEN 0 ELSE \
  (SELECT z.reports FROM groups z WHERE z.group_id = t.entity_id) END, CASE WHEN t.unread_count = 0 THEN 0 ELSE \
  coalesce((SELECT u.item_id FROM items u WHERE u.chat_id = t.chat_id AND u.status = 10 \
  ORDER BY u.position, u.item_id LIMIT 1), 0) END, t.marked_unread
  """

extension SQLiteRow {
  /// Reads ``statsColumns``.
  func stats(_ at: inout ColumnIndex) throws(SQLFailure) -> ChatStats {
    ChatStats(
      unreadCount: try int(&at), unreadMentions: try int(&at), reportsCount: try int(&at),
      minUnreadItemId: try integer(&at), unreadChat: try bool(&at))
  }
}
