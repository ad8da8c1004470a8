import SimplexJSON
import SimplexTesting
import Testing

/// Messages that follow from a connection and cannot be sent: the connection is made nevertheless, once.
@Suite struct UnsendableFollowUpTests {
  /// An invitation to a group whose contact goes before its link is created is given up.
  @Test func invitationsOfContactsWhoAreGone() async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { world in
      let (alice, _) = try await world.connected("alice", "bob")
      let contact = try #require(try await alice.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue)
      _ = try await alice.run("/g team")
      network.weather.delay = 200...200
      _ = try await alice.run("/a team bob")
      _ = try await alice.run("/_delete @\(contact) entity notify=off")
      network.weather = .calm
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM agent_commands)")
      #expect(try await alice.rows("SELECT count(*) FROM members WHERE invitation IS NOT NULL") == ["1"])
    }
  }
}
