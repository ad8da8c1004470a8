import Foundation
import SMPClientCore
import SQLiteKit
import SimpleXChat
import SimplexJSON
import SimplexTesting

/// A crash of one person's program, or a power failure of the device: right after this commit of one of its databases.
struct PlannedCrash: Hashable, Sendable, CustomStringConvertible {
  var person: String
  var database: CrashPoint.Database
  var commit: Int
  /// The seed that decides what a power failure leaves; nil for a crash of the program alone.
  var powerFailure: UInt64?

  var description: String { "\(person):\(database):\(commit)" + (powerFailure.map { ":\($0)" } ?? "") }

  init(person: String, database: CrashPoint.Database, commit: Int, powerFailure: UInt64? = nil) {
    self.person = person
    self.database = database
    self.commit = commit
    self.powerFailure = powerFailure
  }

  /// Reads `person:database:commit`, and `:seed` for a power failure.
  init?(_ text: String) {
    let parts = text.split(separator: ":").map(String.init)
    guard parts.count == 3 || parts.count == 4, let database = CrashPoint.Database(rawValue: parts[1]),
      let commit = Int(parts[2])
    else { return nil }
    self.init(
      person: parts[0], database: database, commit: commit, powerFailure: parts.count == 4 ? UInt64(parts[3]) : nil)
  }
}

/// People, of whom one's program may crash, and how they continue their steps.
///
/// A step is done when the database contains its result: until then its command is repeated, also after a crash or an
/// error. A command that was answered is not repeated, because its result has to survive a crash.
final class CrashStory {
  /// What is found wrong.
  struct Problem: Error, CustomStringConvertible {
    var description: String
  }

  let names: [String]
  private let world: TestWorld
  private let network: MemoryNetwork
  private let crash: PlannedCrash?
  private(set) var cores: [String: TestCore] = [:]
  /// The crash points of the first life of each program.
  private(set) var points: [String: CrashPoint] = [:]
  /// What was done, for the report.
  private(set) var log: [String] = []
  /// The number of writes that a power failure lost.
  private(set) var lostWrites = 0

  init(_ cast: ChatStory.Cast, _ world: TestWorld, _ network: MemoryNetwork, _ crash: PlannedCrash?) {
    names = cast.names
    self.world = world
    self.network = network
    self.crash = crash
    for name in names {
      points[name] = CrashPoint(after: crash?.person == name ? crash.map { ($0.database, $0.commit) } : nil)
    }
  }

  /// Runs `body` with a new story.
  static func with<Value>(
    _ crash: PlannedCrash?, _ cast: ChatStory.Cast, _ body: (CrashStory) async throws -> Value
  ) async throws -> Value {
    let network = try MemoryNetwork(relays: cast.relays)
    var value: Value?
    let quick = Backoff.Policy(initial: 20, limit: 200)
    try await TestWorld.with(
      network: network, files: cast.names.count == 2,
      options: { options in
        options.network.backoff = quick
        options.agent.retry = quick
        options.agent.fileRetry = quick
        options.smpServers = cast.relays(of: String(options.databasePrefix.split(separator: "/").last ?? ""), network)
      }
    ) { world in
      let story = CrashStory(cast, world, network, crash)
      let result: Result<Value, any Error>
      do {
        result = .success(try await body(story))
      } catch {
        result = .failure(Problem(description: "\(error)\n\(story.log.suffix(12).joined(separator: "\n"))"))
      }
      for core in story.cores.values { await core.controller.finish() }
      value = try result.get()
    }
    guard let value else { throw Problem(description: "not played") }
    return value
  }

  /// Makes a file, and returns its path.
  func makeFile(_ name: String, _ content: [UInt8]) throws -> String {
    let file = world.folder.appending(path: name)
    try Data(content).write(to: file)
    return file.path
  }

  /// Makes a folder, and returns its path.
  func makeFolder(_ name: String) throws -> String {
    let folder = world.folder.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.path
  }

  /// Writes something into the report.
  func note(_ text: String) { log.append(text) }

  // MARK: Programs

  /// A person's program, which runs. After a crash it is opened again, as its user would.
  func core(_ name: String) async throws -> TestCore {
    let end = ContinuousClock.now + .seconds(20)
    while true {
      if let core = cores[name] {
        guard isCrashed(name) else { return core }
        note("\(name) crashes")
        cores[name] = nil
        points[name] = nil
        let losesPower = crash?.powerFailure != nil
        if losesPower { world.volatileDisk(of: name).losePower() }
        network.cutOff(name)
        await core.controller.kill()
        if losesPower { try await restorePower(name) }
      }
      do {
        return try await open(name)
      } catch {
        guard isCrashed(name) || cores[name] == nil, .now < end else { throw error }
        note("\(name) is not opened: \(error)")
        if isCrashed(name), cores[name] == nil {
          points[name] = nil
          if crash?.powerFailure != nil {
            world.volatileDisk(of: name).losePower()
            try await restorePower(name)
          }
        }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  private func restorePower(_ name: String) async throws {
    var chance = SeededGenerator(seed: crash?.powerFailure ?? 0)
    let lost = try await world.volatileDisk(of: name).restorePower(using: &chance)
    note("\(lost) writes are lost")
    lostWrites += lost
  }

  private func isCrashed(_ name: String) -> Bool { points[name]?.isReached == true }

  private func open(_ name: String) async throws -> TestCore {
    if crash?.person == name, crash?.powerFailure != nil { _ = world.volatileDisk(of: name) }
    var options = world.options(name)
    options.crashPoint = points[name]
    let core = TestCore(name, try await ChatController.open(options))
    cores[name] = core
    if try await core.rows("SELECT 1 FROM users")?.isEmpty != false { _ = try await core.run("/create user \(name)") }
    _ = try await core.run("/_start")
    return core
  }

  /// The rows of a query, from a program that runs.
  func rows(_ name: String, _ query: String, of database: String = "chat") async throws -> [String] {
    while true {
      if let rows = try await core(name).rows(query, of: database) { return rows }
      guard isCrashed(name) else { throw Problem(description: "\(name) has closed databases") }
    }
  }

  // MARK: Steps

  /// Performs a step: repeats a command until the database contains its result.
  /// - Parameter query: returns a row once it is done.
  func step(
    _ name: String, until query: String, _ command: () async throws -> String?
  ) async throws {
    let end = ContinuousClock.now + .seconds(20)
    var (given, answer) = ("", "not given")
    var isAnswered = false
    while try await rows(name, query).isEmpty {
      guard .now < end else {
        throw Problem(description: "\(name) ##> \(given)\n\(answer)\nis not done: \(query)")
      }
      if !isAnswered, let command = try await command() {
        given = command
        let result = try await core(name).controller.sendText(command)
        answer = String(decoding: result.jsonBytes(), as: UTF8.self)
        if case .result = result { isAnswered = true }
        note("\(name) ##> \(command) \(isAnswered ? "" : answer)")
      } else {
        try await Task.sleep(for: .milliseconds(3))
      }
    }
  }

  /// Waits until a query returns a row; everybody's programs run meanwhile.
  func wait(_ name: String, for query: String) async throws {
    let end = ContinuousClock.now + .seconds(20)
    while try await rows(name, query).isEmpty {
      guard .now < end else {
        throw Problem(description: "\(name) waits in vain: \(query)\(try await tables())")
      }
      for name in names { _ = try await core(name) }
      try await Task.sleep(for: .milliseconds(3))
    }
    note("\(name) has \(query)")
  }

  /// What is under way at everybody's.
  private func tables() async throws -> String {
    var text = ""
    for name in names {
      for (database, query) in [
        ("chat", "SELECT command_id, kind, is_follow_up, agent_conn_id FROM agent_commands"),
        ("chat", "SELECT contact_id, status FROM contacts"), ("chat", "SELECT status, agent_conn_id FROM connections"),
        ("agent", "SELECT kind, lane, attempts, not_before FROM tasks"),
        ("agent", "SELECT number, deletion, ratchet_sync FROM connections"),
        ("agent", "SELECT connection, status, is_deleted, is_subscribed FROM receive_queues"),
        ("agent", "SELECT connection, status FROM send_queues"),
      ] {
        text += "\n\(name) \(database) \(query): \(try await rows(name, query, of: database))"
      }
    }
    return text
  }

  /// The value that a query returns.
  func value(_ name: String, _ query: String) async throws -> String {
    guard let value = try await rows(name, query).first else { throw Problem(description: "\(name) has no \(query)") }
    return value
  }

  /// What the databases of both hold.
  func state() async throws -> StoredState {
    var running: [String: TestCore] = [:]
    for name in names { running[name] = try await core(name) }
    return try await StoredState(of: running)
  }
}
