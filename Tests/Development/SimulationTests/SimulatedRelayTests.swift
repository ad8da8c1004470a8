import AgentCore
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import Testing

@testable import SimplexSimulation

/// The simulated relay and network on their own, before anything is concluded from agents that use them.
@Suite struct SimulatedRelayTests {
  /// A recipient and a sender at one relay, by hand.
  private final class Pair {
    let world: World
    let relay: SimulatedRelay
    let recipient: SimulatedSession
    let sender: SimulatedSession
    let key: AuthorizationPrivateKey
    var ids: QueueIDs?
    var received: [MessageID] = []
    var events: [String] = []

    init(seed: UInt64, weather: Weather = .calm, quota: Int = 128) throws {
      let world = World(seed: seed, weather: weather)
      let relay = world.addRelay(quota: quota)
      self.world = world
      self.relay = relay
      key = .ed25519(Ed25519.PrivateKey(using: &world.random))
      let link = Link()
      recipient = SimulatedSession(relay, world: world) { link.onEvent?($0) }
      sender = SimulatedSession(relay, world: world) { _ in }
      link.onEvent = { [unowned self] event in handle(event) }
      let dhKey = X25519.PrivateKey(using: &world.random).publicKey
      let request = NewQueueRequest(recipientKey: key.publicKey, recipientDHKey: dhKey, purpose: .messaging(nil))
      recipient.perform(RequestPipeline.Request(.new(request), key: key)) { [unowned self] result in
        guard case .success(.ids(let ids)) = result else { return }
        self.ids = ids
        recipient.addSubscribed(ids.recipientID, key: key)
      }
      world.run(limit: 60_000) { ids != nil }
      _ = try #require(ids)
    }

    private final class Link { var onEvent: ((SessionEvent) -> Void)? }

    private func handle(_ event: SessionEvent) {
      switch event {
      case .connected: events.append("connected")
      case .disconnected: events.append("disconnected")
      case .subscribed: events.append("subscribed")
      case .subscriptionFailed: events.append("failed")
      case .message(let queue, .msg(let message)):
        if received.last != message.id { received.append(message.id) }
        recipient.perform(RequestPipeline.Request(.ack(message.id), entity: queue, key: key)) { _ in }
      case .message: events.append("other")
      }
    }

    func send(_ completion: @escaping (Result<BrokerMessage, SMPClientError>) -> Void) throws {
      let body = try SentMessage.codec.encode(
        SentMessage(version: 4, key: nil, nonce: BoxNonce(using: &world.random), box: [1, 2, 3]))
      let request = RequestPipeline.Request(
        .send(SendRequest(body: body)), entity: try #require(ids).senderID)
      sender.perform(request, completion)
    }
  }

  @Test func messagesArriveInOrder() throws {
    let pair = try Pair(seed: 1)
    var answers = 0
    for _ in 0..<20 {
      try pair.send { if case .success(.ok) = $0 { answers += 1 } }
    }
    #expect(pair.world.run(limit: 60_000) { pair.received.count == 20 && answers == 20 })
    pair.world.run(limit: 1_000)
    #expect(pair.relay.messageCount == 0)
    #expect(Set(pair.received).count == 20)
    #expect(pair.events == ["connected"])
    #expect(pair.world.violations == [])
  }

  @Test func restartsKeepWhatWasAnsweredAndSubscriptionsReturn() throws {
    let pair = try Pair(seed: 2)
    pair.relay.crash()
    var failures = 0
    try pair.send { if case .failure = $0 { failures += 1 } }
    #expect(pair.world.run(limit: 60_000) { failures == 1 })
    pair.relay.start()
    #expect(pair.world.run(limit: 120_000) { pair.events.contains("subscribed") })
    #expect(pair.events == ["connected", "disconnected", "connected", "subscribed"])
    try pair.send { _ in }
    #expect(pair.world.run(limit: 60_000) { pair.received.count == 1 })
  }

  @Test func aFullQueueRefusesUntilItIsEmpty() throws {
    let pair = try Pair(seed: 3, quota: 4)
    pair.recipient.vanish()
    pair.world.run(limit: 1_000)
    var answers: [Bool] = []
    for _ in 0..<6 {
      try pair.send { answers.append((try? $0.get()) == .ok) }
    }
    #expect(pair.world.run(limit: 60_000) { answers.count == 6 })
    #expect(answers == [true, true, true, true, false, false])
    #expect(pair.relay.messageCount == 5, "four messages and the mark")
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func aRequestThatFailedMayHaveBeenCarriedOut(seed: UInt64) throws {
    var random = SimulationRandom(seed: seed)
    var weather = Weather(using: &random)
    weather.lossPercent = 20
    weather.disconnectInterval = 3_000
    let pair = try Pair(seed: seed, weather: .calm)
    pair.world.weather = weather
    pair.world.startWeather()
    var succeeded = 0
    var failed = 0
    for number in 0..<30 {
      pair.world.after(Int64(number) * 500) {
        try? pair.send { if case .success = $0 { succeeded += 1 } else { failed += 1 } }
      }
    }
    #expect(pair.world.run(limit: 600_000) { succeeded + failed == 30 })
    pair.world.calmDown()
    #expect(pair.world.run(limit: 600_000) { pair.relay.messageCount == 0 && pair.received.count >= succeeded })
    #expect(pair.received.count <= 30)
    #expect(Set(pair.received).count == pair.received.count, "nothing twice after it was acknowledged in order")
  }

  @Test func theSameSeedGivesTheSameRun() throws {
    func run() throws -> [String] {
      var lines: [String] = []
      let pair = try Pair(seed: 7)
      pair.world.trace = { lines.append($0) }
      var random = SimulationRandom(seed: 7)
      pair.world.weather = Weather(using: &random)
      pair.world.startWeather()
      for number in 0..<20 { pair.world.after(Int64(number) * 1_000) { try? pair.send { lines.append("\($0)") } } }
      pair.world.run(limit: 600_000)
      return lines + pair.received.map(\.description)
    }
    #expect(try run() == run())
  }
}
