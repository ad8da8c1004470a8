import Foundation
import SQLiteKit
import SimpleXChat
import SimplexJSON
import SimplexTesting
import Testing

/// Users who are deleted in many turns.
@Suite struct DeletedUserTests {
  /// Alice's files, and the databases of her two users, of which `work`, number 2, has a contact, a group, messages,
  /// notes, files, an address and tags.
  private func play(_ body: (TestWorld) async throws -> Void) async throws {
    try await TestWorld.with(network: try MemoryNetwork(), options: { $0.membersPerTurn = 1 }) { world in
      let (alice, bob) = (try await world.profile("alice"), try await world.profile("bob"))
      let files = world.folder.appending(path: "alice/files")
      try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
      for name in ["kept", "one", "two"] { try Data(count: 10).write(to: files.appending(path: name)) }
      _ = try await alice.run("/_files_folder \(files.path)")
      func note(_ file: String) -> String {
        #"{"fileSource":{"filePath":"\#(file)"},"msgContent":{"type":"file","text":""}}"#
      }
      _ = try await alice.run("/_create *1 json [\(note("kept"))]")
      _ = try await alice.run("/create user work")
      try await world.connect(alice, bob)
      _ = try await alice.run("/_create *2 json [\(note("one")),\(note("two"))]")
      let texts = (1...40).map { #"{"msgContent":{"type":"text","text":"\#($0)"}}"# }
      _ = try await alice.run("/_create *2 json [\(texts.joined(separator: ","))]")
      try await world.makeTeam(alice, bob)
      _ = try await bob.run("#team hello")
      _ = try await alice.message()
      _ = try await alice.run("#team welcome")
      _ = try await bob.message()
      _ = try await alice.run("/_address 2")
      _ = try await alice.run(#"/_create tag {"text":"family"}"#)
      _ = try await alice.run("/user alice")
      while try await !alice.isIdle() { try await Task.sleep(for: .milliseconds(5)) }
      await world.leave("alice")
      await world.leave("bob")
      try await body(world)
    }
  }

  /// A copy of alice's databases and files.
  private func copy(_ world: TestWorld) throws -> URL {
    let copy = world.folder.appending(path: "copy-\(UUID().uuidString)")
    try FileManager.default.copyItem(at: world.folder.appending(path: "alice"), to: copy)
    for name in try FileManager.default.contentsOfDirectory(atPath: world.folder.path)
    where name.hasPrefix("alice_") {
      try FileManager.default.copyItem(
        at: world.folder.appending(path: name), to: copy.appending(path: name))
    }
    return copy
  }

  /// Alice's program on a copy.
  private func open(_ world: TestWorld, _ copy: URL, _ point: CrashPoint? = nil) async throws -> TestCore {
    var options = world.options("alice")
    options.databasePrefix = copy.appending(path: "alice").path
    options.crashPoint = point
    let core = TestCore("alice", try await ChatController.open(options))
    _ = await core.controller.sendText("/_files_folder \(copy.appending(path: "files").path)")
    return core
  }

  private static let command = "/_delete user 2 del_smp=on"

  /// Waits until nothing is left to be done.
  private func waitUntilDone(_ core: TestCore, _ copy: URL) async throws {
    for _ in 0..<1_000 {
      let left = try await core.rows(
        """
        SELECT 1 FROM jobs UNION SELECT 1 FROM agent_commands UNION SELECT 1 FROM chats WHERE kind = 9 \
        UNION SELECT 1 FROM files WHERE removed = 1
        """)
      let users = try await core.rows("SELECT 1 FROM users WHERE is_deleted = 1", of: "agent")
      if left?.isEmpty == true, users?.isEmpty == true, try await core.isIdle() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("something is left: \(try await core.rows("SELECT * FROM jobs") ?? [])")
  }

  /// How many rows the tables have.
  private func counts(_ core: TestCore) async throws -> [String: String] {
    var counts: [String: String] = [:]
    for database in ["chat", "agent"] {
      let tables = try await core.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'", of: database)
      for table in tables ?? [] {
        counts["\(database) \(table)"] = try await core.rows("SELECT count(*) FROM \(table)", of: database)?.first
      }
    }
    return counts
  }

  private func files(_ copy: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: copy.appending(path: "files").path).sorted()
  }

  /// Deletes the user on a copy of the databases.
  /// - Returns: the numbers of the commits of the chat's and the agent's database, and what is left.
  private func deleteUndisturbed(
    _ world: TestWorld
  ) async throws -> (commits: [CrashPoint.Database: Range<Int>], counts: [String: String]) {
    let (copy, point) = (try copy(world), CrashPoint())
    let alice = try await open(world, copy, point)
    _ = try await alice.run("/_start")
    while try await !alice.isIdle() { try await Task.sleep(for: .milliseconds(5)) }
    let before = CrashPoint.Database.allCases.map { ($0, point.commitCount(of: $0)) }
    #expect(try await alice.run(Self.command)["type"]?.stringValue == "cmdOk")
    _ = try await alice.event("agentUserDeleted")
    try await waitUntilDone(alice, copy)
    let commits = before.map { ($0, $1 + 1..<point.commitCount(of: $0) + 1) }
    let counts = try await counts(alice)
    await alice.controller.finish()
    return (Dictionary(uniqueKeysWithValues: commits), counts)
  }

  /// Each turn deletes a little, so that others are handled in between.
  @Test func usersAreDeletedInManyTurns() async throws {
    try await play { world in
      let (commits, counts) = try await deleteUndisturbed(world)
      #expect(try #require(commits[.chat]).count > 20)
      for table in ["items", "chats", "groups", "members", "profiles", "contacts", "connections", "files"] {
        #expect(counts["chat \(table)"] == (["groups", "members", "connections"].contains(table) ? "0" : "1"))
      }
      #expect(counts["agent users"] == "1" && counts["agent connections"] == "0")
    }
  }

  /// The program ends after a commit: the deletion goes on with the next start, and leaves what it leaves undisturbed.
  /// `SIMPLEX_SOAK=1` tries all commits.
  @Test func deletionsGoOnAfterACrash() async throws {
    try await play { world in
      let (commits, counts) = try await deleteUndisturbed(world)
      let isSoak = ProcessInfo.processInfo.environment["SIMPLEX_SOAK"] != nil
      for database in CrashPoint.Database.allCases {
        let all = Array(commits[database] ?? 0..<0)
        // The first ones, which mark the user as deleted, and some of the others.
        let some = isSoak ? all[...] : all.prefix(3) + all.dropFirst(3).shuffled().prefix(6)
        for commit in some {
          let (copy, point) = (try copy(world), CrashPoint(after: (database, commit)))
          var alice = try await open(world, copy, point)
          _ = try await alice.answer("/_start")
          _ = try await alice.answer(Self.command)
          for _ in 0..<100 where !point.isReached { try await Task.sleep(for: .milliseconds(10)) }
          await alice.controller.kill()
          alice = try await open(world, copy)
          let isDeleted = try await alice.run("/users")["users"]?.arrayValue?.count == 1
          _ = try await alice.run("/_start")
          if !isDeleted { _ = try await alice.run(Self.command) }
          try await waitUntilDone(alice, copy)
          #expect(try await self.counts(alice) == counts, "\(database) \(commit)")
          #expect(try files(copy) == ["kept"], "\(database) \(commit)")
          await #expect(throws: Unexpected.self) { try await alice.event("connectionsDiff", within: .zero) }
          await alice.controller.finish()
        }
      }
    }
  }

  /// Whoever is being deleted is not there any more, and another user can have the name; it does not lose anything.
  @Test func usersWhoAreBeingDeletedCannotBeUsed() async throws {
    try await play { world in
      let (commits, _) = try await deleteUndisturbed(world)
      let first = try #require(commits[.chat]?.first)
      for commit in first..<first + 4 {
        let (copy, point) = (try copy(world), CrashPoint(after: (.chat, commit)))
        var alice = try await open(world, copy, point)
        _ = try await alice.answer("/_start")
        _ = try await alice.answer(Self.command)
        await alice.controller.kill()
        alice = try await open(world, copy)
        guard try await alice.run("/users")["users"]?.arrayValue?.count == 1 else {
          await alice.controller.finish()
          continue
        }
        // Not started, so that the deletion has to wait.
        #expect(try await alice.rows("SELECT subject_id FROM jobs") == ["2"])
        let created = try await alice.run("/create user work")["user"]?["userId"]?.integerValue
        #expect(created == 3)
        _ = try await alice.run("/_start")
        #expect(try await alice.answer("/_user 2")["errorType"]?["type"]?.stringValue == "userUnknown")
        #expect(try await alice.answer(Self.command)["errorType"]?["type"]?.stringValue == "userUnknown")
        try await waitUntilDone(alice, copy)
        #expect(try await alice.rows("SELECT DISTINCT user_id FROM profiles ORDER BY user_id") == ["1", "3"])
        #expect(try await alice.run("/users")["users"]?.arrayValue?.count == 2)
        await alice.controller.finish()
        return
      }
      Issue.record("the user was never being deleted")
    }
  }

  /// The last user is deleted to the end, although nobody follows with whom the chat could be started.
  @Test func theLastUserGoesAlsoAfterACrash() async throws {
    try await TestWorld.with(network: try MemoryNetwork(), options: { $0.membersPerTurn = 1 }) { world in
      let (alice, _) = try await world.connected("alice", "bob")
      // So that it takes a while.
      _ = try await alice.run(
        """
        /sql chat WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) \
        INSERT INTO chats (user_id, kind, entity_id, ts) SELECT 1, 0, 1000 + i, 0 FROM n
        """)
      let controller = alice.controller
      async let answer = controller.sendText("/_delete user 1 del_smp=on")
      while try await alice.rows("SELECT 1 FROM jobs") == [] { try await Task.sleep(for: .milliseconds(1)) }
      await controller.kill()
      _ = await answer
      let again = TestCore("alice", try await ChatController.open(world.options("alice")))
      try #require(try await again.rows("SELECT subject_id FROM jobs") == ["1"])
      #expect(try await again.answer("/_start")["type"]?.stringValue != "chatStarted")
      for table in ["jobs", "contacts", "profiles", "connections", "chats"] {
        #expect(try await again.rows("SELECT count(*) FROM \(table)") == ["0"], "\(table)")
      }
      await again.controller.finish()
    }
  }

  /// That chats of the user are hidden begins no cleaning of everything, each time.
  @Test func deletionsDoNotCleanAgainAndAgain() async throws {
    try await play { world in
      let (copy, point) = (try copy(world), CrashPoint())
      let alice = try await open(world, copy, point)
      _ = try await alice.run(
        """
        /sql chat WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) \
        INSERT INTO chats (user_id, kind, entity_id, ts) SELECT 2, 0, 1000 + i, 0 FROM n
        """)
      _ = try await alice.run("/_start")
      while try await !alice.isIdle() { try await Task.sleep(for: .milliseconds(5)) }
      let before = point.commitCount(of: .chat)
      _ = try await alice.run(Self.command)
      try await waitUntilDone(alice, copy)
      try await Task.sleep(for: .milliseconds(300))
      // Each chat is hidden in a turn and purged in another one. A cleaning takes eight or more: 300 of them, 2,400.
      #expect(point.commitCount(of: .chat) - before < 1_500)
      await alice.controller.finish()
    }
  }

  /// What was under way to a group is sent while its user is being deleted: that is no error.
  @Test func whatIsSentMeanwhileIsNoError() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = (try await world.profile("alice"), try await world.profile("bob"))
      _ = try await alice.run("/create user work")
      try await world.connect(alice, bob)
      try await world.makeTeam(alice, bob)
      while try await !alice.isIdle() { try await Task.sleep(for: .milliseconds(5)) }
      await world.stopRelay()
      _ = try await alice.run("#team hello")
      _ = try await alice.run("/user alice")
      // The first turn of a deletion; everything else goes later.
      _ = try await alice.run("/sql chat DELETE FROM users WHERE user_id = 2")
      try await world.startRelay()
      #expect(try await bob.message() == "hello")
      await #expect(throws: TestWorld.Unexpected.self) {
        try await alice.event("errorStore", within: .seconds(2))
      }
    }
  }

  /// Records of a group that was deleted shortly before its user go, too.
  @Test func recordsOfGroupsDeletedBeforeGo() async throws {
    try await play { world in
      let copy = try copy(world)
      let alice = try await open(world, copy)
      _ = try await alice.run("/_start")
      // As if a group of the user had just been deleted.
      let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
      for record in [
        "received_messages VALUES (77, 1, 'AAAA', 0, \(now), 0)",
        "early_decisions VALUES (77, 77, 'AAAA', 'removed', NULL, '', NULL, \(now), 0)",
        "moderations VALUES (77, 'AAAA', 'BBBB', 1, \(now), \(now), 0)",
      ] { _ = try await alice.run("/sql chat INSERT INTO \(record)") }
      _ = try await alice.run(
        "/sql chat INSERT INTO jobs (user_id, kind, subject_id, payload, created_at) VALUES (2, 5, 77, '', 0)")
      _ = try await alice.run(Self.command)
      try await waitUntilDone(alice, copy)
      for table in ["received_messages", "early_decisions", "moderations"] {
        #expect(try await alice.rows("SELECT 1 FROM \(table) WHERE group_id = 77") == [], "\(table)")
      }
      await alice.controller.finish()
    }
  }

  /// A user of few things, for whom there is no job, is no difference between the databases after a crash either.
  @Test func usersOfFewThingsAreNoDifferenceAfterACrash() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let first = try await world.profile("alice")
      _ = try await first.run("/create user work")
      _ = try await first.run("/user alice")
      while try await !first.isIdle() { try await Task.sleep(for: .milliseconds(5)) }
      await world.leave("alice")
      for commit in 1..<60 {
        var options = world.options("alice")
        options.crashPoint = CrashPoint(after: (.chat, commit))
        // The first commits are those of opening.
        guard let controller = try? await ChatController.open(options) else { continue }
        let crashing = TestCore("alice", controller)
        _ = try await crashing.answer("/_start")
        _ = try await crashing.answer("/_delete user 2 del_smp=off")
        await controller.kill()
        let alice = TestCore("alice", try await ChatController.open(world.options("alice")))
        guard try await alice.run("/users")["users"]?.arrayValue?.count == 1 else {
          await alice.controller.finish()
          continue
        }
        try #require(try await alice.rows("SELECT 1 FROM agent_commands")?.isEmpty == false)
        try #require(try await alice.rows("SELECT 1 FROM jobs") == [])
        _ = try await alice.run("/_start")
        await #expect(throws: TestWorld.Unexpected.self) {
          try await alice.event("connectionsDiff", within: .seconds(1))
        }
        await alice.controller.finish()
        return
      }
      Issue.record("the user was never being deleted")
    }
  }
}
