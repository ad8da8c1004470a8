import AgentCore
import AgentEngine
import SMPClientCore
import SMPProtocol
import Testing

@Suite struct OutboxTests {
  private func sent(_ agent: TestAgent) -> Int {
    agent.events.filter { if case .sent = $0.kind { true } else { false } }.count
  }

  @Test func keepsOrderThroughFailures() throws {
    let pair = try Pair()
    let (alice, bob) = (pair.alice, pair.bob)
    pair.world.second.failures = ["SEND": [.network(.connectError(connectError: "lost")), .closed, .timeout]]
    for number in 1...10 { _ = try alice.send("\(number)", to: pair.a) }
    for _ in 1...5 { pair.world.pass(200_000, alice) }
    // The answer of one SEND was lost, so that it was sent twice; its recipient notices.
    #expect(bob.texts == (1...10).map(String.init))
    #expect(bob.integrities.allSatisfy { $0 == .ok })
    #expect(sent(alice) == 10)
    #expect(bob.errors.isEmpty)
  }

  @Test func sendsTheSameBytesAgain() throws {
    let pair = try Pair()
    let queue = try #require(pair.world.second.queues.values.first)
    let before = pair.world.second.sent[queue.senderID, default: []].count
    pair.world.second.failures = ["SEND": [.timeout]]
    _ = try pair.alice.send("once", to: pair.a)
    try pair.alice.restart()
    pair.world.pass(120_000, pair.alice)
    let bodies = pair.world.second.sent[queue.senderID, default: []].dropFirst(before)
    #expect(bodies.count == 2 && Set(bodies).count == 1)
    #expect(pair.bob.texts == ["once"])
  }

  @Test func fullQueueContinues() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    world.second.quota = 3
    bob.acknowledges = false
    for number in 1...8 { _ = try alice.send("\(number)", to: pair.a) }
    #expect(bob.texts == ["1"])
    #expect(sent(alice) == 3)
    let warned = alice.last { if case .messageWarning(_, let error) = $0 { error } else { nil } }
    #expect(warned == .server(world.second.server, .relay(.QUOTA)))
    bob.acknowledges = true
    try bob.restart()
    // QCONT makes the sender continue without any time passing.
    #expect(bob.texts.suffix(8) == (1...8).map(String.init)[...])
    #expect(sent(alice) == 8)
  }

  @Test func goesOnWhenTheRelayLearnsLaterThatThereIsRoom() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    world.second.quota = 3
    bob.acknowledges = false
    for number in 1...8 { _ = try alice.send("\(number)", to: pair.a) }
    world.pass(3_600_000, alice)
    bob.acknowledges = true
    world.second.lateRefusals = 1
    try bob.restart()
    #expect(sent(alice) == 3)
    world.pass(5_000, alice)
    #expect(bob.texts.suffix(8) == (1...8).map(String.init)[...])
  }

  @Test func expires() throws {
    let pair = try Pair()
    let (alice, world) = (pair.alice, pair.world)
    alice.outage = .network(.connectError(connectError: "down"))
    let first = try alice.send("1", to: pair.a)
    let second = try alice.send("2", to: pair.a)
    world.pass(alice.configuration.messageTimeout + 1, alice)
    let failed = alice.last { if case .messageFailed(let message, _) = $0 { message.id } else { nil } }
    let others = alice.last { if case .messagesFailed(let messages, _) = $0 { messages.map(\.id) } else { nil } }
    #expect(failed == first && others == [second])
    alice.outage = nil
    _ = try alice.send("3", to: pair.a)
    #expect(pair.bob.texts == ["3"])
    let integrity = try #require(pair.bob.integrities.first)
    guard case .skipped(let from, let to) = integrity else {
      Issue.record("integrity \(integrity)")
      return
    }
    #expect(to - from == 1)
  }

  @Test func deletedQueueRefuses() throws {
    let pair = try Pair()
    try pair.bob.run { engine, now in try engine.delete([pair.b], now: now) }
    let id = try pair.alice.send("1", to: pair.a)
    let failed = pair.alice.last {
      if case .messageFailed(let message, let error) = $0 { (message.id, error) } else { nil }
    }
    #expect(failed?.0 == id && failed?.1 == .server(pair.world.second.server, .relay(.AUTH)))
  }

  @Test func manyInOneTransaction() throws {
    let world = TestWorld()
    let pair = try Pair(world: world)
    let messages =
      (0..<50).map { OutgoingMessage(to: pair.a, bodyIndex: $0 % 2) }
      + [OutgoingMessage(to: ConnectionID([1]), bodyIndex: 0), OutgoingMessage(to: pair.a, bodyIndex: 9)]
    let results = try pair.alice.run { engine, now in
      try engine.send(messages, bodies: [Array("even".utf8), Array("odd".utf8)], now: now)
    }
    #expect(results.count == 52)
    #expect(pair.bob.texts == (0..<50).map { $0 % 2 == 0 ? "even" : "odd" })
    #expect(throws: AgentError.connection(.notFound)) { try results[50].get() }
    #expect(throws: AgentError.self) { try results[51].get() }
    #expect(try pair.alice.rows(of: "message_bodies") == 0)
  }

  @Test func tooLarge() throws {
    let pair = try Pair()
    #expect(throws: AgentError.tooLarge(limit: 13_616)) {
      try pair.alice.send(String(repeating: "x", count: 14_000), to: pair.a)
    }
    _ = try pair.alice.send("fits", to: pair.a)
    #expect(pair.bob.texts == ["fits"] && pair.bob.integrities == [.ok])
  }

  @Test func receipts() throws {
    let pair = try Pair()
    pair.bob.receipts = true
    let ids = try ["1", "2", "3"].map { try pair.alice.send($0, to: pair.a) }
    func received() -> [[DeliveryReceipt]] {
      pair.alice.events.compactMap { if case .received(_, let receipts) = $0.kind { receipts } else { nil } }
    }
    func receipts(_ ids: [AgentMessageID]) -> [DeliveryReceipt] {
      ids.map { DeliveryReceipt(message: MessageReference(id: $0), isIntact: true) }
    }
    #expect(received().isEmpty)
    let relayed = pair.world.first.log.count + pair.world.second.log.count
    pair.world.pass(0, pair.bob)
    #expect(received() == [receipts(ids)])
    // One message for all, and its acknowledgement.
    #expect(pair.world.first.log.count + pair.world.second.log.count == relayed + 2)
    // Those soon after it wait for each other.
    pair.world.pass(10, pair.bob)
    let fourth = try pair.alice.send("4", to: pair.a)
    pair.world.pass(89, pair.bob)
    let fifth = try pair.alice.send("5", to: pair.a)
    pair.world.pass(0, pair.bob)
    #expect(received().count == 1)
    pair.world.pass(1, pair.bob)
    #expect(received() == [receipts(ids), receipts([fourth, fifth])])
    // And later ones do not.
    pair.world.pass(100, pair.bob)
    let sixth = try pair.alice.send("6", to: pair.a)
    pair.world.pass(0, pair.bob)
    #expect(received().last == receipts([sixth]))
    #expect(pair.bob.errors.isEmpty && pair.alice.errors.isEmpty)
    #expect(try pair.bob.rows(of: "received_messages") == 0)
  }

  /// A receipt that is owed when the agreement on a new ratchet begins is sent after it, also where the program
  /// restarts in between.
  @Test(arguments: [false, true]) func receiptsWaitForTheRatchet(restarts: Bool) throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    bob.receipts = true
    let id = try alice.send("1", to: pair.a)
    bob.outage = .noHost
    _ = try bob.run { engine, now in try engine.synchronizeRatchet(pair.b, pq: true, force: true, now: now) }
    world.pass(1_000, bob)
    #expect(try bob.engine.connectionStats(pair.b).ratchetSync == .started)
    bob.outage = nil
    if restarts { try bob.restart() }
    for _ in 0..<3 { world.pass(60_000, alice, bob) }
    let received = alice.events.compactMap { if case .received(_, let receipts) = $0.kind { receipts } else { nil } }
    #expect(received == [[DeliveryReceipt(message: MessageReference(id: id), isIntact: true)]])
    #expect(try bob.engine.connectionStats(pair.b).ratchetSync == .ok)
    #expect(try bob.rows(of: "received_messages") == 0)
  }

  @Test func receiptsGoAfterTheClockIsSetBack() throws {
    let pair = try Pair()
    pair.bob.receipts = true
    _ = try pair.alice.send("1", to: pair.a)
    pair.world.pass(0, pair.bob)
    pair.world.pass(-3_600_000, pair.bob)
    let id = try pair.alice.send("2", to: pair.a)
    pair.world.pass(100, pair.bob)
    let received = pair.alice.last { if case .received(_, let receipts) = $0 { receipts } else { nil } }
    #expect(received == [DeliveryReceipt(message: MessageReference(id: id), isIntact: true)])
  }

  @Test func receiptsThatAreOwedSurviveARestart() throws {
    let pair = try Pair()
    pair.bob.receipts = true
    let id = try pair.alice.send("1", to: pair.a)
    try pair.bob.restart()
    #expect(pair.bob.texts == ["1"])
    pair.world.pass(100, pair.bob)
    let received = pair.alice.last { if case .received(_, let receipts) = $0 { receipts } else { nil } }
    #expect(received == [DeliveryReceipt(message: MessageReference(id: id), isIntact: true)])
    // A second acknowledgement changes nothing.
    let last = try #require(pair.bob.last { if case .message(let metadata, _, _) = $0 { metadata.id } else { nil } })
    pair.bob.perform(try pair.bob.engine.ack(pair.b, last, receipt: [], now: pair.world.now))
    pair.world.pass(100, pair.bob)
    #expect(try pair.bob.rows(of: "received_messages") == 0)
    #expect(try pair.alice.rows(of: "received_messages") == 0)
  }

  @Test func receiptsThatAreOwedGoBeforeSuspending() throws {
    let pair = try Pair()
    pair.bob.receipts = true
    let id = try pair.alice.send("1", to: pair.a)
    pair.bob.perform(try pair.bob.engine.suspend(timeout: 1_000, now: pair.world.now))
    pair.world.settle()
    let received = pair.alice.last { if case .received(_, let receipts) = $0 { receipts } else { nil } }
    #expect(received == [DeliveryReceipt(message: MessageReference(id: id), isIntact: true)])
  }

  @Test func manyMessagesAreAcknowledgedAtOnce() throws {
    let pair = try Pair()
    pair.bob.acknowledges = false
    _ = try pair.alice.send("1", to: pair.a)
    let metadata = try #require(pair.bob.last { if case .message(let metadata, _, _) = $0 { metadata } else { nil } })
    let good = MessageAcknowledgement(pair.b, metadata.id)
    let unknown = MessageAcknowledgement(pair.b, AgentMessageID(rawValue: 99))
    let foreign = MessageAcknowledgement(ConnectionID([9]), metadata.id)
    let long = MessageAcknowledgement(pair.b, metadata.id, receipt: [UInt8](repeating: 0, count: 256))
    let now = pair.world.now
    let results = try pair.bob.run { engine, _ in try engine.ack([unknown, foreign, long, good], now: now) }
    #expect(results[0] != nil && results[1] == nil && results[2] == .tooLarge(limit: 255))
    #expect(results[3] == nil)
    #expect(try pair.bob.rows(of: "received_messages") == 0)
  }

  @Test func unacknowledgedMessageComesAgain() throws {
    let pair = try Pair()
    let (alice, bob) = (pair.alice, pair.bob)
    bob.acknowledges = false
    _ = try alice.send("1", to: pair.a)
    _ = try alice.send("2", to: pair.a)
    #expect(bob.texts == ["1"])
    // The agent has it, and the relay delivers it once more.
    try bob.restart()
    #expect(bob.texts == ["1", "1", "1"])
    bob.acknowledges = true
    try bob.restart()
    #expect(bob.texts == ["1", "1", "1", "1", "2"])
    #expect(Set(bob.integrities) == [.ok])
  }

  /// What the relay has forgotten is given again by the agent, and its sender gets a receipt.
  @Test func acknowledgementThatWasNotStoredIsRepeated() throws {
    let pair = try Pair()
    let bob = pair.bob
    bob.acknowledges = false
    let id = try pair.alice.send("1", to: pair.a)
    let metadata = try #require(bob.last { if case .message(let metadata, _, _) = $0 { metadata } else { nil } })
    // The program ends when the relay has the acknowledgement, and nothing else was stored.
    for case .perform(_, _, let request, _) in try bob.engine.ack(
      pair.b, metadata.id, receipt: [], now: pair.world.now)
    { _ = pair.world.second.perform(request, for: bob) }
    bob.acknowledges = true
    bob.receipts = true
    try bob.restart()
    #expect(bob.texts == ["1", "1"])
    pair.world.pass(1_000, bob)
    let received = pair.alice.last { if case .received(_, let receipts) = $0 { receipts } else { nil } }
    #expect(received == [DeliveryReceipt(message: MessageReference(id: id), isIntact: true)])
    #expect(try bob.rows(of: "received_messages") == 0)
  }

  @Test func lostAcknowledgementIsRepeated() throws {
    let pair = try Pair()
    pair.world.second.failures = ["ACK": [.closed]]
    _ = try pair.alice.send("1", to: pair.a)
    try pair.bob.restart()
    _ = try pair.alice.send("2", to: pair.a)
    #expect(pair.bob.texts == ["1", "2"])
    pair.world.second.failures = ["ACK": [.timeout]]
    _ = try pair.alice.send("3", to: pair.a)
    pair.world.pass(60_000, pair.bob)
    _ = try pair.alice.send("4", to: pair.a)
    #expect(pair.bob.texts == ["1", "2", "3", "4"])
  }

  /// The relay could not store the acknowledgement, for example because its disk was full: until it is repeated, the
  /// relay does not deliver the next message.
  @Test func acknowledgementIsRepeatedWhereTheRelayCouldNotStoreIt() throws {
    let pair = try Pair()
    pair.world.second.failures = ["ACK": [.relay(.STORE(storeErr: "full"))]]
    _ = try pair.alice.send("1", to: pair.a)
    _ = try pair.alice.send("2", to: pair.a)
    #expect(pair.bob.texts == ["1"])
    pair.world.pass(60_000, pair.bob)
    #expect(pair.bob.texts == ["1", "2"])
  }

  /// Nor is a message lost that the relay could not store.
  @Test func messageIsRepeatedWhereTheRelayCouldNotStoreIt() throws {
    let pair = try Pair()
    pair.world.second.failures = ["SEND": [.relay(.STORE(storeErr: "full"))]]
    _ = try pair.alice.send("1", to: pair.a)
    #expect(pair.bob.texts.isEmpty)
    pair.world.pass(60_000, pair.alice)
    #expect(pair.bob.texts == ["1"])
  }

  @Test func eventsComeAgainUntilConfirmed() throws {
    let pair = try Pair()
    _ = try pair.alice.send("1", to: pair.a)
    pair.alice.forgetEvents()
    try pair.alice.restart()
    #expect(sent(pair.alice) == 1 && pair.alice.isConnected == true)
    let last = try #require(pair.alice.events.compactMap(\.id).max())
    _ = try pair.alice.engine.confirmEvents(through: last, now: 0)
    pair.alice.forgetEvents()
    try pair.alice.restart()
    #expect(sent(pair.alice) == 0 && pair.alice.isConnected == nil)
  }

  @Test func routesThroughProxies() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first]) { $0.proxyMode = .unknown }
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let link = try bob.create()
    let effects = try alice.engine.join(alice.user, link.link.full, info: [], now: world.now).effects
    let routes = effects.compactMap { effect -> SendRoute? in
      if case .perform(_, _, let request, let route) = effect, case .skey = request.command { route } else { nil }
    }
    #expect(routes == [.proxied(through: world.first.server, allowsDirect: true)])
  }
}
