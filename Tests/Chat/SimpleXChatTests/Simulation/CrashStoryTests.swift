import Foundation
import SQLiteKit
import SimplexTesting
import Testing

/// A program ends after a commit of one of its databases, as if it had been killed; reopened it continues, and in
/// the end both sides have the same rows as in an undisturbed run.
///
/// `make test` plays some of the commits, chosen by a seed (`SIMPLEX_SEED`); `SIMPLEX_SOAK=1` plays all of them, and
/// `SIMPLEX_CRASH=alice:agent:17` one; in `alice:agent:17:5`, a power failure, the last number is the seed of what it
/// leaves.
@Suite struct CrashStoryTests {
  /// What is left when nothing happens, and how many commits each database had.
  private struct Undisturbed: Sendable {
    var state: StoredState
    var crashes: [PlannedCrash]
  }

  @Test func nothingIsLostByAnyCrash() async throws { try await playAll(.two, sample: 24) }

  @Test func nothingIsLostAmongThreeByAnyCrash() async throws { try await playAll(.three, sample: 6) }

  /// What was committed and not synchronized may be lost too, in each database on its own.
  @Test func nothingIsLostByAnyPowerFailure() async throws { try await playAll(.two.losingPower, sample: 12) }

  @Test func nothingIsLostAmongThreeByAnyPowerFailure() async throws {
    try await playAll(.three.losingPower, sample: 6)
  }

  private func playAll(_ cast: ChatStory.Cast, sample: Int) async throws {
    let environment = ProcessInfo.processInfo.environment
    let undisturbed = try await Self.playUndisturbed(cast)
    var crashes = undisturbed.crashes
    var seed: UInt64 = 0
    if let only = environment["SIMPLEX_CRASH"].flatMap({ PlannedCrash($0) }) {
      crashes = (only.powerFailure != nil) == cast.losesPower ? [only] : []
    } else if environment["SIMPLEX_SOAK"] == nil {
      seed = environment["SIMPLEX_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
      var chance = SeededGenerator(seed: seed)
      crashes = Array(crashes.shuffled(using: &chance).prefix(sample))
    }
    if cast.losesPower {
      for index in crashes.indices where crashes[index].powerFailure == nil {
        crashes[index].powerFailure = .random(in: 0..<1_000_000)
      }
    }
    print("seed \(seed): \(crashes.count) crashes of \(undisturbed.crashes.count)")
    let problems = await withTaskGroup(of: String?.self) { group in
      var problems: [String] = []
      for (number, crash) in crashes.enumerated() {
        // Most of the time is waiting, so several are played at once.
        if number >= 4, let problem = await group.next() ?? nil { problems.append(problem) }
        if problems.count >= 8 { break }
        group.addTask { await Self.play(crash, cast, undisturbed) }
      }
      for await problem in group { if let problem { problems.append(problem) } }
      return problems
    }
    for problem in problems { Issue.record("seed \(seed), \(problem)") }
  }

  private static func play(_ cast: ChatStory.Cast, _ story: CrashStory) async throws {
    try await cast.names.count == 2 ? story.play() : story.playAmongThree()
  }

  private static func playUndisturbed(_ cast: ChatStory.Cast) async throws -> Undisturbed {
    try await CrashStory.with(nil, cast) { story in
      try await play(cast, story)
      // Until nothing changes any more.
      var (state, equal) = (try await story.state(), 0)
      while equal < 20 {
        try await Task.sleep(for: .milliseconds(20))
        let next = try await story.state()
        equal = next == state ? equal + 1 : 0
        state = next
      }
      var crashes: [PlannedCrash] = []
      for name in cast.names {
        for database in CrashPoint.Database.allCases {
          let count = story.points[name]?.commitCount(of: database) ?? 0
          crashes += (0..<count).map { PlannedCrash(person: name, database: database, commit: $0 + 1) }
        }
      }
      return Undisturbed(state: state, crashes: crashes)
    }
  }

  private static func play(
    _ crash: PlannedCrash, _ cast: ChatStory.Cast, _ undisturbed: Undisturbed
  ) async -> String? {
    do {
      let differences = try await CrashStory.with(crash, cast) { story in
        try await play(cast, story)
        let found = try await StoredState.differences(within: .seconds(6)) {
          try await story.state()
        } _: {
          undisturbed.state
        }
        return found.map { "\($0)\n\(story.log.suffix(6).joined(separator: "\n"))" }
      }
      return differences.map { "SIMPLEX_CRASH=\(crash): other rows than without the crash\n\($0)" }
    } catch {
      return "SIMPLEX_CRASH=\(crash): \(error)"
    }
  }
}
