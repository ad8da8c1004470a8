import SimplexTesting
import Testing

/// Requests to connect that are repeated after a failure.
@Suite(.timeLimit(.minutes(1))) struct RepeatedRequestTests {
  /// What keeps the first request from getting to the relay of the address.
  enum Failure: CaseIterable {
    /// The relay of the request's own queue cannot be reached.
    case ownRelay
    /// The relay of the address cannot be reached.
    case otherRelay
  }

  /// The message that goes with a request is the one that the command has which succeeds.
  @Test(arguments: Failure.allCases) func theLastMessageIsSent(failure: Failure) async throws {
    let network = try MemoryNetwork(relays: 2)
    try await TestWorld.with(network: network) { world in
      // Alice makes queues at the first relay, bob at the second one.
      let (alice, bob) = (try await world.profile("alice"), try await world.profile("bob"))
      let contact = try await bob.prepareContact(alice.createAddress())
      let relay = failure == .ownRelay ? 1 : 0
      await network.stopRelay(relay)
      let refused = try await bob.answer("/_connect contact @\(contact) text first")
      #expect(refused["agentError"]?["type"] == "BROKER", "\(refused.jsonText())")
      try network.startRelay(relay)
      _ = try await bob.run("/_connect contact @\(contact) text second")
      let request = try await alice.event("receivedContactRequest")["contactRequest"]?["contactRequestId"]
      _ = try await alice.run("/_accept \(try #require(request?.integerValue))")
      _ = try await alice.event("contactConnected")
      _ = try await bob.event("contactConnected")
      for person in [alice, bob] {
        #expect(try await person.rows("SELECT text FROM items WHERE text IN ('first', 'second')") == ["second"])
      }
    }
  }

  /// A request that an interrupted command began is sent with its message, which stays although a later command has
  /// another one.
  @Test func theMessageUnderWayStays() async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { world in
      let (alice, bob) = (try await world.profile("alice"), try await world.profile("bob"))
      let contact = try await bob.prepareContact(alice.createAddress())
      network.setUnanswered("bob", true)
      let first = Task { [controller = bob.controller] in
        await controller.sendText("/_connect contact @\(contact) text first")
      }
      while try await bob.rows("SELECT 1 FROM tasks", of: "agent")?.isEmpty != false { await Task.yield() }
      _ = try await bob.run("/_stop")
      _ = await first.value
      network.setUnanswered("bob", false)
      await network.stopRelay()
      _ = try await bob.run("/_start")
      let refused = try await bob.answer("/_connect contact @\(contact) text second")
      #expect(refused["agentError"]?["type"] == "BROKER", "\(refused.jsonText())")
      try network.startRelay()
      _ = try await alice.event("receivedContactRequest")
      for person in [alice, bob] {
        #expect(try await person.rows("SELECT text FROM items WHERE text IN ('first', 'second')") == ["first"])
      }
    }
  }

  /// The same where the agent has got nothing of the first command yet, because its disk was full.
  @Test func theStoredMessageIsSent() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = (try await world.profile("alice"), try await world.profile("bob"))
      let contact = try await bob.prepareContact(alice.createAddress())
      try await bob.fillDisk(at: "INSERT ON connections", of: "agent")
      let refused = try await bob.answer("/_connect contact @\(contact) text first")
      #expect(refused["agentError"]?["type"] == "CRITICAL", "\(refused.jsonText())")
      _ = try await bob.run("/sql agent DROP TRIGGER fill")
      _ = try await bob.run("/_connect contact @\(contact) text second")
      _ = try await alice.event("receivedContactRequest")
      for person in [alice, bob] {
        #expect(try await person.rows("SELECT text FROM items WHERE text IN ('first', 'second')") == ["first"])
      }
    }
  }
}
