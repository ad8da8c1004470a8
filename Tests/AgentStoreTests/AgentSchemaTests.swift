import SQLiteKit
import Testing

@testable import AgentStore

@Suite struct AgentSchemaTests {
  @Test func opensTwice() throws {
    let database = try SQLiteConnection(path: ":memory:")
    _ = try AgentStore(database)
    try database.execute("BEGIN")
    // A program that ended within a transaction.
    _ = try AgentStore(database)
    #expect(try database.integerPragma("user_version") == 1)
  }

  /// A released schema is never changed: a change of these names is a new migration.
  @Test func schemaSnapshot() throws {
    let database = try SQLiteConnection(path: ":memory:")
    _ = try AgentStore(database)
    let names = try database.all("SELECT type || ' ' || name FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY 1") {
      (row) throws(SQLiteError) in try row.text(0)
    }
    #expect(
      names == [
        "index confirmations_connection", "index connections_deletion", "index connections_user",
        "index invitation_links_sender", "index invitations_connection", "index receive_queues_connection",
        "index receive_queues_recipient", "index send_queues_connection", "index sent_messages_time",
        "index skipped_keys_connection", "index tasks_body", "index tasks_connection", "index tasks_lane",
        "table confirmations", "table connections", "table events", "table invitation_links", "table invitations",
        "table message_bodies", "table ratchet_key_hashes", "table ratchet_keys", "table ratchets",
        "table receive_queues", "table received_hashes", "table received_messages", "table send_queues",
        "table sent_messages", "table servers", "table settings", "table skipped_keys", "table sqlite_sequence",
        "table statistics", "table tasks", "table user_servers", "table users",
      ])
  }

  /// What runs with every message, or for every connection, finds its rows by an index.
  @Test(arguments: [
    AgentSQL.connectionByID, AgentSQL.connectionByNumber, AgentSQL.receiveQueueByRecipient,
    AgentSQL.receiveQueueNumber, AgentSQL.receiveQueueByNumber, AgentSQL.receiveQueues, AgentSQL.sendQueues,
    AgentSQL.sendQueueByNumber, AgentSQL.queuesToSubscribe, AgentSQL.ratchet, AgentSQL.skippedKeys,
    AgentSQL.receivedMessage, AgentSQL.oldestUnacknowledged, AgentSQL.receivedHash, AgentSQL.sentMessage,
    AgentSQL.firstTask, AgentSQL.tasksOfLane, AgentSQL.tasksOfConnection, AgentSQL.hasCopy,
    AgentSQL.hasMessagesToSend, AgentSQL.deleteUnusedBody, AgentSQL.clearLastMessage, AgentSQL.setLastReceived,
    AgentSQL.deletedConnections, AgentSQL.confirmation, AgentSQL.invitation, AgentSQL.linkSenderKey,
    AgentSQL.linkSenderKeyByQueue, AgentSQL.deleteSkippedKey, AgentSQL.connectionsOfUser,
  ])
  func hotQueriesDoNotScan(sql: String) throws {
    let database = try SQLiteConnection(path: ":memory:")
    _ = try AgentStore(database)
    for step in try database.queryPlan(sql) {
      #expect(!step.hasPrefix("SCAN") || step.contains("USING INDEX"), "\(step): \(sql)")
      // A connection has one or two queues, and few tasks where all of them are wanted.
      let isSmall = sql.contains("is_primary") || sql == AgentSQL.tasksOfConnection
      #expect(!step.contains("TEMP B-TREE") || isSmall, "\(step): \(sql)")
    }
  }
}
