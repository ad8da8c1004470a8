import ChatAPI
import SQLiteKit

/// The status of an item for one recipient as the database keeps it: a number, and the reason of a failure.
package struct RecipientStatusCode {
  package let code: Int64
  package let detail: String?

  package init(_ status: GroupSndStatus) {
    let plain = Self.plain.first { $0.1 == status }
    let failure: Int64 = if case .warning = status { 7 } else { 8 }
    code = plain?.0 ?? failure
    detail = plain == nil ? status.column : nil
  }

  package static func status(_ code: Int64, _ detail: String?) -> GroupSndStatus {
    if let detail { return (try? GroupSndStatus(jsonText: detail)) ?? .invalid(text: detail) }
    return plain.first { $0.0 == code }?.1 ?? .invalid(text: "\(code)")
  }

  private static let plain: [(Int64, GroupSndStatus)] = [
    (0, .new), (1, .forwarded), (2, .inactive), (3, .sent), (4, .rcvd(msgRcptStatus: .ok)),
    (5, .rcvd(msgRcptStatus: .badMsgHash)),
  ]
}

/// Who got a message: a member and its user, by their database ids.
public struct Recipient: Hashable, Sendable {
  /// The member.
  public var memberId: Int64
  /// The user whose group it is.
  public var userId: Int64

  /// The member of a user with these database ids.
  public init(memberId: Int64, userId: Int64) { (self.memberId, self.userId) = (memberId, userId) }
}

extension ChatTransaction {
  /// The member of a connection that works as it should: nothing waits for the member, and no message was refused. Nil
  /// for all others.
  public func undisturbedRecipient(agentConnId: String) throws(StoreError) -> Recipient? {
    try first(
      """
      SELECT m.member_id, m.user_id FROM connections n JOIN members m ON m.member_id = n.member_id \
      WHERE n.agent_conn_id = ? AND n.status = 'ready' AND n.quota_errors = 0 AND m.has_pending = 0
      """, agentConnId
    ) { (row) throws(SQLFailure) in Recipient(memberId: try row.integer(0), userId: try row.integer(1)) }
  }

  /// Stores that an item has this status for a member that it is sent to.
  public func addRecipient(_ member: Int64, ofItem item: Int64, status: GroupSndStatus) throws(StoreError) {
    let stored = RecipientStatusCode(status)
    try execute(
      "INSERT OR IGNORE INTO item_recipients (item_id, member_id, status, status_detail) VALUES (?, ?, ?, ?)", item,
      member, stored.code, stored.detail)
  }

  /// Stores the status of an item for a member, unless it is known that the member received it; true where that
  /// changed something.
  /// - Parameter viaProxy: whether it was sent through another relay; nil leaves that as it is.
  public func setRecipientStatus(
    _ status: GroupSndStatus, viaProxy: Bool? = nil, ofItem item: Int64, member: Int64
  ) throws(StoreError) -> Bool {
    let stored = RecipientStatusCode(status)
    // 4 and 5 are those that were received.
    return try execute(
      """
      UPDATE item_recipients SET status = ?3, status_detail = ?4, via_proxy = coalesce(?5, via_proxy) \
      WHERE item_id = ?1 AND member_id = ?2 AND status NOT IN (4, 5) AND (status <> ?3 OR status_detail IS NOT ?4)
      """, item, member, stored.code, stored.detail, viaProxy) > 0
  }

  /// The status of an item for each member that it was sent to.
  public func recipients(ofItem item: Int64) throws(StoreError) -> [MemberDeliveryStatus] {
    try all(
      "SELECT member_id, status, status_detail, via_proxy FROM item_recipients WHERE item_id = ? ORDER BY member_id",
      item
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return MemberDeliveryStatus(
        groupMemberId: try row.integer(&at),
        memberDeliveryStatus: RecipientStatusCode.status(try row.integer(&at), try row.optionalText(&at)),
        sentViaProxy: try row.optionalBool(&at))
    }
  }

  /// The status of an item that follows from those for its recipients.
  public func combinedStatus(ofItem item: Int64) throws(StoreError) -> CIStatus {
    let counts = try all("SELECT status, count FROM item_recipient_counts WHERE item_id = ? AND count > 0", item) {
      (row) throws(SQLFailure) in (try row.integer(0), try row.integer(1))
    }
    let count = Dictionary(counts, uniquingKeysWith: { $1 })
    let total = counts.reduce(0) { $0 &+ $1.1 }
    let (sent, received, damaged) = (count[3] ?? 0, count[4] ?? 0, count[5] ?? 0)
    if received == total { return .sndRcvd(msgRcptStatus: .ok, sndProgress: .complete) }
    if received &+ damaged == total { return .sndRcvd(msgRcptStatus: .badMsgHash, sndProgress: .complete) }
    if damaged > 0 { return .sndRcvd(msgRcptStatus: .badMsgHash, sndProgress: .partial) }
    if received > 0 { return .sndRcvd(msgRcptStatus: .ok, sndProgress: .partial) }
    if sent == total { return .sndSent(sndProgress: .complete) }
    return sent > 0 ? .sndSent(sndProgress: .partial) : .sndNew
  }
}
