import AgentCore
import SMPProtocol
import SQLiteKit
import WireCodec

extension AgentDatabase {
  /// Creates a user.
  public func insertUser() throws(SQLiteError) -> UserID {
    try database.execute("INSERT INTO users DEFAULT VALUES")
    return UserID(rawValue: database.lastInsertedRow)
  }

  /// Creates a user with a number of its own, as that of an imported profile.
  package func insertUser(_ user: UserID) throws(SQLiteError) {
    try database.execute("INSERT INTO users (number) VALUES (?)", user.rawValue)
  }

  /// Whether there is such a user who is not being deleted; nil for none at all.
  public func userIsActive(_ user: UserID) throws(SQLiteError) -> Bool? {
    try database.first(AgentSQL.userIsDeleted, user.rawValue) { (row) throws(SQLiteError) in try !row.bool(0) }
  }

  /// Users that are not being deleted.
  public func users() throws(SQLiteError) -> [UserID] {
    try database.all("SELECT number FROM users WHERE is_deleted = 0 ORDER BY number") { (row) throws(SQLiteError) in
      UserID(rawValue: try row.integer(0))
    }
  }

  /// Users that are being deleted.
  public func deletedUsers() throws(SQLiteError) -> [UserID] {
    try database.all("SELECT number FROM users WHERE is_deleted <> 0") { (row) throws(SQLiteError) in
      UserID(rawValue: try row.integer(0))
    }
  }

  /// Marks a user whose connections are being deleted, at their relays too or only here.
  public func markUserDeleted(_ user: UserID, deletingQueues: Bool) throws(SQLiteError) {
    try database.execute("UPDATE users SET is_deleted = ?2 WHERE number = ?1", user.rawValue, deletingQueues ? 1 : 2)
    try removeFiles(of: user)
    try database.execute(
      "DELETE FROM invitations WHERE connection IN (SELECT number FROM connections WHERE user = ?)", user.rawValue)
  }

  /// Whether the queues of a user who is being deleted are deleted at their relays.
  public func deletesQueues(of user: UserID) throws(SQLiteError) -> Bool {
    try database.first(AgentSQL.userIsDeleted, user.rawValue) { (row) throws(SQLiteError) in try row.integer(0) } == 1
  }

  /// Removes a user.
  public func removeUser(_ user: UserID) throws(SQLiteError) {
    try removeFiles(of: user)
    try database.execute("DELETE FROM user_servers WHERE user = ?", user.rawValue)
    try database.execute("DELETE FROM users WHERE number = ?", user.rawValue)
  }

  /// Replaces the relays of a user.
  public func setServers(_ servers: [AgentUserServer], for user: UserID) throws(SQLiteError) {
    userServers[user] = nil
    try database.execute("DELETE FROM user_servers WHERE user = ?", user.rawValue)
    for (position, server) in servers.enumerated() {
      let address = try stored { () throws(WireError) in
        try ServerWithAuth<SMPScheme>.textCodec.text(server.address)
      }
      try database.execute(
        AgentSQL.insertUserServer, user.rawValue, position, address, server.storesMessages, server.forwardsMessages)
    }
  }

  /// The relays of a user.
  public func servers(of user: UserID) throws(SQLiteError) -> [AgentUserServer] {
    if let servers = userServers[user] { return servers }
    let servers = try database.all(AgentSQL.userServers, user.rawValue) { (row) throws(SQLiteError) in
      let text = try row.text(0)
      let address = try readStored { () throws(WireError) in
        try ServerWithAuth<SMPScheme>.textCodec.decode(text: text)
      }
      return AgentUserServer(address, storesMessages: try row.bool(1), forwardsMessages: try row.bool(2))
    }
    userServers[user] = servers
    return servers
  }
}
