import ChatAPI

/// Reading. That the time to live of an item begins when it is read is the work of triggers (`items_timed_insert`,
/// `items_timed_update`), so that no way of reading forgets it.
extension ChatTransaction {
  /// The number of the item that was stored last; what is stored after it is newer. 0 where there is none.
  public func lastItemNumber() throws(StoreError) -> Int64 { try integer("SELECT max(item_id) FROM items") ?? 0 }

  /// Marks items of a chat as read, the oldest first and up to `limit` of them.
  ///
  /// 2,000 items take about 20 ms: where there may be more, call it in transactions of their own until
  /// ``hasUnreadItems(_:of:through:)`` returns false.
  /// - Parameter last: The item through which they are marked, by ``lastItemNumber()``: who reads a chat has not seen
  ///   what comes after that.
  public func markRead(
    _ chat: ChatRef, of user: User, through last: Int64 = .max, limit: Int = .max
  ) throws(StoreError) {
    try markRead(chat: try chatID(chat, of: user), through: last, limit: limit)
    try noteNextTimer()
  }

  /// Whether items of a chat, through one of ``lastItemNumber()``, are unread.
  public func hasUnreadItems(
    _ chat: ChatRef, of user: User, through last: Int64 = .max
  ) throws(StoreError) -> Bool {
    try integer(
      "SELECT 1 FROM items WHERE chat_id = ? AND status = 10 AND item_id <= ? LIMIT 1", try chatID(chat, of: user),
      last) != nil
  }

  /// - Returns: how many were marked.
  @discardableResult
  private func markRead(chat: Int64, through last: Int64, limit: Int) throws(StoreError) -> Int {
    try execute(
      """
      UPDATE items SET status = 11, viewed = 1, updated_at = ?2 WHERE item_id IN (SELECT item_id FROM items \
      WHERE chat_id = ?1 AND status = 10 AND item_id <= ?4 ORDER BY position, item_id LIMIT ?3)
      """, chat, nowMicroseconds, limit, last)
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
  /// - Parameter last: The item through which they are marked, by ``lastItemNumber()``.
  @discardableResult
  public func markAllRead(
    of user: User, through last: Int64 = .max, limit: Int = .max
  ) throws(StoreError) -> Bool {
    let chats = try integers(
      "SELECT chat_id FROM chats WHERE user_id = ? AND (unread_count > 0 OR marked_unread = 1)", user.userId)
    var marked = 0
    for chat in chats {
      guard marked < limit else { break }
      try execute("UPDATE chats SET marked_unread = 0 WHERE chat_id = ?", chat)
      marked += try markRead(chat: chat, through: last, limit: limit)
    }
    try noteNextTimer()
    return marked >= limit
  }
}
