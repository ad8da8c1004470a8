import SQLiteKit

/// The progress of agreeing on a new ratchet in a connection.
public struct RatchetAgreement: Sendable, Equatable {
  /// The number of our newest keys; 0 for none.
  public var ownNumber: Int64 = 0
  /// The newest number of the peer's; 0 for none, or for a peer that sends no numbers.
  public var peerNumber: Int64 = 0
  /// When a repair was last begun without being asked for, in milliseconds.
  public var repairedAt: Int64 = 0

  /// Nothing was agreed yet.
  public init() {}
}

extension AgentDatabase {
  /// The progress of agreeing on a new ratchet.
  public func ratchetAgreement(of connection: Int64) throws(SQLiteError) -> RatchetAgreement {
    let stored = try database.first(AgentSQL.ratchetAgreement, connection) { (row) throws(SQLiteError) in
      var agreement = RatchetAgreement()
      agreement.ownNumber = try row.integer(0)
      agreement.peerNumber = try row.integer(1)
      agreement.repairedAt = try row.integer(2)
      return agreement
    }
    return stored ?? RatchetAgreement()
  }

  /// Stores the progress of agreeing on a new ratchet.
  public func setRatchetAgreement(_ agreement: RatchetAgreement, of connection: Int64) throws(SQLiteError) {
    try database.execute(
      AgentSQL.putRatchetAgreement, connection, agreement.ownNumber, agreement.peerNumber, agreement.repairedAt)
  }

  /// The connections whose ratchet can decrypt nothing.
  public func connectionsWithBrokenRatchet() throws(SQLiteError) -> [StoredConnection] {
    try database.all(AgentSQL.brokenRatchets) { (row) throws(SQLiteError) in try row.connection() }
  }
}
