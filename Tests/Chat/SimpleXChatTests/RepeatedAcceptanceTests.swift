import SimplexTesting
import Testing

/// Requests to connect that are accepted more than once.
@Suite struct RepeatedAcceptanceTests {
  /// Whoever is accepted again, at once or later, is welcomed once.
  @Test(arguments: [true, false]) func theWelcomeMessageComesOnce(atOnce: Bool) async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob, request) = try await world.withRequest()
      let controller = alice.controller
      async let first = controller.sendText("/_accept \(request)")
      if atOnce { _ = await controller.sendText("/_accept \(request)") }
      guard case .result = await first else { throw TestWorld.Unexpected(description: "it was not accepted") }
      _ = try await alice.event("contactConnected")
      _ = try await bob.event("contactConnected")
      if !atOnce { _ = await controller.sendText("/_accept \(request)") }
      _ = try await alice.run("@bob last")
      #expect(try await bob.message() == "welcome!")
      #expect(try await bob.message() == "last")
    }
  }
}
