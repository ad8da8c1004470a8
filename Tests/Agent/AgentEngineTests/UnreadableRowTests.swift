import AgentCore
import AgentEngine
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import Testing

/// Stored rows that cannot be read are set aside and reported once; everything else goes on.
@Suite struct UnreadableRowTests {
  private func reports(of agent: TestAgent) -> [String] {
    agent.errors.compactMap { if case .internalError(let text) = $0 { text } else { nil } }
  }

  /// Restarts twice: the rows are set aside and reported at the first start, and messages pass in both directions.
  private func expectSetAside(_ pair: Pair, _ kinds: [String], content: [UInt8]? = nil) throws {
    let alice = pair.alice
    alice.forgetEvents()
    try alice.restart()
    #expect(reports(of: alice).count == kinds.count)
    let kept = try alice.database.all("SELECT kind, content FROM unreadable_rows ORDER BY kind, number") {
      (row) throws(SQLiteError) in (kind: try row.text(0), content: try row.bytes(1))
    }
    #expect(kept.map(\.kind) == kinds.sorted())
    if let content { #expect(kept.first?.content == content) }
    let last = try #require(alice.events.compactMap(\.id).max())
    try alice.run { engine, now in try engine.confirmEvents(through: last, now: now) }
    alice.forgetEvents()
    pair.bob.forgetEvents()
    try alice.restart()
    #expect(reports(of: alice).isEmpty)
    _ = try alice.send("to bob", to: pair.a)
    _ = try pair.bob.send("to alice", to: pair.b)
    #expect(alice.texts == ["to alice"] && pair.bob.texts == ["to bob"])
  }

  @Test func unreadableEventsAreSetAside() throws {
    let pair = try Pair()
    let payload: [UInt8] = [6, 0xff]
    try pair.alice.database.execute(
      "INSERT INTO events (id, connection, payload) VALUES (100000, ?, ?), (100001, NULL, x'fe00')", pair.a.bytes,
      payload)
    try expectSetAside(pair, ["event", "event"], content: payload)
  }

  /// A task of an unknown kind, one whose content cannot be read, and a call of that sort.
  @Test func unreadableTasksAreSetAside() throws {
    let pair = try Pair()
    let lane = try #require(
      try pair.alice.database.first("SELECT number FROM send_queues") { (row) throws(SQLiteError) in
        try row.integer(0)
      })
    for (id, kind, isCall) in [(90_000, 99, 0), (90_001, 5, 0), (90_002, 1, 1)] as [(Int64, Int64, Int64)] {
      try pair.alice.database.execute(
        """
        INSERT INTO tasks (id, lane, connection, kind, message, payload, created_at, is_call) \
        VALUES (?, ?, 1, ?, 0, x'ff', ?, ?)
        """, id, Lane.sendQueue(lane).rawValue, kind, pair.world.now, isCall)
    }
    try expectSetAside(pair, ["task", "task", "task"])
  }

  @Test func unreadableMessagesAreSetAside() throws {
    let pair = try Pair()
    pair.alice.acknowledges = false
    _ = try pair.bob.send("not stored", to: pair.b)
    try pair.alice.database.execute("UPDATE received_messages SET integrity = 77")
    pair.alice.acknowledges = true
    try expectSetAside(pair, ["message"])
  }

  /// The key of one skipped message is damaged: its message fails, others do not.
  @Test func anUnreadableSkippedKeyFailsItsMessageAlone() throws {
    let pair = try Pair()
    let (alice, world) = (pair.alice, pair.world)
    world.first.disconnect(alice)
    for text in ["first", "second", "third"] { _ = try pair.bob.send(text, to: pair.b) }
    let queue = try #require(world.first.queues.values.first { $0.messages.count == 3 })
    queue.messages.removeFirst(2)
    try alice.restart()
    #expect(alice.texts == ["third"])
    #expect(try alice.rows(of: "skipped_keys") == 2)
    try alice.database.execute(
      "UPDATE skipped_keys SET key = x'01' WHERE place = (SELECT min(place) FROM skipped_keys)")
    let bodies = try #require(world.first.sent[queue.senderID]).suffix(3)
    alice.forgetEvents()
    for body in bodies.prefix(2) { world.first.inject(body, to: queue.senderID) }
    world.settle()
    #expect(alice.texts == ["second"])
    #expect(reports(of: alice).count == 1)
    #expect(try alice.rows(of: "unreadable_rows") == 1)
    _ = try pair.bob.send("fourth", to: pair.b)
    #expect(alice.texts == ["second", "fourth"])
    #expect(try alice.rows(of: "skipped_keys") == 0)
  }

  /// A file whose chunk cannot be read fails; the others of its relay are received.
  @Test func aFileWithAnUnreadableChunkFailsAlone() throws {
    let pair = try Pair()
    let (alice, now) = (pair.alice, pair.world.now)
    for id in [1, 2] as [Int64] {
      try alice.database.execute(
        """
        INSERT INTO received_files (number, id, user, destination, is_approved, key, nonce, digest, chunk_size, size, \
        created_at) VALUES (?1, CAST(?1 AS BLOB), 1, '/nowhere', 1, zeroblob(32), zeroblob(24), x'', 65536, 65536, ?2)
        """, id, now)
      try alice.database.execute(
        "INSERT INTO received_chunks (file, number, size, digest, replicas, server) VALUES (?, 1, 65536, x'', ?, 1)",
        id, id == 1 ? [0xff] : [] as [UInt8])
    }
    let work = try alice.engine.fileWork(in: .receiving(1), limit: 4, now: now).work
    #expect(work.map(\.key) == [.received(2, chunk: 1)])
    pair.world.pass(1, alice)
    let failed = alice.events.compactMap { if case .fileReceiveFailed(let id, _) = $0.kind { id } else { nil } }
    #expect(failed == [AgentFileID(Array("1".utf8))])
    #expect(try alice.rows(of: "received_chunks") == 1)
  }

  /// The keys of skipped messages are not read for the next message: here none of them can be.
  @Test func keysAreReadOnlyForSkippedMessages() throws {
    let pair = try Pair()
    try pair.alice.database.execute(
      """
      WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 9999) \
      INSERT INTO skipped_keys (connection, header_key, number, key) \
      SELECT 1, randomblob(32), i, x'01' FROM n
      """)
    try pair.alice.database.execute("UPDATE ratchets SET skipped_count = 10000")
    for _ in 0..<2 {
      _ = try pair.bob.send("to alice", to: pair.b)
      _ = try pair.alice.send("to bob", to: pair.a)
    }
    #expect(pair.alice.texts.count == 2 && pair.alice.errors.isEmpty)
    #expect(try pair.alice.rows(of: "unreadable_rows") == 0)
  }
}
