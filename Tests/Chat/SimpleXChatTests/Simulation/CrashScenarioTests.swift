import Foundation
import SQLiteKit
import SimplexTesting
import Testing

/// Every scenario is played with a crash of one person's program after a commit of one of its databases. The scenario
/// goes on as it is written, and in the end all databases hold what they hold without the crash.
///
/// A command that the crash interrupts is either done or not: the scenario is played with a person who gives it again,
/// and if that leads elsewhere, with one who takes it for done. If neither ends as without the crash, as where the
/// answer is needed later, the run has ended inside the command: it is only verified that the databases are whole and
/// everybody's program works. Such runs are counted, and may be few. So are events that were not told before the crash:
/// the scenario goes on as if they were, after waiting for them, since the rows tell in the end what has happened.
///
/// What people do to connect before a scenario begins is `CrashStoryTests`' subject. `make test` plays some of the
/// commits of each scenario, chosen by a seed (`SIMPLEX_SEED`); `SIMPLEX_SOAK=1` plays all of them,
/// `SIMPLEX_SCENARIO=offline.chat` those of one scenario, `SIMPLEX_CRASH=offline.chat:alice:agent:17` a single one.
@Suite struct CrashScenarioTests {
  /// How many crashes of each scenario `make test` plays.
  private static let sample = 1
  /// How many runs of a scenario may end inside of a command, of a hundred.
  private static let insidePercent = 10
  /// How many events may be missing for a hundred crashes.
  private static let untoldPercent = 5

  @Test func nothingIsLostByAnyCrash() async throws {
    let environment = ProcessInfo.processInfo.environment
    let only = environment["SIMPLEX_CRASH"]?.split(separator: ",").compactMap { ScenarioCrash(String($0)) }
    // Crashes of other suites.
    if only?.isEmpty == true { return }
    let isSoak = environment["SIMPLEX_SOAK"] != nil
    let count = environment["SIMPLEX_CRASHES"].flatMap { Int($0) } ?? Self.sample
    let seed = environment["SIMPLEX_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
    let names = Scenario.all.map(\.name).filter { name in
      only.map { $0.contains { $0.scenario == name } } ?? (name == environment["SIMPLEX_SCENARIO"] ?? name)
    }
    #expect(!names.isEmpty, "there is no such scenario")
    print("seed \(seed)")
    let plays = try await Self.inParallel(names) { name in
      try await CrashScenario(name)
    }
    let crashes = plays.flatMap { play in
      if let only { return only.filter { $0.scenario == play.name }.map { (play, $0.crash) } }
      var chance = SeededGenerator(seed: seed)
      let all = play.crashes
      return (isSoak ? all : Array(all.shuffled(using: &chance).prefix(count))).map { (play, $0) }
    }
    print("\(crashes.count) crashes of \(plays.map(\.crashes.count).reduce(0, +))")
    let outcomes = try await Self.inParallel(crashes) { play, crash in
      let outcome = await play.outcome(of: crash)
      if only != nil || outcome.isRemarkable { print("SIMPLEX_CRASH=\(play.name):\(crash): \(outcome)") }
      return outcome
    }
    for ((play, crash), outcome) in zip(crashes, outcomes) {
      if case .problem(let text) = outcome.end {
        Issue.record("seed \(seed), SIMPLEX_CRASH=\(play.name):\(crash): \(text)")
      }
    }
    report(zip(crashes, outcomes).map { ($0.0.name, $1) })
  }

  private func report(_ played: [(name: String, outcome: CrashScenario.Outcome)]) {
    let outcomes = played.map { $0.outcome }
    let inside = outcomes.filter(\.isInside).count
    let interrupted = outcomes.filter { $0.interrupted != nil }.count
    let untold = outcomes.map(\.untold).reduce(0, +)
    let unreached = outcomes.filter { !$0.isReached }.count
    print(
      """
      \(outcomes.count) crashes: \(interrupted) interrupted a command, \(inside) of which ended the run inside it; \
      \(untold) events were not told; \(unreached) came too late
      """)
    #expect(inside * 100 <= max(outcomes.count * Self.insidePercent, 200), "too many runs ended inside of commands")
    for (name, runs) in Dictionary(grouping: played, by: { $0.name }) {
      let inside = runs.filter { $0.outcome.isInside }.count
      #expect(
        inside * 100 <= max(runs.count * Self.insidePercent, 200), "\(name): too many runs ended inside of commands")
    }
    #expect(untold * 100 <= max(outcomes.count * Self.untoldPercent, 300), "too many events were not told")
    #expect(unreached * 4 <= max(outcomes.count, 8), "too many crashes did not happen")
  }

  /// Most of the time is waiting, so several are played at once.
  private static func inParallel<Item: Sendable, Value: Sendable>(
    _ items: [Item], _ body: @escaping @Sendable (Item) async throws -> Value
  ) async throws -> [Value] {
    let width = ProcessInfo.processInfo.environment["SIMPLEX_WIDTH"].flatMap { Int($0) } ?? 6
    return try await withThrowingTaskGroup(of: (Int, Value).self) { group in
      var values: [Int: Value] = [:]
      for (number, item) in items.enumerated() {
        if number >= width, let (index, value) = try await group.next() { values[index] = value }
        group.addTask { (number, try await body(item)) }
      }
      for try await (index, value) in group { values[index] = value }
      return items.indices.compactMap { values[$0] }
    }
  }
}
