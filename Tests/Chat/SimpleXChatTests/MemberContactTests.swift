import SimpleXChat
import SimplexJSON
import SimplexTesting
import Testing

/// Contacts that members make of each other.
@Suite struct MemberContactTests {
  /// Both invite each other while no message passes: one of the invitations is used, and both have one contact.
  @Test func invitationsMayCross() async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { world in
      let (alice, bob) = (try await world.profile("alice"), try await world.profile("bob"))
      _ = try await alice.run(
        #"/_group 1 {"displayName":"team","fullName":"","groupPreferences":{"directMessages":{"enable":"on"}}}"#)
      let created = try await alice.run("/_create link #1 member")
      let link = created["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
      _ = try await bob.run("/_connect 1 \(link)")
      _ = try await alice.event("joinedGroupMember")
      _ = try await bob.event("userJoinedGroup")
      for core in [alice, bob] { _ = try await core.run("/set accept member contacts on") }
      let contacts = (try await contact(of: alice, with: "bob"), try await contact(of: bob, with: "alice"))
      await network.stopRelay()
      _ = try await alice.run("/_invite member contact @\(contacts.0) text from alice")
      _ = try await bob.run("/_invite member contact @\(contacts.1) text from bob")
      try network.startRelay()
      _ = try await alice.event("contactConnected", within: .seconds(40))
      _ = try await bob.event("contactConnected", within: .seconds(40))
      _ = try await alice.run("/_send @\(contacts.0) text after it")
      _ = try await bob.event("newChatItems") { Self.text($0) == "after it" }
      _ = try await bob.run("/_send @\(contacts.1) text and back")
      _ = try await alice.event("newChatItems") { Self.text($0) == "and back" }
      for core in [alice, bob] {
        #expect(try await core.rows("SELECT count(*) FROM contacts WHERE connection_id IS NOT NULL") == ["1"])
      }
    }
  }

  /// Makes a contact of the only member of a name; returns its database id.
  private func contact(of core: TestCore, with name: String) async throws -> Int64 {
    let member = try await core.rows("SELECT member_id FROM members WHERE local_display_name = '\(name)'")?.first
    let made = try await core.run("/_create member contact #1 \(member ?? "")")
    return try #require(made["contact"]?["contactId"]?.integerValue)
  }

  private static func text(_ event: JSONValue) -> String? {
    event["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue
  }
}
