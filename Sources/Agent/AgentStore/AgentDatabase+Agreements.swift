import SQLiteKit

/// The progress of agreeing on a new ratchet in a connection.
public struct RatchetAgreement: Sendable, Equatable {
  /// The number of our newest keys; 0 for none.
  public var ownNumber: Int64 = 0
  /// The newest number of the peer's; 0 for none, or for a peer that sends no numbers.
  public var peerNumber: Int64 = 0
  /// When a repair was last begun without being asked for, in milliseconds.
  public var repairedAt: Int64 = 0
  /// The number of keys of the peer that were taken since ``takenSince``, plus one if others were refused.
  public var takenKeys: Int64 = 0
  /// The time at which the count of ``takenKeys`` began, in milliseconds.
  public var takenSince: Int64 = 0

  /// Nothing was agreed yet.
  public init() {}

  /// Counts keys of the peer: each is answered with a message, which waits here until the peer takes it.
  /// - Parameter limit: the most keys for each day.
  /// - Returns: whether they may be taken; nil for the first of a day that may not.
  public mutating func mayTakeKeys(at now: Int64, limit: Int64) -> Bool? {
    // After a clock that was ahead the count begins again, too.
    if now - takenSince >= 86_400_000 || now < takenSince { (takenSince, takenKeys) = (now, 0) }
    guard takenKeys <= limit else { return false }
    takenKeys += 1
    return takenKeys <= limit ? true : nil
  }
}

extension AgentDatabase {
  /// The progress of agreeing on a new ratchet.
  public func ratchetAgreement(of connection: Int64) throws(SQLiteError) -> RatchetAgreement {
    let stored = try database.first(AgentSQL.ratchetAgreement, connection) { (row) throws(SQLiteError) in
      var agreement = RatchetAgreement()
      agreement.ownNumber = try row.integer(0)
      agreement.peerNumber = try row.integer(1)
      agreement.repairedAt = try row.integer(2)
      agreement.takenKeys = try row.integer(3)
      agreement.takenSince = try row.integer(4)
      return agreement
    }
    return stored ?? RatchetAgreement()
  }

  /// Stores the progress of agreeing on a new ratchet.
  public func setRatchetAgreement(_ agreement: RatchetAgreement, of connection: Int64) throws(SQLiteError) {
    try database.execute(
      AgentSQL.putRatchetAgreement, connection, agreement.ownNumber, agreement.peerNumber, agreement.repairedAt,
      agreement.takenKeys, agreement.takenSince)
  }

  /// The connections whose ratchet can decrypt nothing.
  public func connectionsWithBrokenRatchet() throws(SQLiteError) -> [StoredConnection] {
    try database.all(AgentSQL.brokenRatchets) { (row) throws(SQLiteError) in try row.connection() }
  }
}
