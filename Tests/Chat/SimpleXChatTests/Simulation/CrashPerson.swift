import Foundation
import SQLiteKit
import SimpleXChat
import SimplexJSON
import SimplexTesting

/// A person of a scenario, whose program may crash and is opened again.
final class CrashPerson: ScenarioProfile {
  let name: String
  private unowned let world: CrashWorld
  /// Counts commits until the crash; nil after it.
  private(set) var point: CrashPoint?
  /// The program; nil while it does not run.
  private(set) var core: TestCore?
  /// The program that ended last.
  private(set) var last: TestCore?
  private(set) var hasCrashed = false
  /// The command that the crash interrupted.
  private(set) var interrupted: String?
  /// Events that were expected after the crash and had not been told before it.
  private(set) var untold: [String] = []

  private var hasUser = false
  /// Whether the command given last saw the crash.
  private var lastSawCrash = false
  private var lastCommand = ""
  private var commandsSinceCrash = 0
  private var openedAgain: ContinuousClock.Instant?
  /// Commands whose effect ends with the process, in their order.
  private var settings: [String] = []
  /// Events of programs that ended, not yet asked for.
  private var left: [JSONValue] = []
  private(set) lazy var events = UnreadEvents(name) { [weak self] in try await self?.next(within: $0) }

  init(_ name: String, _ world: CrashWorld, _ point: CrashPoint) {
    self.name = name
    self.world = world
    self.point = point
  }

  /// Whether the program has ended by the crash, and is not opened again yet.
  var isDead: Bool { point?.isReached == true }

  // MARK: Programs

  /// Opens the program.
  /// - Parameter starts: whether the chat is started; otherwise what the user set last is set again.
  func open(starts: Bool) async throws {
    while true {
      do {
        let core = TestCore(name, try await ChatController.open(world.options(name, point)))
        self.core = core
        if !hasUser, try await core.rows("SELECT 1 FROM users")?.isEmpty != false {
          _ = try await core.run("/create user \(name)")
        }
        hasUser = true
        if starts {
          settings = ["/_start"]
          _ = try await core.run("/_start")
        } else {
          // Without a user there is nothing to start.
          let hasUsers = try await core.rows("SELECT 1 FROM users")?.isEmpty == false
          for command in settings where hasUsers || command != "/_start" { _ = try await core.run(command) }
        }
        return
      } catch {
        guard isDead else { throw error }
        await end()
      }
    }
  }

  /// Closes the program, as its user does.
  func leave() async {
    if isDead { return await end() }
    guard let core else { return }
    await core.controller.finish()
    await keepEvents(of: core)
    (last, self.core) = (core, nil)
    if isDead { await end() }
  }

  /// Opens the program again if it has crashed.
  func openAgainIfCrashed() async throws {
    guard isDead else { return }
    await end()
    try await open(starts: false)
    world.note("\(name) has opened the program again")
    openedAgain = .now
  }

  /// The crash.
  private func end() async {
    world.note("\(name) crashes")
    hasCrashed = true
    point = nil
    world.network.cutOff(name)
    guard let core else { return }
    await core.controller.kill()
    await keepEvents(of: core)
    (last, self.core) = (core, nil)
  }

  /// What the agent still has to do, and events about errors that nobody has asked for, for the report.
  func findings() async -> [String] {
    var work: [String] = []
    if let core {
      await keepEvents(of: core)
      let tasks = """
        SELECT 'task', t.kind, t.attempts, hex(t.tag), c.deletion FROM connections c LEFT JOIN tasks t \
        ON t.connection = c.number WHERE t.id IS NOT NULL OR c.deletion <> 0
        """
      work = (try? await core.rows(tasks, of: "agent"))?.map { "\(name) has \($0)" } ?? []
    }
    return work
      + left.filter { event in
        guard let type = event["type"]?.stringValue else { return false }
        return type.contains("rror") || type.contains("Warning")
      }.map { "\(name) has \(String($0.jsonText().prefix(400)))" }
  }

  private func keepEvents(of core: TestCore) async {
    while let event = await core.controller.eventQueue.next(within: .zero) {
      if let value = try? Self.content(event) { left.append(value) }
    }
  }

  private static func content(_ event: ChatEventQueue.Element) throws -> JSONValue {
    let value = try JSONValue(jsonBytes: event.jsonBytes())
    return value["result"] ?? value["error"] ?? value
  }

  // MARK: ScenarioProfile

  func answer(_ command: String) async throws -> JSONValue {
    try await world.tend()
    if hasCrashed { commandsSinceCrash += 1 }
    (lastSawCrash, lastCommand) = (false, command)
    let answer = try await given(command)
    let failed = answer["type"]?.stringValue?.hasPrefix("error") != false
    if isDead {
      lastSawCrash = true
      world.note("\(name) ##> \(command)\n\(failed ? answer.jsonText() : "answered") in the crash")
    }
    guard isDead, failed else {
      if !failed { remember(command) }
      return answer
    }
    interrupted = command
    try await openAgainIfCrashed()
    guard world.habit == .repeats else { return answer }
    let second = try await given(command)
    world.note("again: \(second.jsonText())")
    if second["type"]?.stringValue?.hasPrefix("error") == false { remember(command) }
    return second
  }

  /// Gives a command. A crash ends a command that waits, too; one that waits for a minute is a fault.
  private func given(_ command: String) async throws -> JSONValue {
    guard let core else { throw Unexpected(description: "\(name) has no program") }
    let (point, network, name, controller) = (point, world.network, name, core.controller)
    let watch = Task {
      let end = ContinuousClock.now + .seconds(60)
      while !Task.isCancelled {
        // What ends in a moment ends with its answer.
        try? await Task.sleep(for: .milliseconds(50))
        guard point?.isReached == true || .now > end, !Task.isCancelled else { continue }
        try? await Task.sleep(for: .milliseconds(100))
        // The program that is opened next must not be cut off.
        guard !Task.isCancelled else { return }
        network.cutOff(name)
        return await controller.kill()
      }
    }
    defer { watch.cancel() }
    let answer = try await core.answer(command)
    watch.cancel()
    await watch.value
    return answer
  }

  /// Remembers what an app does again at its next start.
  private func remember(_ command: String) {
    let ended = [
      "/_files_folder ", "/set file paths ", "/_files_encrypt ", "/network ", "/_network ",
    ]
    if ended.contains(where: command.hasPrefix) {
      settings.insert(command, at: settings.firstIndex(of: "/_start") ?? settings.endIndex)
      return
    }
    if command == "/_stop" { settings.removeAll { $0 == "/_start" || $0.hasPrefix("/_app ") } }
    if command.hasPrefix("/_app ") { settings.removeAll { $0.hasPrefix("/_app ") } }
    // What is being sent or received is in the folder that was known at the start: again the same.
    if command.hasPrefix("/_temp_folder ") { settings.append(command) }
    if command.hasPrefix("/_start") || command.hasPrefix("/_app suspend") { settings.append(command) }
  }

  /// What the crash took: the answer of the command that it interrupted, where the person takes that for done, and an
  /// event that the program had not told yet. Rows tell later whether what was not told has happened. Statistics are
  /// stored rarely, so a crash takes some.
  func excuses(_ lack: ScenarioLack) -> Bool {
    guard hasCrashed || isDead else { return false }
    switch lack {
    case .answer:
      return lastSawCrash && world.habit == .trusts || hasCrashed && lastCommand.hasPrefix("/get servers summary")
    case .event:
      guard mayLackEvents else { return false }
      untold.append("after \(commandsSinceCrash) commands")
      return true
    }
  }

  /// An event may be missing soon after the crash, and only few.
  private var mayLackEvents: Bool { hasCrashed && commandsSinceCrash <= 3 && untold.count < 3 }

  private func next(within time: Duration) async throws -> JSONValue? {
    let begin = ContinuousClock.now
    while true {
      try await world.tend()
      if !left.isEmpty { return left.removeFirst() }
      if let event = await core?.controller.eventQueue.next(within: .milliseconds(20)) {
        return try Self.content(event)
      }
      if core == nil { try await Task.sleep(for: .milliseconds(5)) }
      let now = ContinuousClock.now
      guard now < begin + time else { return nil }
      // A program that runs again for so long has told what it has to tell.
      if mayLackEvents, let openedAgain, now > max(begin, openedAgain) + .seconds(12) { return nil }
    }
  }
}
