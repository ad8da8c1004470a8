import ChatAPI
import SQLiteKit

/// A message for a member that nothing can be sent to yet.
public struct PendingMessage: Sendable {
  /// A database id, in the order of writing.
  public var id: Int64
  /// The body, which is stored once for all members it waits for.
  public var packet: Int64
  /// The body.
  public var body: [UInt8]
  /// Whether it wakes the receiver's device.
  public var notifies: Bool
  /// The item that shows it.
  public var item: Int64?
}

extension ChatTransaction {
  /// Stores a message for a member that nothing can be sent to yet.
  public func addPending(packet: Int64, notifies: Bool, item: Int64?, forMember id: Int64) throws(StoreError) {
    try insert(
      "INSERT INTO pending_messages (member_id, packet_id, notify, item_id) VALUES (?, ?, ?, ?)", id, packet, notifies,
      item)
    try execute("UPDATE members SET has_pending = 1 WHERE member_id = ? AND has_pending = 0", id)
  }

  /// Whether messages wait for a member, so that everything else has to wait too.
  public func hasPending(member id: Int64) throws(StoreError) -> Bool {
    try integer("SELECT has_pending FROM members WHERE member_id = ?", id) == 1
  }

  /// The messages that wait for a member.
  public func pending(ofMember id: Int64) throws(StoreError) -> [PendingMessage] {
    try all(
      """
      SELECT w.pending_id, w.packet_id, k.body, w.notify, w.item_id FROM pending_messages w \
      JOIN packets k ON k.packet_id = w.packet_id WHERE w.member_id = ? ORDER BY w.pending_id
      """, id
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return PendingMessage(
        id: try row.integer(&at), packet: try row.integer(&at), body: try row.bytes(at.next()),
        notifies: try row.bool(&at), item: try row.optionalInteger(&at))
    }
  }

  /// A message does not wait any more; its body stays for whoever else needs it.
  public func removePending(_ message: PendingMessage, ofMember id: Int64) throws(StoreError) {
    try execute("DELETE FROM pending_messages WHERE pending_id = ?", message.id)
    try removeUnusedPacket(message.packet)
    try execute(
      """
      UPDATE members SET has_pending = 0 WHERE member_id = ?1 \
      AND NOT EXISTS (SELECT 1 FROM pending_messages WHERE member_id = ?1)
      """, id)
  }

  /// Deletes the messages that wait for a member.
  func deletePending(ofMember id: Int64) throws(StoreError) {
    for packet in try integers("SELECT packet_id FROM pending_messages WHERE member_id = ?", id) {
      try execute("DELETE FROM pending_messages WHERE member_id = ? AND packet_id = ?", id, packet)
      try removeUnusedPacket(packet)
    }
  }

  /// Deletes a body that neither a command nor a member needs.
  func removeUnusedPacket(_ id: Int64) throws(StoreError) {
    try execute(
      """
      DELETE FROM packets WHERE packet_id = ?1 AND NOT EXISTS (SELECT 1 FROM agent_commands WHERE packet_id = ?1) \
      AND NOT EXISTS (SELECT 1 FROM pending_messages WHERE packet_id = ?1)
      """, id)
  }
}
