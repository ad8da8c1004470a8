import SimplexTesting
import Testing

/// Changes of the user's profile that are made while an earlier one is still being told.
@Suite struct ProfileChangesTests {
  /// A change that waits for the relay of the address does not undo, for contacts, a later one that waits for nothing.
  @Test func theLastProfileCounts() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let created = try await alice.run("/_address 1")
      let link = try #require(created["connLinkContact"]?["connShortLink"]?.stringValue)
      _ = try await alice.run("/_profile_address 1 on")
      _ = try await bob.event("contactUpdated") { $0["toContact"]?["profile"]?["contactLink"]?.stringValue == link }
      await world.stopRelay()
      let first = Task { [controller = alice.controller] in
        await controller.sendText(#"/_profile 1 {"displayName":"alice","fullName":"Alice","contactLink":"\#(link)"}"#)
      }
      while try await alice.run("/u")["user"]?["profile"]?["fullName"] != "Alice" { await Task.yield() }
      _ = try await alice.run("/_delete_address 1")
      try await world.startRelay()
      _ = await first.value
      _ = try await alice.run("@bob after both")
      #expect(try await bob.message() == "after both")
      let shown = try await bob.run("/_contacts 1")["contacts"]?[0]?["profile"]
      #expect(shown?["fullName"] == "Alice")
      #expect(shown?["contactLink"] == nil, "the link of the address that is gone")
    }
  }

  /// Members of a group get a new name, but not the address: that is for contacts.
  @Test func membersGetNoAddress() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await world.makeTeam(alice, bob)
      _ = try await alice.run("/delete @bob")
      _ = try await bob.event("contactDeletedByContact")
      _ = try await alice.run("/_address 1")
      _ = try await alice.run("/_profile_address 1 on")
      _ = try await alice.run("/p alisa")
      _ = try await alice.run("#team hello")
      let changed = try await bob.event("groupMemberUpdated")
      let profile = changed["toMember"]?["memberProfile"]
      #expect(profile?["displayName"] == "alisa")
      #expect(profile?["contactLink"] == nil)
    }
  }
}
