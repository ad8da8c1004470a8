import AgentCore
import SMPProtocol
import SQLiteKit

/// An event as it is stored.
public struct StoredEvent: Sendable {
  /// Its number.
  public var id: EventID
  /// What it is about.
  public var connection: ConnectionID?
  /// The tag of the operation it answers.
  public var tag: CorrelationTag?
  /// What happened, encoded.
  public var payload: [UInt8]
}

extension AgentStore {
  /// Stores an event and gives its number.
  public func insertEvent(
    connection: ConnectionID?, tag: CorrelationTag?, payload: [UInt8]
  ) throws(SQLiteError) -> EventID {
    try database.execute(AgentSQL.insertEvent, connection?.bytes, tag?.bytes, payload)
    return EventID(rawValue: database.lastInsertedRow)
  }

  /// The events that were not confirmed, in order.
  public func events() throws(SQLiteError) -> [StoredEvent] {
    try database.all("SELECT id, connection, tag, payload FROM events ORDER BY id") { (row) throws(SQLiteError) in
      StoredEvent(
        id: EventID(rawValue: try row.integer(0)), connection: try row.optionalBytes(1).map { ConnectionID($0) },
        tag: try row.optionalBytes(2).map { CorrelationTag($0) }, payload: try row.bytes(3))
    }
  }

  /// Removes an event and all before it.
  public func removeEvents(through id: EventID) throws(SQLiteError) {
    try database.execute("DELETE FROM events WHERE id <= ?", id.rawValue)
  }

  // MARK: Statistics

  /// Adds to a counter.
  public func count(
    _ counter: StatisticsCounter, by amount: Int64, user: UserID, server: SMPServer
  ) throws(SQLiteError) {
    let number = try number(of: server)
    try database.execute(AgentSQL.count, user.rawValue, number, counter.rawValue, amount)
  }

  /// All counters.
  public func counters() throws(SQLiteError) -> [(
    user: UserID, server: SMPServer, counter: StatisticsCounter, value: Int64
  )] {
    try database.all("SELECT user, server, counter, value FROM statistics") { (row) throws(SQLiteError) in
      (
        UserID(rawValue: try row.integer(0)), try server(try row.integer(1)), try row.value(2), try row.integer(3)
      )
    }
  }

  /// Removes all counters.
  public func removeCounters() throws(SQLiteError) { try database.execute("DELETE FROM statistics") }
}
