import ChatAPI
import ChatLogic
import FoundationTypes
import SQLiteKit

/// The decision of a budget about one row more.
public enum BudgetDecision: Sendable {
  /// The row may be stored.
  case granted
  /// The row is dropped, and that is reported.
  case refusedFirst
  /// The row is dropped, as others were before it; that was reported.
  case refused
}

/// The budgets of peers: how much is kept of what they cause and the user does not see. The rows themselves are charged
/// by triggers, to ``ChatTransaction/payer``.
extension ChatTransaction {
  /// Whether one more row may be stored for the connection by which the message at hand came (``payer``). What the user
  /// causes has no limit.
  ///
  /// Costs one search by primary key; one statement more where the first row is refused.
  /// - Parameter bytes: the size of the columns whose content the peer chose.
  public func budget(for state: HiddenState, bytes: Int = 0) throws(StoreError) -> BudgetDecision {
    guard payer != 0 else { return .granted }
    let used = try first(
      "SELECT row_count, byte_count, is_reported FROM peer_state WHERE connection_id = ? AND kind = ?", payer,
      state.rawValue
    ) { (row) throws(SQLFailure) in (rows: try row.integer(0), bytes: try row.integer(1), isReported: try row.bool(2)) }
    let limit = state.limit
    if (used?.rows ?? 0) < limit.rows, Int(used?.bytes ?? 0) + bytes <= limit.bytes || bytes == 0 { return .granted }
    if used?.isReported == true { return .refused }
    try execute(
      """
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count, is_reported) VALUES (?, ?, 0, 0, 1) \
      ON CONFLICT DO UPDATE SET is_reported = 1
      """, payer, state.rawValue)
    return .refusedFirst
  }

  /// Ends what is charged for a request to connect, because the user accepted it.
  public func releaseRequest(_ id: Int64) throws(StoreError) {
    try execute("UPDATE contact_requests SET charged_to = 0 WHERE request_id = ? AND charged_to <> 0", id)
  }

  /// Ends what is charged for members, requests and files that came this many seconds ago or earlier, up to `limit` of
  /// each: what is shown to the user for so long is not hidden.
  /// - Parameter requestAge: the same for requests to connect and to join, of which a public address or link has many
  ///   that are never finished.
  /// - Returns: whether more are left.
  public func releaseOldState(
    olderThan seconds: Double, requestAge: Double, limit: Int = 500
  ) throws(StoreError) -> Bool {
    var isMore = false
    for (table, id, condition, age) in [
      ("members", "member_id", "category <> 'invitee'", seconds),
      ("members", "member_id", "category = 'invitee'", requestAge),
      ("contact_requests", "request_id", "TRUE", requestAge), ("files", "file_id", "TRUE", seconds),
    ] {
      let count = try execute(
        """
        UPDATE \(table) SET charged_to = 0 WHERE \(id) IN (SELECT \(id) FROM \(table) WHERE charged_to <> 0 \
        AND \(condition) AND created_at < ? ORDER BY created_at LIMIT ?)
        """, now.addingTimeInterval(-age).microseconds, limit)
      isMore = isMore || count == limit
    }
    return isMore
  }
}
