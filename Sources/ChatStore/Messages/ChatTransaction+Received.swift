import ChatAPI

extension ChatTransaction {
  /// Whether a received message is one whose effects are not stored yet; see
  /// ``receiveMessage(connectionId:agentMessageId:)``, which counts it.
  public func isNewMessage(connectionId: Int64, agentMessageId: Int64) throws(StoreError) -> Bool {
    let last = try integer("SELECT last_received_id FROM connections WHERE connection_id = ?", connectionId)
    return last.map { agentMessageId > $0 } ?? false
  }
}
