import SimplexTesting
import Testing

/// How long messages are kept, and what the user decides while they are being deleted.
@Suite struct ItemExpiryTests {
  private static let count = 4_000

  /// Who chooses to keep messages while many are being deleted keeps the rest.
  @Test(arguments: [["/_ttl 1 1", "/_ttl 1 0"], ["/_ttl 1 #1 1", "/_ttl 1 #1 0"]]) func whatIsLeftStays(
    commands: [String]
  ) async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/g team")
      let texts = (1...Self.count).map { #"{"msgContent":{"type":"text","text":"\#($0)"},"mentions":{}}"# }
      _ = try await alice.run("/_send #1 json [\(texts.joined(separator: ","))]")
      try await Task.sleep(for: .milliseconds(1_100))
      func left() async throws -> Int {
        Int(try await alice.rows("SELECT count(*) FROM items WHERE message_tag = 'text'")?.first ?? "") ?? 0
      }
      let controller = alice.controller
      async let deleting = controller.sendText(commands[0])
      while try await left() == Self.count { await Task.yield() }
      _ = try await alice.run(commands[1])
      let kept = try await left()
      _ = await deleting
      #expect(try await left() == kept)
      #expect(kept > 0)
    }
  }
}
