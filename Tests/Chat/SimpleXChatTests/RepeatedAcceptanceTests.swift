import SimplexTesting
import Testing

/// Requests to connect that are accepted more than once.
@Suite struct RepeatedAcceptanceTests {
  /// Whoever is accepted again, at once or later, is welcomed once.
  @Test(arguments: [true, false]) func theWelcomeMessageComesOnce(atOnce: Bool) async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = (try await world.profile("alice"), try await world.profile("bob"))
      let link = try await alice.run("/_address 1")["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
      _ = try await alice.run(
        #"/_address_settings 1 {"businessAddress":false,"autoReply":{"type":"text","text":"welcome!"}}"#)
      _ = try await bob.run("/connect \(link)")
      let event = try await alice.event("receivedContactRequest")
      let request = try #require(event["contactRequest"]?["contactRequestId"]?.integerValue)
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
