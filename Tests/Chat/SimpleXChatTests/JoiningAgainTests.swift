import SimplexJSON
import SimplexTesting
import Testing

/// Connecting while the relay goes away, and again when it is back.
@Suite struct JoiningAgainTests {
  /// However far an attempt came, the next one with the same link continues from there, and both are connected once.
  @Test(arguments: [false, true]) func goesOnWhereItStopped(duringTheStop: Bool) async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let bob = try await world.profile("bob")
      let controller = bob.controller
      for round in 0..<(duringTheStop ? 4 : 1) {
        let invitation = try await alice.run("/_connect 1")
        let link = invitation["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
        if duringTheStop {
          async let attempt = controller.sendText("/_connect 1 \(link)")
          try await Task.sleep(for: .milliseconds(2 * round))
          await world.stopRelay()
          _ = await attempt
        } else {
          await world.stopRelay()
          let refused = try await bob.answer("/_connect 1 \(link)")
          #expect(refused["agentError"]?["type"]?.stringValue == "BROKER")
          // The answer says what it is about.
          #expect(refused["agentConnId"]?.stringValue == "")
        }
        try await world.startRelay()
        try await connect(bob, link)
        _ = try await alice.event("contactConnected")
        _ = try await bob.event("contactConnected")
      }
    }
  }

  /// A command whose task is cancelled is carried out to its end.
  @Test func cancelling() async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { world in
      let alice = try await world.profile("alice")
      let bob = try await world.profile("bob")
      let link = try await alice.run("/_connect 1")["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
      network.weather.delay = 50...50
      let attempt = Task { [controller = bob.controller] in await controller.sendText("/_connect 1 \(link)") }
      try await bob.wait(until: "EXISTS (SELECT 1 FROM agent_commands)")
      attempt.cancel()
      let answer = try JSONValue(jsonBytes: await attempt.value.jsonBytes())
      #expect(answer["result"]?["type"]?.stringValue == "sentConfirmation", "\(answer.jsonText())")
      _ = try await alice.event("contactConnected")
      _ = try await bob.event("contactConnected")
    }
  }

  /// A message that can never be sent is refused before the invitation is joined, and the contact can be joined
  /// without it.
  @Test func aMessageThatIsTooLarge() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let bob = try await world.profile("bob")
      let invitation = try await alice.run("/_connect 1")
      let link = invitation["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
      let prepared = try await bob.run(
        #"/_prepare contact 1 \#(link) {"profile":{"displayName":"alice","fullName":""}}"#)
      let contact = try #require(prepared["chat"]?["chatInfo"]?["contact"]?["contactId"]?.integerValue)
      // Random, so that it cannot be compressed.
      let long = String((0..<40_000).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "x" })
      let refused = try await bob.answer("/_connect contact @\(contact) text \(long)")
      #expect(refused["storeError"]?["type"]?.stringValue == "largeMsg", "\(refused.jsonText().prefix(200))")
      _ = try await bob.run("/_connect contact @\(contact) text short")
      _ = try await alice.event("contactConnected")
      _ = try await bob.event("contactConnected")
      #expect(try await alice.message() == "short")
    }
  }

  /// Tries until it works. Nothing but the relay's absence may be in the way.
  private func connect(_ profile: TestCore, _ link: String) async throws {
    for _ in 0..<100 {
      let answer = try await profile.answer("/_connect 1 \(link)")
      if answer["type"]?.stringValue == "sentConfirmation" { return }
      // The first attempt may have come to its end without anybody hearing of it.
      if answer["errorType"]?["message"]?.stringValue == "connection is not prepared" { return }
      try #require(answer["agentError"]?["type"]?.stringValue == "BROKER", "\(answer.jsonText())")
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("not connected")
  }
}
