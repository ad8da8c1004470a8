import AgentCore
import AgentEngine
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import Testing

@Suite struct LifecycleTests {
  @Test func deletesQueuesAtTheirRelays() throws {
    let pair = try Pair()
    let (alice, world) = (pair.alice, pair.world)
    alice.outage = .network(.connectError(connectError: "down"))
    try alice.run { engine, now in try engine.delete([pair.a], now: now) }
    #expect(world.first.queues.count == 1)
    #expect(throws: AgentError.connection(.notFound)) { try alice.engine.connectionStats(pair.a) }
    alice.outage = nil
    try alice.restart()
    world.pass(60_000, alice)
    #expect(world.first.queues.isEmpty)
    let deleted = alice.last { if case .connectionsDeleted(let ids) = $0 { ids } else { nil } }
    #expect(deleted == [pair.a])
    for table in ["connections", "receive_queues", "send_queues", "ratchets", "tasks", "received_messages"] {
      #expect(try alice.rows(of: table) == 0, "\(table)")
    }
  }

  @Test func queueOfAConnectionThatIsGoneIsDeleted() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let accepted = try alice.engine.createConnection(alice.user, mode: .invitation, now: world.now)
    alice.perform(accepted.effects)
    alice.perform(try alice.engine.delete([accepted.value.connection], now: world.now))
    world.settle()
    #expect(world.first.log == ["NEW", "DEL"] && world.first.queues.isEmpty)
  }

  @Test func groupsShareATransaction() throws {
    let pair = try Pair()
    let alice = pair.alice
    let now = pair.world.now
    let effects = try alice.engine.group {
      var effects: [AgentEffect] = []
      for number in 1...3 {
        if let accepted = try? alice.engine.send(pair.a, body: [UInt8(48 + number)], now: now) {
          effects += accepted.effects
        }
        // Its failure undoes nothing of the others.
        _ = try? alice.engine.send(ConnectionID([9]), body: [], now: now)
      }
      return effects
    }
    alice.perform(effects)
    pair.world.settle()
    #expect(pair.bob.texts == ["1", "2", "3"])
  }

  @Test func joiningThatFailedStaysSoAfterARestart() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let link = try alice.create()
    bob.outage = .network(.connectError(connectError: "down"))
    #expect(throws: AgentError.self) { try bob.join(link.link.full) }
    bob.outage = nil
    try bob.restart()
    world.pass(120_000, bob)
    #expect(alice.confirmation == nil && world.second.queues.isEmpty)
  }

  @Test func deletesAfterDelivery() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    alice.outage = .network(.connectError(connectError: "down"))
    _ = try alice.send("last", to: pair.a)
    try alice.run { engine, now in try engine.delete([pair.a], waitForDelivery: true, now: now) }
    alice.outage = nil
    world.pass(120_000, alice)
    #expect(bob.texts == ["last"])
    #expect(world.first.queues.isEmpty)
    #expect(alice.last { if case .connectionsDeleted(let ids) = $0 { ids } else { nil } } == [pair.a])
  }

  /// A receipt that goes, or fails, after the last message is not waited for until messages expire.
  @Test(arguments: [true, false]) func deletesAfterReceipts(fails: Bool) throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    bob.receipts = true
    _ = try alice.send("1", to: pair.a)
    bob.outage = .network(.connectError(connectError: "down"))
    _ = try bob.send("last", to: pair.b)
    world.pass(1_000, bob)
    try bob.run { engine, now in try engine.delete([pair.b], waitForDelivery: true, now: now) }
    if fails { try alice.run { engine, now in try engine.delete([pair.a], now: now) } }
    bob.outage = nil
    world.pass(120_000, bob)
    #expect(alice.texts == (fails ? [] : ["last"]))
    #expect(bob.last { if case .connectionsDeleted(let ids) = $0 { ids } else { nil } } == [pair.b])
    #expect(try bob.rows(of: "connections") == 0)
  }

  @Test func suspendedConnectionTakesNothing() throws {
    let pair = try Pair()
    let call = try pair.bob.run { engine, now in try engine.suspend(pair.b, now: now) }
    guard case .done = try pair.bob.outcome(call) else {
      Issue.record("not suspended")
      return
    }
    let id = try pair.alice.send("1", to: pair.a)
    #expect(pair.alice.last { if case .messageFailed(let message, _) = $0 { message.id } else { nil } } == id)
  }

  @Test func deletesUsers() throws {
    let pair = try Pair()
    let (alice, world) = (pair.alice, pair.world)
    _ = try alice.run { engine, now in try engine.deleteUser(alice.user, deletingQueues: true, now: now) }
    #expect(world.first.queues.isEmpty)
    #expect(alice.last { if case .userDeleted(let user) = $0 { user } else { nil } } == alice.user)
    #expect(throws: AgentError.noUser) {
      try alice.engine.createConnection(alice.user, mode: .invitation, now: world.now)
    }
  }

  /// A user with many connections is deleted in several transactions; what a crash leaves is taken up by the next
  /// engine.
  @Test(arguments: [true, false], [true, false]) func deletesUsersInParts(queues: Bool, crashes: Bool) throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    for _ in 0..<170 { _ = try alice.create() }
    let effects = try alice.engine.deleteUser(alice.user, deletingQueues: queues, now: world.now).effects
    #expect(try alice.rows(of: "connections").map { $0 > 100 } == true)
    if crashes { try alice.restart() } else { alice.perform(effects) }
    for _ in 0..<4 { world.pass(1, alice) }
    #expect(world.first.queues.count == (queues ? 0 : 170))
    let told = alice.last { if case .userDeleted(let user) = $0 { user } else { nil } }
    // No event follows for a user whose queues are left at their relays.
    #expect(told == (queues ? alice.user : nil))
    for table in ["users", "connections", "receive_queues", "tasks"] {
      #expect(try alice.rows(of: table) == 0, "\(table)")
    }
  }

  @Test func networkOffAndOn() throws {
    let pair = try Pair()
    let alice = pair.alice
    try alice.run { engine, now in try engine.setNetwork(online: false, now: now) }
    _ = try alice.send("1", to: pair.a)
    #expect(pair.bob.texts.isEmpty)
    #expect(try alice.engine.diagnose(pair.a, now: pair.world.now).findings.contains(.offline))
    try alice.run { engine, now in try engine.setNetwork(online: true, now: now) }
    #expect(pair.bob.texts == ["1"])
    try alice.run { engine, now in try engine.suspend(timeout: 5_000, now: now) }
    #expect(alice.last { if case .suspended = $0 { true } else { nil } } == true)
    _ = try alice.send("2", to: pair.a)
    #expect(pair.bob.texts == ["1"])
    try alice.run { engine, now in try engine.activate(now: now) }
    #expect(pair.bob.texts == ["1", "2"])
  }

  @Test func connectedRelayEndsWaiting() throws {
    let pair = try Pair()
    let (alice, world) = (pair.alice, pair.world)
    alice.outage = .network(.connectError(connectError: "down"))
    _ = try alice.send("1", to: pair.a)
    alice.outage = nil
    alice.session(world.second.server, .connected)
    world.settle()
    #expect(pair.bob.texts == ["1"])
  }

  @Test func testsServers() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1)
    func test() throws -> ServerTestFailure? {
      let call = try alice.run { engine, now in
        try engine.testServer(alice.user, ServerWithAuth(server: world.first.server, basicAuth: nil), now: now)
      }
      guard case .serverTested(let failure) = try alice.outcome(call) else { throw AgentError.internalError("no test") }
      return failure
    }
    #expect(try test() == nil)
    #expect(world.first.queues.isEmpty)
    world.first.failures = ["NEW": [.relay(.AUTH)]]
    #expect(try test()?.step == .createQueue)
    world.first.failures = ["DEL": [.timeout]]
    #expect(try test()?.step == .deleteQueue)
    for outage in [SMPClientError.network(.connectError(connectError: "down")), .closed] {
      alice.outage = outage
      #expect(try test()?.step == .connect)
    }
  }

  @Test func countsAndInspects() throws {
    let pair = try Pair()
    _ = try pair.alice.send("1", to: pair.a)
    let statistics = try pair.alice.engine.statistics()
    let second = try #require(statistics.servers.first { $0.server == pair.world.second.server })
    #expect(second.counters[.sentDirect] == 2)
    let stats = try pair.alice.engine.connectionStats(pair.a)
    #expect(stats.receiveQueues.count == 1 && stats.sendQueues.map(\.status) == [.active])
    #expect(stats.subscription == .active)
    let call = try pair.alice.run { engine, now in try engine.queueInfo(pair.a, now: now) }
    guard case .queueInfo(let info) = try pair.alice.outcome(call) else {
      Issue.record("no information")
      return
    }
    #expect(info.qiSnd)
    #expect(try pair.alice.engine.diagnose(pair.a, now: pair.world.now).findings.isEmpty)
    try pair.alice.engine.resetStatistics(now: pair.world.now)
    #expect(try pair.alice.engine.statistics().servers.allSatisfy { $0.counters.isEmpty })
  }

  @Test func upAndDown() throws {
    let pair = try Pair()
    let (alice, world) = (pair.alice, pair.world)
    let server = world.first.server
    alice.session(server, .disconnected(.closed))
    #expect(alice.last { if case .down(_, let ids) = $0 { ids } else { nil } } == [pair.a])
    #expect(try alice.engine.connectionStats(pair.a).subscription == .pending)
    let queue = try #require(world.first.queues.keys.first)
    alice.session(server, .subscribed([queue]))
    #expect(alice.last { if case .up(_, let ids) = $0 { ids } else { nil } } == [pair.a])
    alice.session(server, .subscriptionFailed(queue, .relay(.AUTH)))
    #expect(alice.errors == [.server(server, .relay(.AUTH))])
    #expect(try alice.engine.connectionStats(pair.a).subscription == .removed(.relay(.AUTH)))
  }

  /// What the application did not confirm before a crash comes again, with the same numbers.
  @Test func eventsOfProgressSurviveACrash() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    alice.forgetEvents()
    if let last = bob.events.compactMap(\.id).last { _ = try bob.engine.confirmEvents(through: last, now: world.now) }
    try bob.run { engine, now in try engine.switchQueue(pair.b, waiting: .event(nil), now: now) }
    try bob.run { engine, now in try engine.synchronizeRatchet(pair.b, pq: true, force: true, now: now) }
    bob.outage = .noHost
    _ = try bob.send("x", to: pair.b)
    func progress() -> [String] {
      bob.events.compactMap { event in
        switch event.kind {
        case .switched(let direction, let phase, let stats):
          "\(event.id?.rawValue ?? 0) \(direction) \(phase) \(stats.receiveQueues.map(\.switchStatus))"
        case .ratchetSync(let state, let error, let stats):
          "\(event.id?.rawValue ?? 0) \(state) \(error as Any) \(stats.sendQueues)"
        case .messageWarning(let message, let error): "\(event.id?.rawValue ?? 0) \(message) \(error)"
        default: nil
        }
      }
    }
    let before = progress()
    #expect(before.count >= 6)
    bob.outage = nil
    bob.forgetEvents()
    try bob.restart(subscribing: false)
    #expect(progress() == before)
    let last = try #require(bob.events.compactMap(\.id).last)
    _ = try bob.engine.confirmEvents(through: last, now: world.now)
    bob.forgetEvents()
    try bob.restart(subscribing: false)
    #expect(progress().isEmpty)
    world.pass(60_000, bob)
    #expect(alice.texts == ["x"])
  }
}
