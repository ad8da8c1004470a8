import Foundation
import SMPClientCore
import SimpleXChat
import SimplexJSON
import SimplexTesting

/// People who connect and talk while links break, relays restart and their programs are killed or lose power; then it
/// calms down, and everybody has to see the same. A seed determines what happens, but not when.
final class ChatStory {
  /// What is found wrong.
  struct Problem: Error, CustomStringConvertible {
    var description: String
  }

  /// What one side shows of a conversation.
  private struct View {
    var contact: String?
    var sent: [(id: String, text: String, status: String)] = []
    var received: [String] = []
  }

  private let cast: Cast
  private let seed: UInt64
  private var chance: SeededGenerator
  private let network: MemoryNetwork
  private let world: TestWorld
  private var cores: [String: TestCore] = [:]
  /// What was sent, and whether the core said so.
  private var said: [Pair: [(text: String, isAnswered: Bool)]] = [:]
  /// The number of writes that power failures lost.
  private var lostWrites = 0
  /// What happened, for the report.
  private var log: [String] = []

  private init(_ cast: Cast, _ seed: UInt64, _ network: MemoryNetwork, _ world: TestWorld) {
    self.cast = cast
    self.seed = seed
    self.network = network
    self.world = world
    chance = SeededGenerator(seed: seed &+ 1)
  }

  /// Both directions of all pairs.
  private var directions: [Pair] { cast.pairs + cast.pairs.map(\.reversed) }

  /// Plays the story of a seed.
  /// - Returns: the number of writes that power failures lost.
  @discardableResult
  static func play(_ cast: Cast = .two, seed: UInt64) async throws -> Int {
    var chance = SeededGenerator(seed: seed)
    var weather = MemoryNetwork.Weather.calm
    weather.delay = 0...Int.random(in: 0...30, using: &chance)
    if Int.random(in: 0..<10, using: &chance) < 7 { weather.breaks = 20...Int.random(in: 100...3_000, using: &chance) }
    if Int.random(in: 0..<10, using: &chance) < 5 {
      weather.lossPercent = Double(Int.random(in: 1...8, using: &chance))
    }
    if Int.random(in: 0..<10, using: &chance) < 3 { weather.refusalPercent = 40 }
    let quota = Int.random(in: 0..<10, using: &chance) < 5 ? Int.random(in: 2...8, using: &chance) : 128
    let network = try MemoryNetwork(seed: seed, weather: weather, quota: quota, relays: cast.relays)
    var lost = 0
    let quick = Backoff.Policy(initial: 20, limit: 200)
    try await TestWorld.with(
      network: network,
      options: { options in
        options.network.backoff = quick
        options.agent.retry = quick
        options.agent.quotaRetry = quick
        options.smpServers = cast.relays(of: String(options.databasePrefix.split(separator: "/").last ?? ""), network)
      }
    ) { world in
      let story = ChatStory(cast, seed, network, world)
      do {
        try await story.run()
        lost = story.lostWrites
      } catch {
        throw Problem(
          description:
            "seed \(seed), \(weather), quota \(quota): \(error)\n\(story.log.suffix(40).joined(separator: "\n"))")
      }
    }
    return lost
  }

  private func run() async throws {
    for name in cast.names {
      if cast.losesPower { _ = world.volatileDisk(of: name) }
      cores[name] = try await world.profile(name)
    }
    for pair in cast.pairs { try await connect(pair) }
    for _ in 0..<Int.random(in: 5...15, using: &chance) * cast.names.count { try await act() }
    network.weather = .calm
    try? network.startRelay()
    note("calm")
    for name in cast.names where cores[name] == nil { try await restart(name) }
    for pair in cast.pairs { try await converge(pair) }
  }

  private func note(_ text: String) { log.append(text) }

  // MARK: Connecting

  /// Connects two people; what fails because of the network is retried.
  private func connect(_ pair: Pair) async throws {
    var link: String?
    try await eventually("a link") {
      let answer = try await self.answer(pair.from, "/connect")
      link = answer?["connLinkInvitation"]?["connShortLink"]?.stringValue
      return link != nil
    }
    try await eventually("joined") {
      if try await self.isContact(pair.to, of: pair.from) { return true }
      let answer = try await self.answer(pair.to, "/connect \(link ?? "")")
      if answer?["type"]?.stringValue == "sentConfirmation" { return true }
      if Int.random(in: 0..<4, using: &self.chance) == 0 { try await self.kill(pair.to) }
      return false
    }
    for pair in [pair, pair.reversed] {
      try await eventually("\(pair.from) is connected with \(pair.to)") {
        if Int.random(in: 0..<20, using: &self.chance) == 0 { try await self.disturb() }
        return try await self.isContact(pair.from, of: pair.to)
      }
    }
    note("\(pair.from) and \(pair.to) are connected")
  }

  private func isContact(_ name: String, of other: String) async throws -> Bool {
    guard let contacts = try await answer(name, "/_contacts 1")?["contacts"]?.arrayValue else { return false }
    return contacts.contains {
      $0["localDisplayName"]?.stringValue == other
        && $0["activeConn"]?["connStatus"]?["type"]?.stringValue == "ready"
    }
  }

  private func eventually(
    _ what: String, within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
  ) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
      guard .now < end else { throw Problem(description: "not reached: \(what)") }
      try await Task.sleep(for: .milliseconds(30))
    }
  }

  // MARK: What happens

  private func act() async throws {
    let pair = directions[Int.random(in: directions.indices, using: &chance)]
    switch Int.random(in: 0..<20, using: &chance) {
    case 0..<12: try await say(pair)
    case 12..<14: try await correct(pair)
    case 14..<16: try await killWhileSaying(pair)
    case 16..<17: try await restart(pair.from)
    default: try await disturb()
    }
    try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &chance)))
  }

  /// Something happens to a network or to a program.
  private func disturb() async throws {
    switch Int.random(in: 0..<4, using: &chance) {
    case 0:
      note("links break")
      network.breakLinks()
    case 1:
      let relay = Int.random(in: 0..<cast.relays, using: &chance)
      let pause = Duration.milliseconds(Int.random(in: 0...200, using: &chance))
      note("relay \(relay) restarts")
      await network.stopRelay(relay)
      guard cast.relays > 1 else {
        try await Task.sleep(for: pause)
        return try network.startRelay(relay)
      }
      // It stays down longer than a single relay would, while the others are used.
      Task { [network] in
        try await Task.sleep(for: pause * 5)
        try network.startRelay(relay)
      }
    default: try await kill(cast.names[Int.random(in: cast.names.indices, using: &chance)])
    }
  }

  private func nextTexts(_ pair: Pair, _ count: Int) -> [String] {
    let start = said[pair, default: []].count
    return (start..<start + count).map { "\(pair.from) to \(pair.to) \($0)" }
  }

  private func say(_ pair: Pair) async throws {
    let text = nextTexts(pair, 1)[0]
    let answer = try await answer(pair.from, "@\(pair.to) \(text)")
    let isAnswered = answer?["type"]?.stringValue == "newChatItems"
    said[pair, default: []].append((text, isAnswered))
    note("\(text): \(answer?["type"]?.stringValue ?? "nothing")")
    if !isAnswered { throw Problem(description: "\(text) cannot be said: \(answer?.jsonText() ?? "")") }
  }

  /// Changes something that was said.
  private func correct(_ pair: Pair) async throws {
    let view = try await view(pair)
    guard let item = view.sent.randomElement(using: &chance), let contact = view.contact else { return }
    let text = "\(item.text) corrected"
    let answer = try await answer(pair.from, "/_update item @\(contact) \(item.id) text \(text)")
    guard answer?["type"]?.stringValue == "chatItemUpdated" else {
      throw Problem(description: "\(item.text) cannot be corrected: \(answer?.jsonText() ?? "")")
    }
    for index in said[pair, default: []].indices where said[pair]?[index].text == item.text {
      said[pair]?[index].text = text
    }
    note(text)
  }

  /// The program is killed while it takes messages.
  private func killWhileSaying(_ pair: Pair) async throws {
    guard let core = cores[pair.from] else { return }
    let count = Int.random(in: 1...5, using: &chance)
    let controller = core.controller
    let texts = nextTexts(pair, count)
    let saying = Task {
      var answered: [Bool] = []
      for text in texts {
        if case .result = await controller.sendText("@\(pair.to) \(text)") {
          answered.append(true)
        } else {
          answered.append(false)
        }
      }
      return answered
    }
    try await Task.sleep(for: .microseconds(Int.random(in: 0...8_000, using: &chance)))
    try await kill(pair.from)
    said[pair, default: []] += zip(texts, await saying.value).map { ($0, $1) }
    note("\(pair.from) was killed while saying \(texts): \(said[pair, default: []].suffix(count).map(\.isAnswered))")
  }

  private func kill(_ name: String) async throws {
    if cast.losesPower, Int.random(in: 0..<3, using: &chance) > 0 {
      let (core, lost) = try await world.losePower(name, using: &chance)
      note("\(name) loses power, and \(lost) writes")
      lostWrites += lost
      cores[name] = core
      return
    }
    note("\(name) is killed")
    cores[name] = try await world.kill(name)
  }

  private func restart(_ name: String) async throws {
    note("\(name) restarts")
    cores[name] = try await world.restart(name)
  }

  /// The response to a command; events are discarded.
  private func answer(_ name: String, _ command: String) async throws -> JSONValue? {
    guard let core = cores[name] else { return nil }
    while await core.controller.eventQueue.next(within: .zero) != nil {}
    return try await core.answer(command)
  }

  // MARK: How it has to end

  private func converge(_ pair: Pair) async throws {
    var state = ""
    do {
      try await eventually("\(pair.from) and \(pair.to) see the same") {
        let (one, other) = (try await self.view(pair), try await self.view(pair.reversed))
        let open = (one.sent + other.sent).filter { $0.status != "sndRcvd" }
        state = "\(pair.from) \(one)\n\(pair.to) \(other)"
        return one.sent.map(\.text) == other.received && other.sent.map(\.text) == one.received && open.isEmpty
      }
    } catch {
      for name in [pair.from, pair.to] { state += try await tables(name) }
      throw Problem(description: "\(error)\n\(state); the relays have \(network.messageCount) messages")
    }
    for pair in [pair, pair.reversed] {
      let sent = try await view(pair).sent.map(\.text)
      let said = said[pair, default: []]
      guard Set(sent).count == sent.count else { throw Problem(description: "something is shown twice: \(sent)") }
      let missing = said.filter { $0.isAnswered && !sent.contains($0.text) }
      guard missing.isEmpty else { throw Problem(description: "\(pair.from) forgot \(missing)") }
      guard sent == said.map(\.text).filter(sent.contains) else {
        throw Problem(description: "\(pair.from) shows another order: \(sent)")
      }
    }
  }

  /// What the databases hold of messages that are under way, for the report.
  private func tables(_ name: String) async throws -> String {
    var text = ""
    for query in [
      "chat SELECT command_id, item_id FROM deliveries", "chat SELECT count(*) FROM agent_commands",
      "agent SELECT id, sender_number, receipt FROM sent_messages", "agent SELECT kind, lane, message FROM tasks",
      "agent SELECT id, sender_number, kind FROM received_messages",
    ] {
      text += "\n\(name) \(query): \(try await answer(name, "/sql \(query)")?.jsonText() ?? "")"
    }
    return text
  }

  /// What the first of a pair sees of its conversation.
  private func view(_ pair: Pair) async throws -> View {
    let name = pair.from
    let contacts = try await answer(name, "/_contacts 1")?["contacts"]?.arrayValue ?? []
    let found = contacts.first { $0["localDisplayName"]?.stringValue == pair.to }
    guard let contact = found?["contactId"]?.jsonText() else { return View() }
    let chat = try await answer(name, "/_get chat @\(contact) count=1000")
    var view = View(contact: contact)
    for item in chat?["chat"]?["chatItems"]?.arrayValue ?? [] {
      let text = item["meta"]?["itemText"]?.stringValue ?? ""
      switch item["content"]?["type"]?.stringValue {
      case "sndMsgContent":
        let status = item["meta"]?["itemStatus"]?["type"]?.stringValue ?? ""
        view.sent.append((item["meta"]?["itemId"]?.jsonText() ?? "", text, status))
      case "rcvMsgContent": view.received.append(text)
      case "rcvIntegrityError", "rcvDecryptionError", "rcvMsgError":
        throw Problem(description: "\(name) shows \(item.jsonText())")
      default: break
      }
    }
    return view
  }
}
