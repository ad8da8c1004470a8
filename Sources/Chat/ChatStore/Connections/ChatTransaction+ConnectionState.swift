import ChatAPI

extension ChatTransaction {
  /// Stores how far a connection is established. One that is ready needs its invitation no more.
  public func setStatus(_ status: ConnStatus, ofConnection id: Int64) throws(StoreError) {
    try execute(
      "UPDATE connections SET status = ?2, status_error = ?3, updated_at = ?4 WHERE connection_id = ?1", id,
      status.storedName, status.storedReason, nowMicroseconds)
    if status == .ready {
      try execute(
        """
        UPDATE connections SET invitation_link = NULL, invitation_short_link = NULL WHERE connection_id = ?
        """, id)
    }
  }

  /// Changes the status if it is still `old`; returns the connection with its status.
  public func setStatus(
    of connection: Connection, from old: ConnStatus, to new: ConnStatus
  ) throws(StoreError) -> Connection {
    let stored = try text("SELECT status FROM connections WHERE connection_id = ?", connection.connId)
    guard stored == old.storedName else { return connection }
    try setStatus(new, ofConnection: connection.connId)
    var changed = connection
    changed.connStatus = new
    return changed
  }

  /// Stores the version in use and those that the peer understands.
  public func setVersions(_ version: Int, peer: VersionRange, ofConnection id: Int64) throws(StoreError) {
    try execute(
      """
      UPDATE connections SET chat_version = ?2, peer_min_version = ?3, peer_max_version = ?4 WHERE connection_id = ?1
      """, id, version, peer.minVersion, peer.maxVersion)
  }

  /// Stores whether quantum-resistant encryption is supported and enabled.
  public func setPQSupport(_ supported: Bool, encryption: Bool, ofConnection id: Int64) throws(StoreError) {
    try execute(
      "UPDATE connections SET pq_support = ?2, pq_encryption = ?3 WHERE connection_id = ?1", id, supported, encryption)
  }

  /// Stores whether quantum-resistant encryption is in use for what is sent or received; nil leaves it as it is.
  public func setPQEnabled(sending: Bool?, receiving: Bool?, ofConnection id: Int64) throws(StoreError) {
    try execute(
      """
      UPDATE connections SET pq_sending = coalesce(?2, pq_sending), pq_receiving = coalesce(?3, pq_receiving) \
      WHERE connection_id = ?1
      """, id, sending, receiving)
  }

  /// Stores the security code that the user verified, or forgets it.
  public func setVerified(code: String?, ofConnection id: Int64) throws(StoreError) {
    try execute(
      "UPDATE connections SET security_code = ?2, verified_at = ?3, updated_at = ?4 WHERE connection_id = ?1", id, code,
      code == nil ? nil : nowMicroseconds, nowMicroseconds)
  }

  /// Stores whether nothing can be sent before the ratchet is synchronized.
  public func setSendingProhibited(_ isProhibited: Bool, ofConnection id: Int64) throws(StoreError) {
    try execute("UPDATE connections SET sending_prohibited = ?2 WHERE connection_id = ?1", id, isProhibited)
  }

  /// Whether nothing can be sent before the ratchet is synchronized.
  public func isSendingProhibited(ofConnection id: Int64) throws(StoreError) -> Bool {
    try integer("SELECT sending_prohibited FROM connections WHERE connection_id = ?", id) == 1
  }

  /// Counts a refusal of authorization; returns the number of consecutive ones.
  public func countAuthorizationError(ofConnection id: Int64) throws(StoreError) -> Int {
    try count("authorization_errors", ofConnection: id)
  }

  /// Sets the number of refused authorizations.
  public func setAuthorizationErrors(_ count: Int, ofConnection id: Int64) throws(StoreError) {
    try execute("UPDATE connections SET authorization_errors = ?2 WHERE connection_id = ?1", id, count)
  }

  /// Counts that the queue of the peer was full; returns the number of consecutive times.
  public func countQuotaError(ofConnection id: Int64) throws(StoreError) -> Int {
    try count("quota_errors", ofConnection: id)
  }

  /// Sets the number of times the queue of the peer was full.
  public func setQuotaErrors(_ count: Int, ofConnection id: Int64) throws(StoreError) {
    try execute("UPDATE connections SET quota_errors = ?2 WHERE connection_id = ?1", id, count)
  }

  private func count(_ column: String, ofConnection id: Int64) throws(StoreError) -> Int {
    try execute(
      "UPDATE connections SET \(column) = \(column) + 1, updated_at = ?2 WHERE connection_id = ?1", id, nowMicroseconds)
    return Int(try integer("SELECT \(column) FROM connections WHERE connection_id = ?", id) ?? 0)
  }

  /// Stores that the other side's request was taken instead of this side's.
  public func resetInitiated(ofConnection id: Int64) throws(StoreError) {
    try execute(
      "UPDATE connections SET initiated = 0, updated_at = ?2 WHERE connection_id = ?1", id, nowMicroseconds)
  }

  /// Stores the invitation of a connection, after it was made.
  public func setInvitation(_ link: CreatedConnLink, ofConnection id: Int64) throws(StoreError) {
    try execute(
      """
      UPDATE connections SET invitation_link = ?2, invitation_short_link = ?3, updated_at = ?4 WHERE connection_id = ?1
      """, id, link.connFullLink, link.connShortLink, nowMicroseconds)
  }

  /// Stores the address that a connection asks by, after its data was read.
  public func setViaLink(
    _ link: CreatedConnLink, hash: String, groupLinkId: String?, chatVersion: Int, pqSupport: Bool,
    ofConnection id: Int64
  ) throws(StoreError) {
    try execute(
      """
      UPDATE connections SET via_link = ?2, via_short_link = coalesce(?3, via_short_link), via_link_hash = ?4, \
      group_link_id = ?5, chat_version = ?6, pq_support = ?7, pq_encryption = ?7, updated_at = ?8 \
      WHERE connection_id = ?1
      """, id, link.connFullLink, link.connShortLink, hash, groupLinkId, chatVersion, pqSupport, nowMicroseconds)
  }
}

extension ChatTransaction {
  /// Whether what is stored about the encryption of sent messages, post-quantum or not, differs from `isOn`. For
  /// members, nothing stored means off.
  public func differsInPQ(sending isOn: Bool, agentConnId: String) throws(StoreError) -> Bool {
    try integer(
      """
      SELECT 1 FROM connections WHERE agent_conn_id = ?1 AND ((kind = 'contact' AND pq_sending IS NOT ?2) \
      OR (kind = 'member' AND coalesce(pq_sending, 0) <> ?2))
      """, agentConnId, isOn) != nil
  }
}

// MARK: Comparing with the agent

extension ChatTransaction {
  /// The agent's identifiers of all connections.
  public func allConnections() throws(StoreError) -> [String] { try texts("SELECT agent_conn_id FROM connections") }

  /// The agent's identifiers of the connections that it has to know: those that are not only prepared, and not deleted,
  /// nor a deleted user's.
  public func establishedConnections() throws(StoreError) -> [String] {
    try texts(
      """
      SELECT agent_conn_id FROM connections n WHERE status NOT IN ('prepared', 'deleted', 'failed') \
      AND NOT (status = 'new' AND kind = 'contact' AND contact_id IS NOT NULL) \
      AND NOT EXISTS (SELECT 1 FROM agent_commands c WHERE c.agent_conn_id = n.agent_conn_id) \
      AND EXISTS (SELECT 1 FROM users u WHERE u.user_id = n.user_id)
      """)
  }

  /// The agent's identifiers of the connections that commands wait for.
  public func connectionsWithCommands() throws(StoreError) -> [String] {
    try texts("SELECT DISTINCT agent_conn_id FROM agent_commands")
  }
}
