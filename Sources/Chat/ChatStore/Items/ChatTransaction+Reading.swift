import ChatAPI

/// Reading. That the time to live of an item begins when it is read is the work of triggers (`items_timed_insert`,
/// `items_timed_update`), so that no way of reading forgets it.
extension ChatTransaction {
  /// Marks items of a chat as read, the oldest first and up to `limit` of them.
  ///
  /// 2,000 items take about 20 ms: where there may be more, call it in transactions of their own until
  /// ``hasUnreadItems(_:of:)`` returns false.
  public func markRead(_ chat: ChatRef, of user: User, limit: Int = .max) throws(StoreError) {
    try markRead(chat: try chatID(chat, of: user), limit: limit)
    try noteNextTimer()
  }

  /// Whether items of a chat are unread.
  public func hasUnreadItems(_ chat: ChatRef, of user: User) throws(StoreError) -> Bool {
    try integer("SELECT 1 FROM items WHERE chat_id = ? AND status = 10 LIMIT 1", try chatID(chat, of: user)) != nil
  }

  private func markRead(chat: Int64, limit: Int) throws(StoreError) {
    try execute(
      """
      UPDATE items SET status = 11, viewed = 1, updated_at = ?2 WHERE item_id IN (SELECT item_id FROM items \
      WHERE chat_id = ?1 AND status = 10 ORDER BY position, item_id LIMIT ?3)
      """, chat, nowMicroseconds, limit)
  }

  /// Marks these items of a chat as read.
  public func markRead(items: [Int64], in chat: ChatRef, of user: User) throws(StoreError) {
    try execute(
      """
      UPDATE items SET status = 11, viewed = 1, updated_at = ?3 \
      WHERE item_id IN (SELECT value FROM json_each(?1)) AND chat_id = ?2 AND status = 10
      """, items.column, try chatID(chat, of: user), nowMicroseconds)
    try noteNextTimer()
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
      guard marked < limit else { break }
      try execute("UPDATE chats SET marked_unread = 0 WHERE chat_id = ?", chat)
      try markRead(chat: chat, limit: limit)
      marked += max(0, unread)
    }
    try noteNextTimer()
    return marked >= limit
  }
}
