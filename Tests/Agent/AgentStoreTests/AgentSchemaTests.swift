import Foundation
import SQLiteKit
import Testing

@testable import AgentStore

@Suite struct AgentSchemaTests {
  @Test func opensTwice() throws {
    let database = try SQLiteConnection(path: ":memory:")
    _ = try AgentDatabase(database)
    try database.execute("BEGIN")
    // A program that ended within a transaction.
    _ = try AgentDatabase(database)
    #expect(try database.integerPragma("user_version") == 1)
  }

  /// A database that is not an agent's is left as it is.
  @Test func foreignDatabasesAreRefused() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "simplex_v1_agent.db")
    try SQLiteConnection(path: file.path).runScript(
      "CREATE TABLE migrations (name TEXT); INSERT INTO migrations VALUES ('20220101_initial');")
    let before = try Data(contentsOf: file)
    do throws(SQLiteError) {
      _ = try AgentDatabase(path: file.path)
      Issue.record("a foreign database was opened")
    } catch {
      #expect(error.kind == .foreign(.withMigrations(first: "20220101_initial")))
    }
    #expect(try Data(contentsOf: file) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["simplex_v1_agent.db"])
  }

  /// A released step of the schema is never changed; a new one changes this snapshot. `SIMPLEX_UPDATE_SNAPSHOTS=1`
  /// writes it.
  @Test func schemaSnapshot() throws {
    let database = try SQLiteConnection(path: ":memory:")
    _ = try AgentDatabase(database)
    let schema = try database.schema().joined(separator: ";\n") + ";\n"
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("schema.sql")
    if ProcessInfo.processInfo.environment["SIMPLEX_UPDATE_SNAPSHOTS"] == "1" {
      try schema.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try schema == String(contentsOf: file, encoding: .utf8))
  }

  /// What runs with every message, or for every connection, finds its rows by an index.
  @Test(arguments: [
    AgentSQL.connectionByID, AgentSQL.connectionByNumber, AgentSQL.receiveQueueByRecipient,
    AgentSQL.receiveQueueNumber, AgentSQL.receiveQueueByNumber, AgentSQL.receiveQueues, AgentSQL.sendQueues,
    AgentSQL.sendQueueByNumber, AgentSQL.queuesToSubscribe, AgentSQL.ratchet, AgentSQL.skippedKey,
    AgentSQL.messagesAside, AgentSQL.setMessageAside, AgentSQL.serverOfSendQueue, AgentSQL.serverOfReceiveQueue,
    AgentSQL.receivedMessage, AgentSQL.oldestUnacknowledged, AgentSQL.receivedHash, AgentSQL.sentMessage,
    AgentSQL.firstTask, AgentSQL.tasksOfLane, AgentSQL.tasksOfConnection, AgentSQL.hasCopy,
    AgentSQL.hasMessagesToSend, AgentSQL.deleteUnusedBody, AgentSQL.clearLastMessage, AgentSQL.setLastReceived,
    AgentSQL.deletedConnections, AgentSQL.confirmation, AgentSQL.invitation, AgentSQL.linkSenderKey,
    AgentSQL.linkSenderKeyByQueue, AgentSQL.deleteSkippedKey, AgentSQL.ratchetAgreement, AgentSQL.brokenRatchets,
    AgentSQL.connectionsOfUser, AgentSQL.acceptedMessage, AgentSQL.createdLink, AgentSQL.joined, AgentSQL.task,
    AgentSQL.fileServerNumber, AgentSQL.userFileServers, AgentSQL.sentFileNumber, AgentSQL.sentFile,
    AgentSQL.filesToSeal, AgentSQL.filesToDescribe, AgentSQL.sentChunks, AgentSQL.chunksToSend,
    AgentSQL.serversToSendTo, AgentSQL.setCreated, AgentSQL.setSent, AgentSQL.delaySending, AgentSQL.moveSending,
    AgentSQL.deleteSentChunks, AgentSQL.receivedFileNumber, AgentSQL.receivedFile, AgentSQL.filesToOpen,
    AgentSQL.receivedChunks, AgentSQL.chunksToReceive, AgentSQL.serversToReceiveFrom, AgentSQL.setReceived,
    AgentSQL.delayReceiving, AgentSQL.moveReceiving, AgentSQL.deleteReceivedChunks, AgentSQL.chunksToDelete,
    AgentSQL.delayDeletion, AgentSQL.unseal, AgentSQL.setMissing, AgentSQL.setReceiving,
    AgentSQL.queueNotifications, AgentSQL.dueNotifications, AgentSQL.nextNotificationPlace,
    AgentSQL.putQueueNotifications, AgentSQL.setNotificationsOfQueue, AgentSQL.unwantedNotificationsOfConnection,
    AgentSQL.notifiedQueues, AgentSQL.setLastRelayTime, AgentSQL.updateToken,
  ])
  func hotQueriesDoNotScan(sql: String) throws {
    let database = try SQLiteConnection(path: ":memory:")
    _ = try AgentDatabase(database)
    // The chunks and files that wait are sorted by what is left of them: they are few, a thousand for 4 GB.
    let sortsFiles = [AgentSQL.chunksToSend, AgentSQL.chunksToReceive, AgentSQL.filesToOpen].contains(sql)
    for step in try database.queryPlan(sql) {
      let isOfFound = sortsFiles && step == "SCAN n"
      #expect(!step.hasPrefix("SCAN") || step.contains("USING INDEX") || isOfFound, "\(step): \(sql)")
      // A connection has one or two queues, and few tasks where all of them are wanted.
      let isSmall = sql.contains("is_primary") || sql == AgentSQL.tasksOfConnection || sortsFiles
      #expect(!step.contains("TEMP B-TREE") || isSmall, "\(step): \(sql)")
    }
  }
}
