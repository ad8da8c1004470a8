import Foundation
import SMPClientCore
import SQLiteKit
import SimpleXChat
import SimplexJSON
import SimplexTesting

/// A crash of one person's program while a scenario is played, or a power failure of the device.
struct ScenarioCrash: Hashable, Sendable, CustomStringConvertible {
  var stage: ScenarioStage
  var crash: PlannedCrash

  var description: String { "\(stage):\(crash)" }

  init(_ stage: ScenarioStage, _ crash: PlannedCrash) {
    self.stage = stage
    self.crash = crash
  }

  /// Reads `scenario:person:database:commit`, and `:seed` for a power failure.
  init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, let stage = ScenarioStage(parts[0]), let crash = PlannedCrash(parts[1]) else { return nil }
    self.init(stage, crash)
  }
}

/// A scenario, and the number of relays that it is played with.
struct ScenarioStage: Hashable, Sendable, CustomStringConvertible {
  var name: String
  var relays: Int

  var description: String { relays == 1 ? name : "\(name)@\(relays)" }

  init(_ name: String, relays: Int) {
    self.name = name
    self.relays = relays
  }

  /// Reads `scenario.chat`, or `scenario.chat@2` for two relays.
  init?(_ text: String) {
    let parts = text.split(separator: "@", maxSplits: 1).map(String.init)
    guard let name = parts.first, name.hasSuffix(".chat"), let relays = parts.count == 1 ? 1 : Int(parts[1]), relays > 0
    else { return nil }
    self.init(name, relays: relays)
  }
}

/// The world of a scenario in which one person's program ends after a commit, and is opened again by its user.
///
/// The commit's caller returns as usual, and what it reports still gets out, as from a process that is killed a moment
/// later; everything after that fails. Events that were told by then are told. The person's settings that are not
/// stored are set again, as an app does at its start.
///
/// After a power failure each file of both databases holds what was synchronized, and an arbitrary part of what was
/// written since. If the failure's seed is even, the disk accepts nothing from the commit on: the program still reports
/// what it reports without synchronizing, such as events, and nothing else. If it is odd, the power fails once the
/// program has reported what follows from the commit: its answers are synchronized, and must be there.
///
/// With several relays each person makes queues at one of them, some people at any (``MemoryNetwork/relays(of:)``). One
/// of the relays stops when a program crashes, and starts again once the program is opened again.
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
  private let hasFiles: Bool
  private(set) var people: [String: CrashPerson] = [:]
  /// The commits of each database when the people of the scenario were connected.
  private(set) var beginning: [PlannedCrash: Int] = [:]
  /// Whether people could not be connected after the crash: there were more commits before that than in the undisturbed
  /// run.
  private(set) var crashedWhileConnecting = false
  /// What was done, for the report.
  private(set) var log: [String] = []
  /// Decides what a power failure leaves.
  private var chance: SeededGenerator

  private init(
    _ crash: PlannedCrash?, _ habit: Habit, network: MemoryNetwork, world: TestWorld, hasFiles: Bool
  ) {
    self.crash = crash
    self.habit = habit
    self.network = network
    self.world = world
    self.hasFiles = hasFiles
    chance = SeededGenerator(seed: crash?.powerFailure ?? 0)
  }

  /// Runs `body` in a new world.
  static func with<Value>(
    _ crash: PlannedCrash?, _ habit: Habit = .repeats, stage: ScenarioStage,
    _ body: (CrashWorld) async throws -> Value
  ) async throws -> Value {
    let network = try MemoryNetwork(relays: stage.relays)
    let quick = Backoff.Policy(initial: 20, limit: 200)
    let hasFiles = Scenario.hasFiles(stage.name)
    var result: Result<Value, any Error>?
    try await TestWorld.with(
      network: network, files: hasFiles,
      options: { options in
        options.network.backoff = quick
        options.agent.retry = quick
        options.agent.fileRetry = quick
      }
    ) { world in
      let crashing = CrashWorld(crash, habit, network: network, world: world, hasFiles: hasFiles)
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
  func options(_ name: String, _ crashPoint: CrashPoint?) -> ChatOptions {
    var options = world.options(name)
    options.crashPoint = crashPoint
    return options
  }

  /// Opens the program again that has crashed, as its user would.
  func reopenCrashed() async throws {
    if let crash { try await people[crash.person]?.reopenIfCrashed() }
  }

  /// Whether nothing is under way: neither at the relays nor in anybody's databases. What is under way with files is
  /// not known.
  func isQuiet() async throws -> Bool {
    guard !hasFiles, network.messageCount == 0 else { return false }
    for person in people.values {
      if let core = person.core, try await !core.isIdle() { return false }
    }
    return true
  }

  /// Waits until nothing is under way, for this time at most; with files, where that is not known, a quarter of it.
  func waitUntilQuiet(for time: Duration) async throws {
    let end = ContinuousClock.now + (hasFiles ? time / 4 : time)
    while .now < end, try await !isQuiet() { try await Task.sleep(for: .milliseconds(10)) }
  }

  // MARK: Failures

  /// The disk that loses power; nil where only the program crashes, or somebody else's.
  private func failingDisk(of name: String) -> VolatileDisk? {
    losesPower(name) ? world.volatileDisk(of: name) : nil
  }

  /// Whether a person's device loses power.
  func losesPower(_ name: String) -> Bool { crash?.person == name && crash?.powerFailure != nil }

  /// Takes the network from a program, and the power from its disk where that fails; to be called once it has crashed.
  func cuttingOff(_ name: String) -> @Sendable () -> Void {
    let (network, disk) = (network, failingDisk(of: name))
    return {
      disk?.losePower()
      network.cutOff(name)
    }
  }

  /// Waits until a program that was cut off has closed its databases, and lets its disk lose what it may lose.
  /// - Returns: the number of lost writes.
  func restorePower(_ name: String) async throws -> Int {
    try await failingDisk(of: name)?.restorePower(using: &chance) ?? 0
  }

  /// Stops one of several relays; returns its number, or nil if none is stopped.
  func stopOneRelay() async -> Int? {
    guard network.addresses.count > 1, let crash else { return nil }
    let relay = crash.commit % network.addresses.count
    guard network.isRunning(relay) else { return nil }
    await network.stopRelay(relay)
    return relay
  }

  /// The person whose program crashes; nil before it did.
  var victim: CrashPerson? {
    guard let crash, let person = people[crash.person], person.hasCrashed else { return nil }
    return person
  }

  /// What the databases of all hold.
  func state() async throws -> StoredState {
    while true {
      try await reopenCrashed()
      let state = try await StoredState(of: people.compactMapValues { $0.core ?? $0.endedCore })
      guard people.values.contains(where: \.isDead) else { return state }
    }
  }

  // MARK: ScenarioWorld

  var folder: URL { world.folder }

  func scenarioProfile(_ name: String) async throws -> CrashPerson {
    let target = crash?.person == name ? crash.map { ($0.database, $0.commit) } : nil
    let point = CrashPoint(after: target, lingers: true)
    let person = CrashPerson(name, self, point)
    people[name] = person
    // The disk is there before the databases are.
    if let disk = failingDisk(of: name), let seed = crash?.powerFailure, seed.isMultiple(of: 2) {
      disk.losePower(after: point)
    }
    try await person.open(starts: true)
    noteBeginning()
    return person
  }

  func connect(_ one: CrashPerson, _ other: CrashPerson) async throws {
    let isBeforeCrash = victim == nil
    do {
      try await connectByInvitation(one, other)
    } catch {
      crashedWhileConnecting = isBeforeCrash && victim != nil
      throw error
    }
    noteBeginning()
  }

  private func noteBeginning() {
    for (name, person) in people {
      for database in CrashPoint.Database.allCases {
        beginning[PlannedCrash(person: name, database: database, commit: 0)] =
          person.crashPoint?.commitCount(of: database) ?? 0
      }
    }
  }

  func leave(_ name: String) async throws { try await people[name]?.leave() }

  func restart(_ name: String) async throws -> CrashPerson {
    guard let person = people[name] else { throw Unexpected(description: "no profile \(name)") }
    try await person.leave()
    try await person.open(starts: true)
    return person
  }

  func startRelay() async throws { try network.startRelay() }

  func stopRelay() async throws { await network.stopRelay() }

  func beginSession() async throws {
    try await rest()
    for person in people.values { person.crashPoint?.hold(true) }
    // One that was killed meanwhile is opened again before the session.
    try await reopenCrashed()
  }

  func endSession() { for person in people.values { person.crashPoint?.hold(false) } }

  func rest() async throws {
    try await reopenCrashed()
    try await waitUntilQuiet(for: .seconds(5))
  }

  func wait(_ time: Duration) async throws {
    try await reopenCrashed()
    try await Task.sleep(for: time)
  }
}
