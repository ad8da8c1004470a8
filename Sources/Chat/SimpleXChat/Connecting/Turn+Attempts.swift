import ChatAPI
import ChatStore

// Connections of attempts to connect that came to nothing.

extension Turn {
  /// The connection to continue with; nil where there is none, or where it failed permanently and was deleted here.
  func discardingFailed(_ connection: Connection?, of user: User) throws -> Connection? {
    guard let connection, connection.hasFailed else { return connection }
    try deleteAttempt(connection, of: user)
    return nil
  }

  /// Deletes the connection of an earlier attempt to connect: its row, its incognito profile if nothing else uses it,
  /// and the connection at the agent.
  func deleteAttempt(_ connection: Connection, of user: User) throws {
    try deleteConnections([connection.agentConnId], waitForDelivery: false)
    try rows.deleteConnection(connection.connId)
    if let profile = connection.customUserProfileId { try rows.deleteUnusedIncognitoProfile(profile, of: user) }
  }
}
