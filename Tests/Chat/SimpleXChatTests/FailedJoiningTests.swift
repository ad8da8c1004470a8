import SimplexJSON
import SimplexTesting
import Testing

/// A join that a relay refuses for good, at the start after a kill, is done by the next command over a new connection;
/// nothing of the first is left.
@Suite(.timeLimit(.minutes(2))) struct FailedJoiningTests {
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case invitation, preparedInvitation, preparedAddress, group

    var testDescription: String { rawValue }
  }

  @Test(arguments: Kind.allCases) func isRepeated(kind: Kind) async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      var bob = try await world.profile("bob")
      let command = try await command(of: bob, toJoin: alice, kind, world)
      let (connections, profiles) = (try await count(bob, "connections"), try await count(bob, "profiles"))
      _ = try await bob.run("/sql agent PRAGMA query_only = 1")
      _ = try await bob.answer(command)
      // As where the program was killed before the agent was asked.
      _ = try await bob.run("/sql chat UPDATE agent_commands SET is_follow_up = 1")
      await bob.controller.kill()
      await world.stopRelay()
      try await world.startRelay(allowsNewQueues: false)
      bob = try await world.open("bob")
      try await bob.wait(until: "EXISTS (SELECT 1 FROM connections WHERE status = 'failed')")
      await world.stopRelay()
      try await world.startRelay()
      try await give(command, to: bob)
      if kind == .group {
        _ = try await bob.event("userJoinedGroup")
      } else {
        _ = try await alice.event("contactConnected")
        _ = try await bob.event("contactConnected")
      }
      if kind == .preparedInvitation { #expect(try await alice.message() == "hello") }
      #expect(try await count(bob, "connections") == connections + 1)
      // The peer's; or an incognito profile, beside that of the prepared contact.
      #expect(try await count(bob, "profiles") == profiles + (kind == .group ? 0 : 1))
      try await bob.wait(until: "(SELECT count(*) FROM connections) = \(connections + 1)", of: "agent")
    }
  }

  /// What bob does to connect with alice, or to join her group.
  private func command(of bob: TestCore, toJoin alice: TestCore, _ kind: Kind, _ world: TestWorld) async throws
    -> String
  {
    switch kind {
    case .invitation: return "/_connect 1 \(try await alice.createInvitation())"
    case .preparedInvitation:
      let contact = try await bob.prepareContact(try await alice.createInvitation())
      return "/_connect contact @\(contact) incognito=on text hello"
    case .preparedAddress:
      let link = try await alice.createAddress()
      _ = try await alice.run("/auto_accept on")
      return "/_connect contact @\(try await bob.prepareContact(link)) incognito=on"
    case .group:
      try await world.connect(alice, bob)
      _ = try await alice.run("/g team")
      _ = try await alice.run("/a team bob")
      _ = try await bob.event("receivedGroupInvitation")
      return "/j team"
    }
  }

  private func count(_ core: TestCore, _ table: String) async throws -> Int {
    try await core.rows("SELECT 1 FROM \(table)")?.count ?? 0
  }

  /// Gives a command until the relay that was started again is reached.
  private func give(_ command: String, to core: TestCore) async throws {
    for _ in 0..<100 {
      let answer = try await core.answer(command)
      if answer["agentError"]?["type"]?.stringValue != "BROKER" {
        return #expect(answer["type"]?.stringValue?.hasPrefix("error") == false, "\(answer.jsonText())")
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("not reached")
  }
}
