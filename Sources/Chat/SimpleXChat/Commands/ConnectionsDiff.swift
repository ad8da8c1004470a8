import AgentCore
import ChatAPI
import ChatStore

// What the databases of chats and connections know of each other.

extension ChatController {
  /// The users and connections that only one of the two databases has. Connections that a command for the agent is
  /// waiting for, or that it does not know yet, are in order; so are users who are being deleted.
  func connectionsDiff() async throws(ChatError) -> (users: DatabaseDiff, connections: DatabaseDiff) {
    let before = try knownToChat()
    let agent = try await knownToAgent(without: before.deletedUsers)
    var after = try knownToChat()
    // A user who is being created is stored by the agent first.
    if usersBeingCreated > 0 { after.users.formUnion(agent.users) }
    // What seems to be extra may be gone by now.
    let last = agent.isKnown(to: after) ? agent : try await knownToAgent(without: after.deletedUsers)
    return KnownIDs.differences(chat: before, agent: agent, chatAfter: after, agentAfter: last)
  }

  private func knownToChat() throws(ChatError) -> KnownIDs {
    try store.read { rows in
      KnownIDs(
        users: Set(try rows.agentUserIDs()), connections: Set(try rows.establishedConnections()),
        possibleConnections: Set(try rows.connectionsWithCommands() + rows.allConnections()),
        deletedUsers: Set(try deletedAgentUsers(rows)))
    }
  }

  private func knownToAgent(without deletedUsers: Set<String>) async throws(ChatError) -> KnownIDs {
    try await withAgent { (agent) throws(AgentError) in
      var known = KnownIDs()
      for user in try await agent.users() where !deletedUsers.contains(String(user.rawValue)) {
        known.users.insert(String(user.rawValue))
        known.connections.formUnion(try await agent.connections(of: user).map(\.text))
      }
      return known
    }
  }

  /// Deletes what only the agent has, such as the connection of a command that a crash interrupted, and tells of every
  /// difference. Called by a start. Nothing is deleted where the chat database has an identifier that cannot be read:
  /// what seems to be extra may be what it names.
  func synchronizeConnections() async throws(ChatError) {
    let (users, connections) = try await connectionsDiff()
    let all = users.missingIds + users.extraIds + connections.missingIds + connections.extraIds
    guard !all.isEmpty else { return }
    try turn { turn in
      turn.emit(.connectionsDiff(userIds: users, connIds: connections))
      guard try !turn.hasUnreadableIdentifiers() else { return }
      // The agent tells of a user whose queues it deletes; where no connection is extra, there are none to delete.
      let hasExtraConnections = !connections.extraIds.isEmpty
      for id in users.extraIds {
        guard let user = Int64(id) else { continue }
        try turn.command(.deleteUser(UserID(rawValue: user), deletingQueues: hasExtraConnections))
      }
      try turn.deleteConnections(connections.extraIds, waitForDelivery: false)
    }
  }
}

extension Turn {
  /// Whether an identifier of the agent is stored that is none.
  fileprivate func hasUnreadableIdentifiers() throws -> Bool {
    if try rows.agentUserIDs().contains(where: { Int64($0) == nil }) { return true }
    return try rows.allConnections().contains { (try? ConnectionID(agentText: $0)) == nil }
  }
}

/// The agent's identifiers of users and connections that one of the databases has.
struct KnownIDs {
  var users: Set<String> = []
  /// In the chat database: those that the agent has to know.
  var connections: Set<String> = []
  /// In the chat database: those that the agent may know, `connections` among them.
  var possibleConnections: Set<String> = []
  /// In the chat database: users who are being deleted.
  var deletedUsers: Set<String> = []

  /// Whether the chat database has everything that the agent had here.
  func isKnown(to chat: KnownIDs) -> Bool {
    users.isSubset(of: chat.users) && connections.isSubset(of: chat.possibleConnections)
  }

  /// What only one of the databases has, by two snapshots of each, taken in turn while connections are made and
  /// deleted.
  ///
  /// A connection is stored in the chat database first, and removed from it last. So the agent has to know what the
  /// chat knew before and after; and the chat has to know what the agent knew before and after, or else a connection
  /// whose deletion waits for its last message would be deleted at once.
  static func differences(
    chat: KnownIDs, agent: KnownIDs, chatAfter: KnownIDs, agentAfter: KnownIDs
  ) -> (users: DatabaseDiff, connections: DatabaseDiff) {
    func diff(_ ids: KeyPath<KnownIDs, Set<String>>, besides others: Set<String>) -> DatabaseDiff {
      let missing = chat[keyPath: ids].intersection(chatAfter[keyPath: ids]).subtracting(agent[keyPath: ids])
      let extra = agent[keyPath: ids].intersection(agentAfter[keyPath: ids]).subtracting(others)
      return DatabaseDiff(missingIds: missing.sorted(), extraIds: extra.sorted())
    }
    return (
      diff(\.users, besides: chatAfter.users), diff(\.connections, besides: chatAfter.possibleConnections)
    )
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
