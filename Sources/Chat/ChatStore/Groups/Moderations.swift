import ChatAPI
import ChatLogic
import FoundationTypes
import SQLiteKit

let moderationsQuery = "SELECT count(*) FROM moderations WHERE moderator_id = ?"

/// The deletion of a message that had not come, by its author or a moderator.
public struct Moderation: Sendable {
  /// The member who deleted it, a database id.
  public var moderator: Int64
  /// When that member deleted the message.
  public var time: Date
}

extension ChatTransaction {
  /// How many deletions by a member are stored of messages that have not come.
  public func countModerations(by moderator: Int64) throws(StoreError) -> Int {
    Int(try integer(moderationsQuery, moderator) ?? 0)
  }

  /// Stores that a member deleted a message that has not come. Who may delete it is known when it comes, so the first
  /// deletion by each member is kept.
  public func addModeration(
    sharedMsgId: String, author: String, inGroup group: Int64, by moderator: Int64, at time: Date
  ) throws(StoreError) {
    try execute(
      """
      INSERT OR IGNORE INTO moderations (group_id, author, shared_id, moderator_id, moderated_at, created_at) \
      VALUES (?, ?, ?, ?, ?, ?)
      """, group, author, sharedMsgId, moderator, time.microseconds, nowMicroseconds)
  }

  /// Removes and returns the deletions of a message that comes now, by the time of deletion.
  public func takeModerations(
    sharedMsgId: String, author: String, inGroup group: Int64
  ) throws(StoreError) -> [Moderation] {
    let found = try all(
      """
      DELETE FROM moderations WHERE group_id = ? AND author = ? AND shared_id = ? RETURNING moderator_id, moderated_at
      """, group, author, sharedMsgId
    ) { (row) throws(SQLFailure) in
      Moderation(moderator: try row.integer(0), time: Date(microseconds: try row.integer(1)))
    }
    return found.sorted { $0.time < $1.time }
  }

  /// Marks the item of a blocked member, which is not shown.
  public func markBlocked(
    item id: Int64, byAdmin: Bool, in chat: ChatRef, of user: User
  ) throws(StoreError) -> ChatItem {
    try execute(
      "UPDATE items SET deleted = ?2, deleted_at = ?3, updated_at = ?3 WHERE item_id = ?1", id, byAdmin ? 3 : 2,
      nowMicroseconds)
    return try item(id, in: chat, of: user)
  }

  /// Removes the content of an item that a moderator deleted, and its earlier versions; it shows that, and who did it.
  public func moderate(
    item: ChatItem, by moderator: Int64, at time: Date, in chat: ChatRef, of user: User
  ) throws(StoreError) -> ChatItem {
    let content: CIContent = item.chatDir.sent ? .sndModerated : .rcvModerated
    try execute(
      """
      UPDATE items SET \(moderatedColumns), deleted_at = ?2, deleted_by = ?3, updated_at = ?4, content = ?5, text = ?6 \
      WHERE item_id = ?1
      """, item.meta.itemId, time.microseconds, moderator, nowMicroseconds, content.column, content.itemText)
    try execute("DELETE FROM item_versions WHERE item_id = ?", item.meta.itemId)
    return try self.item(item.meta.itemId, in: chat, of: user)
  }
}

/// What stays of a moderated item.
let moderatedColumns =
  "deleted = 1, message_tag = NULL, has_link = 0, mentions = NULL, quoted_id = NULL, quoted_content = NULL, file_id = NULL"
