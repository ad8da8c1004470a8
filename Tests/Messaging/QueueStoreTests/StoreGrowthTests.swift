import DiskSimulation
import Foundation
import SMPServerCore
import SQLiteKit
import Testing

@testable import QueueStore

/// The sizes of the files of a store under months of load.
@Suite struct StoreGrowthTests {
  private static let journalLimit = 256 << 10
  private static let checkpointPages: Int32 = 500
  private static let queueCount = 30

  /// Queues that come and go, messages of which a fifth is never received and expires after three weeks, and a restart
  /// now and then.
  @Test func monthsOfLoadDoNotFillTheDisk() throws {
    let disk = SimulatedDisk()
    var machine = try StoreMachine(disk, journalLimit: Self.journalLimit, checkpointPages: Self.checkpointPages)
    var queues: [QueueNumber] = []
    var (next, largestDatabase) = (0, 0)
    for day in 1...120 {
      while queues.count < Self.queueCount {
        next += 1
        guard case .success(.created(let number)) = machine.commit([.createQueue(queue(next), nil)]).first else {
          throw Violation("a queue is not created")
        }
        queues.append(number)
      }
      for hour in 0..<12 {
        let now = Int64(day * 24 + hour)
        var batch: [StoreOperation] = queues.map { .addMessage($0, message(hour, at: now, size: 3_000), quota: 128) }
        // Every fifth queue is not read any more.
        batch += queues.filter { $0.value % 5 != 0 }.map { .acknowledge($0, messageID: [], readsNext: true) }
        try expectSuccess(machine.commit(batch))
        #expect(disk.size(of: "queues.db-messages") <= Self.journalLimit + 200 * 4_096)
        // What is collected until it is moved, and the largest transaction.
        #expect(disk.size(of: "queues.db-wal") <= (Int(Self.checkpointPages) + 1_000) * 4_200)
      }
      try expectSuccess(
        machine.commit([.expireMessages(before: Int64((day - 21) * 24), after: QueueNumber(0), limit: 1_000)]))
      try expectSuccess(machine.commit([.deleteQueue(queues.removeFirst())]))
      while machine.releaseSpace() {}
      if day % 17 == 0 {
        machine.stop()
        #expect(disk.size(of: "queues.db-messages") == 0 && disk.size(of: "queues.db-wal") == 0)
        machine = try StoreMachine(disk, journalLimit: Self.journalLimit, checkpointPages: Self.checkpointPages)
      }
      if day <= 60 { largestDatabase = max(largestDatabase, disk.size(of: "queues.db")) }
    }
    // In the second half as in the first.
    #expect(disk.size(of: "queues.db") <= largestDatabase)
    try machine.checkIntegrity()
  }

  private func expectSuccess(_ outcomes: [Result<StoreOutcome, StoreFailure>]) throws {
    for outcome in outcomes { _ = try outcome.get() }
  }

  /// A reader that takes long lets the write-ahead log grow; afterwards it is short again.
  @Test func theLogOfALongReadIsTruncated() async throws {
    let test = try TestStore(.sqlite)
    let store = test.store
    let number = try await store.add(queue(1))
    let reader = try SQLiteConnection(path: test.path, access: .readOnly)
    try reader.runScript("BEGIN")
    _ = try reader.integerPragma("user_version")
    _ = try reader.first(QueueSQL.countQueues) { (row) throws(SQLiteError) in try row.integer(0) }
    let link = LinkData(fixed: [UInt8](repeating: 1, count: 100), user: [UInt8](repeating: 2, count: 60_000))
    func change() async throws {
      _ = try await store.perform(.setLink(number, linkID: id(1, 5), link))
      _ = try await store.perform(.deleteLink(number))
    }
    while try size(of: test.path + "-wal") < 70 << 20 {
      try await withThrowingDiscardingTaskGroup { group in
        for index in 2..<200 { group.addTask { _ = try await store.perform(.createQueue(queue(index), link)) } }
      }
      try await withThrowingDiscardingTaskGroup { group in
        for index in 2..<200 { group.addTask { try await Self.delete(index, store) } }
      }
    }
    try reader.runScript("COMMIT")
    for _ in 0..<3 { try await change() }
    #expect(try size(of: test.path + "-wal") <= 64 << 20)
    await store.close()
  }

  private static func delete(_ index: Int, _ store: any RelayStore) async throws {
    guard let record = try await store.queue(.recipient(id(index, 1))) else { return }
    _ = try await store.perform(.deleteQueue(record.number))
  }

  private func size(of path: String) throws -> Int {
    (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
  }
}
