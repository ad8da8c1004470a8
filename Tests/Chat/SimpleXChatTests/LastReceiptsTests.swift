import SimplexJSON
import SimplexTesting
import Testing

/// Receipts are sent together, some later than others; whoever ends a connection sends them before.
@Suite struct LastReceiptsTests {
  private static let count = 8

  /// The texts that alice sees as received.
  private func received(_ alice: TestCore, status: Int) async throws -> Int {
    try await alice.rows("SELECT 1 FROM items WHERE text LIKE 'text %' AND sent = 1 AND status = \(status)")?.count ?? 0
  }

  @Test func beforeAContactIsDeleted() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      for number in 1...Self.count { _ = try await alice.run("@bob text \(number)") }
      try await bob.wait(until: "(SELECT count(*) FROM items WHERE text LIKE 'text %') = \(Self.count)")
      _ = try await bob.run("/_delete @2 entity notify=on")
      _ = try await alice.event("contactDeletedByContact")
      #expect(try await received(alice, status: 4) == Self.count)
    }
  }

  @Test func beforeAGroupIsLeft() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await world.makeTeam(alice, bob)
      for number in 1...Self.count { _ = try await alice.run("#team text \(number)") }
      try await bob.wait(until: "(SELECT count(*) FROM items WHERE text LIKE 'text %') = \(Self.count)")
      _ = try await bob.run("/l team")
      _ = try await alice.event("leftMember")
      #expect(try await received(alice, status: 4) == Self.count)
    }
  }
}
