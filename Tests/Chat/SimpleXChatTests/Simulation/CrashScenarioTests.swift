import Foundation
import SQLiteKit
import SimplexTesting
import Testing

/// Every scenario is played with a crash of one person's program after a commit of one of its databases, or with a
/// power failure of the device there (``CrashWorld``). The scenario goes on as it is written, and in the end all
/// databases hold what they hold without the crash.
///
/// What a program promises, also when the power fails:
/// - What a command stored is durable when it is answered, unless the answer is an error.
/// - What is told to others is durable before: the agent's database before anything is sent to a relay, and the chat
///   database before the agent gets a command or an acknowledgement. So a message that was acknowledged to the relay,
///   which deletes it then, is in the databases.
/// - An event may be told before it is durable, since nobody depends on it: the agent delivers what was lost again, and
///   the event is told again. Nor need it be durable that the agent or a relay took something: it gets it again, and
///   recognizes it.
///
/// The end shows whether it kept that: nobody gives an answered command again, and no relay sends what was acknowledged
/// to it, so that their rows would be missing; what is repeated without being recognized would be there twice, and a
/// key that is used twice makes a message that cannot be read.
///
/// A command that the crash interrupts is either done or not: the scenario is played with a person who gives it again,
/// and if that leads elsewhere, with one who takes it for done. If neither ends as without the crash, as where the
/// answer is needed later, the run has ended inside the command: it is only verified that the databases are whole and
/// everybody's program works. Such runs are counted, and may be few. So are events that were not told before the crash:
/// the scenario goes on as if they were, after waiting for them, since the rows tell in the end what has happened.
///
/// What people do to connect before a scenario begins is `CrashStoryTests`' subject. `make test` plays some of the
/// commits of each scenario, chosen by a seed (`SIMPLEX_SEED`), over one relay or two; `SIMPLEX_SOAK=1` plays all of
/// them with crashes and with power failures, half of each over two relays. `SIMPLEX_SCENARIO=offline.chat` plays those
/// of one scenario, `SIMPLEX_CRASH=offline.chat:alice:agent:17` a single crash; `offline.chat@2:alice:agent:17:5` is a
/// power failure, with the seed of what it leaves, and over two relays.
@Suite struct CrashScenarioTests {
  /// How many power failures of each scenario `make test` plays; there are half as many crashes.
  private static let sample = 1
  /// How many runs of a scenario may end inside of a command, of a hundred.
  private static let insidePercent = 10
  /// How many events may be missing for a hundred crashes.
  private static let untoldPercent = 5

  /// What is played.
  private struct Plan {
    var seed: UInt64
    var isSoak: Bool
    var only: [ScenarioCrash]?
    var count: Int
    private var chance: SeededGenerator

    init(_ environment: [String: String]) {
      seed = environment["SIMPLEX_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
      isSoak = environment["SIMPLEX_SOAK"] != nil
      only = environment["SIMPLEX_CRASH"]?.split(separator: ",").compactMap { ScenarioCrash(String($0)) }
      count = environment["SIMPLEX_CRASHES"].flatMap { Int($0) } ?? CrashScenarioTests.sample
      chance = SeededGenerator(seed: seed)
    }

    mutating func stages(of scenarios: [String]) -> [ScenarioStage] {
      if let only { return Array(Set(only.map { $0.stage })) }
      var stages: [ScenarioStage] = []
      for name in scenarios {
        let relays = isSoak ? [1, 2] : [Int.random(in: 1...2, using: &chance)]
        stages += relays.map { ScenarioStage(name, relays: $0) }
      }
      return stages
    }

    mutating func crashes(of play: CrashScenario) -> [PlannedCrash] {
      if let only { return only.filter { $0.stage == play.stage }.map { $0.crash } }
      return isSoak ? play.allCrashes : play.someCrashes(count, using: &chance)
    }
  }

  /// One crash, and how the scenario went on.
  private struct Run {
    var stage: ScenarioStage
    var crash: PlannedCrash
    var outcome: CrashScenario.Outcome
  }

  @Test func nothingIsLostByAnyCrash() async throws {
    let environment = ProcessInfo.processInfo.environment
    var plan = Plan(environment)
    // The crashes that were asked for are those of other suites.
    if plan.only?.isEmpty == true { return }
    let only = environment["SIMPLEX_SCENARIO"]
    let stages = plan.stages(of: Scenario.all.map { $0.name }.filter { $0 == only ?? $0 })
    #expect(!stages.isEmpty, "there is no such scenario")
    let seed = plan.seed
    print("seed \(seed)")
    let plays = try await Self.inParallel(stages) { try await CrashScenario($0) }
    var planned: [(CrashScenario, PlannedCrash)] = []
    for play in plays { planned += plan.crashes(of: play).map { (play, $0) } }
    print("\(planned.count) crashes of \(plays.map { $0.crashes.count }.reduce(0, +)) commits")
    let isReported = plan.only != nil
    let runs = try await Self.inParallel(planned) { (play: CrashScenario, crash: PlannedCrash) -> Run in
      let outcome = await play.outcome(of: crash)
      if isReported || outcome.isRemarkable { print("SIMPLEX_CRASH=\(play.stage):\(crash): \(outcome)") }
      return Run(stage: play.stage, crash: crash, outcome: outcome)
    }
    for run in runs {
      guard case .problem(let text) = run.outcome.end else { continue }
      Issue.record("seed \(seed), SIMPLEX_CRASH=\(run.stage):\(run.crash): \(text)")
    }
    report("crashes", runs.filter { $0.crash.powerFailure == nil })
    let failures = runs.filter { $0.crash.powerFailure != nil }
    report("power failures", failures)
    let lost = failures.map { $0.outcome.lostWrites }.reduce(0, +)
    print("\(lost) writes were lost")
    #expect(failures.count < 20 || lost > 0, "no power failure loses anything")
  }

  private func report(_ what: String, _ runs: [Run]) {
    let outcomes = runs.map { $0.outcome }
    let inside = outcomes.filter { $0.isInside }.count
    let interrupted = outcomes.filter { $0.interrupted != nil }.count
    let untold = outcomes.map { $0.untold }.reduce(0, +)
    let unreached = outcomes.filter { !$0.isReached }.count
    print(
      """
      \(outcomes.count) \(what): \(interrupted) interrupted a command, \(inside) of which ended the run inside it; \
      \(untold) events were not told; \(unreached) came too early or too late
      """)
    #expect(inside * 100 <= max(outcomes.count * Self.insidePercent, 200), "too many runs ended inside of commands")
    for (name, runs) in Dictionary(grouping: runs, by: { $0.stage.name }) {
      let inside = runs.filter { $0.outcome.isInside }.count
      #expect(
        inside * 100 <= max(runs.count * Self.insidePercent, 200), "\(name): too many runs ended inside of commands")
    }
    #expect(untold * 100 <= max(outcomes.count * Self.untoldPercent, 300), "too many events were not told")
    #expect(unreached * 4 <= max(outcomes.count, 8), "too many crashes did not happen in the scenario")
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
