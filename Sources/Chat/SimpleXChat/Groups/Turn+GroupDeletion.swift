import ChatAPI
import ChatStore

// Deleting the connections and members of a group that is left or deleted, and the records of its messages. They are
// gone for everything else at once; in large groups they are removed in later turns.

extension Turn {
  /// Deletes the connections of all members of a group.
  func deleteConnections(of chat: GroupChat, waitForDelivery: Bool) throws {
    let id = chat.group.groupId
    try rows.setConnectionsDeleted(ofGroup: id)
    guard try !deleteSomeConnections(ofGroup: id, waitForDelivery: waitForDelivery) else { return }
    try later(.connections, about: id, payload: waitForDelivery ? "wait" : "", of: chat.user)
  }

  /// Deletes a group with its members and their connections.
  func deleteGroup(_ chat: GroupChat, waitForDelivery: Bool) throws {
    let id = chat.group.groupId
    try rows.deleteGroup(chat.group, of: chat.user)
    guard try !deleteSome(ofDeletedGroup: id, waitForDelivery: waitForDelivery, of: chat.user) else { return }
    try later(.group, about: id, payload: waitForDelivery ? "wait" : "", of: chat.user)
  }

  /// Deletes some of the connections that are marked as deleted.
  /// - Returns: whether those were all.
  func deleteSomeConnections(ofGroup id: Int64, waitForDelivery: Bool) throws -> Bool {
    let limit = environment.options.membersPerTurn
    let connections = try rows.deletedConnections(ofGroup: id, limit: limit)
    try deleteConnections(connections, waitForDelivery: waitForDelivery)
    for connection in connections { try rows.deleteConnection(agentConnId: connection) }
    return connections.count < limit
  }

  /// Deletes some of the members of a deleted group, and after the last of them some of the records of its messages.
  /// - Returns: whether those were all.
  func deleteSome(ofDeletedGroup id: Int64, waitForDelivery: Bool, of user: User) throws -> Bool {
    let limit = environment.options.membersPerTurn
    let members = try rows.members(ofDeletedGroup: id, limit: limit)
    for member in members {
      try deleteConnection(of: member, waitForDelivery: waitForDelivery)
      try rows.forget(member, of: user)
    }
    guard members.count < limit else { return false }
    return try deleteSomeRecords(ofDeletedGroup: id)
  }

  /// Deletes some of the records of a deleted group.
  /// - Returns: whether those were all.
  func deleteSomeRecords(ofDeletedGroup id: Int64) throws -> Bool {
    let limit = environment.options.recordsPerTurn
    return try rows.deleteRecords(ofDeletedGroup: id, limit: limit) < limit
  }
}
