import SimplexTesting
import Testing

extension TestCore {
  /// Waits until a condition about a database holds.
  func wait(until condition: String, of database: String = "chat") async throws {
    for _ in 0..<1_000 {
      if try await rows("SELECT 1 WHERE \(condition)", of: database)?.isEmpty == false { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw TestWorld.Unexpected(description: "\(name) waits until \(condition)")
  }

  /// Expects that no row of the chat database refers to nothing; a no-op where the core is closed.
  func expectReferences() async throws {
    guard let dangling = try? await rows(ChatReferences.danglingQuery) else { return }
    #expect(dangling == [], "\(name)")
  }

  /// Waits until nothing is under way in the databases.
  func waitUntilIdle() async throws {
    for _ in 0..<1_000 {
      if try await isIdle() { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw TestWorld.Unexpected(description: "\(name) is not idle")
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

  /// Has the disk be full for a change of a table, such as `DELETE ON jobs`, until the trigger `fill` is dropped.
  func fillDisk(at change: String, of database: String = "chat") async throws {
    for sql in [
      "CREATE TABLE large (content BLOB)",
      "CREATE TRIGGER fill BEFORE \(change) BEGIN INSERT INTO large VALUES (zeroblob(50000000)); END",
      "PRAGMA max_page_count = 3000",
    ] { _ = try await run("/sql \(database) \(sql)") }
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
