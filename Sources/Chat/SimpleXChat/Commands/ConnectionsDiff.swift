import AgentCore
import ChatAPI
import ChatStore

// What the databases of chats and connections know of each other.

extension ChatController {
  /// The users and connections that only one of the two databases has. Connections that a command for the agent is
  /// waiting for, or that it does not know yet, are in order; so are users who are being deleted.
  func connectionsDiff() async throws(ChatError) -> (users: DatabaseDiff, connections: DatabaseDiff) {
    let (before, known, deleted) = try store.read { rows in
      (try rows.users(), Set(try rows.establishedConnections()), Set(try deletedAgentUsers(rows)))
    }
    let (agentUsers, agentConnections) = try await withAgent { (agent) throws(AgentError) in
      let users = try await agent.users().filter { !deleted.contains(String($0.rawValue)) }
      var connections: [ConnectionID] = []
      for user in users { connections += try await agent.connections(of: user) }
      return (Set(users.map { String($0.rawValue) }), Set(connections.map(\.text)))
    }
    // After the agent: a connection is stored here before the agent knows it, so what is not here now never was.
    let (users, underway) = try store.read { rows in
      (try rows.users(), Set(try rows.connectionsWithCommands() + rows.allConnections()))
    }
    let missingUsers = Set(before.map(\.agentUserId)).subtracting(agentUsers)
    // A user is created at the agent first.
    let extraUsers = usersBeingCreated > 0 ? [] : agentUsers.subtracting(users.map(\.agentUserId))
    return (
      DatabaseDiff(missingIds: missingUsers.sorted(), extraIds: extraUsers.sorted()),
      DatabaseDiff(
        missingIds: known.subtracting(agentConnections).sorted(),
        extraIds: agentConnections.subtracting(underway).sorted())
    )
  }

  /// Deletes what only the agent has, such as the connection of a command that a crash interrupted, and tells of every
  /// difference. Called by a start, before commands are taken.
  func synchronizeConnections() async throws(ChatError) {
    let (users, connections) = try await connectionsDiff()
    let all = users.missingIds + users.extraIds + connections.missingIds + connections.extraIds
    guard !all.isEmpty else { return }
    try turn { turn in
      // The agent tells of a user whose queues it deletes; where no connection is extra, there are none to delete.
      let hasExtraConnections = !connections.extraIds.isEmpty
      for id in users.extraIds {
        guard let user = Int64(id) else { continue }
        try turn.command(.deleteUser(UserID(rawValue: user), deletingQueues: hasExtraConnections))
      }
      try turn.deleteConnections(connections.extraIds, waitForDelivery: false)
      turn.emit(.connectionsDiff(userIds: users, connIds: connections))
    }
  }
}

/// The users who are being deleted, as the agent knows them: by jobs, or by commands that the agent has not got.
private func deletedAgentUsers(_ rows: ChatTransaction) throws(StoreError) -> [String] {
  try rows.deletedAgentUsers()
    + rows.commandsAboutNoConnection().compactMap { command in
      guard case .deleteUser(let user, _)? = AgentCommand(command) else { return nil }
      return String(user.rawValue)
    }
}
