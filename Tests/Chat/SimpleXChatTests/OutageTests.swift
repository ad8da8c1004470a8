import AgentCore
import SimplexJSON
import SimplexTesting
import Testing

@testable import SimpleXChat

/// A full disk, and events that no program reads.
@Suite struct OutageTests {
  /// Nothing that came while nothing could be stored is lost, or acknowledged before it was stored.
  @Test(arguments: ["chat", "agent"]) func fullDiskLosesNothing(database: String) async throws {
    try await TestWorld.with { world in
      var (alice, bob) = try await world.connected("alice", "bob")
      _ = try await bob.run("/sql \(database) PRAGMA \(database == "chat" ? "max_page_count = 1" : "query_only = 1")")
      let text = String(repeating: "x", count: 2_000)
      let count = 30
      for number in 0..<count { _ = try await alice.run("@bob \(number) \(text)") }
      if database == "chat" {
        _ = try await bob.event("errorStore") { $0["storeError"]?["message"]?.stringValue?.contains("full") == true }
        _ = try await bob.run("/sql chat PRAGMA max_page_count = 1000000")
      } else {
        // The agent opens its database again, where writing is allowed.
        _ = try await bob.event("errorAgent") { $0["agentError"]?["type"]?.stringValue == "CRITICAL" }
      }
      for number in 0..<count { #expect(try await bob.message().hasPrefix("\(number) ")) }
      bob = try await world.restart("bob")
      _ = try await alice.run("@bob last")
      #expect(try await bob.message() == "last")
    }
  }

  /// An outage is told once, however often the same is tried.
  @Test func anOutageIsToldOnce() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      func full(_ event: JSONValue) -> Bool {
        event["storeError"]?["message"]?.stringValue?.contains("full") == true
      }
      for round in ["first", "second"] {
        let before = await bob.controller.outages
        _ = try await bob.run("/sql chat PRAGMA max_page_count = 1")
        let text = String(repeating: "x", count: 12_000)
        for _ in 0..<5 { _ = try await alice.run("@bob \(round) \(text)") }
        let end = ContinuousClock.now + .seconds(60)
        while await bob.controller.outages < before + 3, .now < end { try await Task.sleep(for: .milliseconds(50)) }
        #expect(await bob.controller.outages >= before + 3)
        _ = try await bob.run("/sql chat PRAGMA max_page_count = 1000000")
        for _ in 0..<5 { #expect(try await bob.message().hasPrefix(round)) }
        var count = 0
        while (try? await bob.event("errorStore", within: .milliseconds(10), where: full)) != nil { count += 1 }
        #expect(count == 1)
      }
    }
  }

  /// A user is created, although the agent cannot store the file servers.
  @Test func usersAreCreatedWithoutFileServers() async throws {
    try await TestWorld.with(files: true) { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run(
        "/sql agent CREATE TRIGGER refuse BEFORE INSERT ON user_file_servers BEGIN SELECT RAISE(ABORT, 'refused'); END")
      #expect(try await alice.run("/create user second")["user"]?["localDisplayName"] == "second")
      _ = try await alice.event("errorAgent")
    }
  }

  /// What succeeds is not done again because something else failed meanwhile.
  @Test func outagesOfOthersRepeatNothing() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let controller = try await world.profile("alice").controller
      var count = 0
      let isDone = await controller.untilDatabasesWork {
        count += 1
        guard count == 1 else { return }
        let other = Task { try await controller.withAgent { (_) throws(AgentError) in throw .store(.full) } }
        _ = await other.result
      }
      #expect(isDone && count == 1)
    }
  }

  /// A controller can be stopped while no program reads its events, and continues from there.
  @Test func stoppingDoesNotWaitForReaders() async throws {
    try await TestWorld.with(options: { $0.eventLimit = 2 }) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let count = 20
      for number in 0..<count { _ = try await alice.run("@bob \(number)") }
      // Time for the events to fill the queue.
      try await Task.sleep(for: .milliseconds(500))
      _ = try await bob.run("/_stop")
      _ = try await bob.run("/_start")
      for number in 0..<count { #expect(try await bob.message() == "\(number)") }
    }
  }
}
