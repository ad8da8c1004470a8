import ChatAPI
import FoundationTypes
import SQLiteKit

/// The copy of a message that came first.
public struct FirstCopy: Sendable {
  /// The member who forwarded it, a database id; nil where the author sent it.
  public var forwardedBy: Int64?
}

extension ChatTransaction {
  /// Stores that a message of a member was received, directly or forwarded by another one; returns the copy that came
  /// before, nil where this is the first one.
  /// - Parameter isSilent: whether the message shows nothing by itself, so that its record is charged to the peer.
  public func receive(
    sharedMsgId: String, ofMember author: Int64, inGroup group: Int64, forwardedBy: Int64?, isSilent: Bool = false
  ) throws(StoreError) -> FirstCopy? {
    let isNew =
      try execute(
        """
        INSERT OR IGNORE INTO received_messages (group_id, author_id, shared_id, forwarded_by, received_at, charged_to) \
        VALUES (?, ?, ?, ?, ?, ?)
        """, group, author, sharedMsgId, forwardedBy ?? 0, nowMicroseconds, isSilent ? payer : 0) == 1
    if isNew { return nil }
    let by = try integer(
      "SELECT forwarded_by FROM received_messages WHERE group_id = ? AND author_id = ? AND shared_id = ?", group,
      author, sharedMsgId)
    return FirstCopy(forwardedBy: by == 0 ? nil : by)
  }

  /// Whether a message of a member was received.
  public func wasReceived(
    sharedMsgId: String, ofMember author: Int64, inGroup group: Int64
  ) throws(StoreError) -> Bool {
    try integer(
      "SELECT 1 FROM received_messages WHERE group_id = ? AND author_id = ? AND shared_id = ?", group, author,
      sharedMsgId) != nil
  }

  /// Deletes up to `limit` of each kind of records that are older than the seconds, and says whether more are left:
  /// records of received messages, deletions of messages that did not come, and decisions about members who were not
  /// introduced.
  public func deleteReceived(olderThan seconds: Double, limit: Int = 500) throws(StoreError) -> Bool {
    guard trustsClock else { return false }
    let time = now.addingTimeInterval(-seconds).microseconds
    // One by one: SQLite does not look for lists of row values in a primary key.
    let messages = try all(
      """
      SELECT group_id, author_id, shared_id FROM received_messages WHERE received_at < ? ORDER BY received_at LIMIT ?
      """, time, limit
    ) { (row) throws(SQLFailure) in
      (group: try row.integer(0), author: try row.integer(1), id: try row.text(2))
    }
    for (group, author, id) in messages {
      try execute(
        "DELETE FROM received_messages WHERE group_id = ? AND author_id = ? AND shared_id = ?", group, author, id)
    }
    let deletions = try deleteEarlyDeletions(where: "created_at < ?", time, limit: limit)
    let decisions = try execute(
      """
      DELETE FROM early_decisions WHERE decision_id IN (SELECT decision_id FROM early_decisions WHERE created_at < ? \
      LIMIT ?)
      """, time, limit)
    return messages.count == limit || deletions == limit || decisions == limit
  }

  /// Deletes up to `limit` deletions of messages that did not come, where a condition holds; returns how many.
  func deleteEarlyDeletions(where condition: String, _ value: Int64, limit: Int) throws(StoreError) -> Int {
    let found = try all(
      "SELECT group_id, author, shared_id, moderator_id FROM moderations WHERE \(condition) LIMIT ?", value, limit
    ) { (row) throws(SQLFailure) in
      (group: try row.integer(0), author: try row.text(1), id: try row.text(2), moderator: try row.integer(3))
    }
    for (group, author, id, moderator) in found {
      try execute(
        "DELETE FROM moderations WHERE group_id = ? AND author = ? AND shared_id = ? AND moderator_id = ?", group,
        author, id, moderator)
    }
    return found.count
  }

  /// Deletes up to `limit` records of messages that were received in a group; returns how many.
  func deleteSomeReceived(ofGroup id: Int64, limit: Int) throws(StoreError) -> Int {
    var count = 0
    while count < limit,
      let author = try integer("SELECT author_id FROM received_messages WHERE group_id = ? LIMIT 1", id)
    {
      // By ranges of the primary key, author by author: SQLite does not look for lists of row values in it.
      count += try execute(
        """
        DELETE FROM received_messages WHERE group_id = ?1 AND author_id = ?2 AND shared_id <= coalesce((\
        SELECT shared_id FROM received_messages WHERE group_id = ?1 AND author_id = ?2 \
        ORDER BY shared_id LIMIT 1 OFFSET ?3), (SELECT max(shared_id) FROM received_messages \
        WHERE group_id = ?1 AND author_id = ?2))
        """, id, author, limit - count - 1)
    }
    return count
  }
}
