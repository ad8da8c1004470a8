import ChatAPI
import FoundationTypes
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
  /// - Parameter isHeld: whether it waits until all others are introduced to the member.
  public func addPending(
    packet: Int64, notifies: Bool, item: Int64?, isHeld: Bool = false, forMember id: Int64
  ) throws(StoreError) {
    try insert(
      """
      INSERT INTO pending_messages (member_id, packet_id, notify, item_id, is_held, created_at) \
      VALUES (?, ?, ?, ?, ?, ?)
      """, id, packet, notifies, item, isHeld, nowMicroseconds)
    if !isHeld { try execute("UPDATE members SET has_pending = 1 WHERE member_id = ? AND has_pending = 0", id) }
  }

  /// Whether messages wait for a member, so that everything else has to wait too.
  public func hasPending(member id: Int64) throws(StoreError) -> Bool {
    try integer("SELECT has_pending FROM members WHERE member_id = ?", id) == 1
  }

  /// The first messages that wait for a member, without those that are held.
  public func pending(ofMember id: Int64, limit: Int) throws(StoreError) -> [PendingMessage] {
    try all(
      """
      SELECT w.pending_id, w.packet_id, k.body, w.notify, w.item_id FROM pending_messages w \
      JOIN packets k ON k.packet_id = w.packet_id WHERE w.member_id = ? AND w.is_held = 0 \
      ORDER BY w.pending_id LIMIT ?
      """, id, limit
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return PendingMessage(
        id: try row.integer(&at), packet: try row.integer(&at), body: try row.bytes(at.next()),
        notifies: try row.bool(&at), item: try row.optionalInteger(&at))
    }
  }

  /// The messages that wait for members of a group, with the numbers of their bodies; none for other chats.
  public func pendingMessages(
    to chat: ChatRef
  ) throws(StoreError) -> [(id: Int64, packet: Int64, member: Int64)] {
    guard chat.chatType == .group else { return [] }
    return try all(
      """
      SELECT w.pending_id, w.packet_id, w.member_id FROM members m JOIN pending_messages w ON w.member_id = m.member_id \
      WHERE m.group_id = ?
      """, chat.chatId
    ) { (row) throws(SQLFailure) in
      (id: try row.integer(0), packet: try row.integer(1), member: try row.integer(2))
    }
  }

  /// Removes a waiting message; the body stays while others use it.
  public func removePending(_ message: PendingMessage, ofMember id: Int64) throws(StoreError) {
    try removePending(message.id, packet: message.packet, ofMember: id)
  }

  /// Removes the waiting message with this number; the body stays while others use it.
  public func removePending(_ pending: Int64, packet: Int64, ofMember id: Int64) throws(StoreError) {
    try execute("DELETE FROM pending_messages WHERE pending_id = ?", pending)
    try removeUnusedPacket(packet)
    try execute(
      """
      UPDATE members SET has_pending = 0 WHERE member_id = ?1 \
      AND NOT EXISTS (SELECT 1 FROM pending_messages WHERE member_id = ?1 AND is_held = 0)
      """, id)
  }

  /// Deletes up to `limit` messages that have waited for this many seconds or longer, and says whether more are left:
  /// a member who cannot be reached for so long misses them.
  public func deletePending(olderThan seconds: Double, limit: Int = 500) throws(StoreError) -> Bool {
    guard trustsClock else { return false }
    let old = try all(
      "SELECT pending_id, packet_id, member_id FROM pending_messages WHERE created_at < ? ORDER BY created_at LIMIT ?",
      now.addingTimeInterval(-seconds).microseconds, limit
    ) { (row) throws(SQLFailure) in
      (id: try row.integer(0), packet: try row.integer(1), member: try row.integer(2))
    }
    for message in old { try removePending(message.id, packet: message.packet, ofMember: message.member) }
    return old.count == limit
  }

  /// Whether messages wait for a member, and whether others are still being introduced to it, so that everything else
  /// is held.
  public func waiting(forMember id: Int64) throws(StoreError) -> (hasPending: Bool, isHeld: Bool) {
    let found = try first("SELECT has_pending, is_introduced_to FROM members WHERE member_id = ?", id) {
      (row) throws(SQLFailure) in (hasPending: try row.bool(0), isHeld: try row.bool(1))
    }
    return found ?? (false, false)
  }

  /// Whether others are still being introduced to a member.
  public func hasPendingIntroductions(member id: Int64) throws(StoreError) -> Bool {
    try waiting(forMember: id).isHeld
  }

  /// Stores whether others are still being introduced to a member. Afterwards messages are not held any more.
  public func setPendingIntroductions(_ arePending: Bool, member id: Int64) throws(StoreError) {
    try execute("UPDATE members SET is_introduced_to = ?2 WHERE member_id = ?1", id, arePending)
    guard !arePending else { return }
    // With new numbers, since introductions and the history may be waiting, too, and go first.
    let released = try execute(
      """
      INSERT INTO pending_messages (member_id, packet_id, notify, item_id, is_held, created_at) \
      SELECT member_id, packet_id, notify, item_id, 0, created_at FROM pending_messages \
      WHERE member_id = ? AND is_held = 1 ORDER BY pending_id
      """, id)
    try execute("DELETE FROM pending_messages WHERE member_id = ? AND is_held = 1", id)
    if released > 0 { try execute("UPDATE members SET has_pending = 1 WHERE member_id = ?", id) }
  }

  /// Deletes up to `limit` of the messages that wait for a member who is being deleted; returns how many.
  func deletePending(ofMember id: Int64, limit: Int) throws(StoreError) -> Int {
    let found = try all(
      "SELECT pending_id, packet_id FROM pending_messages WHERE member_id = ? LIMIT ?", id, limit
    ) { (row) throws(SQLFailure) in (id: try row.integer(0), packet: try row.integer(1)) }
    for message in found {
      try execute("DELETE FROM pending_messages WHERE pending_id = ?", message.id)
      try removeUnusedPacket(message.packet)
    }
    return found.count
  }

  /// Deletes the messages that wait for a member.
  func deletePending(ofMember id: Int64) throws(StoreError) {
    for packet in try integers("SELECT packet_id FROM pending_messages WHERE member_id = ?", id) {
      try execute("DELETE FROM pending_messages WHERE member_id = ? AND packet_id = ?", id, packet)
      try removeUnusedPacket(packet)
    }
    try execute("UPDATE members SET has_pending = 0 WHERE member_id = ? AND has_pending = 1", id)
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
