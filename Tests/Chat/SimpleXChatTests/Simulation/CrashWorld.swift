import Foundation
import SMPClientCore
import SQLiteKit
import SimpleXChat
import SimplexJSON
import SimplexTesting

/// A crash of one person's program while a scenario is played.
struct ScenarioCrash: Hashable, Sendable, CustomStringConvertible {
  var scenario: String
  var crash: PlannedCrash

  var description: String { "\(scenario):\(crash)" }

  init(_ scenario: String, _ crash: PlannedCrash) {
    self.scenario = scenario
    self.crash = crash
  }

  /// Reads `scenario:person:database:commit`.
  init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, parts[0].hasSuffix(".chat"), let crash = PlannedCrash(parts[1]) else { return nil }
    self.init(parts[0], crash)
  }
}

/// The world of a scenario in which one person's program ends after a commit, and is opened again by its user.
///
/// The commit's caller returns as usual, and what it reports still gets out, as from a process that is killed a moment
/// later; everything after that fails. Events that were told by then are told. The person's settings that are not
/// stored are set again, as an app does at its start.
final class CrashWorld: ScenarioWorld {
  /// What the person does about a command that was interrupted by the crash.
  enum Habit: Sendable {
    /// Gives it again.
    case repeats
    /// Takes it for done.
    case trusts
  }

  let crash: PlannedCrash?
  let habit: Habit
  let network: MemoryNetwork
  private let world: TestWorld
  private(set) var people: [String: CrashPerson] = [:]
  /// The commits of each database when the people of the scenario were connected.
  private(set) var beginning: [PlannedCrash: Int] = [:]
  /// What was done, for the report.
  private(set) var log: [String] = []

  private init(_ crash: PlannedCrash?, _ habit: Habit, _ network: MemoryNetwork, _ world: TestWorld) {
    self.crash = crash
    self.habit = habit
    self.network = network
    self.world = world
  }

  /// Runs `body` in a new world.
  static func with<Value>(
    _ crash: PlannedCrash?, _ habit: Habit = .repeats, files: Bool, _ body: (CrashWorld) async throws -> Value
  ) async throws -> Value {
    let network = try MemoryNetwork()
    let quick = Backoff.Policy(initial: 20, limit: 200, jitterPercent: 20)
    var result: Result<Value, any Error>?
    try await TestWorld.with(
      network: network, files: files,
      options: { options in
        options.network.backoff = quick
        options.agent.retry = quick
        options.agent.fileRetry = quick
      }
    ) { world in
      let crashing = CrashWorld(crash, habit, network, world)
      do {
        result = .success(try await body(crashing))
      } catch {
        let log = crashing.log.suffix(8).joined(separator: "\n")
        result = .failure(Unexpected(description: "\(error)\n\(log)"))
      }
      for person in crashing.people.values { await person.core?.controller.finish() }
    }
    guard let result else { throw Unexpected(description: "not played") }
    return try result.get()
  }

  /// Writes something into the report.
  func note(_ text: String) { log.append(text) }

  /// Options of a person's program.
  func options(_ name: String, _ point: CrashPoint?) -> ChatOptions {
    var options = world.options(name)
    options.crashPoint = point
    return options
  }

  /// Opens the program again that has crashed, as its user would.
  func tend() async throws {
    if let crash { try await people[crash.person]?.openAgainIfCrashed() }
  }

  /// The person whose program crashes; nil before it did.
  var victim: CrashPerson? {
    guard let crash, let person = people[crash.person], person.hasCrashed else { return nil }
    return person
  }

  /// What the databases of all hold.
  func state() async throws -> StoredState {
    while true {
      try await tend()
      let state = try await StoredState(of: people.compactMapValues { $0.core ?? $0.last })
      guard people.values.contains(where: \.isDead) else { return state }
    }
  }

  // MARK: ScenarioWorld

  var folder: URL { world.folder }

  func scenarioProfile(_ name: String) async throws -> CrashPerson {
    let target = crash?.person == name ? crash.map { ($0.database, $0.commit) } : nil
    let person = CrashPerson(name, self, CrashPoint(after: target, lingers: true))
    people[name] = person
    try await person.open(starts: true)
    noteBeginning()
    return person
  }

  func connect(_ one: CrashPerson, _ other: CrashPerson) async throws {
    try await connected(one, other)
    noteBeginning()
  }

  private func noteBeginning() {
    for (name, person) in people {
      for database in CrashPoint.Database.allCases {
        beginning[PlannedCrash(person: name, database: database, commit: 0)] =
          person.point?.commitCount(of: database) ?? 0
      }
    }
  }

  func leave(_ name: String) async { await people[name]?.leave() }

  func restart(_ name: String) async throws -> CrashPerson {
    guard let person = people[name] else { throw Unexpected(description: "no profile \(name)") }
    await person.leave()
    try await person.open(starts: true)
    return person
  }

  func startRelay() async throws { try network.startRelay() }

  func stopRelay() async throws { await network.stopRelay() }

  func wait(_ time: Duration) async throws {
    try await tend()
    try await Task.sleep(for: time)
  }
}
