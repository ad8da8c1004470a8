import SimplexTesting
import Testing

/// A contact that came with a group, as older versions made them, and that nobody has written to.
@Suite struct UnusedContactTests {
  @Test func isGoneWhenItDeletesTheUser() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      _ = try await alice.run("/sql chat UPDATE connections SET level = 1")
      _ = try await alice.run("/sql chat UPDATE chats SET listed = 0 WHERE kind = 0")
      let contact = try await bob.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue ?? 0
      _ = try await bob.run("/_delete @\(contact) full notify=on")
      _ = try await alice.event("agentRcvQueuesDeleted")
      #expect(try await alice.run("/_contacts 1")["contacts"]?.arrayValue?.isEmpty == true)
    }
  }
}
