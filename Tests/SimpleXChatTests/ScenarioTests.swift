import Foundation
import Testing

@Suite struct ScenarioTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Scenarios")

  static let scenarios =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?
    .filter { $0.hasSuffix(".chat") }.sorted() ?? []

  @Test func thereAreScenarios() { #expect(!Self.scenarios.isEmpty) }

  @Test(arguments: scenarios) func isPlayed(_ file: String) async throws {
    let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
    try await TestWorld.with { world in
      try await Scenario(text).run(in: world)
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
