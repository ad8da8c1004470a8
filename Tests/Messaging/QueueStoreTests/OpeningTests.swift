import FileAccess
import Foundation
import SMPServerCore
import SQLiteKit
import Testing

@testable import QueueStore

/// Lock, check, open: what a refused start leaves unchanged, and what a start does with a journal that is not that of
/// the database.
@Suite struct OpeningTests {
  private let folder: StoreFolder

  init() throws { folder = try StoreFolder() }

  /// A database of the first version, in which nothing is migrated yet.
  private func oldDatabase() throws {
    let database = try SQLiteConnection(path: folder.database)
    try database.useWriteAheadLog(synchronous: .full)
    try database.migrate(Array(QueueSchema.migrations.prefix(1)))
  }

  private func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) where !name.hasSuffix("-shm") {
      files[name] = try Data(contentsOf: folder.url.appending(path: name))
    }
    return files
  }

  @Test func aRefusedStartChangesNothing() throws {
    try oldDatabase()
    // As a running relay holds it.
    let journal = try FileDescriptor(folder.database + "-messages", .updating)
    let isLocked = journal.tryLock()
    #expect(isLocked)
    let before = try files()
    #expect(throws: StoreFailure.unavailable) { try SQLiteQueueStore(path: folder.database) }
    #expect(throws: StoreFailure.unavailable) { try SQLiteQueueStore.requireUnused(path: folder.database) }
    #expect(try files() == before)
  }

  @Test func aNewerDatabaseIsLeftAlone() throws {
    try oldDatabase()
    let database = try SQLiteConnection(path: folder.database)
    try database.setPragma("user_version", "99")
    try database.runScript("PRAGMA wal_checkpoint(TRUNCATE)")
    // Something of the newer version is in the log alone.
    try database.runScript("CREATE TABLE later (x INTEGER)")
    let before = try files()
    #expect(before.contains { $0.key.hasSuffix("-wal") && !$0.value.isEmpty })
    #expect(throws: StoreFailure.newerSchema(found: 99, known: QueueSchema.migrations.count)) {
      try SQLiteQueueStore(path: folder.database)
    }
    #expect(try files().filter { !$0.key.hasSuffix("-messages") } == before)
  }

  /// A database that was replaced by an older copy, beside the journal of its later state.
  private func replacedByOlderCopy() throws {
    try folder.writer().finish()
    let copy = try Data(contentsOf: URL(filePath: folder.database))
    for _ in 1...3 {
      var writer = try folder.writer()
      _ = writer.commit([.createQueue(queue(2), nil)])
      _ = writer.commit([.addMessage(QueueNumber(1), message(4), quota: 9)])
      try writer.applyJournal()
      _ = writer.commit([.addMessage(QueueNumber(1), message(5), quota: 9)])
    }
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.database + suffix) }
    try copy.write(to: URL(filePath: folder.database))
  }

  @Test func aJournalOfALaterStateIsSetAside() async throws {
    try replacedByOlderCopy()
    let problems = try StoreCheck(path: folder.database).problems
    #expect(problems.count == 1)
    let later = try Data(contentsOf: URL(filePath: folder.database + "-messages"))
    #expect(!later.isEmpty)
    let store = try SQLiteQueueStore(path: folder.database)
    #expect(store.notices.count == 1)
    #expect(store.notices.first?.hasPrefix(problems.first ?? "-") == true, "\(store.notices)")
    #expect(try Data(contentsOf: URL(filePath: folder.database + "-messages.aside")) == later)
    let number = try await store.add(queue(7))
    _ = try await store.perform(.addMessage(number, message(1), quota: 9))
    await store.close()
    // Nothing of it is left, so that the next start sets nothing aside, and what was stored since is there.
    #expect(try StoreCheck(path: folder.database).problems == [])
    let again = try SQLiteQueueStore(path: folder.database)
    #expect(again.notices.isEmpty)
    #expect(try await again.messageCount(of: number) == 1)
    await again.close()
    #expect(!FileManager.default.fileExists(atPath: folder.database + "-messages.aside2"))
  }

  @Test func anotherFileInThePlaceOfTheJournalIsSetAside() async throws {
    try folder.writer().finish()
    let other = Data("the notes of the operator".utf8)
    for number in ["", "2"] {
      try other.write(to: URL(filePath: folder.database + "-messages"))
      #expect(try StoreCheck(path: folder.database).problems == ["the file of the journal has another content"])
      let store = try SQLiteQueueStore(path: folder.database)
      #expect(store.notices.count == 1)
      #expect(try Data(contentsOf: URL(filePath: folder.database + "-messages.aside" + number)) == other)
      await store.close()
    }
  }
}
