import SimplexTesting
import Testing

/// Disappearing messages in support chats.
@Suite struct TimedSupportTests {
  /// The time of a message to somebody who is removed before ends without an error.
  @Test func timersOfRemovedMembersAreNoError() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await world.makeTeam(alice, bob)
      _ = try await alice.run(
        #"/_group_profile #1 {"displayName":"team","fullName":"","groupPreferences":{"#
          + #""timedMessages":{"enable":"on","ttl":1},"support":{"enable":"on"}}}"#)
      // Of bob nothing is shown, so that nothing is left of it.
      _ = try await alice.run("/_clear chat #1")
      let member = try #require(
        try await alice.rows("SELECT member_id FROM members WHERE local_display_name = 'bob'")?.first)
      _ = try await alice.run(
        #"/_send #1(_support:\#(member)) json [{"msgContent":{"type":"text","text":"bye"},"mentions":{}}]"#)
      #expect(try await alice.rows("SELECT count(*) FROM items WHERE delete_at IS NOT NULL") == ["1"])
      _ = try await alice.run("/rm team bob")
      #expect(try await alice.rows("SELECT 1 FROM members WHERE member_id = \(member)") == [])
      try await Task.sleep(for: .milliseconds(1_500))
      let error = try? await alice.event("errorStore", within: .milliseconds(100))
      #expect(error == nil, "\(error?.jsonText() ?? "")")
    }
  }
}
