import SQLiteKit
import SimplexTesting
import Testing

/// Messages that disappear, however they come to be read.
@Suite struct DisappearingTests {
  /// All that is due goes in few turns.
  @Test func dueItemsGoTogether() async throws {
    let commits = CrashPoint()
    try await TestWorld.with(network: try MemoryNetwork(), options: { $0.crashPoint = commits }) { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run(
        #"/_group 1 {"displayName":"team","fullName":"","groupPreferences":{"timedMessages":{"enable":"on"}}}"#)
      let count = 200
      let texts = (1...count).map { #"{"msgContent":{"type":"text","text":"\#($0)"},"mentions":{}}"# }
      _ = try await alice.run("/_send #1 ttl=2 json [\(texts.joined(separator: ","))]")
      #expect(try await alice.rows("SELECT count(*) FROM items WHERE timed_ttl = 2") == ["\(count)"])
      let before = commits.commitCount(of: .chat)
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM items WHERE timed_ttl = 2)")
      for _ in 0..<count { _ = try await alice.event("chatItemsDeleted") { $0["timed"] == true } }
      // 50 in each turn; the clock may divide them once more.
      #expect(commits.commitCount(of: .chat) - before <= 20)
    }
  }

  /// What was read without a time, and what was being typed when the program ended, is found by the next start.
  @Test func forgottenTimesAreRepaired() async throws {
    try await TestWorld.with(network: try MemoryNetwork(), options: { $0.cleanupInterval = 20 }) { world in
      let alice = try await world.profile("alice")
      // The repair of this start is over when something is cleaned.
      _ = try await alice.run("/sql chat INSERT INTO received_messages VALUES (99, 99, 'old', 0, 0, 0)")
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM received_messages)")
      _ = try await alice.run(
        #"/_group 1 {"displayName":"team","fullName":"","groupPreferences":{"timedMessages":{"enable":"on"}}}"#)
      _ = try await alice.run(
        ##"/_send #1 live=on ttl=1 json [{"msgContent":{"type":"text","text":"typ"},"mentions":{}}]"##)
      _ = try await alice.run(##"/_send #1 json [{"msgContent":{"type":"text","text":"read"},"mentions":{}}]"##)
      for sql in [
        "UPDATE items SET status = 11, sent = 0, timed_ttl = 1 WHERE text = 'read'",
        "UPDATE items SET delete_at = NULL WHERE text = 'read'",
      ] { _ = try await alice.run("/sql chat \(sql)") }
      let forgotten = try await alice.rows("SELECT text FROM items WHERE timed_ttl = 1 AND delete_at IS NULL")
      #expect(forgotten == ["typ", "read"])
      let again = try await world.restart("alice")
      try await again.wait(until: "NOT EXISTS (SELECT 1 FROM items WHERE timed_ttl = 1)")
    }
  }
}
