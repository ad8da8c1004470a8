import Foundation
import SMPClientCore
import SimpleXChat
import SimplexJSON
import SimplexTesting

/// Five people in a group: they write (live, with quotes, mentions and a time to disappear), edit, delete, react,
/// moderate, talk with moderators, report, change their profiles and write to each other directly while links break,
/// the relay restarts and programs are killed.
///
/// Alice owns the group and never leaves it. A story has rounds, and after each of them it calms down. In a round
/// nothing happens to members or preferences, and all members have to see the same in the end. Between rounds somebody
/// changes members or preferences. In the end all of this happens at once: then nothing is shown twice, nothing that
/// was deleted comes back, and no counter is wrong.
///
/// A seed determines what is tried, but not when.
final class GroupStory {
  /// What is found wrong.
  struct Problem: Error, CustomStringConvertible {
    var description: String
  }

  static let names = ["alice", "bob", "cath", "dan", "eve"]

  let seed: UInt64
  var chance: SeededGenerator
  let network: MemoryNetwork
  let world: TestWorld
  var cores: [String: TestCore] = [:]
  /// The link of the group.
  var link = ""
  /// The number of messages of each person.
  var said: [String: Int] = [:]
  /// What each person saw deleted, or saw and sees no longer: messages by their text's first words.
  var gone: [String: Set<String>] = [:]
  var seen: [String: Set<String>] = [:]
  /// The direct messages that were accepted, by their text, with those who get them.
  var direct: [String: String] = [:]
  /// The numbers of messages when views were compared last.
  var roundStart: [String: Int] = [:]
  /// The settings of the group.
  var settings = Settings()
  private var log: [String] = []

  private init(_ seed: UInt64, _ network: MemoryNetwork, _ world: TestWorld) {
    self.seed = seed
    self.network = network
    self.world = world
    chance = SeededGenerator(seed: seed &+ 1)
  }

  /// Plays the story of a seed.
  static func play(seed: UInt64) async throws {
    var chance = SeededGenerator(seed: seed)
    var weather = MemoryNetwork.Weather.calm
    weather.delay = 0...Int.random(in: 0...20, using: &chance)
    if Int.random(in: 0..<10, using: &chance) < 5 { weather.breaks = 100...Int.random(in: 500...3_000, using: &chance) }
    if Int.random(in: 0..<10, using: &chance) < 4 {
      weather.lossPercent = Double(Int.random(in: 1...4, using: &chance))
    }
    let network = try MemoryNetwork(seed: seed, weather: weather)
    let quick = Backoff.Policy(initial: 20, limit: 200)
    try await TestWorld.with(
      network: network,
      options: { options in
        options.network.backoff = quick
        options.agent.retry = quick
        options.agent.quotaRetry = quick
      }
    ) { world in
      let story = GroupStory(seed, network, world)
      do {
        try await story.run(weather)
      } catch {
        throw Problem(
          description: "seed \(seed), \(weather): \(error)\n\(story.log.suffix(60).joined(separator: "\n"))")
      }
    }
  }

  private func run(_ weather: MemoryNetwork.Weather) async throws {
    network.weather = .calm
    try await beginGroup()
    for round in 1...Int.random(in: 2...4, using: &chance) {
      network.weather = weather
      if round > 1 {
        try await changeMembers()
        try await settle()
        try await converge("before round \(round)", messages: false)
        network.weather = weather
      }
      note("round \(round)")
      for _ in 0..<Int.random(in: 8...16, using: &chance) { try await act() }
      try await settle()
      try await converge("round \(round)", messages: true)
    }
    network.weather = weather
    note("all at once")
    try await actAtOnce()
    try await settle()
    for name in Self.names {
      try await checkOnce(name)
      cores[name] = try await world.restart(name)
    }
    try await settle()
    for name in Self.names { try await checkOnce(name) }
  }

  func note(_ text: String) {
    log.append(text)
    if Self.isTraced { print(seed, text) }
  }

  private static let isTraced = ProcessInfo.processInfo.environment["SIMPLEX_TRACE"] != nil

  // MARK: Making the group

  private func beginGroup() async throws {
    for name in Self.names {
      cores[name] = try await world.profile(name)
      _ = try await done(name, "/_set accept member contacts 1 on")
    }
    settings.fullDelete = Bool.random(using: &chance)
    settings.reviews = Bool.random(using: &chance)
    var first = settings
    first.reviews = false
    _ = try await done("alice", "/_group 1 \(first.profile)")
    let created = try await done("alice", "/_create link #1 member")
    link = created["groupLink"]?["connLinkContact"]?["connShortLink"]?.stringValue ?? ""
    for name in Self.names.dropFirst() { try await join(name) }
    let roles: [(String, String)] = [
      ("bob", "admin"), ("cath", "moderator"), ("dan", "member"),
      ("eve", Bool.random(using: &chance) ? "author" : "member"),
    ]
    for (name, role) in roles where role != "member" { try await setRole(role, of: name, by: "alice") }
    if settings.reviews { _ = try await done("alice", "/_group_profile #1 \(settings.profile)") }
    try await settle()
    try await converge("the beginning", messages: false)
  }

  /// Joins by the link, and waits until the host has let this one in.
  func join(_ name: String) async throws {
    note("\(name) joins")
    gone[name] = []
    seen[name] = []
    try await eventually("\(name) asks to join") {
      let answer = try await self.answer(name, "/c \(self.link)")
      if answer["type"]?.stringValue == "sentInvitation" { return true }
      return try await self.place(name) != nil
    }
    try await eventually("\(name) has joined") {
      ["connected", "pending_review"].contains(try await self.place(name)?.status ?? "")
    }
  }

  // MARK: Waiting

  func eventually(
    _ what: String, within limit: Duration = .seconds(30), _ condition: () async throws -> Bool
  ) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
      guard .now < end else { throw Problem(description: "not reached: \(what)") }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Waits in calm weather until nothing is under way any more.
  func settle() async throws {
    network.weather = .calm
    try network.startRelay()
    var quiet = 0
    do {
      try await eventually("nothing is under way") {
        quiet = try await self.isQuiet() ? quiet + 1 : 0
        return quiet >= 4
      }
    } catch {
      throw Problem(description: "\(error)\n\((try? await underWay()) ?? "")")
    }
    for name in Self.names { try await checkCounters(name) }
  }

  private func isQuiet() async throws -> Bool {
    guard network.messageCount == 0 else { return false }
    for name in Self.names where try await !(cores[name]?.isIdle() ?? true) { return false }
    return true
  }

  /// What is under way, for the report.
  private func underWay() async throws -> String {
    var lines = ["\(network.messageCount) messages at the relay"]
    let databases = [
      "agent": [
        "SELECT connection, kind, attempts, hex(tag) FROM tasks", "SELECT count(*) FROM received_messages",
        "SELECT connection, status, is_subscribed FROM receive_queues",
      ],
      "chat": ["SELECT count(*) FROM agent_commands"],
    ]
    for name in Self.names {
      for (database, queries) in databases {
        for query in queries {
          let rows = try await answer(name, "/sql \(database) \(query)")["rows"]?.jsonText() ?? ""
          lines.append("\(name) \(query): \(rows)")
        }
      }
      lines.append("\(name) \(try await answer(name, "/get subs details").jsonText())")
    }
    return lines.joined(separator: "\n")
  }

  func number(_ name: String, _ database: String, _ query: String) async throws -> Int64? {
    let answer = try await answer(name, "/sql \(database) \(query)")
    return answer["rows"]?[0]?.stringValue.flatMap { Int64($0) }
  }

  // MARK: Commands

  /// The response to a command, or its error; events are discarded. A failure of the database is never right.
  @discardableResult
  func answer(_ name: String, _ command: String) async throws -> JSONValue {
    guard let core = cores[name] else { throw Problem(description: "\(name) does not run") }
    while let event = await core.controller.eventQueue.next(within: .zero) {
      let text = event.jsonText()
      if text.contains("dBException") || text.contains("internalError") {
        throw Problem(description: "\(name): \(text)")
      }
    }
    let answer = try await core.answer(command)
    let error = answer["storeError"]?["type"]?.stringValue ?? ""
    if error.hasPrefix("dB") || error == "internalError" {
      throw Problem(description: "\(name) ##> \(command): \(answer.jsonText())")
    }
    return answer
  }

  /// The response to a command that has to work.
  @discardableResult
  func done(_ name: String, _ command: String) async throws -> JSONValue {
    let answer = try await answer(name, command)
    guard !(answer["type"]?.stringValue ?? "error").hasPrefix("error") else {
      throw Problem(description: "\(name) ##> \(command): \(answer.jsonText())")
    }
    return answer
  }
}

extension GroupStory {
  /// What the owner sets for the group.
  struct Settings {
    var fullDelete = false
    var reactions = true
    var reviews = false
    var number = 0

    /// The profile of the group, as JSON.
    var profile: String {
      func enabled(_ isOn: Bool) -> String { #"{"enable":"\#(isOn ? "on" : "off")"}"# }
      let admission = reviews ? #","memberAdmission":{"review":"all"}"# : ""
      return #"{"displayName":"team","fullName":"number \#(number)"\#(admission),"groupPreferences":{"#
        + #""fullDelete":\#(enabled(fullDelete)),"reactions":\#(enabled(reactions)),"history":\#(enabled(true)),"#
        + #""timedMessages":\#(enabled(true)),"reports":\#(enabled(true)),"support":\#(enabled(true)),"directMessages":\#(enabled(true))}}"#
    }
  }
}
