import Foundation
import SimplexTesting
import Testing

/// Every scenario on a network in memory: without delays over one relay, and with delays, which change the order of
/// events, over one relay or two. `SIMPLEX_SCENARIO=name.chat` plays one alone, `SIMPLEX_SOAK=1` each with more delays.
@Suite struct MemoryScenarioTests {
  @Test(arguments: Scenario.all.map(\.name)) func isPlayed(_ file: String) async throws {
    try await play(file, try MemoryNetwork())
  }

  @Test(arguments: Scenario.all.map(\.name), propertySeeds(isSoak ? 6 : 1)) func isPlayedSlowly(
    _ file: String, seed: UInt64
  ) async throws {
    var weather = MemoryNetwork.Weather.calm
    weather.delay = 0...20
    // Not all over one relay where there is one seed.
    let isOverOne = (UInt64(file.utf8.count) ^ seed).isMultiple(of: 2)
    try await play(file, try MemoryNetwork(seed: seed, weather: weather, relays: isOverOne ? 1 : 2))
  }

  private static let isSoak = ProcessInfo.processInfo.environment["SIMPLEX_SOAK"] != nil

  private func play(_ file: String, _ network: MemoryNetwork) async throws {
    if let only = ProcessInfo.processInfo.environment["SIMPLEX_SCENARIO"], only != file { return }
    let scenario = try #require(Scenario.all.first { $0.name == file })
    try await TestWorld.with(network: network, files: Scenario.hasFiles(file)) { world in
      try await Scenario(scenario.text).run(in: world)
    }
  }
}
