import Foundation
import SQLiteKit
import SimplexTesting

/// A scenario with some relays, and how it ends without a crash.
struct CrashScenario: Sendable {
  /// How a run ended.
  struct Outcome: Sendable, CustomStringConvertible {
    enum End: Sendable {
      /// As without the crash.
      case same
      /// Inside the interrupted command; the databases are whole and the programs work.
      case inside(String)
      case problem(String)
    }

    var end: End
    /// The command that was interrupted.
    var interrupted: String?
    /// How many events were not told.
    var untold = 0
    /// How many writes a power failure lost.
    var lostWrites = 0
    /// Whether the crash happened, after the people were connected.
    var isReached = false

    var isInside: Bool { if case .inside = end { true } else { false } }

    var isRemarkable: Bool { if case .same = end { untold > 0 || interrupted != nil } else { true } }

    var description: String {
      let notes =
        (interrupted.map { ", interrupted \($0)" } ?? "") + (untold > 0 ? ", \(untold) events untold" : "")
        + (lostWrites > 0 ? ", \(lostWrites) writes lost" : "")
      return "\(end)\(notes)\(isReached ? "" : ", not reached")"
    }
  }

  let stage: ScenarioStage
  /// Every commit of every person after the scenario's people are connected.
  let crashes: [PlannedCrash]
  private let text: String
  private let state: StoredState
  private let kept: Scenario.Kept

  /// Plays a scenario without a crash.
  init(_ stage: ScenarioStage) async throws {
    guard let text = Scenario.all.first(where: { $0.name == stage.name })?.text else {
      throw Unexpected(description: "no scenario \(stage.name)")
    }
    (state, kept, crashes) = try await CrashWorld.with(nil, stage: stage) { world in
      let kept = try await Scenario(text).run(in: world)
      let state = try await Self.settled(world)
      var crashes: [PlannedCrash] = []
      for (beginning, first) in world.beginning.sorted(by: { "\($0.key)" < "\($1.key)" }) {
        let last = world.people[beginning.person]?.crashPoint?.commitCount(of: beginning.database) ?? 0
        for commit in first..<max(first, last) {
          crashes.append(
            PlannedCrash(person: beginning.person, database: beginning.database, commit: commit + 1))
        }
      }
      // Numbers of rows are the same in each run; links and keys are not.
      return (state, kept.mapValues { $0.filter { Int($0.value) != nil } }, crashes)
    }
    (self.stage, self.text) = (stage, text)
  }

  // MARK: Crashes

  /// A crash or a power failure after every commit, in turn: what one commit has here, it does not have with one relay
  /// more or less.
  var allCrashes: [PlannedCrash] {
    crashes.enumerated().map { number, crash in
      (number + stage.relays).isMultiple(of: 2) ? crash : Self.powerFailure(crash, seed: UInt64(number / 2))
    }
  }

  /// `count` power failures, and on average half as many crashes.
  func someCrashes(_ count: Int, using chance: inout SeededGenerator) -> [PlannedCrash] {
    let plain = crashes.shuffled(using: &chance).prefix((count + Int.random(in: 0...1, using: &chance)) / 2)
    return plain
      + crashes.shuffled(using: &chance).prefix(count).map {
        Self.powerFailure($0, seed: .random(in: 0..<1_000_000, using: &chance))
      }
  }

  private static func powerFailure(_ crash: PlannedCrash, seed: UInt64) -> PlannedCrash {
    var crash = crash
    crash.powerFailure = seed
    return crash
  }

  // MARK: Playing

  /// What is stored when nothing changes any more.
  private static func settled(_ world: CrashWorld) async throws -> StoredState {
    var (state, equal, isQuiet) = (try await world.state(), 0, false)
    let begin = ContinuousClock.now
    // What waits for a program or a relay that is stopped stays under way.
    while equal < 20 || !isQuiet && .now < begin + .seconds(5), .now < begin + .seconds(20) {
      try await Task.sleep(for: .milliseconds(20))
      let next = try await world.state()
      equal = next == state ? equal + 1 : 0
      state = next
      isQuiet = try await world.isQuiet()
    }
    return state
  }

  /// Plays the scenario with a crash.
  func outcome(of crash: PlannedCrash) async -> Outcome {
    var problems = ""
    var isInside = true
    var last = Outcome(end: .same)
    // Twice, because the crash may come before and after the command's effect.
    for habit in [CrashWorld.Habit.repeats, .trusts, .repeats, .trusts] {
      let outcome = await play(crash, habit)
      guard case .problem(let problem) = outcome.end else { return outcome }
      // Where no command was interrupted, all has to be as without the crash.
      if outcome.interrupted == nil { return outcome }
      problems += "\(habit): \(problem)\n"
      if problem.contains(Self.unsound) { isInside = false }
      last = outcome
    }
    last.end = isInside ? .inside(problems) : .problem(problems)
    return last
  }

  private func play(_ crash: PlannedCrash, _ habit: CrashWorld.Habit) async -> Outcome {
    do {
      return try await CrashWorld.with(crash, habit, stage: stage) { world in
        var outcome = Outcome(end: .same)
        var isOver = true
        do {
          try await Scenario(text).run(in: world, known: kept)
          let difference = try await StoredState.differences(within: .seconds(8)) {
            try await world.state()
          } _: {
            state
          }
          if let difference { throw Unexpected(description: "other rows than without the crash\n\(difference)") }
        } catch {
          isOver = false
          // Connecting is the subject of `CrashStoryTests`.
          if !world.crashedWhileConnecting {
            let log = world.log.suffix(12)
            var findings: [String] = []
            for person in world.people.values { findings += await person.findings() }
            outcome.end = .problem("\(error)\n\((log + findings).joined(separator: "\n"))")
          }
        }
        outcome.interrupted = world.victim?.interruptedCommand
        outcome.untold = world.victim?.missingEvents ?? 0
        outcome.lostWrites = world.victim?.lostWrites ?? 0
        outcome.isReached = world.victim != nil && !world.crashedWhileConnecting
        if let flaw = try await Self.flaw(in: world, isOver: isOver) {
          outcome.end = .problem("\(Self.unsound): \(flaw)\n\(outcome.end)")
        }
        return outcome
      }
    } catch {
      return Outcome(end: .problem("\(error)"))
    }
  }

  private static let unsound = "a program does not work"

  /// What is wrong with the databases or programs of the people, wherever the scenario has stopped.
  private static func flaw(in world: CrashWorld, isOver: Bool) async throws -> String? {
    for (name, person) in world.people {
      try await world.reopenCrashed()
      guard let core = person.core else { continue }
      for database in ["chat", "agent"] {
        // nil: closed by the scenario.
        guard let rows = try await core.rows("PRAGMA integrity_check", of: database), rows != ["ok"] else { continue }
        return "\(name)'s \(database) database: \(rows)"
      }
    }
    guard !isOver else { return nil }
    try world.network.startRelay()
    for (name, person) in world.people {
      guard let core = person.core, try await core.rows("SELECT 1") != nil else { continue }
      _ = try await core.answer("/_app activate")
      _ = try await core.answer("/_start")
      let users = try await core.answer("/users")
      guard users["type"]?.stringValue == "usersList" else { return "\(name) ##> /users: \(users.jsonText())" }
      let end = ContinuousClock.now + .seconds(5)
      while let rows = try await core.rows("SELECT kind, count(*) FROM agent_commands GROUP BY 1"), !rows.isEmpty {
        guard .now < end else { return "\(name) has commands that the agent does not take: \(rows)" }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    return nil
  }
}
