import SimplexTesting
import Testing

/// The scenarios once more, with a process for the relay and one for each profile, over the API for bots.
@Suite struct ProgramScenarioTests {
  /// Programs announce themselves by multicast, which not every machine permits.
  private static let files = Scenario.all.map(\.name).filter { $0 != "remote-desktop-announced.chat" }

  @Test(arguments: files) func isPlayed(_ file: String) async throws {
    let scenario = try #require(Scenario.all.first { $0.name == file })
    try await ProgramWorld.with(files: file.hasPrefix("files/")) { world in
      try await Scenario(scenario.text).run(in: world)
    }
  }
}
