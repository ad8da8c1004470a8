import Testing

/// Messages that the agent has not taken do not leave after they are deleted for everybody, or with their chat.
@Suite(.timeLimit(.minutes(1))) struct WithdrawnMessagesTests {
  /// Alice and bob, and cath, who are contacts of alice's.
  private func play(_ body: (_ alice: TestCore, _ bob: TestCore, _ cath: TestCore) async throws -> Void) async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let cath = try await world.profile("cath")
      try await world.connect(alice, cath)
      try await world.makeTeam(alice, bob)
      for core in [alice, bob, cath] { try await core.waitUntilIdle() }
      try await body(alice, bob, cath)
    }
  }

  /// Has alice write while her agent can store nothing: it is being given the first message, others wait.
  private func interrupt(_ alice: TestCore, _ body: () async throws -> Void) async throws {
    try await alice.fillDisk(at: "INSERT ON sent_messages", of: "agent")
    _ = try await alice.run("@cath first")
    _ = try await alice.event("errorAgent")
    try await body()
    _ = try await alice.run("/sql agent DROP TRIGGER fill")
    try await alice.waitUntilIdle()
  }

  private func item(_ text: String, _ core: TestCore) async throws -> String {
    try #require(try await core.rows("SELECT item_id FROM items WHERE text = '\(text)'")?.first)
  }

  /// The texts that a core ever stored, in the order in which they came.
  private func texts(_ core: TestCore) async throws -> [String]? {
    try await core.rows("SELECT text FROM items WHERE message_tag = 'text' AND sent = 0 ORDER BY item_id")
  }

  @Test func deletedForEverybody() async throws {
    try await play { alice, bob, cath in
      try await interrupt(alice) {
        for chat in ["@bob", "#team"] { for text in ["stays", "goes"] { _ = try await alice.run("\(chat) \(text)") } }
        _ = try await alice.run("/_update item @2 \(item("goes", alice)) text goes, edited")
        let team = try await alice.rows("SELECT item_id FROM items WHERE text = 'goes' ORDER BY item_id DESC")?.first
        _ = try await alice.run("/_delete item @2 \(item("goes, edited", alice)) broadcast")
        _ = try await alice.run("/_delete item #1 \(team ?? "") broadcast")
        for chat in ["@bob", "#team"] { _ = try await alice.run("\(chat) last") }
      }
      try await bob.wait(until: "(SELECT count(*) FROM items WHERE text = 'last') = 2")
      #expect(try await texts(bob)?.sorted() == ["last", "last", "stays", "stays"])
      #expect(try await cath.message() == "first")
    }
  }

  @Test func deletedWithTheirContact() async throws {
    try await play { alice, bob, cath in
      try await interrupt(alice) {
        _ = try await alice.run("@bob goes")
        _ = try await alice.run("/_delete @2 full notify=on")
        // The one that the agent may have taken already leaves.
        _ = try await alice.run("/_delete @3 full notify=on")
      }
      _ = try await bob.event("contactDeletedByContact")
      #expect(try await texts(bob) == [])
      #expect(try await cath.message() == "first")
    }
  }

  @Test func deletedWithTheirGroup() async throws {
    try await play { alice, bob, _ in
      try await interrupt(alice) {
        _ = try await alice.run("#team goes")
        _ = try await alice.run("/_delete #1")
      }
      _ = try await bob.event("groupDeleted")
      #expect(try await texts(bob) == [])
    }
  }
}
