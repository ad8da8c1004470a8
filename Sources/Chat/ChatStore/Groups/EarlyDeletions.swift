import ChatAPI
import FoundationTypes
import SQLiteKit

/// The deletion of a message that had not come, by its author or a moderator. Stored in the table `moderations`.
public struct EarlyDeletion: Sendable {
  /// The member who deleted it, a database id.
  public var deletedBy: Int64
  /// When that member deleted the message.
  public var time: Date
}

extension ChatTransaction {
  /// Stores that a member deleted a message that has not come. Who may delete it is known when it comes, so the first
  /// deletion by each member is kept.
  public func addEarlyDeletion(
    sharedMsgId: String, author: String, inGroup group: Int64, by member: Int64, at time: Date
  ) throws(StoreError) {
    try execute(
      """
      INSERT OR IGNORE INTO moderations (group_id, author, shared_id, moderator_id, moderated_at, created_at, \
      charged_to) VALUES (?, ?, ?, ?, ?, ?, ?)
      """, group, author, sharedMsgId, member, time.microseconds, nowMicroseconds, payer)
  }

  /// Removes and returns the deletions of a message that comes now, by the time of deletion.
  public func takeEarlyDeletions(
    sharedMsgId: String, author: String, inGroup group: Int64
  ) throws(StoreError) -> [EarlyDeletion] {
    let found = try all(
      """
      DELETE FROM moderations WHERE group_id = ? AND author = ? AND shared_id = ? RETURNING moderator_id, moderated_at
      """, group, author, sharedMsgId
    ) { (row) throws(SQLFailure) in
      EarlyDeletion(deletedBy: try row.integer(0), time: Date(microseconds: try row.integer(1)))
    }
    return found.sorted { $0.time < $1.time }
  }
}
