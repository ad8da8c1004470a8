import Foundation
import SMPServerCore
import SQLiteKit
import Testing

@testable import QueueStore

@Suite struct SQLiteQueueStoreTests {
  @Test func everythingIsThereAfterReopening() async throws {
    let test = try TestStore(.sqlite)
    let number = try await test.store.add(queue(1))
    for index in 1...4 { _ = try await test.store.perform(.addMessage(number, message(index), quota: 3)) }
    await test.store.close()

    let store = try SQLiteQueueStore(path: test.path)
    #expect(try await store.queue(.sender(id(1, 2)))?.number == number)
    #expect(try await store.messageCount(of: number) == 4)
    // The quota mark still counts.
    _ = try await store.perform(.acknowledge(number, messageID: [], readsNext: false))
    #expect(try await store.perform(.addMessage(number, message(5), quota: 3)) == .quotaExceeded)
    #expect(try await store.add(queue(2)) > number)
    await store.close()
  }

  /// Operators copy it while the relay is stopped.
  @Test func aClosedStoreIsOneFile() async throws {
    let test = try TestStore(.sqlite)
    let number = try await test.store.add(queue(1))
    for index in 1...4 { _ = try await test.store.perform(.addMessage(number, message(index), quota: 10)) }
    #expect(try await test.store.messageCount(of: number) == 4)
    await test.store.close()
    let copy = test.folder.appending(path: "copy.db").path
    try FileManager.default.copyItem(atPath: test.path, toPath: copy)
    let store = try SQLiteQueueStore(path: copy)
    #expect(try await store.queue(.sender(id(1, 2)))?.number == number)
    #expect(try await store.messageCount(of: number) == 4)
    await store.close()
  }

  @Test func aFullDiskFailsAndIsSurvived() async throws {
    let test = try TestStore(.sqlite)
    let number = try await test.store.add(queue(1))
    await test.store.close()

    let database = try SQLiteConnection(path: test.path)
    try database.useWriteAheadLog(synchronous: .full)
    let pages = try #require(try database.integerPragma("page_count"))
    try database.setPragma("max_page_count", String(pages + 12))
    let journal = test.path + "-messages"
    var writer = try QueueWriter(
      database, journal: JournalFile(journal), published: UnappliedQueues(), journalLimit: 40_000)
    // The journal takes the first batches; then they are moved to the database, which is full.
    var stored = 0
    while stored < 50 {
      let outcome = writer.commit([.addMessage(number, message(stored + 1, size: 16_000), quota: 128)])
      guard case .success(.stored) = outcome.first else {
        #expect(outcome == [.failure(.full)])
        break
      }
      stored += 1
    }
    #expect(stored >= 3 && stored < 50)
    // In a batch each operation fails or succeeds by itself.
    let outcomes = writer.commit([
      .addMessage(number, message(98), quota: 128), .acknowledge(number, messageID: [], readsNext: false),
      .addMessage(number, message(99), quota: 128),
    ])
    #expect(outcomes[0] == .failure(.full) && outcomes[2] == .failure(.full))
    #expect(outcomes[1] == .success(.acknowledged(removed: RemovedMessage(message(1, size: 16_000)), next: nil)))
    // Deleting makes room again, and nothing that was accepted is lost.
    for index in 2...stored {
      #expect(
        writer.commit([.acknowledge(number, messageID: [], readsNext: false)])
          == [.success(.acknowledged(removed: RemovedMessage(message(index, size: 16_000)), next: nil))])
    }
    #expect(
      writer.commit([.addMessage(number, message(7, size: 16_000), quota: 128)]) == [.success(.stored(isFirst: true))])
    try database.checkIntegrity()
  }

  @Test func roomOfDeletedMessagesIsGivenBack() async throws {
    let test = try TestStore(.sqlite)
    let number = try await test.store.add(queue(1))
    let store = test.store
    try await withThrowingDiscardingTaskGroup { group in
      for _ in 0..<1_500 {
        group.addTask { _ = try await store.perform(.addMessage(number, message(1, size: 16_000), quota: 5_000)) }
      }
    }
    let isEarly = await store.releaseSpace()
    #expect(!isEarly)
    _ = try await test.store.perform(.expireMessages(before: .max, after: QueueNumber(0), limit: 10))
    var rounds = 0
    while await store.releaseSpace() {
      rounds += 1
      #expect(
        try await test.store.perform(.addMessage(number, message(rounds), quota: 5_000))
          == .stored(isFirst: rounds == 1))
    }
    #expect(rounds > 1)
    await test.store.close()
    let database = try SQLiteConnection(path: test.path)
    try database.checkIntegrity()
    let (free, all) = (try database.integerPragma("freelist_count"), try database.integerPragma("page_count"))
    #expect(try #require(all) < 5_500, "\(String(describing: free)) of \(String(describing: all)) pages are free")
    #expect(try await SQLiteQueueStore(path: test.path).messageCount(of: number) == rounds)
  }

  @Test func aNewerStoreIsRefused() async throws {
    let test = try TestStore(.sqlite)
    await test.store.close()
    try SQLiteConnection(path: test.path).setPragma("user_version", "7")
    #expect(throws: StoreFailure.newerSchema(found: 7, known: QueueSchema.migrations.count)) {
      try SQLiteQueueStore(path: test.path)
    }
  }

  @Test func aForeignFileIsRefused() throws {
    let test = try TestStore(.memory)
    try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: test.path))
    #expect(throws: StoreFailure.damaged) { try SQLiteQueueStore(path: test.path) }
  }

  @Test(arguments: [
    QueueSQL.byNumber, QueueSQL.byRecipient, QueueSQL.bySender, QueueSQL.byNotifier, QueueSQL.byLink, QueueSQL.secure,
    QueueSQL.touch, QueueSQL.deleteQueue, QueueSQL.linkData, QueueSQL.positions, QueueSQL.firstMessage,
    QueueSQL.firstHead,
    QueueSQL.deleteFirstMessages, QueueSQL.deleteMessages, QueueSQL.expireMessages, QueueSQL.nextQueueWithMessages,
    QueueSQL.messageCount, QueueSQL.serviceNotifiers, QueueSQL.serviceQueues, QueueSQL.serviceByHash,
    QueueSQL.lastNumber, QueueSQL.lastPosition, QueueSQL.nextServices, QueueSQL.deleteService, QueueSQL.useService,
    QueueSQL.servicesOfQueue,
  ]) func statementsUseIndexes(_ sql: String) throws {
    let database = try SQLiteConnection(path: ":memory:")
    try database.migrate(QueueSchema.migrations)
    let plan = try database.queryPlan(sql)
    #expect(plan.allSatisfy { $0.hasPrefix("SEARCH") || $0.hasPrefix("CORRELATED") }, "\(plan)")
  }

  @Test func theSchemaIsTheReleasedOne() throws {
    let database = try SQLiteConnection(path: ":memory:")
    try database.migrate(QueueSchema.migrations)
    // A change of a released migration changes this number: add a migration instead.
    let text = try database.schema().joined(separator: "\n")
    #expect(text.utf8.reduce(UInt64(5381)) { ($0 &* 33) ^ UInt64($1) } == 6_042_605_430_792_919_862)
  }
}
