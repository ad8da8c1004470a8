import Foundation
import SQLiteKit
import SimpleXChat
import SimplexJSON
import SimplexTesting

/// A person of a scenario, whose program may crash, or whose device may lose power, and who opens the program again.
final class CrashPerson: ScenarioProfile {
  let name: String
  private unowned let world: CrashWorld
  /// Counts commits until the crash; nil after it.
  private(set) var crashPoint: CrashPoint?
  /// The program; nil while it does not run.
  private(set) var core: TestCore?
  /// The program that ended last.
  private(set) var endedCore: TestCore?
  private(set) var hasCrashed = false
  /// The command that the crash interrupted.
  private(set) var interruptedCommand: String?
  /// The number of expected events that were told neither before the crash nor after it.
  private(set) var missingEvents = 0
  /// The number of writes that a power failure lost.
  private(set) var lostWrites = 0

  private var hasUser = false
  /// Whether the crash came while the command given last was carried out.
  private var lastCommandSawCrash = false
  private var lastCommand = ""
  /// The command given last, if it was answered with an error of the agent. That it was undone need not be durable
  /// then, so a power failure that loses something has interrupted it.
  private var failedCommand: String?
  private var commandsSinceCrash = 0
  private var openedAgain: ContinuousClock.Instant?
  private var session = SessionCommands()
  /// Events of programs that ended, which nobody has asked for yet.
  private var earlierEvents: [JSONValue] = []
  /// Events that a power failure may bring again.
  private var told = ToldEvents()
  private(set) lazy var events = UnreadEvents(name) { [weak self] in try await self?.nextEvent(within: $0) }

  init(_ name: String, _ world: CrashWorld, _ crashPoint: CrashPoint) {
    self.name = name
    self.world = world
    self.crashPoint = crashPoint
  }

  /// Whether the program has ended by the crash, and is not opened again yet.
  var isDead: Bool { crashPoint?.isReached == true }

  // MARK: Programs

  /// Opens the program.
  /// - Parameter starts: whether the chat is started; otherwise what the user set last is set again.
  func open(starts: Bool) async throws {
    while true {
      do {
        let core = TestCore(name, try await ChatController.open(world.options(name, crashPoint)))
        self.core = core
        if !hasUser, try await core.rows("SELECT 1 FROM users")?.isEmpty != false {
          _ = try await core.run("/create user \(name)")
        }
        hasUser = true
        if starts { session = SessionCommands() }
        // Without a user there is nothing to start.
        let hasUsers = try await core.rows("SELECT 1 FROM users")?.isEmpty == false
        for command in session.commands where hasUsers || command != SessionCommands.start {
          _ = try await core.run(command)
        }
        return
      } catch {
        guard isDead else { throw error }
        try await crash()
      }
    }
  }

  /// Closes the program, as its user does.
  func leave() async throws {
    if isDead { return try await crash() }
    guard let core else { return }
    await core.controller.finish()
    await keepEvents(of: core)
    (endedCore, self.core) = (core, nil)
    if isDead { try await crash() }
  }

  /// Opens the program again if it has crashed.
  func reopenIfCrashed() async throws {
    guard isDead else { return }
    try await crash()
    let relay = await world.stopOneRelay()
    try await open(starts: false)
    if let relay { try world.network.startRelay(relay) }
    world.note("\(name) has opened the program again")
    openedAgain = .now
    // The agent delivers again what was lost, and its events are told again.
    if lostWrites > 0 { try await world.waitUntilQuiet(for: .seconds(3)) }
  }

  /// The program ends, with the power of its device where that fails.
  private func crash() async throws {
    world.note("\(name) crashes")
    hasCrashed = true
    world.cuttingOff(name)()
    if let core {
      await core.controller.kill()
      await keepEvents(of: core)
      (endedCore, self.core) = (core, nil)
    }
    let lost = try await world.restorePower(name)
    lostWrites += lost
    if lost > 0 {
      world.note("\(name) loses \(lost) writes")
      interruptedCommand = interruptedCommand ?? failedCommand
      for event in earlierEvents { told.add(event) }
    } else {
      told = ToldEvents()
    }
    crashPoint = nil
  }

  private static let reportedRows: [(database: String, query: String)] = [
    ("chat", "SELECT contact_id, local_display_name, status, connection_id FROM contacts WHERE is_user = 0"),
    ("chat", "SELECT connection_id, kind, status, agent_conn_id FROM connections"),
    ("chat", "SELECT request_id, local_display_name, contact_id FROM contact_requests"),
    ("agent", "SELECT number, deletion, ratchet_sync FROM connections"),
    ("agent", "SELECT connection, status, is_deleted, is_subscribed FROM receive_queues"),
    ("agent", "SELECT connection, status FROM send_queues"),
    ("chat", "SELECT file_id, sent, name, path, status, step, cancelled FROM files"),
  ]

  /// For the report: what the agent still has to do, rows about connections and files, and events about errors that
  /// nobody has asked for.
  func findings() async -> [String] {
    var work: [String] = []
    if let core {
      await keepEvents(of: core)
      let tasks = """
        SELECT 'task', t.kind, t.attempts, hex(t.tag), c.deletion FROM connections c LEFT JOIN tasks t \
        ON t.connection = c.number WHERE t.id IS NOT NULL OR c.deletion <> 0
        """
      work = (try? await core.rows(tasks, of: "agent"))?.map { "\(name) has \($0)" } ?? []
      for (database, query) in Self.reportedRows {
        let rows = (try? await core.rows(query, of: database)) ?? []
        work.append("\(name) \(database) \(query): \(rows)")
      }
    }
    return work
      + earlierEvents.filter { event in
        guard let type = event["type"]?.stringValue else { return false }
        return type.contains("rror") || type.contains("Warning")
      }.map { "\(name) has \(String($0.jsonText().prefix(400)))" }
  }

  private func keepEvents(of core: TestCore) async {
    while let event = await core.controller.eventQueue.next(within: .zero) {
      if let value = try? Self.content(event) { earlierEvents.append(value) }
    }
  }

  private static func content(_ event: ChatEventQueue.Element) throws -> JSONValue {
    let value = try JSONValue(jsonBytes: event.jsonBytes())
    return value["result"] ?? value["error"] ?? value
  }

  // MARK: ScenarioProfile

  func answer(_ command: String) async throws -> JSONValue {
    try await world.reopenCrashed()
    if hasCrashed { commandsSinceCrash += 1 }
    (lastCommandSawCrash, lastCommand) = (false, command)
    let answer = try await give(command)
    let failed = answer["type"]?.stringValue?.hasPrefix("error") != false
    if isDead {
      lastCommandSawCrash = true
      world.note("\(name) ##> \(command)\n\(failed ? answer.jsonText() : "answered") in the crash")
    }
    guard isDead, failed else {
      if !failed { session.note(command) }
      failedCommand = answer["type"]?.stringValue == "errorAgent" ? command : nil
      return answer
    }
    interruptedCommand = command
    try await reopenIfCrashed()
    guard world.habit == .repeats else { return answer }
    let second = try await give(command)
    world.note("again: \(second.jsonText())")
    if second["type"]?.stringValue?.hasPrefix("error") == false { session.note(command) }
    return second
  }

  /// Gives a command. A crash ends a command that waits, too; one that waits for a minute is a fault.
  private func give(_ command: String) async throws -> JSONValue {
    guard let core else { throw Unexpected(description: "\(name) has no program") }
    let (crashPoint, controller, cutOff) = (crashPoint, core.controller, world.cuttingOff(name))
    let watch = Task {
      let end = ContinuousClock.now + .seconds(60)
      while !Task.isCancelled {
        // What ends in a moment ends with its answer.
        try? await Task.sleep(for: .milliseconds(50))
        guard crashPoint?.isReached == true || .now > end, !Task.isCancelled else { continue }
        try? await Task.sleep(for: .milliseconds(100))
        // The program that is opened next must not be cut off.
        guard !Task.isCancelled else { return }
        cutOff()
        return await controller.kill()
      }
    }
    defer { watch.cancel() }
    let answer = try await core.answer(command)
    watch.cancel()
    await watch.value
    return answer
  }

  /// What the crash took: the answer of the command that it interrupted, where the person takes that for done, and an
  /// event that the program had not told yet. Rows tell later whether what was not told has happened. Statistics are
  /// stored rarely, so a crash takes some.
  func toleratesMissing(_ part: ScenarioPart) -> Bool {
    guard hasCrashed || isDead else { return false }
    switch part {
    case .answer:
      return lastCommandSawCrash && world.habit == .trusts
        || hasCrashed && lastCommand.hasPrefix("/get servers summary")
    case .event:
      guard mayLackEvents else { return false }
      missingEvents += 1
      return true
    }
  }

  /// An event may be missing soon after the crash, and only few.
  private var mayLackEvents: Bool { hasCrashed && commandsSinceCrash <= 3 && missingEvents < 3 }

  private func nextEvent(within time: Duration) async throws -> JSONValue? {
    let begin = ContinuousClock.now
    var quietSince: ContinuousClock.Instant?
    while true {
      try await world.reopenCrashed()
      if !earlierEvents.isEmpty { return earlierEvents.removeFirst() }
      if let event = await core?.controller.eventQueue.next(within: .milliseconds(mayLackEvents ? 60 : 20)) {
        let content = try Self.content(event)
        if hasCrashed, told.remove(content) { continue }
        if !hasCrashed, world.losesPower(name) { told.add(content) }
        return content
      }
      if core == nil { try await Task.sleep(for: .milliseconds(5)) }
      guard .now < begin + time else { return nil }
      guard mayLackEvents, let openedAgain else { continue }
      // A program that runs again for so long, or for a while in which nothing was under way anywhere, has told what it
      // has to tell.
      quietSince = try await world.isQuiet() ? quietSince ?? .now : nil
      if .now > max(begin, openedAgain) + .seconds(12) { return nil }
      if let quietSince, .now > max(quietSince, openedAgain) + .seconds(3) { return nil }
    }
  }
}

/// What an app does again at its next start: commands whose effect ends with the process, in their order.
private struct SessionCommands {
  static let start = "/_start"

  private(set) var commands = [Self.start]

  private static let settings = [
    "/_files_folder ", "/set file paths ", "/_files_encrypt ", "/network ", "/_network ",
  ]

  /// Remembers a command that was carried out, if it is one of those.
  mutating func note(_ command: String) {
    if Self.settings.contains(where: command.hasPrefix) {
      commands.insert(command, at: commands.firstIndex(of: Self.start) ?? commands.endIndex)
      return
    }
    if command == "/_stop" { commands.removeAll { $0 == Self.start || $0.hasPrefix("/_app ") } }
    if command.hasPrefix("/_app ") { commands.removeAll { $0.hasPrefix("/_app ") } }
    // What is being sent or received is in the folder that was known at the start: again the same.
    if command.hasPrefix("/_temp_folder ") { commands.append(command) }
    if command.hasPrefix(Self.start) || command.hasPrefix("/_app suspend") { commands.append(command) }
  }
}
