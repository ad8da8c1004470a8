import Foundation
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
    #expect(try database.integerPragma("user_version") == 2)
  }

  /// A released step of the schema is never changed; a new one changes this snapshot. `SIMPLEX_UPDATE_SNAPSHOTS=1` writes it.
  @Test func schemaSnapshot() throws {
    let database = try SQLiteConnection(path: ":memory:")
    _ = try AgentStore(database)
    let schema = try database.schema().joined(separator: ";\n") + ";\n"
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("schema.sql")
    if ProcessInfo.processInfo.environment["SIMPLEX_UPDATE_SNAPSHOTS"] == "1" {
      try schema.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try schema == String(contentsOf: file, encoding: .utf8))
  }

  /// A database of the first version is brought up to date and gives the same schema as a new one.
  @Test func oldDatabasesAreUpgraded() throws {
    let old = try SQLiteConnection(path: ":memory:")
    try old.migrate(Array(AgentSchema.migrations.prefix(1)))
    _ = try AgentStore(old)
    let new = try SQLiteConnection(path: ":memory:")
    _ = try AgentStore(new)
    #expect(try old.schema() == new.schema())
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
    AgentSQL.linkSenderKeyByQueue, AgentSQL.deleteSkippedKey, AgentSQL.ratchetAgreement, AgentSQL.brokenRatchets,
    AgentSQL.connectionsOfUser,
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
