import ChatAPI
import ChatLogic
import FoundationTypes
import SQLiteKit

/// What becomes of the messages of a member who is removed with them.
public enum MemberMessagesDeletion: String, Sendable {
  /// They are marked as deleted by a moderator; their content stays.
  case mark
  /// Their content and earlier versions go; items show that they were moderated.
  case moderate
  /// Their items go.
  case delete
}

let itemsOfMemberQuery = """
  SELECT i.item_id FROM items i CROSS JOIN chats t ON t.chat_id = i.chat_id AND t.kind = 1 AND t.entity_id = ?1 \
  WHERE i.member_id = ?4 AND i.item_id < ?2 ORDER BY i.item_id DESC LIMIT ?3
  """
/// The user's own items, which have no member: the newest of each part of the group, and of these the newest.
let ownGroupItemsQuery = """
  SELECT i.item_id FROM chats t CROSS JOIN items i ON i.item_id IN (SELECT o.item_id FROM items o \
  WHERE o.chat_id = t.chat_id AND o.item_id < ?2 AND o.sent = 1 AND o.member_id IS NULL AND o.author <> '' \
  ORDER BY o.item_id DESC LIMIT ?3) WHERE t.kind = 1 AND t.entity_id = ?1 ORDER BY i.item_id DESC LIMIT ?3
  """
/// Whether any item of a group is a member's.
let memberHasItemsQuery = """
  SELECT 1 FROM items i CROSS JOIN chats t ON t.chat_id = i.chat_id AND t.kind = 1 AND t.entity_id = ?2 \
  WHERE i.member_id = ?1 LIMIT 1
  """

extension ChatTransaction {
  /// Items of a member in all parts of a group, the newest first, database ids.
  /// - Parameter end: the item before which they come, a database id; nil for the newest.
  public func items(
    ofMember member: GroupMember, before end: Int64? = nil, limit: Int
  ) throws(StoreError) -> [Int64] {
    guard member.memberCategory == .userMember else {
      return try integers(itemsOfMemberQuery, member.groupId, end ?? .max, limit, member.groupMemberId)
    }
    return try integers(ownGroupItemsQuery, member.groupId, end ?? .max, limit)
  }

  /// Deletes messages of a member.
  /// - Parameters:
  ///   - areSent: whether the member is the user.
  ///   - moderator: the member who is shown as the one who deleted them, a database id.
  public func delete(
    messages items: [Int64], _ deletion: MemberMessagesDeletion, areSent: Bool, by moderator: Int64
  ) throws(StoreError) {
    let ids = items.column
    switch deletion {
    case .mark:
      try execute(
        """
        UPDATE items SET deleted = 1, deleted_at = ?2, deleted_by = ?3, updated_at = ?2 \
        WHERE item_id IN (SELECT value FROM json_each(?1)) AND deleted = 0
        """, ids, nowMicroseconds, moderator)
    case .moderate:
      let content: CIContent = areSent ? .sndModerated : .rcvModerated
      try execute(
        """
        DELETE FROM item_versions WHERE item_id IN (SELECT i.item_id FROM json_each(?1) e \
        JOIN items i ON i.item_id = e.value WHERE i.message_tag IS NOT NULL)
        """, ids)
      try execute(
        """
        UPDATE items SET \(moderatedColumns), deleted_at = ?2, deleted_by = ?3, updated_at = ?2, content = ?4, \
        text = ?5 WHERE item_id IN (SELECT value FROM json_each(?1)) AND message_tag IS NOT NULL
        """, ids, nowMicroseconds, moderator, content.column, content.itemText)
    case .delete: try delete(items)
    }
  }

  /// The files of items.
  public func files(ofItems items: [Int64]) throws(StoreError) -> [Int64] {
    try integers(
      "SELECT file_id FROM items WHERE item_id IN (SELECT value FROM json_each(?)) AND file_id IS NOT NULL",
      items.column)
  }

  // MARK: One message

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

/// The assignments that remove the content of a moderated item.
let moderatedColumns =
  "deleted = 1, message_tag = NULL, has_link = 0, mentions = NULL, quoted_id = NULL, quoted_content = NULL, file_id = NULL"
