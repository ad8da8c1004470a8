import SimplexJSON
import SimplexTesting
import Testing

/// Receipts are sent together, some later than others; whoever ends a connection sends them before.
@Suite struct LastReceiptsTests {
  private static let count = 8

  @Test(arguments: [false, true]) func comeBeforeTheEnd(inGroup: Bool) async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      if inGroup { try await world.makeTeam(alice, bob) }
      for number in 1...Self.count { _ = try await alice.run("\(inGroup ? "#team" : "@bob") text \(number)") }
      try await bob.wait(until: "(SELECT count(*) FROM items WHERE text LIKE 'text %') = \(Self.count)")
      // Kind 2: acknowledged, and the receipt is owed.
      try await bob.wait(until: "NOT EXISTS (SELECT 1 FROM received_messages WHERE kind <> 2)", of: "agent")
      _ = try await bob.run(inGroup ? "/l team" : "/_delete @2 entity notify=on")
      _ = try await alice.event(inGroup ? "leftMember" : "contactDeletedByContact")
      // 4: received
      let received = try await alice.rows("SELECT 1 FROM items WHERE text LIKE 'text %' AND sent = 1 AND status = 4")
      #expect(received?.count == Self.count)
    }
  }
}
