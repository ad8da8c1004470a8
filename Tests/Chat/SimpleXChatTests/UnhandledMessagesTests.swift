import SimplexTesting
import Testing

@testable import SimpleXChat

/// A message that the chat core cannot store is kept by the agent, holds up no other, and is handled once when it can
/// be stored.
@Suite(.timeLimit(.minutes(2))) struct UnhandledMessagesTests {
  /// From now on no item with a text is stored. A failing function is no violated constraint, which a message could
  /// cause.
  private func refuse(_ text: String, _ core: TestCore) async throws {
    _ = try await core.run(
      "/sql chat CREATE TRIGGER refuse BEFORE INSERT ON items WHEN NEW.text = '\(text)' BEGIN SELECT json('{'); END")
  }

  private func texts(_ core: TestCore) async throws -> [String] {
    try await core.rows("SELECT text FROM items WHERE text IN ('one', 'two', 'three') ORDER BY item_id") ?? []
  }

  /// Bob sends texts, and alice's agent sets the first one aside, as it does after a day.
  private func setFirstAside(_ alice: TestCore, _ bob: TestCore) async throws {
    try await refuse("one", alice)
    for text in ["one", "two"] { _ = try await bob.run("@alice \(text)") }
    _ = try await alice.event("errorStore")
    #expect(try await alice.rows("SELECT count(*) FROM unhandled_messages") == ["1"])
    _ = try await alice.run("/sql agent UPDATE received_messages SET attempts = 100, received_at = 0")
  }

  @Test(arguments: [false, true]) func aMessageThatWasSetAsideIsHandledOnce(isRepeated: Bool) async throws {
    try await TestWorld.with(
      network: try MemoryNetwork(), options: { $0.repeatsEvents = isRepeated }
    ) { world in
      let (first, bob) = try await world.connected("alice", "bob")
      try await setFirstAside(first, bob)
      // The relay delivers it again, and then the next one.
      let alice = try await world.restart("alice")
      try await alice.wait(until: "EXISTS (SELECT 1 FROM items WHERE text = 'two')")
      #expect(try await alice.rows("SELECT 1 FROM received_messages WHERE is_aside = 1", of: "agent") == ["1"])
      _ = try await bob.run("@alice three")
      try await alice.wait(until: "EXISTS (SELECT 1 FROM items WHERE text = 'three')")

      _ = try await alice.run("/sql chat DROP TRIGGER refuse")
      let last = try await world.restart("alice")
      try await last.wait(until: "EXISTS (SELECT 1 FROM items WHERE text = 'one')")
      try await last.waitUntilIdle()
      #expect(try await texts(last) == ["two", "three", "one"])
      #expect(try await last.rows("SELECT 1 FROM unhandled_messages") == [])
      #expect(try await last.rows("SELECT 1 FROM received_messages", of: "agent") == [])
      // Each gets its receipt. Where the late one is delivered twice at once, its own may be lost: whether it gets one
      // is remembered of the last message alone.
      if isRepeated { return }
      try await bob.wait(until: "(SELECT count(*) FROM items WHERE sent = 1 AND status = 4) = 3")
    }
  }

  /// A crash after the message was stored, and before the agent has its acknowledgement: it is delivered again.
  @Test func aCrashBeforeTheAcknowledgement() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (first, bob) = try await world.connected("alice", "bob")
      try await setFirstAside(first, bob)
      let alice = try await world.restart("alice")
      try await alice.wait(until: "EXISTS (SELECT 1 FROM items WHERE text = 'two')")
      _ = try await alice.run("/sql chat DROP TRIGGER refuse")
      // The agent cannot remove what is acknowledged.
      _ = try await alice.run(
        "/sql agent CREATE TRIGGER keep BEFORE DELETE ON received_messages BEGIN SELECT json('{'); END")
      let second = try await world.restart("alice")
      try await second.wait(until: "EXISTS (SELECT 1 FROM items WHERE text = 'one')")
      let killed = try await world.kill("alice")
      _ = try await killed.run("/sql agent DROP TRIGGER keep")
      let last = try await world.restart("alice")
      try await last.waitUntilIdle()
      #expect(try await texts(last) == ["two", "one"])
    }
  }

  /// It is tried again at the intervals of cleaning, without a restart.
  @Test func itIsTriedAgainAtIntervals() async throws {
    try await TestWorld.with(network: try MemoryNetwork(), options: { $0.cleanupInterval = 50 }) { world in
      let (first, bob) = try await world.connected("alice", "bob")
      try await setFirstAside(first, bob)
      let alice = try await world.restart("alice")
      try await alice.wait(until: "EXISTS (SELECT 1 FROM items WHERE text = 'two')")
      _ = try await alice.run("/sql chat DROP TRIGGER refuse")
      try await alice.wait(until: "EXISTS (SELECT 1 FROM items WHERE text = 'one')")
    }
  }

  /// What is noted of messages goes with their connection.
  @Test func notesGoWithTheConnection() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await setFirstAside(alice, bob)
      _ = try await alice.run("/_delete @2 full notify=off")
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM connections)")
      #expect(try await alice.rows("SELECT 1 FROM unhandled_messages") == [])
    }
  }
}
