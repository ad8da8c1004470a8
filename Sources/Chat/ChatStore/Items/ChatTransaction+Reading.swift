import ChatAPI
import FoundationTypes

/// An item that disappears a while after it is read.
public struct TimedItem: Hashable, Sendable {
  /// Database id of the item.
  public var itemId: Int64
  /// Seconds from reading to disappearing.
  public var ttl: Int

  /// An item with its time.
  public init(itemId: Int64, ttl: Int) {
    self.itemId = itemId
    self.ttl = ttl
  }
}

extension ChatTransaction {
  /// Marks items of a chat as read, the oldest first and up to `limit` of them, and returns those whose time begins
  /// with it.
  ///
  /// 2,000 items take about 20 ms: where there may be more, call it in transactions of their own until
  /// ``hasUnreadItems(_:of:)`` returns false.
  public func markRead(_ chat: ChatRef, of user: User, limit: Int = .max) throws(StoreError) -> [TimedItem] {
    try markRead(chat: try chatID(chat, of: user), limit: limit)
  }

  /// Whether items of a chat are unread.
  public func hasUnreadItems(_ chat: ChatRef, of user: User) throws(StoreError) -> Bool {
    try integer("SELECT 1 FROM items WHERE chat_id = ? AND status = 10 LIMIT 1", try chatID(chat, of: user)) != nil
  }

  private func markRead(chat: Int64, limit: Int) throws(StoreError) -> [TimedItem] {
    let ids = try integers(
      "SELECT item_id FROM items WHERE chat_id = ? AND status = 10 ORDER BY position, item_id LIMIT ?", chat, limit)
    let timed = try all(
      """
      SELECT item_id, timed_ttl FROM items WHERE item_id IN (SELECT value FROM json_each(?)) \
      AND timed_ttl IS NOT NULL AND delete_at IS NULL
      """, ids.column
    ) { (row) throws(SQLFailure) in TimedItem(itemId: try row.integer(0), ttl: Int(try row.integer(1))) }
    try execute(
      """
      UPDATE items SET status = 11, viewed = 1, updated_at = ?2 WHERE item_id IN (SELECT value FROM json_each(?1))
      """, ids.column, nowMicroseconds)
    return timed
  }

  /// Marks these items of a chat as read, and returns those whose time to live begins with it.
  public func markRead(items: [Int64], in chat: ChatRef, of user: User) throws(StoreError) -> [TimedItem] {
    let chatId = try chatID(chat, of: user)
    var timed: [TimedItem] = []
    for id in items {
      let ttl = try integer(
        """
        SELECT timed_ttl FROM items WHERE item_id = ? AND chat_id = ? AND status = 10 AND delete_at IS NULL
        """, id, chatId)
      if let ttl { timed.append(TimedItem(itemId: id, ttl: Int(ttl))) }
      try execute(
        """
        UPDATE items SET status = 11, viewed = 1, updated_at = ?3 WHERE item_id = ?1 AND chat_id = ?2 AND status = 10
        """, id, chatId, nowMicroseconds)
    }
    return timed
  }

  /// Marks chats of a user as read until `limit` items or more are, and says whether there may be more. At most `limit`
  /// items of a chat are marked at a time.
  @discardableResult
  public func markAllRead(of user: User, limit: Int = .max) throws(StoreError) -> Bool {
    let chats = try all(
      "SELECT chat_id, unread_count FROM chats WHERE user_id = ? AND (unread_count > 0 OR marked_unread = 1)",
      user.userId
    ) { (row) throws(SQLFailure) in (id: try row.integer(0), unread: Int(clamping: try row.integer(1))) }
    var marked = 0
    for (chat, unread) in chats {
      guard marked < limit else { return true }
      try execute("UPDATE chats SET marked_unread = 0 WHERE chat_id = ?", chat)
      _ = try markRead(chat: chat, limit: limit)
      if unread > limit { return true }
      marked += max(0, unread)
    }
    return false
  }

  /// Begins the time to live of items; returns when each disappears.
  public func startTimers(_ items: [TimedItem]) throws(StoreError) -> [(itemId: Int64, deleteAt: Date)] {
    var started: [(itemId: Int64, deleteAt: Date)] = []
    for item in items {
      let deleteAt = Date(microseconds: now.addingTimeInterval(Double(item.ttl)).microseconds)
      try execute("UPDATE items SET delete_at = ?2 WHERE item_id = ?1", item.itemId, deleteAt.microseconds)
      started.append((item.itemId, deleteAt))
    }
    return started
  }

  /// The user's items that disappear by `time`, and when, soonest first.
  public func timedItems(
    of user: User, until time: Date
  ) throws(StoreError) -> [(chat: ChatRef, itemId: Int64, deleteAt: Date)] {
    try all(
      """
      SELECT t.kind, t.entity_id, t.scope, i.item_id, i.delete_at FROM items i JOIN chats t ON t.chat_id = i.chat_id \
      WHERE i.user_id = ? AND i.delete_at IS NOT NULL AND i.delete_at <= ? AND t.kind <> 9 ORDER BY i.delete_at
      """, user.userId, time.microseconds
    ) { (row) throws(SQLFailure) in
      (chat: try readChatRef(row), itemId: try row.integer(3), deleteAt: Date(microseconds: try row.integer(4)))
    }
  }
}
