import Foundation
import SimpleXChat
import SimplexTesting
import Synchronization
import Testing

/// What is deleted after some time, with a clock that the test sets.
@Suite struct CleaningTests {
  private final class Clock: Sendable {
    private let offset = Mutex(0.0)

    /// Seconds that are added to the time.
    var ahead: Double {
      get { offset.withLock { $0 } }
      set { offset.withLock { $0 = newValue } }
    }

    var now: Date { Date().addingTimeInterval(ahead) }
  }

  private static let day = 86_400.0

  private func play(_ body: (TestWorld, TestCore, Clock) async throws -> Void) async throws {
    let clock = Clock()
    try await TestWorld.with(
      network: try MemoryNetwork(),
      options: {
        $0.cleanupInterval = 20
        $0.clock = { clock.now }
      }
    ) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      _ = try await alice.run("/g team")
      _ = try await alice.run("/a team bob")
      _ = try await bob.event("receivedGroupInvitation")
      _ = try await bob.run("/j team")
      _ = try await bob.event("userJoinedGroup")
      _ = try await alice.event("joinedGroupMember")
      try await body(world, alice, clock)
    }
  }

  /// Waits until everything was looked at again. The record of a message from long ago is what goes last.
  private func clean(_ core: TestCore) async throws {
    for _ in 0..<2 {
      _ = try await core.run("/sql chat INSERT OR IGNORE INTO received_messages VALUES (99, 99, 'old', 0, 0, 0)")
      var rounds = 0
      while try await core.rows("SELECT 1 FROM received_messages WHERE group_id = 99") != [] {
        rounds += 1
        guard rounds < 1_000 else {
          Issue.record("nothing is cleaned")
          return
        }
        try await Task.sleep(for: .milliseconds(10))
      }
    }
  }

  /// Checks that rows stay for some days and go then.
  private func expect(
    _ query: String, toStay days: Double, _ core: TestCore, _ clock: Clock
  ) async throws {
    clock.ahead = days * Self.day - 3_600
    try await clean(core)
    #expect(try await core.rows(query) == ["1"], "\(query): gone too early")
    clock.ahead = days * Self.day + 3_600
    try await clean(core)
    #expect(try await core.rows(query) == ["0"], "\(query): not gone")
  }

  /// A member who was removed stays for a day, because others may still say something of it.
  @Test func removedMembersGoAfterADay() async throws {
    try await play { _, alice, clock in
      _ = try await alice.run("/rm team bob")
      // What told that bob joined.
      _ = try await alice.run("/_clear chat #1")
      try await expect(
        "SELECT count(*) FROM members WHERE local_display_name = 'bob'", toStay: 1, alice, clock)
    }
  }

  /// One of whom something is shown stays as long as that.
  @Test func removedMembersWithMessagesStay() async throws {
    try await play { world, alice, clock in
      _ = try await world.cores["bob"]?.run("#team hello")
      _ = try await alice.message()
      _ = try await alice.run("/rm team bob")
      clock.ahead = 40 * Self.day
      try await clean(alice)
      #expect(try await alice.rows("SELECT count(*) FROM members WHERE local_display_name = 'bob'") == ["1"])
      _ = try await alice.run("/_clear chat #1")
      try await clean(alice)
      #expect(try await alice.rows("SELECT count(*) FROM members WHERE local_display_name = 'bob'") == ["0"])
    }
  }

  /// A step that fails is reported once, and tried again; the others go on.
  @Test func failingStepsDoNotEndTheOthers() async throws {
    try await play { _, alice, clock in
      _ = try await alice.run("/sql chat INSERT INTO sent_probes VALUES (77, 1, 'AAAA', 2, NULL, 0)")
      _ = try await alice.run(
        "/sql chat CREATE TRIGGER broken BEFORE DELETE ON sent_probes BEGIN SELECT RAISE(ABORT, 'broken'); END")
      // What this waits for comes after the step that fails.
      try await clean(alice)
      _ = try await alice.event("errorStore")
      try await clean(alice)
      let again = try? await alice.event("errorStore", within: .milliseconds(50))
      #expect(again == nil)
      #expect(try await alice.rows("SELECT count(*) FROM sent_probes WHERE probe_id = 77") == ["1"])
      _ = try await alice.run("/sql chat DROP TRIGGER broken")
      try await clean(alice)
      #expect(try await alice.rows("SELECT count(*) FROM sent_probes WHERE probe_id = 77") == ["0"])
    }
  }

  /// A file whose removal fails is remembered, and removed later.
  @Test func filesAreRemovedLater() async throws {
    try await play { world, alice, _ in
      let folder = world.folder.appending(path: "alice-files")
      let file = folder.appending(path: "note.txt")
      let files = FileManager.default
      try files.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("a note".utf8).write(to: file)
      _ = try await alice.run("/_files_folder \(folder.path)")
      let note = #"{"fileSource":{"filePath":"note.txt"},"msgContent":{"type":"file","text":""},"mentions":{}}"#
      let created = try await alice.run("/_create *1 json [\(note)]")
      let item = try #require(created["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue)
      // Nothing but a folder resists everybody.
      try files.removeItem(at: file)
      try files.createDirectory(at: file, withIntermediateDirectories: false)
      _ = try await alice.run("/_delete item *1 \(item) internal")
      let error = try await alice.event("error")
      #expect(error["errorType"]?["filePath"]?.stringValue == "note.txt")
      try files.removeItem(at: file)
      try Data("a note".utf8).write(to: file)
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM leftover_files)")
      #expect(!files.fileExists(atPath: file.path))
    }
  }

  @Test func probesGoAfterTwoWeeks() async throws {
    try await play { _, alice, clock in
      let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
      for table in ["asked_probes", "received_probes", "sent_probes"] {
        _ = try await alice.run("/sql chat DELETE FROM \(table)")
      }
      _ = try await alice.run("/sql chat INSERT INTO sent_probes VALUES (1, 1, 'AAAA', 2, NULL, \(now))")
      _ = try await alice.run("/sql chat INSERT INTO asked_probes VALUES (1, 2, NULL)")
      _ = try await alice.run("/sql chat INSERT INTO received_probes VALUES (1, 1, 'BBBB', NULL, 2, NULL, \(now), 0)")
      try await expect(
        """
        SELECT max(n) FROM (SELECT count(*) AS n FROM sent_probes UNION ALL SELECT count(*) FROM asked_probes \
        UNION ALL SELECT count(*) FROM received_probes)
        """, toStay: 14, alice, clock)
    }
  }

  /// Which messages came, and what was said about messages and members that did not.
  @Test func recordsOfMessagesGoAfterAMonth() async throws {
    try await play { _, alice, clock in
      let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
      _ = try await alice.run("/sql chat INSERT INTO received_messages VALUES (77, 77, 'AAAA', 0, \(now), 0)")
      _ = try await alice.run("/sql chat INSERT INTO moderations VALUES (77, 'AAAA', 'BBBB', 77, \(now), \(now), 0)")
      _ = try await alice.run(
        "/sql chat INSERT INTO early_decisions VALUES (77, 77, 'AAAA', 'removed', NULL, 'admin', 77, \(now), 0)")
      let tables = ["received_messages", "moderations", "early_decisions"]
      try await expect(
        "SELECT sum(n) / 3 FROM ("
          + tables.map { "SELECT count(*) AS n FROM \($0) WHERE group_id = 77" }.joined(separator: " UNION ALL ") + ")",
        toStay: 30, alice, clock)
    }
  }

  @Test func whatWaitsForMembersGoesAfterAMonth() async throws {
    try await play { _, alice, clock in
      let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
      _ = try await alice.run("/sql chat INSERT INTO packets VALUES (777, x'00')")
      _ = try await alice.run(
        "/sql chat INSERT INTO pending_messages SELECT 777, member_id, 777, 0, NULL, 1, \(now) FROM members LIMIT 1")
      let ids = "SELECT count(*) FROM packets WHERE packet_id = 777"
      try await expect(ids, toStay: 30, alice, clock)
      #expect(try await alice.rows("SELECT 1 FROM pending_messages") == [])
    }
  }

  /// While the core runs: deleting closes no database.
  @Test func whatIsDeletedIsInNoFileAfterACleaning() async throws {
    let needle = "needle-\(UUID().uuidString)"
    try await TestWorld.with(
      network: try MemoryNetwork(),
      options: {
        $0.cleanupInterval = 20
        $0.logInterval = 100
      }
    ) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      _ = try await alice.run("@bob \(needle)")
      #expect(try await bob.message() == needle)
      for (core, contact) in [(alice, "bob"), (bob, "alice")] { _ = try await core.run("/clear @\(contact)") }
      var found = world.files(with: needle)
      for _ in 0..<500 where !found.isEmpty {
        try await Task.sleep(for: .milliseconds(10))
        found = world.files(with: needle)
      }
      #expect(found == [])
    }
  }
}

extension TestWorld {
  /// The names of the files that contain a text.
  fileprivate func files(with text: String) -> [String] {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { name in
      let content = try? Data(contentsOf: folder.appending(path: name))
      return content?.range(of: Data(text.utf8)) != nil
    }
  }
}
