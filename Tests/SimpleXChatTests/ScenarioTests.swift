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
