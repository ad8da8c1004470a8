import ChatAPI
import FoundationTypes
import SQLiteKit

/// Messages that a relay delivers to the members of a channel.
public struct ChannelDelivery: Hashable, Sendable {
  /// The members who get a delivery.
  public enum Scope: Hashable, Sendable {
    /// All members; with those who wait to be admitted where it concerns them.
    case members(includingPending: Bool)
    /// A member, a database id, and the moderators.
    case support(Int64)
  }

  /// One message.
  public struct Part: Hashable, Sendable {
    /// The author, a database id; 0 for the channel.
    public var author: Int64
    /// The identifier that all members use, base64url; empty where the message has none.
    public var sharedMsgId: String
    /// The message as it is forwarded: an element of a batch.
    public var body: [UInt8]

    /// A message of an author.
    public init(author: Int64, sharedMsgId: String, body: [UInt8]) {
      self.author = author
      self.sharedMsgId = sharedMsgId
      self.body = body
    }
  }

  /// The members who get it.
  public var scope: Scope
  /// The member who sent it and does not get it back, a database id; 0 where several did.
  public var sender: Int64
  /// Whether the connections of the channel are deleted after it.
  public var isLast: Bool
  /// Its messages.
  public var parts: [Part]

  /// A delivery of messages.
  public init(_ scope: Scope, sender: Int64, isLast: Bool = false, parts: [Part]) {
    self.scope = scope
    self.sender = sender
    self.isLast = isLast
    self.parts = parts
  }
}

/// A delivery with its number.
public struct StoredDelivery: Hashable, Sendable {
  /// The number: deliveries of a channel are in the order of their numbers.
  public var id: Int64
  /// The index of the last member who was served; -1 for none.
  public var cursor: Int64
  /// Its members and messages.
  public var delivery: ChannelDelivery
}

/// A member who was passed over.
public struct DeliveryPosition: Hashable, Sendable {
  /// The member, a database id.
  public var member: Int64
  /// The first delivery that it missed.
  public var delivery: Int64
}

/// What a relay still has to deliver to the members of channels, and who is behind.
///
/// A delivery is stored by the turn that handles its messages. Its cursor moves in the transaction that sends to the
/// members up to it, so a program that ends at any moment neither repeats nor skips anybody.
public struct DeliveryStore {
  let transaction: ChatTransaction

  /// Adds a delivery after all others of its channel; returns its number.
  @discardableResult
  public func add(_ delivery: ChannelDelivery, toGroup id: Int64) throws(StoreError) -> Int64 {
    var (scope, includesPending) = (Int64(0), false)
    switch delivery.scope {
    case .members(let pending): includesPending = pending
    case .support(let member): scope = member
    }
    let number = try transaction.insert(
      """
      INSERT INTO channel_deliveries (group_id, scope_id, sender_id, includes_pending, is_last, created_at) \
      VALUES (?, ?, ?, ?, ?, ?)
      """, id, scope, delivery.sender, includesPending, delivery.isLast, transaction.nowMicroseconds)
    for (position, part) in delivery.parts.enumerated() {
      try transaction.execute(
        """
        INSERT INTO channel_delivery_parts (delivery_id, position, author_id, shared_id, body) VALUES (?, ?, ?, ?, ?)
        """, number, position, part.author, part.sharedMsgId, part.body)
    }
    return number
  }

  /// The first deliveries of a channel that not all members have, in order.
  /// - Parameter from: the number of the first one; nil for those whose members are being served.
  public func waiting(
    inGroup id: Int64, from: Int64? = nil, limit: Int
  ) throws(StoreError) -> [StoredDelivery] {
    let found = try transaction.all(
      """
      SELECT delivery_id, scope_id, sender_id, includes_pending, is_last, coalesce(cursor, -1) \
      FROM channel_deliveries WHERE group_id = ?1 AND \
      \(from == nil ? "cursor IS NOT NULL AND delivery_id >= coalesce(?2, 0)" : "delivery_id >= ?2") \
      ORDER BY delivery_id LIMIT ?3
      """, id, from, limit
    ) { (row) throws(SQLFailure) in
      let (scope, includesPending) = (try row.integer(1), try row.integer(3) != 0)
      return StoredDelivery(
        id: try row.integer(0), cursor: try row.integer(5),
        delivery: ChannelDelivery(
          scope == 0 ? .members(includingPending: includesPending) : .support(scope), sender: try row.integer(2),
          isLast: try row.integer(4) != 0, parts: []))
    }
    var deliveries: [StoredDelivery] = []
    for var stored in found {
      stored.delivery.parts = try parts(of: stored.id)
      deliveries.append(stored)
    }
    return deliveries
  }

  private func parts(of delivery: Int64) throws(StoreError) -> [ChannelDelivery.Part] {
    try transaction.all(
      """
      SELECT author_id, shared_id, body FROM channel_delivery_parts WHERE delivery_id = ? ORDER BY position
      """, delivery
    ) { (row) throws(SQLFailure) in
      ChannelDelivery.Part(author: try row.integer(0), sharedMsgId: try row.text(1), body: try row.bytes(2))
    }
  }

  /// Stores that the members up to an index were served; nil when all were.
  public func advance(_ delivery: Int64, to cursor: Int64?) throws(StoreError) {
    try transaction.execute("UPDATE channel_deliveries SET cursor = ?2 WHERE delivery_id = ?1", delivery, cursor)
  }

  /// Removes a message from the deliveries of a channel, because it was deleted.
  /// - Parameter author: a database id; 0 for the channel.
  public func remove(sharedMsgId: String, by author: Int64, inGroup id: Int64) throws(StoreError) {
    try transaction.execute(
      """
      DELETE FROM channel_delivery_parts WHERE shared_id = ?1 AND shared_id <> '' AND author_id = ?2 \
      AND delivery_id IN (SELECT delivery_id FROM channel_deliveries WHERE group_id = ?3)
      """, sharedMsgId, author, id)
  }

  // MARK: Members who are behind

  /// Stores that a member did not get a delivery; where it missed others before, the first one counts.
  public func pass(over member: Int64, at delivery: Int64, inGroup id: Int64) throws(StoreError) {
    try transaction.execute(
      "INSERT OR IGNORE INTO delivery_positions (member_id, group_id, delivery_id) VALUES (?, ?, ?)", member, id,
      delivery)
  }

  /// The first delivery that a member missed; nil for a member who is not behind.
  public func position(ofMember id: Int64) throws(StoreError) -> Int64? {
    try transaction.integer("SELECT delivery_id FROM delivery_positions WHERE member_id = ?", id)
  }

  /// Stores the next delivery that a member who is behind gets; nil when it got all.
  public func setPosition(_ delivery: Int64?, ofMember id: Int64) throws(StoreError) {
    if let delivery {
      try transaction.execute("UPDATE delivery_positions SET delivery_id = ?2 WHERE member_id = ?1", id, delivery)
    } else {
      try transaction.execute("DELETE FROM delivery_positions WHERE member_id = ?", id)
    }
  }

  /// Deletes up to `limit` deliveries of a channel that everybody has, or that are older than the seconds: members who
  /// are still behind go on with the first one that is left.
  /// - Returns: whether more may be left.
  public func deleteDelivered(
    inGroup id: Int64, olderThan seconds: Double, limit: Int
  ) throws(StoreError) -> Bool {
    let old = transaction.trustsClock ? transaction.now.addingTimeInterval(-seconds).microseconds : Int64.min
    let deleted = try transaction.integers(
      """
      DELETE FROM channel_deliveries WHERE delivery_id IN (SELECT delivery_id FROM channel_deliveries \
      WHERE group_id = ?1 AND cursor IS NULL AND (created_at < ?2 OR delivery_id < coalesce((SELECT min(delivery_id) \
      FROM delivery_positions WHERE group_id = ?1), delivery_id + 1)) ORDER BY delivery_id LIMIT ?3) \
      RETURNING delivery_id
      """, id, old, limit)
    if let last = deleted.max() {
      try transaction.execute(
        "UPDATE delivery_positions SET delivery_id = ?2 WHERE group_id = ?1 AND delivery_id < ?2", id, last + 1)
    }
    return deleted.count == limit
  }

  /// Deletes up to `limit` deliveries of a group that is deleted; returns how many.
  func deleteSome(ofDeletedGroup id: Int64, limit: Int) throws(StoreError) -> Int {
    try transaction.execute(
      """
      DELETE FROM channel_deliveries WHERE delivery_id IN (SELECT delivery_id FROM channel_deliveries \
      WHERE group_id = ? LIMIT ?)
      """, id, limit)
  }
}

extension ChatTransaction {
  /// What a relay still has to deliver to the members of channels.
  public var deliveries: DeliveryStore { DeliveryStore(transaction: self) }
}
