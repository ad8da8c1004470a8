import ChatAPI
import FoundationTypes
import SQLiteKit

/// Deleting much.
///
/// Clearing a chat gives it a new, empty row and leaves the old row, with all its items, to
/// ``ChatTransaction/purge(limit:)``: it takes the same short time for ten items and for a million.
extension ChatTransaction {
  /// Deletes all items of a chat but its banner; those of a group with members' support chats. They are gone at once,
  /// and leave the database with ``purge(limit:)``.
  public func clear(_ chat: ChatRef, of user: User) throws(StoreError) {
    if chat.chatType == .group, chat.chatScope == nil {
      for scope in try supportChats(ofGroup: chat.chatId) { try clearPart(scope, of: user) }
    }
    try clearPart(chat, of: user)
  }

  /// Leaves the items of chats that are deleted or cleared to ``purge(limit:)``; returns the number of those chats.
  @discardableResult
  func leaveItems<each Parameter: SQLiteBindable>(
    where condition: String, _ parameters: repeat each Parameter
  ) throws(StoreError) -> Int {
    let count = try execute(
      "UPDATE chats SET kind = 9, entity_id = chat_id, scope = 0, listed = 0 WHERE \(condition)",
      repeat each parameters)
    if count > 0 { leavesItems = true }
    return count
  }

  private func clearPart(_ chat: ChatRef, of user: User) throws(StoreError) {
    let old = try chatID(chat, of: user)
    let listed = try integer("SELECT listed FROM chats WHERE chat_id = ?", old)
    try leaveItems(where: "chat_id = ?", old)
    let kind: ChatKind =
      switch chat.chatType {
      case .group: .group
      case .local: .notes
      default: .direct
      }
    let new = try insert(
      """
      INSERT INTO chats (user_id, kind, entity_id, scope, ts, listed, favorite, marked_unread, notifications, \
      send_receipts, item_ttl, ui_themes, custom_data) SELECT user_id, ?2, ?3, ?4, ts, ?5, favorite, marked_unread, \
      notifications, send_receipts, item_ttl, ui_themes, custom_data FROM chats WHERE chat_id = ?1
      """, old, kind.rawValue, chat.chatId, chat.storedScope, listed)
    try execute("UPDATE chat_tagging SET chat_id = ?2 WHERE chat_id = ?1", old, new)
    // The banner is the first item.
    try execute(
      """
      UPDATE items SET chat_id = ?2 WHERE item_id IN (SELECT item_id FROM items WHERE chat_id = ?1 \
      ORDER BY position, item_id LIMIT 3) AND banner = 1
      """, old, new)
    try execute(
      """
      UPDATE chats SET (last_item_id, last_position) = (SELECT item_id, position FROM items WHERE chat_id = ?1 \
      ORDER BY position DESC, item_id DESC LIMIT 1) WHERE chat_id = ?1
      """, new)
  }

  /// Removes up to `limit` items of cleared chats and deleted contacts and users, and says whether more are left.
  ///
  /// 100 items take about 5 ms, more where they are spread over a large database. Call it again until it returns false,
  /// in separate transactions.
  public func purge(limit: Int = 500) throws(StoreError) -> Bool {
    guard let chat = try integer("SELECT chat_id FROM chats WHERE kind = 9 LIMIT 1") else { return false }
    _ = try purge(chat: chat, limit: limit)
    return try integer("SELECT 1 FROM chats WHERE kind = 9 LIMIT 1") != nil
  }

  /// Removes up to `limit` items of a chat that was left to ``purge(limit:)``, and the chat with the last of them;
  /// returns how many.
  func purge(chat: Int64, limit: Int) throws(StoreError) -> Int {
    let items = try integers("SELECT item_id FROM items WHERE chat_id = ? LIMIT ?", chat, limit)
    try delete(items)
    if items.count < limit {
      let reactions = try execute(
        """
        DELETE FROM reactions WHERE chat_id = ?1 AND shared_id IN (SELECT shared_id FROM reactions WHERE chat_id = ?1 \
        LIMIT ?2)
        """, chat, limit)
      if reactions < limit {
        try execute("DELETE FROM reactions WHERE chat_id = ?", chat)
        try execute("DELETE FROM chat_tagging WHERE chat_id = ?", chat)
        try execute("DELETE FROM early_descriptions WHERE chat_id = ?", chat)
        try execute("DELETE FROM kept_messages WHERE chat_id = ?", chat)
        try execute("DELETE FROM chats WHERE chat_id = ?", chat)
      }
    }
    return items.count
  }

  // By the third condition alone SQLite would look at all reactions of the chat: of a row value it uses only the first
  // column of the index.
  static let deletionOfReactions = """
    DELETE FROM reactions \
    WHERE chat_id IN (SELECT chat_id FROM items WHERE item_id IN (SELECT value FROM json_each(?1))) \
    AND shared_id IN (SELECT shared_id FROM items WHERE item_id IN (SELECT value FROM json_each(?1))) \
    AND (chat_id, shared_id, author) IN (SELECT chat_id, shared_id, author FROM items \
    WHERE item_id IN (SELECT value FROM json_each(?1)))
    """

  /// Removes items with all that belongs to them, whatever chats they are in. What follows by a trigger is their file.
  func delete(_ items: [Int64]) throws(StoreError) {
    let ids = items.column
    try execute(Self.deletionOfReactions, ids)
    for table in [
      "item_versions", "deliveries", "item_recipients", "item_recipient_counts", "kept_messages", "items",
    ] {
      try execute("DELETE FROM \(table) WHERE item_id IN (SELECT value FROM json_each(?))", ids)
    }
  }

  // MARK: Expiry

  /// The chats of a user whose items expire, with the seconds they are kept: those with a time of their own, and all
  /// others if the user has one. The parts of a group have the time of its main chat.
  public func chatsToExpire(of user: User) throws(StoreError) -> [(chat: ChatRef, ttl: Int64)] {
    let ttl = try itemTTL(of: user)
    return try all(
      """
      SELECT c.kind, c.entity_id, c.scope, coalesce(m.item_ttl, ?2) FROM chats c JOIN chats m ON m.kind = c.kind \
      AND m.entity_id = c.entity_id AND m.scope = 0 WHERE c.user_id = ?1 AND c.kind IN (0, 1) \
      AND coalesce(m.item_ttl, ?2) > 0
      """, user.userId, ttl
    ) { (row) throws(SQLFailure) in (chat: try readChatRef(row), ttl: try row.integer(3)) }
  }

  /// The seconds that a chat, or a part of one, keeps its items: its own time or the user's. 0 for always, and where it
  /// was deleted.
  public func currentItemTTL(of chat: ChatRef, of user: User) throws(StoreError) -> Int64 {
    let whole = ChatRef(chatType: chat.chatType, chatId: chat.chatId)
    guard try chatIDIfPresent(whole, of: user) != nil else { return 0 }
    if let own = try itemTTL(of: whole, of: user) { return own }
    return try itemTTL(of: user)
  }

  /// How many chats have a time of their own.
  public func countOfChatsWithTTL(of user: User) throws(StoreError) -> Int {
    Int(try integer("SELECT count(*) FROM chats WHERE user_id = ? AND item_ttl > 0", user.userId) ?? 0)
  }

  /// Removes up to `limit` items of a chat that were created before `time`, the banner excepted, and says whether more
  /// are left: none in a chat that was deleted meanwhile. In groups older messages come, such as history: they stay for
  /// at least 12 hours.
  public func deleteItems(
    in chat: ChatRef, createdBefore time: Date, limit: Int = 500, of user: User
  ) throws(StoreError) -> Bool {
    guard trustsClock, let chatId = try chatIDIfPresent(chat, of: user) else { return false }
    // Items that were stored while the clock was ahead have positions and times of creation in the future. They are
    // taken for new ones.
    let ahead = now.addingTimeInterval(2 * 3_600).microseconds
    try execute(
      "UPDATE items SET created_at = ?3 WHERE chat_id = ?1 AND position > ?2 AND created_at > ?2", chatId, ahead,
      nowMicroseconds)
    try execute("DELETE FROM kept_messages WHERE chat_id = ? AND message_ts <= ?", chatId, time.microseconds)
    let items = try integers(
      """
      SELECT item_id FROM items WHERE chat_id = ?1 AND position <= ?2 AND created_at <= ?3 AND banner = 0 \
      UNION ALL SELECT item_id FROM items WHERE chat_id = ?1 AND position > ?4 AND created_at <= ?2 AND banner = 0 LIMIT ?5
      """, chatId, time.microseconds, max(time, now.addingTimeInterval(-12 * 3_600)).microseconds, ahead, limit)
    try delete(items)
    return items.count == limit
  }
}
