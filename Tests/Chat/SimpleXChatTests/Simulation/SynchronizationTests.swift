import ChatAPI
import ChatStore
import Foundation
import SQLiteKit
import SimplexTesting
import Testing

/// The number of synchronizations of databases, counted in SQLite's file system. Most of the time that a message takes
/// is spent in them.
@Suite struct SynchronizationTests {
  /// Synchronizations of the receiving person's databases.
  private struct Count: CustomStringConvertible {
    var chat: Int
    var agent: Int

    init(_ disk: VolatileDisk) {
      chat = disk.synchronizations(of: .chat)
      agent = disk.synchronizations(of: .agent)
    }

    static func - (one: Count, other: Count) -> Count {
      var difference = one
      difference.chat -= other.chat
      difference.agent -= other.agent
      return difference
    }

    var description: String { "chat \(chat), agent \(agent)" }
  }

  /// Long enough for what is stored or sent later than a message: acknowledgements, receipts.
  private static let pause = Duration.milliseconds(300)

  /// Counts what `receive` costs a person with contacts.
  private func count(
    senders: [String], receipts: Bool, _ receive: ([TestCore], TestCore) async throws -> Void
  ) async throws -> Count {
    var result: Count?
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let disk = world.volatileDisk(of: "bob")
      let bob = try await world.profile("bob")
      var cores: [TestCore] = []
      for name in senders {
        cores.append(try await world.profile(name))
        try await world.connect(cores[cores.count - 1], bob)
      }
      if !receipts { _ = try await bob.run("/_set receipts contacts 1 off") }
      // What follows connecting.
      try await Task.sleep(for: .milliseconds(1_000))
      let before = Count(disk)
      try await receive(cores, bob)
      try await Task.sleep(for: Self.pause)
      let count = Count(disk) - before
      result = count
      #expect(count.chat > 0 && count.agent > 0, "nothing is counted")
    }
    return try #require(result)
  }

  /// Each message alone: one synchronization of each database. A receipt is a message of its own, whose key must not be
  /// used twice, so it costs the agent's database one.
  @Test(arguments: [true, false]) func aMessageAlone(receipts: Bool) async throws {
    let messages = 10
    let found = try await count(senders: ["alice"], receipts: receipts) { senders, bob in
      for number in 0..<messages {
        _ = try await senders[0].run("@bob message \(number)")
        _ = try await bob.message()
        try await Task.sleep(for: Self.pause)
      }
    }
    print("\(messages) messages alone, \(receipts ? "with" : "without") receipts, synchronizations: \(found)")
    #expect(found.chat <= messages, "\(found)")
    #expect(found.agent <= (receipts ? 2 : 1) * messages, "\(found)")
  }

  /// Messages that follow each other share their receipts, those of several contacts their synchronizations too.
  @Test(arguments: [["alice"], ["alice", "cath", "dora", "eve"]], [true, false])
  func aBurst(senders: [String], receipts: Bool) async throws {
    let messages = 40 * senders.count
    let found = try await count(senders: senders, receipts: receipts) { senders, bob in
      try await withThrowingTaskGroup { group in
        for sender in senders {
          let controller = sender.controller
          group.addTask { for number in 0..<40 { _ = await controller.sendText("@bob message \(number)") } }
        }
        try await group.waitForAll()
      }
      for _ in 0..<messages { _ = try await bob.message() }
    }
    print(
      "\(messages) messages of \(senders.count) at once, \(receipts ? "with" : "without") receipts, synchronizations: \(found)"
    )
    // Moving the log into the file, every 4,000 pages, takes three.
    let moving = 3
    #expect(found.chat <= messages + moving, "\(found)")
    #expect(found.agent <= (receipts ? 2 : 1) * messages + moving, "\(found)")
  }

  /// What another process committed while the databases were parked, and did not make durable before it was killed, is
  /// made durable before anything is told of it.
  @Test func whatAnotherProcessLeftBehind() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "left-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var isTested = false
    for seed in UInt64(0)..<32 where !isTested {
      let prefix = folder.appending(path: "alice\(seed)").path
      let disk = VolatileDisk(prefix: prefix)
      defer { disk.remove() }
      let app = try ChatDatabase(path: prefix + "_chat.db", commitsWait: false)
      try app.transaction { _ = try $0.setHandled(event: 1) }
      try app.synchronize()
      app.park()
      let other = try ChatDatabase(path: prefix + "_chat.db", commitsWait: false)
      try other.transaction { _ = try $0.setHandled(event: 2) }
      // Its last moment: it cannot even close the file. A seed that loses nothing is a process that was killed.
      disk.losePower()
      other.close()
      var chance = SeededGenerator(seed: seed)
      let lost = try await disk.restorePower(using: &chance)
      try app.reopen()
      if lost == 0, try app.read({ try $0.lastHandledEvent() }) == 2 {
        let before = disk.synchronizations(of: .chat)
        try app.synchronize()
        #expect(disk.synchronizations(of: .chat) == before + 1)
        isTested = true
      }
      app.close()
    }
    #expect(isTested)
  }

  /// What could not be synchronized is not durable because the next synchronization succeeds: it is written again.
  @Test func aFailedSynchronization() async throws {
    try await expectKept(event: 3) { store, disk in
      try store.transaction { _ = try $0.setHandled(event: 2) }
      disk.failToSynchronize()
      #expect(throws: ChatError.self) { try store.synchronize() }
      try store.transaction { _ = try $0.setHandled(event: 3) }
    }
  }

  /// Rows that typed SQL changes are durable after the next synchronization.
  @Test func typedSQL() async throws {
    try await expectKept(event: 2) { store, _ in
      _ = try store.rows(of: "UPDATE handled_events SET last_event_id = 2")
    }
  }

  /// Changes a database, synchronizes it, takes the power from its disk in several ways, and opens it again: it has the
  /// event that was handled last.
  private func expectKept(event: Int64, _ change: (ChatDatabase, VolatileDisk) throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kept-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for seed in UInt64(0)..<12 {
      let prefix = folder.appending(path: "alice\(seed)").path
      let disk = VolatileDisk(prefix: prefix)
      defer { disk.remove() }
      let store = try ChatDatabase(path: prefix + "_chat.db", commitsWait: false)
      try store.transaction { _ = try $0.setHandled(event: 1) }
      try store.synchronize()
      try change(store, disk)
      try store.synchronize()
      disk.losePower()
      store.close()
      var chance = SeededGenerator(seed: seed)
      _ = try await disk.restorePower(using: &chance)
      let again = try ChatDatabase(path: prefix + "_chat.db", commitsWait: false)
      #expect(try again.read { try $0.lastHandledEvent() } == event, "seed \(seed)")
      again.close()
    }
  }
}
