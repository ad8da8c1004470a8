import SimplexJSON
import SimplexTesting
import Testing

/// A host who is removed tells it to those who are not connected with who removed it.
@Suite struct ForwardedRemovalTests {
  /// What waits for a member does not keep that back: the connection is deleted right afterwards.
  @Test(arguments: [
    "UPDATE members SET is_introduced_to = 1 WHERE local_display_name = 'eve'",
    "UPDATE members SET has_pending = 1 WHERE local_display_name = 'eve'",
    """
    UPDATE connections SET quota_errors = 5 \
    WHERE member_id = (SELECT member_id FROM members WHERE local_display_name = 'eve')
    """,
  ])
  func whoWaitsIsToldToo(state: String) async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      _ = try await alice.run(#"/_group 1 {"displayName":"team","fullName":""}"#)
      _ = try await alice.run("/a team bob admin")
      _ = try await bob.event("receivedGroupInvitation")
      _ = try await bob.run("/j team")
      _ = try await alice.event("joinedGroupMember")
      _ = try await bob.event("userJoinedGroup")
      let created = try await bob.run("/_create link #1 member")
      let link = created["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
      await world.leave("alice")
      let eve = try await world.profile("eve")
      _ = try await eve.run("/_connect 1 \(link)")
      try await wait(eve, "SELECT 1 FROM members WHERE local_display_name = 'alice' AND status = 'intro-inv'")
      try await wait(eve, "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM agent_commands)")
      try await wait(eve, "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM tasks)", of: "agent")
      await world.leave("eve")
      let again = try await world.open("alice")
      try await wait(
        again, "SELECT 1 FROM members WHERE local_display_name = 'eve' AND connection_id IS NOT NULL")
      try await wait(again, "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM agent_commands)")
      _ = try await again.run(
        "/sql chat UPDATE connections SET status = 'joined' "
          + "WHERE member_id = (SELECT member_id FROM members WHERE local_display_name = 'eve')")
      _ = try await bob.run("/sql chat \(state)")
      let id = try await again.rows("SELECT member_id FROM members WHERE local_display_name = 'bob'")?.first ?? ""
      _ = try await again.run("/_remove #1 \(id)")
      _ = try await bob.event("deletedMemberUser")
      await world.leave("alice")
      let returned = try await world.open("eve")
      let told = try await returned.event("deletedMember", within: .seconds(10))
      #expect(told["deletedMember"]?["localDisplayName"]?.stringValue == "bob")
    }
  }

  private func wait(_ core: TestCore, _ query: String, of database: String = "chat") async throws {
    for _ in 0..<500 {
      if try await core.rows(query, of: database)?.isEmpty == false { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw TestWorld.Unexpected(description: "\(core.name) waits for \(query)")
  }
}
