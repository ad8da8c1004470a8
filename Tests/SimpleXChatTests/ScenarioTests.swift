import ChatAPI
import Foundation
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

/// Nothing is said to work that no scenario shows.
@Suite struct ScenarioCoverageTests {
  @Test func everyCommandIsPlayed() throws {
    let root = Vectors.folder.resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
    let table = try String(contentsOf: root.appending(path: "docs/commands.md"), encoding: .utf8)
    let working = table.split(separator: "\n").filter { $0.hasPrefix("| `") && !$0.contains("not yet") }
      .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
    var played: Set<String> = []
    for line in Scenario.all.flatMap({ $0.text.split(separator: "\n") }) {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count == 3, words[1] == "##>" else { continue }
      let command = String(words[2]).replacing(/\$\{\w*[fF]ull\w*\}/, with: Self.link)
        .replacing(/\$\{\w+\}/, with: "1")
      if let command = try? ChatCommand(parsing: command) {
        played.insert(command.cmdType)
      } else if let known = Self.known.first(where: { command.hasPrefix($0.key) }) {
        played.insert(known.value)
      }
    }
    #expect(working.filter { !played.contains($0) } == [])
  }

  /// Commands that are read only with what was kept.
  private static let known = [
    "/_prepare contact ": "apiPrepareContact", "/reconnect 1 ": "reconnectServer",
    "/_operators ": "apiSetServerOperators", "/_server test ": "apiTestProtoServer",
  ]

  /// Any link, where only its form counts.
  private static let link =
    "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2FLcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI%3D%40localhost%2FAwoRGB8mLTQ7QklQV15lbHN6gYiPlp2k%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEANC4at3CbYw6PBIpQR2yDwOzCu2vzuDzzuMWzNsLzhEI%253D"
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
