import SimplexJSON
import SimplexTesting
import Testing

/// What is about many members takes several turns. Here each is about one member, or two members of a command, or two
/// messages.
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
      _ = try await alice.run(
        "/sql chat INSERT INTO jobs (user_id, kind, subject_id, payload, created_at) "
          + "VALUES (1, 2, \(try await member("dan", of: alice)), 'history', 0)")
      let connection = try await alice.agentConnection(with: "dan")
      try await alice.noteMessages()
      _ = try await alice.run("/_leave #1")
      let noted = try await alice.notedMessages(over: connection)
      #expect(noted.count >= 3 && noted.turns >= 3, "\(noted)")
      _ = try await dan.event("leftMember") { $0["member"]?["localDisplayName"]?.stringValue == "alice" }
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM jobs) AND NOT EXISTS (SELECT 1 FROM connections)")
    }
  }

  /// Who becomes a moderator gets to know those who are reviewed, each once, though the host's program is killed.
  @Test func reviewedMembersAreIntroducedInParts() async throws {
    try await play { world, alice in
      // As if moderators had to admit bob and cath, and knew nothing of them.
      _ = try await alice.run(
        "/sql chat UPDATE members SET status = 'pending_review', relations = x'' "
          + "WHERE local_display_name IN ('bob', 'cath')")
      let connection = try await alice.agentConnection(with: "dan")
      try await alice.noteMessages()
      _ = try await alice.run("/_member role #1 \(try await member("dan", of: alice)) moderator")
      let again = try await world.kill("alice")
      try await again.wait(until: "NOT EXISTS (SELECT 1 FROM jobs)")
      let noted = try await again.notedMessages(over: connection)
      // The new role and the first member, and the second member.
      #expect(noted.count == 3 && noted.turns == 2, "\(noted)")
      let introduced = try await again.rows(
        "SELECT count(*) FROM members WHERE length(relations) = 4 AND substr(relations, 4) NOT IN (x'00', x'05')")
      #expect(introduced == ["2"])
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
      // The roles of two and of the third one, and their removals. Who is blocked is not told that others are.
      #expect(noted.count == 4 && noted.turns == 4, "\(noted)")
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

  /// However many members a turn removes, it deletes no more messages than of one.
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

extension TestCore {
  /// Waits until a condition about the database of chats holds.
  func wait(until condition: String) async throws {
    for _ in 0..<1_000 {
      if try await rows("SELECT 1 WHERE \(condition)")?.isEmpty == false { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw TestWorld.Unexpected(description: "\(name) waits until \(condition)")
  }

  /// The agent's identifier of the connection with a member.
  func agentConnection(with name: String) async throws -> String {
    let rows = try await rows(
      """
      SELECT n.agent_conn_id FROM members m JOIN connections n ON n.connection_id = m.connection_id \
      WHERE m.local_display_name = '\(name)'
      """)
    return try #require(rows?.first)
  }

  /// Notes which messages are stored for the agent from now on, and in which turn.
  func noteMessages() async throws {
    _ = try await run("/sql chat CREATE TABLE noted (connection TEXT, turn INTEGER)")
    // The time is that of the transaction.
    _ = try await run(
      "/sql chat CREATE TRIGGER note AFTER INSERT ON agent_commands WHEN NEW.packet_id IS NOT NULL "
        + "BEGIN INSERT INTO noted VALUES (NEW.agent_conn_id, NEW.created_at); END")
  }

  /// How many messages were noted that go over a connection, and in how many turns they were stored.
  func notedMessages(over connection: String) async throws -> (count: Int, turns: Int) {
    let turns = try await rows("SELECT count(*) FROM noted WHERE connection = '\(connection)' GROUP BY turn") ?? []
    return (turns.reduce(0) { $0 + (Int($1) ?? 0) }, turns.count)
  }
}
