import AgentCore
import SMPProtocol
import SQLiteKit
import WireCodec

/// A connection as it is stored, without its queues and its ratchet.
public struct StoredConnection: Sendable {
  /// Whether it is being deleted. The raw values are stored.
  public enum Deletion: Int64, Sendable {
    case no = 0
    /// Its queues are deleted at their relays.
    case queues = 1
    /// Its messages are sent first.
    case afterDelivery = 2
  }

  /// Its number in the store; 0 before it is inserted.
  public var number: Int64 = 0
  /// Its identifier.
  public var id: ConnectionID
  /// Whose it is.
  public var user: UserID
  /// What it is for.
  public var mode: ConnectionMode
  /// The version of the agent protocol in use.
  public var agentVersion: UInt16
  /// Whether post-quantum encryption is requested and possible.
  public var pqSupport: Bool
  /// Whether push notifications are enabled.
  public var notifications: Bool
  /// Whether the ratchet has to be renegotiated.
  public var ratchetSync = AgentRatchetSyncState.ok
  /// Whether it is being deleted.
  public var deletion = Deletion.no

  /// A new connection.
  public init(
    id: ConnectionID, user: UserID, mode: ConnectionMode, agentVersion: UInt16, pqSupport: Bool, notifications: Bool
  ) {
    self.id = id
    self.user = user
    self.mode = mode
    self.agentVersion = agentVersion
    self.pqSupport = pqSupport
    self.notifications = notifications
  }
}

extension SQLiteRow {
  /// The connection in the columns of ``AgentSQL/connectionColumns``, from `first` on.
  func connection(from first: Int = 0) throws(SQLiteError) -> StoredConnection {
    var connection = StoredConnection(
      id: ConnectionID(try bytes(first + 1)), user: UserID(rawValue: try integer(first + 2)),
      mode: try value(first + 3), agentVersion: try version(first + 4), pqSupport: try bool(first + 5),
      notifications: try bool(first + 6))
    connection.number = try integer(first)
    connection.ratchetSync = try value(first + 7)
    connection.deletion = try value(first + 8)
    return connection
  }
}

extension AgentDatabase {
  /// Stores a new connection and returns its number.
  public func insert(_ connection: StoredConnection) throws(SQLiteError) -> Int64 {
    try database.execute(
      AgentSQL.insertConnection, connection.id.bytes, connection.user.rawValue, connection.mode.rawValue,
      Int64(connection.agentVersion), connection.pqSupport, connection.notifications)
    return database.lastInsertedRow
  }

  /// The connection with an identifier.
  public func connection(_ id: ConnectionID) throws(SQLiteError) -> StoredConnection? {
    try database.first(AgentSQL.connectionByID, id.bytes) { (row) throws(SQLiteError) in try row.connection() }
  }

  /// The connection with a number.
  public func connection(number: Int64) throws(SQLiteError) -> StoredConnection? {
    try database.first(AgentSQL.connectionByNumber, number) { (row) throws(SQLiteError) in try row.connection() }
  }

  /// The identifier of a connection.
  public func connectionID(_ number: Int64) throws(SQLiteError) -> ConnectionID? {
    try database.first(AgentSQL.connectionID, number) { (row) throws(SQLiteError) in
      ConnectionID(try row.bytes(0))
    }
  }

  /// The next connections of a user after one, by their numbers.
  public func connections(
    of user: UserID, after number: Int64, limit: Int
  ) throws(SQLiteError) -> [StoredConnection] {
    try database.all(AgentSQL.connectionsOfUser, user.rawValue, number, limit) { (row) throws(SQLiteError) in
      try row.connection()
    }
  }

  /// The identifiers of a user's connections that are not being deleted.
  public func connectionIDs(of user: UserID) throws(SQLiteError) -> [ConnectionID] {
    try database.all("SELECT id FROM connections WHERE user = ? AND deletion = 0 ORDER BY number", user.rawValue) {
      (row) throws(SQLiteError) in ConnectionID(try row.bytes(0))
    }
  }

  // MARK: First answers

  /// Stores the link that a connection was created with, for an application that asks for it again.
  public func setCreatedLink(_ link: CreatedLink, of connection: Int64) throws(SQLiteError) {
    let bytes = try stored { () throws(WireError) in try CreatedLink.storedCodec.encode(link) }
    try database.execute(AgentSQL.putCreatedLink, connection, bytes)
  }

  /// The link that a connection was created with, until its peer was allowed.
  public func createdLink(of connection: Int64) throws(SQLiteError) -> CreatedLink? {
    try database.first(AgentSQL.createdLink, connection) { (row) throws(SQLiteError) in
      let bytes = try row.bytes(0)
      return try readStored { () throws(WireError) in try CreatedLink.storedCodec.decode(bytes) }
    }
  }

  /// Removes the link that a connection was created with.
  public func removeCreatedLink(of connection: Int64) throws(SQLiteError) {
    try database.execute("DELETE FROM created_links WHERE connection = ?", connection)
  }

  /// Stores that joining is finished, and whether the peer's queue was secured by it.
  public func setJoined(_ connection: Int64, isSecured: Bool) throws(SQLiteError) {
    try database.execute(AgentSQL.setJoined, connection, isSecured)
  }

  /// Whether the peer's queue was secured when joining finished; nil for a connection that was not joined.
  public func joined(_ connection: Int64) throws(SQLiteError) -> Bool? {
    try database.first(AgentSQL.joined, connection) { (row) throws(SQLiteError) in try row.optionalInteger(0) }
      .flatMap { $0 }.map { $0 != 0 }
  }

  /// Whether a user has connections.
  public func hasConnections(_ user: UserID) throws(SQLiteError) -> Bool {
    try database.first(AgentSQL.userHasConnections, user.rawValue) { (_) in true } ?? false
  }

  /// Stores what can change of a connection.
  public func update(_ connection: StoredConnection) throws(SQLiteError) {
    try database.execute(
      AgentSQL.updateConnection, connection.number, connection.user.rawValue, Int64(connection.agentVersion),
      connection.pqSupport, connection.notifications, connection.ratchetSync.rawValue)
  }

  /// Marks a connection that is being deleted, and when it is at the latest.
  public func setDeletion(
    _ connection: Int64, _ deletion: StoredConnection.Deletion, at time: Int64
  ) throws(SQLiteError) {
    try database.execute(AgentSQL.setDeletion, connection, deletion.rawValue, time)
  }

  /// Connections that are being deleted, with the time when they have to be.
  public func deletedConnections() throws(SQLiteError) -> [(connection: StoredConnection, at: Int64)] {
    try database.all(AgentSQL.deletedConnections) { (row) throws(SQLiteError) in
      (try row.connection(), try row.optionalInteger(9) ?? 0)
    }
  }

  /// Removes a connection with everything that belongs to it, but not its tasks for deleting queues.
  public func removeConnection(_ connection: Int64) throws(SQLiteError) {
    for sql in AgentSQL.removeConnection { try database.execute(sql, connection) }
  }
}
