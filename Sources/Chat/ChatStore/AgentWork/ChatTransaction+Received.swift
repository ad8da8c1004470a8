import ChatAPI
import FoundationTypes

/// Watermarks of handled events and messages. The agent delivers them again until they are acknowledged; the numbers
/// here identify those whose effects are stored.
extension ChatTransaction {
  /// The number of the last event whose effects are stored.
  public func lastHandledEvent() throws(StoreError) -> Int64 {
    try integer("SELECT last_event_id FROM handled_events") ?? 0
  }

  /// Stores that an event is handled; false where it was handled before. Numbers only grow.
  public func setHandled(event id: Int64) throws(StoreError) -> Bool {
    try execute("UPDATE handled_events SET last_event_id = ?1 WHERE last_event_id < ?1", id) == 1
  }

  /// Stores that a received message is handled, and gets no receipt unless ``setReceipt(connectionId:)`` follows;
  /// false where it was handled before. Numbers only grow.
  public func receiveMessage(connectionId: Int64, agentMessageId: Int64) throws(StoreError) -> Bool {
    try execute(
      """
      UPDATE connections SET last_received_id = ?2, sends_receipt = 0 WHERE connection_id = ?1 AND last_received_id < ?2
      """, connectionId, agentMessageId) == 1
  }

  /// Stores that the last message of a connection gets a receipt.
  public func setReceipt(connectionId: Int64) throws(StoreError) {
    try execute("UPDATE connections SET sends_receipt = 1 WHERE connection_id = ?", connectionId)
  }

  /// Whether a message that was handled before gets a receipt. It is known of the last one of a connection: the agent
  /// delivers the next message when that is acknowledged.
  public func sendsReceipt(connectionId: Int64, agentMessageId: Int64) throws(StoreError) -> Bool {
    try integer(
      "SELECT 1 FROM connections WHERE connection_id = ? AND last_received_id = ? AND sends_receipt = 1", connectionId,
      agentMessageId) != nil
  }
}
