import SMPProtocol
import SQLiteKit

extension AgentDatabase {
  /// Remembers that a relay blocked a queue and asked not to create addresses until a time, in milliseconds; nil for as
  /// long as the queue is blocked. A queue that could not even be created is `none`.
  public func setNotice(_ queue: EntityID, at server: SMPServerAddress, until time: Int64?) throws(SQLiteError) {
    try database.execute(AgentSQL.putNotice, try number(of: server), queue.bytes, time)
  }

  /// Forgets it: the queue works.
  public func removeNotice(_ queue: EntityID, at server: SMPServerAddress) throws(SQLiteError) {
    guard let number = try knownNumber(of: server) else { return }
    try database.execute(AgentSQL.deleteNotice, number, queue.bytes)
  }

  /// Whether there is any notice.
  public func hasNotices() throws(SQLiteError) -> Bool {
    try database.first("SELECT 1 FROM relay_notices LIMIT 1") { (_) in true } ?? false
  }

  /// The relays with notices that are not over, and when they are.
  public func notices(at time: Int64) throws(SQLiteError) -> [(server: SMPServerAddress, until: Int64?)] {
    try database.all(
      "SELECT server, expires_at FROM relay_notices WHERE expires_at IS NULL OR expires_at > ? ORDER BY server", time
    ) { (row) throws(SQLiteError) in (try server(try row.integer(0)), try row.optionalInteger(1)) }
  }
}
