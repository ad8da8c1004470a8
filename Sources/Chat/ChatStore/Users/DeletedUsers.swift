import ChatAPI
import SQLiteKit

/// Deleting users.
///
/// A user goes at once: without its row nothing of the user's is found any more. What it had goes in any number of
/// transactions, which take what is left from the tables, so a part that is repeated does no harm.
extension ChatTransaction {
  /// Deletes a user, whose name is free then. What the user had goes with ``deleteSome(ofDeletedUser:limit:)``.
  public func deleteUser(_ user: User) throws(StoreError) {
    try execute("DELETE FROM users WHERE user_id = ?", user.userId)
  }

  /// Deletes some of what a deleted user had.
  /// - Parameter limit: about how many connections, members or the like; of items twice, of records of messages ten
  ///   times as many.
  /// - Returns: whether nothing is left, but for the files on the disk (``removedFiles(limit:)``).
  public func deleteSome(ofDeletedUser id: Int64, limit: Int) throws(StoreError) -> Bool {
    var room = limit
    try deleteForeignRows(ofUser: id, room: &room)
    try removeFilesOutsideOfChats(ofDeletedUser: id, room: &room)
    try deleteConnections(ofDeletedUser: id, room: &room)
    try deleteChats(ofDeletedUser: id, room: &room)
    try deleteGroups(ofDeletedUser: id, room: &room)
    try deleteMembers(ofDeletedUser: id, room: &room)
    try deleteProbes(ofDeletedUser: id, room: &room)
    try deleteTags(ofDeletedUser: id, room: &room)
    for table in [
      "received_probes", "contact_requests", "addresses", "contacts", "profiles", "note_folders", "servers",
      "chat_relays",
    ] {
      room -= try execute(
        "DELETE FROM \(table) WHERE rowid IN (SELECT rowid FROM \(table) WHERE user_id = ? LIMIT ?)", id, max(0, room))
    }
    room -= try execute(
      """
      DELETE FROM display_names WHERE user_id = ?1 \
      AND name IN (SELECT name FROM display_names WHERE user_id = ?1 LIMIT ?2)
      """, id, max(0, room))
    // The files of unfinished copies, and the records of groups that were deleted before, are nobody else's.
    room -= try execute(
      """
      DELETE FROM jobs WHERE job_id IN (SELECT job_id FROM jobs WHERE user_id = ? AND kind NOT IN (?, ?, ?) LIMIT ?)
      """, id, ChatJob.Kind.user.rawValue, ChatJob.Kind.copies.rawValue, ChatJob.Kind.group.rawValue, max(0, room))
    // With room left nothing was limited.
    return room > 0
  }

  /// The users who are being deleted, as the agent knows them.
  public func deletedAgentUsers() throws(StoreError) -> [String] {
    try texts("SELECT payload FROM jobs WHERE kind = ? AND subject_id IS NOT NULL", ChatJob.Kind.user.rawValue)
  }

  // MARK: Parts

  private func removeFilesOutsideOfChats(ofDeletedUser id: Int64, room: inout Int) throws(StoreError) {
    room -= try execute(
      """
      UPDATE files SET removed = 1 WHERE file_id IN (SELECT file_id FROM files WHERE user_id = ? AND item_id IS NULL \
      AND removed = 0 LIMIT ?)
      """, id, max(0, room))
  }

  /// Deletes connections, with what was to be sent over them.
  private func deleteConnections(ofDeletedUser id: Int64, room: inout Int) throws(StoreError) {
    guard room > 0 else { return }
    let connections = try all(
      "SELECT connection_id, agent_conn_id FROM connections WHERE user_id = ? LIMIT ?", id, room
    ) { (row) throws(SQLFailure) in (number: try row.integer(0), agentConnId: try row.text(1)) }
    for connection in connections {
      try removeCommands(agentConnId: connection.agentConnId)
      try deleteConnection(connection.number)
    }
    room -= connections.count
  }

  /// Deletes chats with their items. First of all they are hidden from everything that looks at chats.
  private func deleteChats(ofDeletedUser id: Int64, room: inout Int) throws(StoreError) {
    guard room > 0 else { return }
    // These items are purged below, not by a cleaning.
    let leavesOthers = leavesItems
    room -= try leaveItems(
      where: "chat_id IN (SELECT chat_id FROM chats WHERE user_id = ? AND kind <> 9 LIMIT ?)", id, room)
    leavesItems = leavesOthers
    while room > 0, let chat = try integer("SELECT chat_id FROM chats WHERE user_id = ? AND kind = 9 LIMIT 1", id) {
      room -= try 1 + purge(chat: chat, limit: room * 2) / 2
    }
  }

  private func deleteGroups(ofDeletedUser id: Int64, room: inout Int) throws(StoreError) {
    while room > 0, let group = try integer("SELECT group_id FROM groups WHERE user_id = ? LIMIT 1", id) {
      let limit = room * 10
      let count = try deleteRecords(ofDeletedGroup: group, limit: limit)
      room -= count / 10
      guard count < limit else { return }
      try execute("DELETE FROM groups WHERE group_id = ?", group)
      room -= 1
    }
  }

  private func deleteMembers(ofDeletedUser id: Int64, room: inout Int) throws(StoreError) {
    guard room > 0 else { return }
    for member in try integers("SELECT member_id FROM members WHERE user_id = ? LIMIT ?", id, room) {
      room -= try deletePending(ofMember: member, limit: room)
      guard room > 0 else { return }
      try execute("DELETE FROM members WHERE member_id = ?", member)
      room -= 1
    }
  }

  private func deleteProbes(ofDeletedUser id: Int64, room: inout Int) throws(StoreError) {
    guard room > 0 else { return }
    let probes = try integers("SELECT probe_id FROM sent_probes WHERE user_id = ? LIMIT ?", id, room)
    try execute("DELETE FROM sent_probes WHERE probe_id IN (SELECT value FROM json_each(?))", probes.column)
    room -= probes.count
  }

  private func deleteTags(ofDeletedUser id: Int64, room: inout Int) throws(StoreError) {
    guard room > 0 else { return }
    let tags = try integers("SELECT tag_id FROM chat_tags WHERE user_id = ? LIMIT ?", id, room)
    for table in ["chat_tagging", "chat_tags"] {
      try execute("DELETE FROM \(table) WHERE tag_id IN (SELECT value FROM json_each(?))", tags.column)
    }
    room -= tags.count
  }
}
