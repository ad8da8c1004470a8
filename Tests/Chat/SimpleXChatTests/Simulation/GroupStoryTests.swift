import Foundation
import Testing

/// Groups in bad weather: all see the same. `SIMPLEX_SEED=n` plays one seed, `SIMPLEX_SEED=n-m` several,
/// `SIMPLEX_SOAK=1` many.
@Suite struct GroupStoryTests {
  @Test func allMembersSeeTheSame() async throws {
    let environment = ProcessInfo.processInfo.environment
    var seeds: [UInt64] = Array(0..<(environment["SIMPLEX_SOAK"] == nil ? 3 : 400))
    if let range = environment["SIMPLEX_SEED"]?.split(separator: "-").compactMap({ UInt64($0) }),
      let first = range.first, let last = range.last, first <= last
    {
      seeds = Array(first...last)
    }
    let problems = await withTaskGroup(of: (any Error)?.self) { group in
      var problems: [any Error] = []
      for (number, seed) in seeds.enumerated() {
        // Most of the time is waiting, so several are played at once.
        if number >= 4, let problem = await group.next() ?? nil { problems.append(problem) }
        if problems.count >= 3 { break }
        group.addTask {
          do {
            try await GroupStory.play(seed: seed)
            return nil
          } catch {
            return error
          }
        }
      }
      for await problem in group { if let problem { problems.append(problem) } }
      return problems
    }
    for problem in problems { Issue.record("\(problem)") }
  }
}
