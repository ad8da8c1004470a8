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

  /// Stores that a received message is handled, and gets no receipt unless
  /// ``setReceipt(connectionId:agentMessageId:)`` follows; false where it was handled before. Numbers only grow, but
  /// for those of ``addUnhandledMessage(agentConnId:agentMessageId:)``.
  public func receiveMessage(connectionId: Int64, agentMessageId: Int64) throws(StoreError) -> Bool {
    let isNext =
      try execute(
        """
        UPDATE connections SET last_received_id = ?2, sends_receipt = 0 \
        WHERE connection_id = ?1 AND last_received_id < ?2
        """, connectionId, agentMessageId) == 1
    if isNext { return true }
    return try execute(
      "DELETE FROM unhandled_messages WHERE connection_id = ? AND agent_message_id = ?", connectionId, agentMessageId)
      == 1
  }

  /// Stores that a message could not be handled and comes again later, perhaps after messages with higher numbers.
  /// No-op for a message that was handled, and for one of an unknown connection. The agent keeps the message, so that
  /// there are no more of these rows than of its own.
  /// - Parameter agentConnId: the agent's identifier of the connection, base64url.
  public func addUnhandledMessage(agentConnId: String, agentMessageId: Int64) throws(StoreError) {
    try execute(
      """
      INSERT INTO unhandled_messages (connection_id, agent_message_id) \
      SELECT connection_id, ?2 FROM connections WHERE agent_conn_id = ?1 AND last_received_id < ?2
      """, agentConnId, agentMessageId)
    try execute(
      """
      UPDATE connections SET last_received_id = ?2, sends_receipt = 0 \
      WHERE agent_conn_id = ?1 AND last_received_id < ?2
      """, agentConnId, agentMessageId)
  }

  /// Stores that a message gets a receipt, if it is the last one of its connection.
  public func setReceipt(connectionId: Int64, agentMessageId: Int64) throws(StoreError) {
    try execute(
      "UPDATE connections SET sends_receipt = 1 WHERE connection_id = ? AND last_received_id = ?", connectionId,
      agentMessageId)
  }

  /// Whether a message that was handled before gets a receipt. It is known of the last one of a connection: the agent
  /// delivers the next message when that is acknowledged.
  public func sendsReceipt(connectionId: Int64, agentMessageId: Int64) throws(StoreError) -> Bool {
    try integer(
      "SELECT 1 FROM connections WHERE connection_id = ? AND last_received_id = ? AND sends_receipt = 1", connectionId,
      agentMessageId) != nil
  }
}
