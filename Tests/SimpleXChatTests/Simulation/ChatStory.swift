import Foundation
import SMPClientCore
import SimpleXChat
import SimplexJSON
import SimplexTesting

/// Two people who connect and talk while links break, the relay restarts and their programs are killed; then it calms
/// down, and both have to see the same. What happens follows from a seed, when it happens does not.
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

  private static let names = ["alice", "bob"]

  private let seed: UInt64
  private var chance: SeededGenerator
  private let network: MemoryNetwork
  private let world: TestWorld
  private var cores: [String: TestCore] = [:]
  /// What was sent, and whether the core said so.
  private var said: [String: [(text: String, isAnswered: Bool)]] = [:]
  /// What happened, for the report.
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
    weather.delay = 0...Int.random(in: 0...30, using: &chance)
    if Int.random(in: 0..<10, using: &chance) < 7 { weather.breaks = 20...Int.random(in: 100...3_000, using: &chance) }
    if Int.random(in: 0..<10, using: &chance) < 5 {
      weather.lossPercent = Double(Int.random(in: 1...8, using: &chance))
    }
    if Int.random(in: 0..<10, using: &chance) < 3 { weather.refusalPercent = 40 }
    let quota = Int.random(in: 0..<10, using: &chance) < 5 ? Int.random(in: 2...8, using: &chance) : 128
    let network = try MemoryNetwork(seed: seed, weather: weather, quota: quota)
    let quick = Backoff.Policy(initial: 20, limit: 200, jitterPercent: 20)
    try await TestWorld.with(
      network: network,
      options: { options in
        options.network.backoff = quick
        options.agent.retry = quick
        options.agent.quotaRetry = quick
      }
    ) { world in
      let story = ChatStory(seed, network, world)
      do {
        try await story.run()
      } catch {
        throw Problem(
          description:
            "seed \(seed), \(weather), quota \(quota): \(error)\n\(story.log.suffix(40).joined(separator: "\n"))")
      }
    }
  }

  private func run() async throws {
    for name in Self.names { cores[name] = try await world.profile(name) }
    try await connect()
    for _ in 0..<Int.random(in: 10...30, using: &chance) { try await act() }
    network.weather = .calm
    try? network.startRelay()
    note("calm")
    for name in Self.names where cores[name] == nil { try await restart(name) }
    try await converge()
  }

  private func note(_ text: String) { log.append(text) }

  // MARK: Connecting

  /// Connects them, by trying again what the network kept from working.
  private func connect() async throws {
    var link: String?
    try await eventually("a link") {
      let answer = try await self.answer("alice", "/connect")
      link = answer?["connLinkInvitation"]?["connShortLink"]?.stringValue
      return link != nil
    }
    try await eventually("joined") {
      if try await self.isContact("bob", of: "alice") { return true }
      let answer = try await self.answer("bob", "/connect \(link ?? "")")
      if answer?["type"]?.stringValue == "sentConfirmation" { return true }
      if Int.random(in: 0..<4, using: &self.chance) == 0 { try await self.kill("bob") }
      return false
    }
    for (name, other) in [("alice", "bob"), ("bob", "alice")] {
      try await eventually("\(name) is connected") {
        if Int.random(in: 0..<20, using: &self.chance) == 0 { try await self.disturb() }
        return try await self.isContact(name, of: other)
      }
    }
    note("connected")
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
    let name = Self.names[Int.random(in: 0...1, using: &chance)]
    switch Int.random(in: 0..<20, using: &chance) {
    case 0..<12: try await say(name)
    case 12..<14: try await correct(name)
    case 14..<16: try await killWhileSaying(name)
    case 16..<17: try await restart(name)
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
      note("the relay restarts")
      await network.stopRelay()
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...200, using: &chance)))
      try network.startRelay()
    default: try await kill(Self.names[Int.random(in: 0...1, using: &chance)])
    }
  }

  private func nextText(_ name: String) -> String { "\(name) \(said[name, default: []].count)" }

  private func say(_ name: String) async throws {
    let text = nextText(name)
    let other = name == "alice" ? "bob" : "alice"
    let answer = try await answer(name, "@\(other) \(text)")
    let isAnswered = answer?["type"]?.stringValue == "newChatItems"
    said[name, default: []].append((text, isAnswered))
    note("\(name) says \(text): \(answer?["type"]?.stringValue ?? "nothing")")
    if !isAnswered { throw Problem(description: "\(name) cannot say \(text): \(answer?.jsonText() ?? "")") }
  }

  /// Changes something that was said.
  private func correct(_ name: String) async throws {
    let view = try await view(name)
    guard let item = view.sent.randomElement(using: &chance), let contact = view.contact else { return }
    let text = "\(item.text) corrected"
    let answer = try await answer(name, "/_update item @\(contact) \(item.id) text \(text)")
    guard answer?["type"]?.stringValue == "chatItemUpdated" else {
      throw Problem(description: "\(name) cannot correct \(item.text): \(answer?.jsonText() ?? "")")
    }
    for index in said[name, default: []].indices where said[name]?[index].text == item.text {
      said[name]?[index].text = text
    }
    note("\(name) corrects \(text)")
  }

  /// The program is killed while it takes messages.
  private func killWhileSaying(_ name: String) async throws {
    guard let core = cores[name] else { return }
    let other = name == "alice" ? "bob" : "alice"
    let start = said[name, default: []].count
    let count = Int.random(in: 1...5, using: &chance)
    let controller = core.controller
    let texts = (0..<count).map { "\(name) \(start + $0)" }
    let saying = Task {
      var answered: [Bool] = []
      for text in texts {
        if case .result = await controller.sendText("@\(other) \(text)") {
          answered.append(true)
        } else {
          answered.append(false)
        }
      }
      return answered
    }
    try await Task.sleep(for: .microseconds(Int.random(in: 0...8_000, using: &chance)))
    try await kill(name)
    said[name, default: []] += zip(texts, await saying.value).map { ($0, $1) }
    note("\(name) was killed while saying \(texts): \(said[name, default: []].suffix(count).map(\.isAnswered))")
  }

  private func kill(_ name: String) async throws {
    note("\(name) is killed")
    cores[name] = try await world.kill(name)
  }

  private func restart(_ name: String) async throws {
    note("\(name) restarts")
    cores[name] = try await world.restart(name)
  }

  /// What a command gives; events are thrown away, as nobody shows them.
  private func answer(_ name: String, _ command: String) async throws -> JSONValue? {
    guard let core = cores[name] else { return nil }
    while await core.controller.eventQueue.next(within: .zero) != nil {}
    return try await core.answer(command)
  }

  // MARK: How it has to end

  private func converge() async throws {
    var state = ""
    do {
      try await eventually("both see the same") {
        let (alice, bob) = (try await self.view("alice"), try await self.view("bob"))
        let open = (alice.sent + bob.sent).filter { $0.status != "sndRcvd" }
        state = "alice \(alice)\nbob \(bob)"
        return alice.sent.map(\.text) == bob.received && bob.sent.map(\.text) == alice.received && open.isEmpty
      }
    } catch {
      for name in Self.names { state += try await tables(name) }
      throw Problem(description: "\(error)\n\(state); the relay has \(network.messageCount) messages")
    }
    for name in Self.names {
      let sent = try await view(name).sent.map(\.text)
      let said = said[name, default: []]
      guard Set(sent).count == sent.count else { throw Problem(description: "\(name) shows something twice: \(sent)") }
      let missing = said.filter { $0.isAnswered && !sent.contains($0.text) }
      guard missing.isEmpty else { throw Problem(description: "\(name) forgot \(missing)") }
      guard sent == said.map(\.text).filter(sent.contains) else {
        throw Problem(description: "\(name) shows another order: \(sent)")
      }
    }
  }

  /// What the databases hold of messages that are under way, for the report.
  private func tables(_ name: String) async throws -> String {
    var text = ""
    for query in [
      "chat SELECT agent_message_id, item_id FROM deliveries", "chat SELECT count(*) FROM outgoing_messages",
      "agent SELECT id, sender_number, receipt FROM sent_messages", "agent SELECT kind, lane, message FROM tasks",
      "agent SELECT id, sender_number, kind FROM received_messages",
    ] {
      text += "\n\(name) \(query): \(try await answer(name, "/sql \(query)")?.jsonText() ?? "")"
    }
    return text
  }

  private func view(_ name: String) async throws -> View {
    let contacts = try await answer(name, "/_contacts 1")?["contacts"]?.arrayValue ?? []
    guard let contact = contacts.first?["contactId"]?.jsonText() else { return View() }
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
