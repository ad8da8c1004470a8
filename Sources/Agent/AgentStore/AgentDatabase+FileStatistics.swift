import AgentCore
import SMPProtocol
import SQLiteKit

extension AgentDatabase {
  /// Adds to a counter of a file relay.
  public func count(
    _ counter: FileStatisticsCounter, by amount: Int64, user: UserID, server: XFTPServer
  ) throws(SQLiteError) {
    try database.execute(
      AgentSQL.countAtFileServer, user.rawValue, try number(of: server), counter.rawValue, amount)
  }

  /// The counters of all file relays, and what is to be done at them.
  public func fileStatistics() throws(SQLiteError) -> [FileServerStatistics] {
    struct Key: Hashable {
      let user: UserID
      let server: Int64
    }
    var all: [Key: FileServerStatistics] = [:]
    func change(
      _ row: borrowing SQLiteRow, _ body: (inout FileServerStatistics) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
      let key = Key(user: UserID(rawValue: try row.integer(0)), server: try row.integer(1))
      var value =
        if let known = all[key] { known } else {
          FileServerStatistics(user: key.user, server: try row.fileServer(2))
        }
      try body(&value)
      all[key] = value
    }
    try database.forEach(AgentSQL.fileServerCounters) { (row) throws(SQLiteError) in
      let counter: FileStatisticsCounter = try row.value(3)
      let value = try row.integer(4)
      try change(row) { $0.counters[counter] = value }
    }
    try database.forEach(AgentSQL.fileServerWork) { (row) throws(SQLiteError) in
      let work: FileServerWork = try row.value(3)
      try change(row) { $0.work.insert(work) }
    }
    return all.values.sorted { ($0.user, $0.server.description) < ($1.user, $1.server.description) }
  }

  /// Removes the counters of all file relays.
  public func removeFileCounters() throws(SQLiteError) { try database.execute("DELETE FROM file_statistics") }
}
