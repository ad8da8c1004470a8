import SimplexJSON
import SimplexTesting
import Testing

/// Work about many members takes several turns. Here a turn handles one member, or two members or messages of a
/// command.
@Suite struct LongTurnsTests {
  /// Alice's group with bob, cath and dan, all connected with each other.
  private func play(
    membersPerTurn: Int = 1, _ body: (TestWorld, _ alice: TestCore) async throws -> Void
  ) async throws {
    try await TestWorld.with(
      network: try MemoryNetwork(),
      options: { options in
        options.membersPerTurn = membersPerTurn
        options.itemsPerTurn = 2
      }
    ) { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run(#"/_group 1 {"displayName":"team","fullName":""}"#)
      let created = try await alice.run("/_create link #1 member")
      let link = created["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
      for (count, name) in ["bob", "cath", "dan"].enumerated() {
        _ = try await world.profile(name).run("/_connect 1 \(link)")
        for core in world.cores.values {
          try await core.wait(
            until: """
              (SELECT count(*) FROM members m JOIN connections n ON n.connection_id = m.connection_id \
              WHERE m.status IN ('connected', 'complete') AND n.status = 'ready') = \(count + 1) \
              AND NOT EXISTS (SELECT 1 FROM jobs) AND NOT EXISTS (SELECT 1 FROM pending_messages)
              """)
        }
      }
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM agent_commands)")
      // Members still report whom they are connected with.
      world.settles = true
      try await world.settle()
      try await body(world, alice)
    }
  }

  private func member(_ name: String, of core: TestCore) async throws -> Int64 {
    let rows = try await core.rows("SELECT member_id FROM members WHERE local_display_name = '\(name)'")
    return try #require(rows?.first.flatMap { Int64($0) })
  }

  /// Who leaves first introduces all others to those who have just joined.
  @Test func newcomersAreIntroducedInPartsBeforeLeaving() async throws {
    try await play { world, alice in
      let dan = try #require(world.cores["dan"])
      // As if dan had just joined, and alice had introduced nobody to him.
      _ = try await alice.run(
        "/sql chat UPDATE members SET relations = x'000505', is_introduced_to = 1 WHERE local_display_name = 'dan'")
      let connection = try await alice.agentConnection(with: "dan")
      // Before the job is there: it may be begun at once.
      try await alice.noteMessages()
      _ = try await alice.run(
        "/sql chat INSERT INTO jobs (user_id, kind, subject_id, payload, created_at) "
          + "VALUES (1, 2, \(try await member("dan", of: alice)), 'history', 0)")
      _ = try await alice.run("/_leave #1")
      let noted = try await alice.notedMessages(over: connection)
      #expect(noted.count >= 3 && noted.turns >= 3, "\(noted)")
      _ = try await dan.event("leftMember") { $0["member"]?["localDisplayName"]?.stringValue == "alice" }
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM jobs) AND NOT EXISTS (SELECT 1 FROM connections)")
    }
  }

  /// Who becomes a moderator gets to know those under review, each once, though the host's program is killed.
  @Test func membersUnderReviewAreIntroducedInParts() async throws {
    try await play { world, alice in
      try await review(["bob", "cath"], in: alice)
      let connection = try await alice.agentConnection(with: "dan")
      try await alice.noteMessages()
      _ = try await alice.run("/_member role #1 \(try await member("dan", of: alice)) moderator")
      let again = try await world.kill("alice")
      try await again.wait(until: "NOT EXISTS (SELECT 1 FROM jobs)")
      let noted = try await again.notedMessages(over: connection)
      // The new role and the first member, and the second member.
      #expect(noted.count == 3 && noted.turns == 2, "\(noted)")
      #expect(try await introducedToDan(by: again) == 2)
    }
  }

  /// Who leaves first introduces those under review to a new moderator: the job goes on in the command.
  @Test func membersUnderReviewAreIntroducedBeforeLeaving() async throws {
    try await play { _, alice in
      // As if dan had just become a moderator, and cath were still to be introduced to him.
      try await review(["cath"], in: alice)
      _ = try await alice.run("/sql chat UPDATE members SET role = 'moderator' WHERE local_display_name = 'dan'")
      _ = try await alice.run(
        "/sql chat INSERT INTO jobs (user_id, kind, subject_id, payload, created_at) VALUES (1, 10, 1, '', 0)")
      let connection = try await alice.agentConnection(with: "dan")
      try await alice.noteMessages()
      _ = try await alice.run("/_leave #1")
      // Cath, and that alice leaves.
      let noted = try await alice.notedMessages(over: connection)
      #expect(noted.count == 2, "\(noted)")
    }
  }

  /// A member under review with a profile that fits in no introduction hinders neither a command nor the others.
  @Test(arguments: ["bob", "cath"])
  func longProfilesHinderNobody(_ name: String) async throws {
    try await play { _, alice in
      try await review(["bob", "cath"], in: alice)
      _ = try await alice.run(
        "/sql chat UPDATE profiles SET full_name = printf('%.*c', 15400, 'x') WHERE display_name = '\(name)'")
      _ = try await alice.run("/_member role #1 \(try await member("dan", of: alice)) moderator")
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM jobs)")
      #expect(try await introducedToDan(by: alice) == 2)
    }
  }

  /// Members as if moderators had to admit them, and knew nothing of them.
  private func review(_ names: [String], in alice: TestCore) async throws {
    for name in names {
      _ = try await alice.run(
        "/sql chat UPDATE members SET status = 'pending_review', relations = x'' WHERE local_display_name = '\(name)'")
    }
  }

  /// How many members were introduced to dan, or dan to them.
  private func introducedToDan(by alice: TestCore) async throws -> Int {
    try await alice.rows(
      "SELECT 1 FROM members WHERE length(relations) = 4 AND substr(relations, 4) NOT IN (x'00', x'05')")?.count ?? 0
  }

  /// Where a command ends after its first turn, those whom it did not reach know what it did.
  @Test func whoIsNotBlockedHearsWhoIs() async throws {
    try await play { _, alice in
      var ids: [String] = []
      for name in ["bob", "cath", "dan"] { ids.append("\(try await member(name, of: alice))") }
      let connection = try await alice.agentConnection(with: "dan")
      try await alice.noteMessages()
      _ = try await alice.run(
        "/sql chat CREATE TRIGGER refuse BEFORE UPDATE OF blocked_by_admin ON members "
          + "WHEN NEW.local_display_name = 'dan' BEGIN SELECT RAISE(ABORT, 'no'); END")
      let blocked = try await alice.run("/_block #1 \(ids.joined(separator: ",")) blocked=on")
      #expect(blocked["members"]?.arrayValue?.count == 2)
      #expect(try await alice.notedMessages(over: connection).count == 1)
    }
  }

  /// Nobody's role changes where one of the members cannot be invited again.
  @Test func whetherMembersCanBeInvitedAgainIsKnownBefore() async throws {
    try await play { _, alice in
      var ids: [String] = []
      for name in ["bob", "cath", "dan"] { ids.append("\(try await member(name, of: alice))") }
      _ = try await alice.run("/sql chat UPDATE members SET status = 'invited' WHERE local_display_name = 'dan'")
      try await alice.noteMessages()
      let answer = try await alice.answer("/_member role #1 \(ids.joined(separator: ",")) observer")
      #expect(answer["type"]?.stringValue?.hasPrefix("error") == true)
      #expect(try await alice.rows("SELECT 1 FROM noted") == [])
    }
  }

  @Test func membersAreChangedInParts() async throws {
    try await play { world, alice in
      var ids: [String] = []
      for name in ["bob", "cath", "dan"] { ids.append("\(try await member(name, of: alice))") }
      let connection = try await alice.agentConnection(with: "dan")
      let all = ids.joined(separator: ",")
      try await alice.noteMessages()
      let changed = try await alice.run("/_member role #1 \(all) observer")
      #expect(changed["members"]?.arrayValue?.count { $0["memberRole"]?.stringValue == "observer" } == 3)
      let blocked = try await alice.run("/_block #1 \(all) blocked=on")
      #expect(blocked["members"]?.arrayValue?.count { $0["blockedByAdmin"] == .bool(true) } == 3)
      let removed = try await alice.run("/_remove #1 \(all) messages=on")
      #expect(removed["members"]?.arrayValue?.count == 3)
      let noted = try await alice.notedMessages(over: connection)
      // The roles of two and of the third one, that two are blocked, and their removals.
      #expect(noted.count == 5 && noted.turns == 5, "\(noted)")
      for name in ["bob", "cath", "dan"] {
        _ = try await world.cores[name]?.event("memberRole") {
          $0["member"]?["groupMemberId"] == $0["groupInfo"]?["membership"]?["groupMemberId"]
        }
        _ = try await world.cores[name]?.event("deletedMemberUser")
      }
    }
  }

  /// Whether the command may be about all of them is known before it begins.
  @Test func nobodyIsChangedWhereOneMayNotBe() async throws {
    try await play { world, alice in
      var ids: [Int64] = []
      for name in ["bob", "cath", "dan"] { ids.append(try await member(name, of: alice)) }
      _ = try await alice.run("/_member role #1 \(ids[2]) admin")
      try await alice.noteMessages()
      let all = ids.map { "\($0)" }.joined(separator: ",")
      for command in [
        "/_member role #1 \(all) observer", "/_block #1 \(all) blocked=on", "/_remove #1 \(all)",
        "/_remove #1 \(ids[0]),99", "/_member role #1 \(ids[0]),\(ids[0]) observer",
      ] {
        let answer = try await alice.answer(command)
        #expect(answer["type"]?.stringValue?.hasPrefix("error") == true, "\(command)")
      }
      #expect(try await alice.rows("SELECT 1 FROM noted") == [])
    }
  }

  /// A turn deletes no more messages when it removes several members than when it removes one.
  @Test func messagesOfAllRemovedMembersAreDeletedInParts() async throws {
    try await play(membersPerTurn: 50) { world, alice in
      var ids: [String] = []
      for name in ["bob", "cath", "dan"] {
        ids.append("\(try await member(name, of: alice))")
        for number in 1...2 { _ = try await world.cores[name]?.run("#team \(number) by \(name)") }
      }
      try await alice.wait(until: "(SELECT count(*) FROM items WHERE text GLOB '[12] by *') = 6")
      _ = try await alice.run("/_remove #1 \(ids.joined(separator: ",")) messages=on")
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM jobs)")
      let turns = try await alice.rows(
        "SELECT count(*) FROM items WHERE text GLOB '[12] by *' AND deleted = 1 GROUP BY deleted_at ORDER BY deleted_at"
      )
      #expect(turns == ["2", "2", "2"])
    }
  }
}
