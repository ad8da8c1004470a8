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

  /// A welcome message that is too large keeps nobody from being accepted.
  @Test func welcomeMessagesThatAreTooLarge() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = (try await world.profile("alice"), try await world.profile("bob"))
      let link = try await alice.run("/_address 1")["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
      // As of an earlier version; what is shown by a link is limited already.
      _ = try await alice.run("/sql chat UPDATE addresses SET short_link = NULL, link_data_set = 0")
      // Random, so that it cannot be compressed.
      let long = String((0..<40_000).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "x" })
      _ = try await alice.run(
        #"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false},"#
          + #""autoReply":{"type":"text","text":"\#(long)"}}"#)
      _ = try await bob.run("/connect \(link)")
      _ = try await alice.event("contactSndReady")
      _ = try await alice.event("contactConnected")
      _ = try await bob.event("contactConnected")
      try await alice.waitUntilIdle()
      _ = try await alice.run("@bob hello")
      #expect(try await bob.message() == "hello")
    }
  }
}
