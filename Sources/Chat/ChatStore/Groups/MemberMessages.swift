import ChatAPI
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

extension ChatTransaction {
  /// Deletes some of the messages of a member in a group, the newest first.
  /// - Parameters:
  ///   - moderator: who removed the member, a database id.
  ///   - end: the item before which they come, a database id; nil for the newest.
  /// - Returns: the item before which the rest comes; nil where nothing is left.
  public func deleteSomeMessages(
    ofMember member: GroupMember, _ deletion: MemberMessagesDeletion, by moderator: Int64, before end: Int64? = nil,
    limit: Int
  ) throws(StoreError) -> Int64? {
    let items = try items(ofMember: member, before: end ?? .max, limit: max(1, limit))
    let ids = items.column
    switch deletion {
    case .mark:
      try execute(
        """
        UPDATE items SET deleted = 1, deleted_at = ?2, deleted_by = ?3, updated_at = ?2 \
        WHERE item_id IN (SELECT value FROM json_each(?1)) AND deleted = 0
        """, ids, nowMicroseconds, moderator)
    case .moderate:
      let content: CIContent = member.isUser ? .sndModerated : .rcvModerated
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
    return items.count == max(1, limit) ? items.last : nil
  }

  /// Items of a member in all parts of a group, the newest first.
  private func items(ofMember member: GroupMember, before end: Int64, limit: Int) throws(StoreError) -> [Int64] {
    // The user's own items have no member.
    let owner = member.isUser ? "i.sent = 1 AND i.member_id IS NULL" : "i.member_id = ?4"
    return try integers(
      """
      SELECT i.item_id FROM items i WHERE i.chat_id IN (SELECT chat_id FROM chats WHERE kind = 1 AND entity_id = ?1) \
      AND i.item_id < ?2 AND \(owner) ORDER BY i.item_id DESC LIMIT ?3
      """, member.groupId, end, limit, member.isUser ? nil : member.groupMemberId)
  }
}

extension GroupMember {
  fileprivate var isUser: Bool { memberCategory == .userMember }
}
