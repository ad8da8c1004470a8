import Foundation
import SQLiteKit
import SimpleXChat
import SimplexJSON
import SimplexTesting
import Testing

/// Work about the members of a group that is divided into several turns, here of one member each.
@Suite struct GroupJobsTests {
  /// Alice's group with bob, cath and dan, all connected with each other, and a link to join it.
  private func play(
    fullDelete: Bool = false, _ body: (TestWorld, _ link: String) async throws -> Void
  ) async throws {
    try await TestWorld.with(
      network: try MemoryNetwork(),
      options: { options in
        options.membersPerTurn = 1
        options.itemsPerTurn = 2
      }
    ) { world in
      let alice = try await world.profile("alice")
      let preferences = #"{"history":{"enable":"on"},"fullDelete":{"enable":"\#(fullDelete ? "on" : "off")"}}"#
      _ = try await alice.run(
        #"/_group 1 {"displayName":"team","fullName":"","groupPreferences":\#(preferences)}"#)
      let created = try await alice.run("/_create link #1 member")
      let link = created["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
      for name in ["bob", "cath", "dan"] {
        let core = try await world.profile(name)
        _ = try await core.run("/_connect 1 \(link)")
        try await waitUntilConnected(world)
      }
      try await body(world, link)
    }
  }

  /// Waits until everybody is connected with everybody, and nothing is left to be done.
  private func waitUntilConnected(_ world: TestWorld) async throws {
    let count = world.cores.count - 1
    for core in world.cores.values {
      try await wait(
        core,
        """
        SELECT 1 WHERE (SELECT count(*) FROM members m JOIN connections n ON n.connection_id = m.connection_id \
        WHERE m.group_id = 1 AND m.status IN ('connected', 'complete') AND n.status = 'ready') = \(count) \
        AND (SELECT count(*) FROM members WHERE group_id = 1) = \(count + 1) AND NOT EXISTS (SELECT 1 FROM jobs) \
        AND NOT EXISTS (SELECT 1 FROM pending_messages)
        """)
    }
  }

  private func wait(_ core: TestCore, _ query: String) async throws {
    for _ in 0..<1_000 {
      if try await core.rows(query)?.isEmpty == false { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    let members = try await core.rows("SELECT local_display_name, status, hex(relations), has_pending FROM members")
    Issue.record(
      "\(core.name) waits for \(query): \(members ?? []), \(try await core.rows("SELECT * FROM jobs") ?? [])")
    throw TestWorld.Unexpected(description: "\(core.name) waits")
  }

  private func texts(_ core: TestCore) async throws -> [String] {
    try await core.rows("SELECT text FROM items WHERE message_tag = 'text' ORDER BY item_id") ?? []
  }

  @Test func whatIsSaidMeanwhileComesOnce() async throws {
    try await play { world, link in
      let (alice, bob) = (try #require(world.cores["alice"]), try #require(world.cores["bob"]))
      let eve = try await world.profile("eve")
      _ = try await alice.run("/_send #1 text before")
      _ = try await eve.run("/_connect 1 \(link)")
      _ = try await alice.event("joinedGroupMember") { $0["member"]?["localDisplayName"]?.stringValue == "eve" }
      _ = try await alice.run("/_send #1 text meanwhile")
      _ = try await bob.run("/_send #1 text by bob")
      try await waitUntilConnected(world)
      for core in [alice, bob, eve] {
        try await wait(core, "SELECT 1 WHERE (SELECT count(*) FROM items WHERE message_tag = 'text') = 3")
      }
      #expect(try await Set(texts(eve)) == ["before", "meanwhile", "by bob"])
      #expect(try await eve.rows("SELECT 1 FROM members WHERE status = 'unknown'") == [])
    }
  }

  /// The host's program ends after a commit while somebody joins; `SIMPLEX_SOAK=1` tries all of them.
  @Test func introductionsGoOnAfterACrash() async throws {
    let isSoak = ProcessInfo.processInfo.environment["SIMPLEX_SOAK"] != nil
    var chance = SeededGenerator(seed: .random(in: 0..<1_000_000))
    let commits = Array(4..<40).shuffled(using: &chance).prefix(isSoak ? 36 : 4)
    for commit in commits {
      try await play { world, link in
        let eve = try await world.profile("eve")
        await world.leave("alice")
        var options = world.options("alice")
        let point = CrashPoint(after: (.chat, commit))
        options.crashPoint = point
        let alice = TestCore("alice", try await ChatController.open(options))
        let isStarted = try await alice.answer("/_start")["type"]?.stringValue == "chatStarted"
        if isStarted { _ = try await eve.run("/_connect 1 \(link)") }
        for _ in 0..<150 where !point.isReached { try await Task.sleep(for: .milliseconds(20)) }
        world.network?.cutOff("alice")
        await alice.controller.kill()
        _ = try await world.open("alice")
        if !isStarted { _ = try await eve.run("/_connect 1 \(link)") }
        try await waitUntilConnected(world)
      }
    }
  }

  /// Messages of a member who is removed with them are deleted in parts, by everybody.
  @Test(arguments: [false, true]) func allMessagesGoWithAMember(fullDelete: Bool) async throws {
    try await play(fullDelete: fullDelete) { world, _ in
      let cores = try ["alice", "bob", "cath"].map { try #require(world.cores[$0]) }
      let (alice, bob) = (cores[0], cores[1])
      _ = try await alice.run("/_send #1 text by alice")
      for number in 1...7 { _ = try await bob.run("/_send #1 text \(number) by bob") }
      let shown = "SELECT count(*) FROM items WHERE text LIKE '% by bob' AND deleted = 0"
      for core in cores { try await wait(core, "SELECT 1 WHERE (\(shown)) = 7") }
      let id = try await alice.rows("SELECT member_id FROM members WHERE local_display_name = 'bob'")?.first ?? ""
      _ = try await alice.run("/_remove #1 \(id) messages=on")
      for core in cores { try await wait(core, "SELECT 1 WHERE (\(shown)) = 0 AND NOT EXISTS (SELECT 1 FROM jobs)") }
      let kept = try await alice.rows("SELECT count(*) FROM items WHERE text LIKE '% by bob'")
      #expect(kept == [fullDelete ? "0" : "7"])
      #expect(try await texts(alice).contains("by alice"))
    }
  }

  /// What ends a connection does not wait for what is held until everybody is introduced.
  @Test func whoIsRemovedMeanwhileIsTold() async throws {
    try await play { world, link in
      let alice = try #require(world.cores["alice"])
      let eve = try await world.profile("eve")
      _ = try await eve.run("/_connect 1 \(link)")
      let joined = try await alice.event("joinedGroupMember") {
        $0["member"]?["localDisplayName"]?.stringValue == "eve"
      }
      let member = try #require(joined["member"]?["groupMemberId"]?.integerValue)
      _ = try await alice.run("/_remove #1 \(member)")
      _ = try await eve.event("deletedMemberUser")
    }
  }

  @Test func leavingAndDeletingAtOnceIsToldToAll() async throws {
    try await play { world, _ in
      let bob = try #require(world.cores["bob"])
      _ = try await bob.run("/_leave #1")
      _ = try await bob.run("/_delete #1 full")
      for name in ["alice", "cath", "dan"] { _ = try await world.cores[name]?.event("leftMember") }
    }
  }

  /// That the last message of a connection was sent is no error, though the connection is gone.
  @Test func leavingTellsOfNoError() async throws {
    try await play { world, _ in
      let bob = try #require(world.cores["bob"])
      _ = try await bob.run("/_leave #1")
      _ = try await bob.event("agentConnsDeleted")
      for tag in ["error", "errorStore", "errorAgent"] {
        await #expect(throws: Unexpected.self) { try await bob.event(tag, within: .milliseconds(100)) }
      }
    }
  }

  @Test func leavingAndDeletingLeaveNothing() async throws {
    try await play { world, _ in
      let (alice, bob) = (try #require(world.cores["alice"]), try #require(world.cores["bob"]))
      _ = try await bob.run("/_leave #1")
      try await wait(bob, "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM connections) AND NOT EXISTS (SELECT 1 FROM jobs)")
      _ = try await alice.event("leftMember")
      _ = try await alice.run("/_delete #1 full")
      // Hidden at once.
      #expect(try await alice.answer("/_info #1")["storeError"]?["type"]?.stringValue == "groupNotFound")
      try await wait(
        alice,
        """
        SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM members) AND NOT EXISTS (SELECT 1 FROM connections) \
        AND NOT EXISTS (SELECT 1 FROM jobs) AND NOT EXISTS (SELECT 1 FROM agent_commands)
        """)
      for name in ["cath", "dan"] { _ = try await world.cores[name]?.event("groupDeleted") }
      let restarted = try await world.restart("alice")
      #expect(try await restarted.rows("SELECT 1 FROM agent_commands") == [])
    }
  }
}
