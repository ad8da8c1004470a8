import Foundation
import SQLiteKit
import SimplexTesting

/// A scenario, and how it ends without a crash.
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
    var isReached = false

    var isInside: Bool { if case .inside = end { true } else { false } }

    var isRemarkable: Bool { if case .same = end { untold > 0 || interrupted != nil } else { true } }

    var description: String {
      let notes = (interrupted.map { ", interrupted \($0)" } ?? "") + (untold > 0 ? ", \(untold) events untold" : "")
      return "\(end)\(notes)\(isReached ? "" : ", not reached")"
    }
  }

  let name: String
  /// Every commit of every person after the scenario's people are connected.
  let crashes: [PlannedCrash]
  private let text: String
  private let state: StoredState
  private let kept: Scenario.Kept

  /// Plays a scenario without a crash.
  init(_ name: String) async throws {
    guard let text = Scenario.all.first(where: { $0.name == name })?.text else {
      throw Unexpected(description: "no scenario \(name)")
    }
    (state, kept, crashes) = try await CrashWorld.with(nil, files: Scenario.hasFiles(name)) { world in
      let kept = try await Scenario(text).run(in: world)
      let state = try await Self.settled(world)
      var crashes: [PlannedCrash] = []
      for (beginning, first) in world.beginning.sorted(by: { "\($0.key)" < "\($1.key)" }) {
        let last = world.people[beginning.person]?.point?.commitCount(of: beginning.database) ?? 0
        for commit in first..<max(first, last) {
          crashes.append(
            PlannedCrash(person: beginning.person, database: beginning.database, commit: commit + 1))
        }
      }
      // Numbers of rows are the same in each run; links and keys are not.
      return (state, kept.mapValues { $0.filter { Int($0.value) != nil } }, crashes)
    }
    (self.name, self.text) = (name, text)
  }

  /// What is stored when nothing changes any more.
  private static func settled(_ world: CrashWorld) async throws -> StoredState {
    var (state, equal) = (try await world.state(), 0)
    let end = ContinuousClock.now + .seconds(20)
    while equal < 20, .now < end {
      try await Task.sleep(for: .milliseconds(20))
      let next = try await world.state()
      equal = next == state ? equal + 1 : 0
      state = next
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
      return try await CrashWorld.with(crash, habit, files: Scenario.hasFiles(name)) { world in
        var outcome = Outcome(end: .same)
        do {
          try await Scenario(text).run(in: world, known: kept)
          let difference = try await StoredState.differences(within: .seconds(8)) {
            try await world.state()
          } _: {
            state
          }
          if let difference { throw Unexpected(description: "other rows than without the crash\n\(difference)") }
        } catch {
          for person in world.people.values { for text in await person.findings() { world.note(text) } }
          outcome.end = .problem("\(error)\n\(world.log.suffix(12).joined(separator: "\n"))")
        }
        outcome.interrupted = world.victim?.interrupted
        outcome.untold = world.victim?.untold.count ?? 0
        outcome.isReached = world.victim != nil
        if let flaw = try await Self.flaw(in: world, isOver: { if case .same = outcome.end { true } else { false } }())
        {
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
      try await world.tend()
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
