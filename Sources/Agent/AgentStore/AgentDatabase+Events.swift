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

  /// An event.
  public init(id: EventID, connection: ConnectionID?, tag: CorrelationTag?, payload: [UInt8]) {
    self.id = id
    self.connection = connection
    self.tag = tag
    self.payload = payload
  }
}

extension AgentDatabase {
  /// Stores an event.
  public func insert(_ event: StoredEvent) throws(SQLiteError) {
    try database.execute(
      AgentSQL.insertEvent, event.id.rawValue, event.connection?.bytes, event.tag?.bytes, event.payload)
  }

  /// Whether an event about a connection, with this tag and this first byte of its payload, waits to be confirmed.
  public func hasEvent(about connection: ConnectionID, tag: CorrelationTag?, form: UInt8) throws(SQLiteError) -> Bool {
    try database.first(AgentSQL.hasEvent, connection.bytes, tag?.bytes, [form]) { (_) in true } ?? false
  }

  /// The highest number that an event may have, or may have had: numbers are reserved in blocks, and a block is stored
  /// before any of its numbers is used.
  public func reservedEvents() throws(SQLiteError) -> EventID {
    let stored = try database.first("SELECT coalesce(max(id), 0) FROM events") { (row) throws(SQLiteError) in
      try row.integer(0)
    }
    return EventID(rawValue: max(try setting(Self.eventSetting) ?? 0, stored ?? 0))
  }

  /// Reserves numbers of events.
  public func reserveEvents(through id: EventID) throws(SQLiteError) {
    try setSetting(Self.eventSetting, id.rawValue)
  }

  private static let eventSetting = "reserved_events"

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
    _ counter: StatisticsCounter, by amount: Int64, user: UserID, server: SMPServerAddress
  ) throws(SQLiteError) {
    let number = try number(of: server)
    try database.execute(AgentSQL.count, user.rawValue, number, counter.rawValue, amount)
  }

  /// All counters.
  public func counters() throws(SQLiteError) -> [(
    user: UserID, server: SMPServerAddress, counter: StatisticsCounter, value: Int64
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
