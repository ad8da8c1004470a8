import ChatAPI
import FoundationTypes
import SQLiteKit

let reportsOfMessageQuery = """
  SELECT i.item_id FROM items i CROSS JOIN chats t ON t.chat_id = i.chat_id \
  WHERE i.quoted_id = ?1 AND i.message_tag = 'report' AND i.quoted_author = ?2 AND i.deleted = 0 \
  AND t.kind = 1 AND t.entity_id = ?3 ORDER BY i.item_id
  """
private let reportsOfGroupQuery = """
  SELECT i.item_id FROM chats t CROSS JOIN items i ON i.chat_id = t.chat_id AND i.message_tag = 'report' \
  AND i.deleted = 0 AND i.sent = 0 WHERE t.kind = 1 AND t.entity_id = ?1 AND t.reports > 0 ORDER BY i.item_id
  """

/// Conversations of members with the moderators of their group: parts of the group's chat, each with a row of its own.
extension ChatTransaction {
  /// Creates the support chat of a member, or the user's own, unless there is one.
  public func createSupportChat(_ chat: ChatRef, of user: User) throws(StoreError) {
    try execute(
      "INSERT OR IGNORE INTO chats (user_id, kind, entity_id, scope, listed, ts) VALUES (?, 1, ?, ?, 0, ?)",
      user.userId, chat.chatId, chat.storedScope, nowMicroseconds)
  }

  /// Deletes the support chat of a member. Its items go with ``purge(limit:)``.
  public func deleteSupportChat(ofMember id: Int64, inGroup group: Int64) throws(StoreError) {
    try leaveItems(where: "kind = 1 AND entity_id = ? AND scope = ?", group, id)
  }

  /// The support chats of a group's members, and the user's own.
  func supportChats(ofGroup id: Int64) throws(StoreError) -> [ChatRef] {
    try all(
      "SELECT kind, entity_id, scope FROM chats WHERE kind = 1 AND entity_id = ? AND scope <> 0", id, row: readChatRef)
  }

  /// Notes that a new item of a member's support chat waits for an answer of a moderator, or is one.
  ///
  /// Times decide, and not the order in which items come: a message waits unless another member wrote after it, and
  /// what another member writes answers the messages before it. The user's own messages answer nothing, as who writes
  /// has seen the chat.
  func countAnswers(
    of item: Int64, by author: Int64?, inSupportChatOf member: Int64, number chat: Int64
  ) throws(StoreError) {
    if author == member {
      try execute(
        """
        UPDATE chats SET last_member_ts = max(coalesce(last_member_ts, i.item_ts), i.item_ts) FROM items i \
        WHERE chats.chat_id = ?1 AND i.item_id = ?2 AND i.message_tag IS NOT NULL
        """, chat, item)
      try execute(
        """
        UPDATE items SET awaits_answer = 1 WHERE item_id = ?1 AND status = 10 AND NOT EXISTS (SELECT 1 FROM items o \
        WHERE o.chat_id = ?2 AND o.position > items.position AND o.sent = 0 AND o.member_id <> ?3 \
        AND o.message_tag IS NOT NULL)
        """, item, chat, member)
    } else if author != nil {
      try execute(
        """
        UPDATE items SET awaits_answer = 0 WHERE chat_id = ?2 AND status = 10 AND awaits_answer = 1 AND position < \
        (SELECT n.position FROM items n WHERE n.item_id = ?1 AND n.sent = 0 AND n.message_tag IS NOT NULL)
        """, item, chat)
    }
  }

  // MARK: Reports

  /// Marks reports as deleted that were not; returns their database ids. They keep their content.
  /// - Parameters:
  ///   - message: the identifier and the author's, both base64url, of the reported message; nil for all reports that
  ///     the user received.
  ///   - moderator: a database id.
  public func archiveReports(
    ofMessage message: (sharedId: String, author: String)? = nil, inGroup group: Int64, by moderator: Int64,
    at time: Date
  ) throws(StoreError) -> [Int64] {
    let ids =
      if let message {
        try integers(reportsOfMessageQuery, message.sharedId, message.author, group)
      } else {
        try integers(reportsOfGroupQuery, group)
      }
    try execute(
      """
      UPDATE items SET deleted = 1, deleted_at = ?2, deleted_by = ?3, updated_at = ?4 \
      WHERE item_id IN (SELECT value FROM json_each(?1))
      """, ids.column, time.microseconds, moderator, nowMicroseconds)
    return ids
  }
}
