import SQLiteKit

extension AgentDatabase {
  /// Moves the times from which tasks, files and deletions are counted, in milliseconds, and makes all retries due.
  /// Tasks that wait for a caller stay so.
  public func shiftTimes(by shift: Int64) throws(SQLiteError) {
    for (table, column) in Self.shiftedTimes {
      try database.execute(
        "UPDATE \(table) SET \(column) = \(column) + ?1 WHERE \(column) > 0 AND \(column) < ?2", shift,
        Self.latestTime)
    }
    for table in ["tasks", "sent_chunks", "received_chunks", "chunk_deletions"] {
      try database.execute(
        "UPDATE \(table) SET not_before = 0 WHERE not_before > 0 AND not_before < ?", Self.latestTime)
    }
  }

  private static let latestTime = Int64.max >> 2
  private static let shiftedTimes = [
    ("tasks", "created_at"), ("connections", "delete_at"), ("received_messages", "received_at"),
    ("ratchet_agreements", "repaired_at"), ("relay_notices", "expires_at"), ("sent_files", "created_at"),
    ("received_files", "created_at"), ("chunk_deletions", "created_at"), ("notification_tokens", "due_at"),
    ("notification_tokens", "failing_since"), ("token_deletions", "created_at"), ("token_deletions", "due_at"),
    ("queue_notifications", "due_at"),
  ]
}
