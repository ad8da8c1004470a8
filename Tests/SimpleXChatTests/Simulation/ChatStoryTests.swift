import Foundation
import Testing

/// Chat cores in bad weather: nothing gets stuck, lost or doubled. `SIMPLEX_SEED=n` plays one seed, `SIMPLEX_SEED=n-m`
/// several, `SIMPLEX_SOAK=1` 600.
@Suite struct ChatStoryTests {
  @Test func everythingArrivesOnceAndInOrder() async throws {
    let environment = ProcessInfo.processInfo.environment
    var seeds: [UInt64] = Array(0..<(environment["SIMPLEX_SOAK"] == nil ? 16 : 600))
    if let range = environment["SIMPLEX_SEED"]?.split(separator: "-").compactMap({ UInt64($0) }),
      let first = range.first, let last = range.last, first <= last
    {
      seeds = Array(first...last)
    }
    let problems = await withTaskGroup(of: String?.self) { group in
      var problems: [String] = []
      for (number, seed) in seeds.enumerated() {
        // Most of the time is waiting, so several are played at once.
        if number >= 6, let problem = await group.next() ?? nil { problems.append(problem) }
        if problems.count >= 3 { break }
        group.addTask {
          do { try await ChatStory.play(seed: seed) } catch { return "\(error)" }
          return nil
        }
      }
      for await problem in group { if let problem { problems.append(problem) } }
      return problems
    }
    for problem in problems { Issue.record("\(problem)") }
  }
}
