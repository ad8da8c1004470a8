import AgentCore
import SimplexTesting
import Testing

/// Commands that failed because the answer of a relay was lost, although the relay did what it was asked. What follows
/// from them happens when the peer answers.
@Suite(.timeLimit(.minutes(1))) struct LostAnswerTests {
  /// Carries out a command that joins, and loses the answer of the relay that got the confirmation.
  /// - Parameter arrival: the event of the peer that has it.
  private func loseAnswer(
    to command: String, of core: TestCore, _ network: MemoryNetwork, arrival: () async throws -> Void
  ) async throws {
    network.weather.delay = 100...100
    let answer = Task { [controller = core.controller] in await controller.sendText(command) }
    let sending = "SELECT 1 FROM tasks WHERE kind = \(AgentTask.Kind.sendEnvelope.rawValue)"
    while try await core.rows(sending, of: "agent")?.isEmpty != false { await Task.yield() }
    network.setUnanswered(core.name, true)
    try await arrival()
    network.breakLinks()
    network.setUnanswered(core.name, false)
    network.weather = .calm
    guard case .error = await answer.value else { throw TestWorld.Unexpected(description: "it did not fail") }
  }

  /// The welcome message is sent, and not once more when the command is repeated.
  @Test func theWelcomeMessage() async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { world in
      let (alice, bob, request) = try await world.withRequest()
      try await loseAnswer(to: "/_accept \(request)", of: alice, network) {
        _ = try await bob.event("contactConnecting")
      }
      _ = try await alice.event("contactConnected")
      _ = try await bob.event("contactConnected")
      _ = await alice.controller.sendText("/_accept \(request)")
      _ = try await alice.run("@bob last")
      #expect(try await bob.message() == "welcome!")
      #expect(try await bob.message() == "last")
    }
  }

  /// The invitation to a group is shown as accepted.
  @Test func theInvitationToAGroup() async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      _ = try await alice.run("/g team")
      _ = try await alice.run("/a team bob")
      _ = try await bob.event("receivedGroupInvitation")
      try await loseAnswer(to: "/j team", of: bob, network) {
        try await alice.wait(until: "EXISTS (SELECT 1 FROM members WHERE status = 'accepted')")
      }
      _ = try await bob.event("chatItemUpdated") { $0.jsonText().contains(#""status":"accepted""#) }
      _ = try await bob.event("userJoinedGroup")
    }
  }
}
