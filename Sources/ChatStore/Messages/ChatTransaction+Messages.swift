import ChatAPI
import SQLiteKit
import SimplexJSON

/// A message that the agent has not taken yet.
public struct OutgoingMessage: Hashable, Sendable {
  /// Database id.
  public var id: Int64
  /// The connection to send it over.
  public var connectionId: Int64
  /// Whether the recipient is to be notified.
  public var notify: Bool
  /// The encoded message or batch.
  public var body: [UInt8]
  /// The items it is about.
  public var itemIds: [Int64]

  /// A message of these parts.
  public init(id: Int64, connectionId: Int64, notify: Bool, body: [UInt8], itemIds: [Int64]) {
    self.id = id
    self.connectionId = connectionId
    self.notify = notify
    self.body = body
    self.itemIds = itemIds
  }
}

private let outgoingQuery = "SELECT outgoing_id, connection_id, notify, body, item_ids FROM outgoing_messages"
private let outgoingOfConnection = outgoingQuery + " WHERE connection_id = ? ORDER BY outgoing_id LIMIT ?"
private let outgoingOfAll = outgoingQuery + " ORDER BY outgoing_id LIMIT ?"

/// Messages between the agent and the items.
///
/// An outgoing message is stored in the transaction that stores its effects here, and handed to the agent after that;
/// what the agent has not taken when the program ends is handed over at the next start. A received message is counted
/// in the transaction that stores its effects, and acknowledged after that.
extension ChatTransaction {
  /// Stores a message to be handed to the agent, and gives its number.
  public func addOutgoing(
    _ body: [UInt8], notify: Bool, items: [Int64], connectionId: Int64
  ) throws(StoreError) -> Int64 {
    try insert(
      "INSERT INTO outgoing_messages (connection_id, notify, body, item_ids, created_at) VALUES (?, ?, ?, ?, ?)",
      connectionId, notify, body, items.column, nowMicroseconds)
  }

  /// The messages that the agent has not taken yet, in order; of all connections or of one.
  public func outgoingMessages(
    connectionId: Int64? = nil, limit: Int = 1_000
  ) throws(StoreError) -> [OutgoingMessage] {
    let read = { (row: borrowing SQLiteRow) throws(SQLFailure) -> OutgoingMessage in
      var at = ColumnIndex()
      return OutgoingMessage(
        id: try row.integer(&at), connectionId: try row.integer(&at), notify: try row.bool(&at),
        body: try row.bytes(at.next()), itemIds: try row.json(&at))
    }
    if let connectionId { return try all(outgoingOfConnection, connectionId, limit, row: read) }
    return try all(outgoingOfAll, limit, row: read)
  }

  /// Stores that the agent took a message, and which number it gave it.
  public func setTaken(_ message: OutgoingMessage, agentMessageId: Int64) throws(StoreError) {
    try addDelivery(connectionId: message.connectionId, agentMessageId: agentMessageId, items: message.itemIds)
    try execute("DELETE FROM outgoing_messages WHERE outgoing_id = ?", message.id)
  }

  /// Forgets a message that the agent refused.
  public func deleteOutgoing(_ id: Int64) throws(StoreError) {
    try execute("DELETE FROM outgoing_messages WHERE outgoing_id = ?", id)
  }

  /// Stores which items a message of the agent is about.
  public func addDelivery(connectionId: Int64, agentMessageId: Int64, items: [Int64]) throws(StoreError) {
    for item in items {
      try execute(
        "INSERT OR IGNORE INTO deliveries (connection_id, agent_message_id, item_id) VALUES (?, ?, ?)", connectionId,
        agentMessageId, item)
    }
  }

  /// The items that a message of the agent is about.
  public func items(connectionId: Int64, agentMessageId: Int64) throws(StoreError) -> [Int64] {
    try integers(
      "SELECT item_id FROM deliveries WHERE connection_id = ? AND agent_message_id = ? ORDER BY item_id", connectionId,
      agentMessageId)
  }

  /// Counts a received message, and says whether it is new: the agent gives a message again until it is acknowledged,
  /// and its numbers only grow.
  public func receiveMessage(connectionId: Int64, agentMessageId: Int64) throws(StoreError) -> Bool {
    try execute(
      "UPDATE connections SET last_received_id = ?2 WHERE connection_id = ?1 AND last_received_id < ?2", connectionId,
      agentMessageId) == 1
  }
}
