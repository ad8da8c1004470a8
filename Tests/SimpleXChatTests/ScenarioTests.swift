import SimplexTesting
import Testing

/// Scenarios with controllers of this process and a real relay.
@Suite struct ScenarioTests {
  @Test func thereAreScenarios() { #expect(!Scenario.all.isEmpty) }

  @Test(arguments: Scenario.all.map(\.name)) func isPlayed(_ file: String) async throws {
    let scenario = try #require(Scenario.all.first { $0.name == file })
    try await TestWorld.with { world in
      try await Scenario(scenario.text).run(in: world)
    }
  }
}

/// A scenario that is not what happens fails.
@Suite struct ScenarioRunnerTests {
  @Test(arguments: [
    "alice <## usersList", "alice <## activeUser | user.localDisplayName = bob",
    "alice <## activeUser | user.nothing -> x",
    "alice ##> /u ${nothing}", "bob ##> /u", "alice says hello",
  ]) func failsWhere(_ line: String) async throws {
    try await TestWorld.with { world in
      await #expect(throws: TestWorld.Unexpected.self) {
        try await Scenario("profiles alice\nalice ##> /u\nalice <## activeUser\n\(line)").run(in: world)
      }
    }
  }

  @Test func failsWithoutTheEvent() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      await #expect(throws: TestWorld.Unexpected.self) {
        _ = try await alice.event("contactConnected", within: .milliseconds(10))
      }
    }
  }
}
