import ChatAPI
import FoundationTypes

/// An item whose time to live is over.
public struct DueItem: Hashable, Sendable {
  /// Database id of the item.
  public var itemId: Int64
  /// Its chat; nil where that is cleared or deleted.
  public var chat: ChatRef?
  /// The user it belongs to, a database id.
  public var userId: Int64
}

/// Items that disappear.
extension ChatTransaction {
  /// Some of the items whose time to live is over, of all users, soonest first.
  public func dueItems(limit: Int) throws(StoreError) -> [DueItem] {
    try all(
      """
      SELECT t.kind, t.entity_id, t.scope, i.item_id, i.user_id, coalesce(t.kind, 9) <> 9 FROM items i \
      LEFT JOIN chats t ON t.chat_id = i.chat_id WHERE i.delete_at <= ? ORDER BY i.delete_at LIMIT ?
      """, nowMicroseconds, limit
    ) { (row) throws(SQLFailure) in
      DueItem(
        itemId: try row.integer(3), chat: try row.bool(5) ? try readChatRef(row) : nil, userId: try row.integer(4))
    }
  }

  /// The time at which the next item or kept message disappears; nil where none will.
  public func nextTimer() throws(StoreError) -> Date? {
    try integer(
      """
      SELECT min(t) FROM (SELECT min(delete_at) AS t FROM items WHERE delete_at IS NOT NULL UNION ALL \
      SELECT min(delete_at) FROM kept_messages WHERE delete_at IS NOT NULL)
      """
    ).map { Date(microseconds: $0) }
  }

  /// Notes the next time at which something disappears: for statements about many items.
  func noteNextTimer() throws(StoreError) {
    if let next = try nextTimer() { note(timer: next) }
  }

  /// Deletes items whose chat cannot be shown any more.
  public func deleteUnshown(_ items: [DueItem]) throws(StoreError) { try delete(items.map(\.itemId)) }

  /// Begins the time to live of items where nothing else would: of read ones that have none, and of messages of the
  /// user that were still being typed when the program ended. The time counts from their last change.
  public func repairTimers() throws(StoreError) {
    try execute(
      """
      UPDATE items SET delete_at = updated_at + max(0, min(timed_ttl, 1000000000000)) * 1000000 \
      WHERE timed_ttl IS NOT NULL AND delete_at IS NULL AND status <> 10
      """)
    // Nothing is further from its end than its time to live: the clock was ahead. Or it is behind now, as after the
    // newest item was stored: then these items would disappear when it is set right.
    if let last = try lastItemTime(), last > now.addingTimeInterval(60) { return }
    try execute(
      """
      UPDATE items SET delete_at = ?1 + max(0, min(timed_ttl, 1000000000000)) * 1000000 WHERE delete_at > ?1 \
      AND delete_at > ?1 + max(0, min(timed_ttl, 1000000000000)) * 1000000
      """, nowMicroseconds)
  }
}
