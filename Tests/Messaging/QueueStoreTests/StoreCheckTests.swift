import Foundation
import SMPServerCore
import SQLiteKit
import Testing

@testable import QueueStore

/// What `smp-server check` finds.
@Suite struct StoreCheckTests {
  private let folder: StoreFolder

  init() throws { folder = try StoreFolder() }

  /// A store as a crash leaves it: two messages in the database, one in the journal.
  private func crashedStore() throws {
    let original = try StoreFolder()
    var writer = try original.writer()
    for index in 1...2 { _ = writer.commit([.createQueue(queue(index), nil)]) }
    for index in 1...2 { _ = writer.commit([.addMessage(QueueNumber(1), message(index), quota: 9)]) }
    try writer.applyJournal()
    _ = writer.commit([.addMessage(QueueNumber(2), message(3), quota: 9)])
    // Before the log is moved into the database, as closing it does.
    try original.copyFiles(to: folder)
  }

  private func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in ["queues.db", "queues.db-wal", "queues.db-messages"] {
      files[name] = try? Data(contentsOf: folder.url.appending(path: name))
    }
    return files
  }

  @Test func aSoundStoreIsDescribedAndLeftAlone() throws {
    try crashedStore()
    let before = try files()
    #expect(before.count == 3 && before.values.allSatisfy { !$0.isEmpty })
    let check = try StoreCheck(path: folder.database)
    #expect(check.problems == [])
    #expect(check.notes.contains { $0.hasPrefix("Database: 2 queues, 2 messages;") }, "\(check.notes)")
    #expect(check.notes.contains { $0.hasSuffix("1 commits with 1 changes to the database") }, "\(check.notes)")
    #expect(check.notes.contains { $0.hasPrefix("Messages waiting in the journal: 1;") }, "\(check.notes)")
    #expect(try files() == before)
    try folder.writer().finish()
    #expect(try StoreCheck(path: folder.database).notes.contains { $0.hasPrefix("Database: 2 queues, 3 messages;") })
  }

  @Test func aStoreInUseIsNotChecked() throws {
    let writer = try folder.writer()
    #expect(throws: StoreFailure.unavailable) { try StoreCheck(path: folder.database) }
    _ = consume writer
  }

  @Test func otherFilesAreNotChecked() throws {
    #expect(throws: StoreFailure.self) { try StoreCheck(path: folder.database) }
    #expect(!FileManager.default.fileExists(atPath: folder.database))
    try Data(repeating: 0x41, count: 5_000).write(to: URL(filePath: folder.database))
    #expect(throws: StoreFailure.damaged) { try StoreCheck(path: folder.database) }
    try FileManager.default.removeItem(atPath: folder.database)
    try SQLiteConnection(path: folder.database).runScript("CREATE TABLE other (x INTEGER)")
    #expect(throws: StoreFailure.damaged) { try StoreCheck(path: folder.database) }
    try SQLiteConnection(path: folder.database).setPragma("user_version", "99")
    #expect(throws: StoreFailure.newerSchema(found: 99, known: QueueSchema.migrations.count)) {
      try StoreCheck(path: folder.database)
    }
  }

  @Test(
    arguments: [
      ("DELETE FROM queues WHERE number = 1", "2 messages belong to no queue"),
      ("DELETE FROM queues WHERE number = 1", "the totals, for statistics, are not those of what is stored"),
      ("UPDATE counts SET service_notifiers = 1", "the totals, for statistics, are not those of what is stored"),
      ("INSERT INTO link_data VALUES (1, x'00', x'00')", "1 entries of link data belong to no queue"),
      ("UPDATE queues SET link_id = x'01' WHERE number = 1", "1 queues have a link without its data"),
      ("UPDATE queues SET service_id = x'01' WHERE number = 1", "1 queues belong to a service that is not known"),
      ("UPDATE queues SET notifier_service_id = x'01'", "2 notifiers belong to a service that is not known"),
      ("UPDATE queues SET status = 9", "2 queues have unknown content"),
      ("UPDATE journal SET last_position = 1", "a message has a position that was not assigned"),
      ("UPDATE messages SET position = 7 WHERE position = 2", "a message has a position that was not assigned"),
      ("UPDATE messages SET queue = 2, position = 3 WHERE position = 2", "1 queues have messages with a position used"),
    ]) func inconsistenciesAreFound(sql: String, finding: String) throws
  {
    try crashedStore()
    try SQLiteConnection(path: folder.database).runScript(sql)
    let problems = try StoreCheck(path: folder.database).problems
    #expect(problems.contains { $0.hasPrefix(finding) }, "\(problems)")
  }

  @Test func damagedPagesAreFound() throws {
    var writer = try folder.writer()
    for index in 1...300 { _ = writer.commit([.createQueue(queue(index), nil)]) }
    writer.finish()
    var content = try Data(contentsOf: URL(filePath: folder.database))
    let middle = content.count / 2 / 4_096 * 4_096
    content.replaceSubrange(middle..<middle + 4_096, with: Data(repeating: 0xa5, count: 4_096))
    try content.write(to: URL(filePath: folder.database))
    #expect(try !StoreCheck(path: folder.database).problems.isEmpty)
  }

  /// The journal of a database that was replaced by a copy from before.
  @Test func anOlderCopyIsFound() throws {
    try crashedStore()
    try folder.writer().finish()
    let copy = try Data(contentsOf: URL(filePath: folder.database))
    for _ in 1...3 {
      var writer = try folder.writer()
      _ = writer.commit([.addMessage(QueueNumber(2), message(4), quota: 9)])
      try writer.applyJournal()
      _ = writer.commit([.acknowledge(QueueNumber(2), messageID: [], readsNext: false)])
    }
    #expect(try StoreCheck(path: folder.database).problems == [])
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.database + suffix) }
    try copy.write(to: URL(filePath: folder.database))
    let problems = try StoreCheck(path: folder.database).problems
    #expect(problems.contains { $0.hasPrefix("the journal belongs to a later state") }, "\(problems)")
  }
}
