import ChatAPI
import Foundation
import SimplexTesting
import Testing

/// Scenarios with controllers of this process and a real relay.
@Suite struct ScenarioTests {
  @Test func thereAreScenarios() { #expect(!Scenario.all.isEmpty) }

  @Test(arguments: Scenario.all.map(\.name)) func isPlayed(_ file: String) async throws {
    let scenario = try #require(Scenario.all.first { $0.name == file })
    try await TestWorld.with(files: Scenario.hasFiles(file)) { world in
      try await Scenario(scenario.text).run(in: world)
      for core in world.cores.values { try await core.expectReferences() }
    }
  }
}

extension Scenario {
  /// Whether a scenario needs a file relay.
  static func hasFiles(_ name: String) -> Bool { name.hasPrefix("files/") }
}

/// Every command that is documented to work succeeds in a scenario.
@Suite struct ScenarioCoverageTests {
  @Test func everyCommandIsPlayed() throws {
    let root = Vectors.folder.resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
    let table = try String(contentsOf: root.appending(path: "docs/commands.md"), encoding: .utf8)
    let working = table.split(separator: "\n").filter { $0.hasPrefix("| `") && !$0.contains("not yet") }
      .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
    let played = Scenario.all.reduce(into: Set<String>()) { $0.formUnion(Self.succeeded(in: $1.text)) }
    #expect(working.filter { !played.contains($0) && !Self.playedElsewhere.contains($0) } == [])
  }

  /// Profiles of scenarios have no passphrase: `ArchiveTests` plays the first two. They have no notification server:
  /// `PushTests` of the C library play the others.
  private static let playedElsewhere = [
    "apiStorageEncryption", "testStorageEncryption", "apiGetNtfToken", "apiRegisterToken", "apiVerifyToken",
    "apiCheckToken", "apiDeleteToken", "apiGetNtfConns", "apiGetConnNtfMessages",
  ]

  /// The types of the commands whose answer the scenario expects, and which is not an error.
  private static func succeeded(in scenario: String) -> Set<String> {
    var types: Set<String> = []
    var waiting: [Substring: String] = [:]
    for line in scenario.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count == 3 else { continue }
      if words[1] == "##>" {
        waiting[words[0]] = type(of: String(words[2]))
      } else if words[1] == "<##" || words[1] == "<?", let type = waiting[words[0]] {
        // `error`, `errorStore`, `errorAgent` and so on.
        if !words[2].hasPrefix("error") { types.insert(type) }
      }
    }
    return types
  }

  private static func type(of text: String) -> String? {
    let command = text.replacing(/\$\{\w*[fF]ull\w*\}/, with: link).replacing(/\$\{\w+\}/, with: "1")
    if let command = try? ChatCommand(parsing: command) { return command.cmdType }
    return known.first { command.hasPrefix($0.key) }?.value
  }

  @Test func errorsAndUnansweredCommandsDoNotCount() {
    #expect(Self.succeeded(in: "a ##> /u\na <## activeUser").count == 1)
    #expect(Self.succeeded(in: "a ##> /u\na <## error | errorType.type = noActiveUser").isEmpty)
    #expect(Self.succeeded(in: "a ##> /u\na <## errorStore | storeError.type = userNotFound").isEmpty)
    #expect(Self.succeeded(in: "a ##> /u\nb <## activeUser\na <# newChatItems").isEmpty)
  }

  /// Commands that are read only with what was kept.
  private static let known = [
    "/_prepare contact ": "apiPrepareContact", "/_prepare group ": "apiPrepareGroup",
    "/reconnect 1 ": "reconnectServer",
    "/_operators ": "apiSetServerOperators", "/_servers 1 1": "apiSetUserServers",
    "/_server test ": "apiTestProtoServer",
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
