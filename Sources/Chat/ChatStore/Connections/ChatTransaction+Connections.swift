import ChatAPI
import SQLiteKit

private func readConnection(_ row: borrowing SQLiteRow) throws(SQLFailure) -> Connection {
  var at = ColumnIndex()
  return try row.connection(&at)
}

private let connectionQuery = "SELECT \(connectionColumns("n")) FROM connections n"
private let connectionByAgentID =
  connectionQuery + " WHERE n.agent_conn_id = ? AND n.user_id = ? AND n.status <> 'deleted'"

extension ChatTransaction {

  /// The connection with this number.
  public func connection(_ id: Int64, of user: User) throws(StoreError) -> Connection {
    let found = try first(
      connectionQuery + " WHERE n.connection_id = ? AND n.user_id = ?", id, user.userId, row: readConnection)
    guard let found else { throw .connectionNotFoundById(connId: id) }
    return found
  }

  /// The connection with the agent's identifier, deleted ones excepted.
  public func connection(agentConnId: String, of user: User) throws(StoreError) -> Connection {
    let found = try first(connectionByAgentID, agentConnId, user.userId, row: readConnection)
    guard let found else { throw .connectionNotFound(agentConnId: agentConnId) }
    return found
  }

  /// All connections of a contact; more than one where somebody connected again.
  public func connections(ofContact id: Int64) throws(StoreError) -> [Connection] {
    try all(connectionQuery + " WHERE n.contact_id = ? ORDER BY n.connection_id", id, row: readConnection)
  }

  /// The connection of the user's address.
  public func addressConnection(of user: User) throws(StoreError) -> Connection {
    let found = try first(
      connectionQuery + " JOIN addresses a ON a.address_id = n.address_id WHERE a.user_id = ? AND a.group_id IS NULL",
      user.userId, row: readConnection)
    guard let found else { throw .userContactLinkNotFound }
    return found
  }

  /// Whether a connection is the user's own invitation, which others join.
  public func isOwnInvitation(connection id: Int64) throws(StoreError) -> Bool {
    try integer("SELECT 1 FROM connections WHERE connection_id = ? AND invitation_link IS NOT NULL", id) != nil
  }

  /// The newest connection by an address with one of these hashes; one that has a contact is preferred.
  public func connection(viaLinkHashes hashes: [String], of user: User) throws(StoreError) -> Connection? {
    try first(
      connectionQuery + """
         WHERE n.user_id = ?1 AND n.via_link_hash IN (SELECT value FROM json_each(?2)) AND n.status <> 'deleted' \
        ORDER BY n.contact_id IS NULL, n.connection_id DESC LIMIT 1
        """, user.userId, hashes.column, row: readConnection)
  }

  /// Deletes a connection. Commands about it stay: they name it by the agent's identifier. If the message at hand came
  /// by it, what else that message causes is charged to nobody.
  public func deleteConnection(_ id: Int64) throws(StoreError) {
    try execute("DELETE FROM connections WHERE connection_id = ?", id)
    if id == payer { payer = 0 }
  }

  /// Deletes the connection with the agent's identifier.
  public func deleteConnection(agentConnId: String) throws(StoreError) {
    guard let id = try integer("SELECT connection_id FROM connections WHERE agent_conn_id = ?", agentConnId) else {
      return
    }
    try deleteConnection(id)
  }

  /// Deletes all connections of a contact.
  public func deleteConnections(ofContact id: Int64) throws(StoreError) {
    for connection in try integers("SELECT connection_id FROM connections WHERE contact_id = ?", id) {
      try deleteConnection(connection)
    }
  }

  // MARK: Subscribing

  /// The agent's identifiers of all of a user's connections that receive: of contacts that are not deleted, of
  /// addresses, and of those without contact.
  /// - Parameter onlyNew: only those made without subscribing to them.
  public func connectionsToSubscribe(of user: User, onlyNew: Bool = false) throws(StoreError) -> [String] {
    try texts(
      """
      SELECT n.agent_conn_id FROM connections n LEFT JOIN contacts c ON c.contact_id = n.contact_id \
      WHERE n.user_id = ?1 AND n.status <> 'deleted' \
      AND (c.contact_id IS NULL OR c.status NOT IN ('deleted', 'deletedByUser')) \
      AND (?2 = 0 OR n.to_subscribe = 1) ORDER BY n.connection_id
      """, user.userId, onlyNew)
  }

  /// Stores that the agent has subscribed to these connections of a user, the agent's identifiers: others may have been
  /// created since those were read.
  public func setSubscribed(_ connections: [String], of user: User) throws(StoreError) {
    try execute(
      """
      UPDATE connections SET to_subscribe = 0 WHERE user_id = ?1 AND to_subscribe = 1 \
      AND agent_conn_id IN (SELECT value FROM json_each(?2))
      """, user.userId, connections.column)
  }

  // MARK: What belongs to a connection

  /// What the connection with the agent's identifier belongs to.
  public func connectionEntity(agentConnId: String, of user: User) throws(StoreError) -> ConnectionEntity {
    try entity(of: try connection(agentConnId: agentConnId, of: user), of: user)
  }

  /// What the connection that made or joins an invitation belongs to, if there is one. Links are compared as they are:
  /// give every spelling of the invitation.
  public func connectionEntity(invitations: [String], of user: User) throws(StoreError) -> ConnectionEntity? {
    let id = try text(
      """
      SELECT agent_conn_id FROM connections WHERE user_id = ?1 \
      AND invitation_link IN (SELECT value FROM json_each(?2)) LIMIT 1
      """, user.userId, invitations.column)
    return try id.flatMap { (id) throws(StoreError) in try knownEntity(agentConnId: id, of: user) }
  }

  /// The full link and the entity of the connection of an invitation's short link.
  public func connectionEntity(
    shortInvitation link: String, of user: User
  ) throws(StoreError) -> (link: String, entity: ConnectionEntity)? {
    let found = try first(
      """
      SELECT invitation_link, agent_conn_id FROM connections WHERE user_id = ? AND invitation_short_link = ? \
      AND invitation_link IS NOT NULL LIMIT 1
      """, user.userId, link
    ) { (row) throws(SQLFailure) in (try row.text(0), try row.text(1)) }
    guard let found, let entity = try knownEntity(agentConnId: found.1, of: user) else { return nil }
    return (found.0, entity)
  }

  /// What the newest connection by an address with one of these hashes belongs to.
  public func connectionEntity(viaLinkHashes hashes: [String], of user: User) throws(StoreError) -> ConnectionEntity? {
    guard let connection = try connection(viaLinkHashes: hashes, of: user) else { return nil }
    return try knownEntity(agentConnId: connection.agentConnId, of: user)
  }

  /// The entity of a connection; nil where it is gone, because it then receives nothing.
  private func knownEntity(agentConnId: String, of user: User) throws(StoreError) -> ConnectionEntity? {
    do throws(StoreError) {
      return try connectionEntity(agentConnId: agentConnId, of: user)
    } catch .dBException(let message) {
      throw .dBException(message: message)
    } catch {
      return nil
    }
  }

  private func entity(of connection: Connection, of user: User) throws(StoreError) -> ConnectionEntity {
    switch (connection.connType, connection.entityId) {
    case (.contact, nil): return .rcvDirectMsgConnection(entityConnection: connection, contact: nil)
    case (.contact, let id?):
      var contact = try self.contact(id, of: user)
      guard contact.contactStatus == .active else { throw .internalError(message: "referenced contact not found") }
      // The message came by this connection, which need not be the one in use.
      contact.activeConn = connection
      return .rcvDirectMsgConnection(entityConnection: connection, contact: contact)
    case (.userContact, let id?):
      let found = try first(
        "SELECT full_link, group_id FROM addresses WHERE address_id = ? AND user_id = ?", id, user.userId
      ) { (row) throws(SQLFailure) in
        UserContact(userContactLinkId: id, connReqContact: try row.text(0), groupId: try row.optionalInteger(1))
      }
      guard let found else { throw .userContactLinkNotFound }
      return .userContactConnection(entityConnection: connection, userContact: found)
    case (.member, let id?):
      var member = try self.member(id, of: user)
      // The message came by this connection, which need not be the one in use.
      member.activeConn = connection
      return .rcvGroupMsgConnection(
        entityConnection: connection, groupInfo: try group(member.groupId, of: user), groupMember: member)
    case (_, nil):
      throw .internalError(message: "connection \(connection.connType.rawValue) without entity")
    }
  }
}
