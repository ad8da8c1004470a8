import AgentCore
import AgentEngine
import SMPClientCore
import SMPProtocol
import SQLiteKit
import SimplexTesting
import Testing

@Suite struct RotationTests {
  private func phases(_ agent: TestAgent) -> [AgentSwitchPhase] {
    agent.events.compactMap { if case .switched(_, let phase, _) = $0.kind { phase } else { nil } }
  }

  @Test func replacesTheQueue() throws {
    let world = TestWorld()
    let pair = try Pair(world: world)
    let (alice, bob) = (pair.alice, pair.bob)
    try alice.engine.setServers(
      [AgentUserServer(ServerWithAuth(server: world.second.server, basicAuth: nil))], for: alice.user)
    _ = try bob.send("before", to: pair.b)
    let call = try alice.run { engine, now in try engine.switchQueue(pair.a, now: now) }.call
    guard case .done = try alice.outcome(call) else {
      Issue.record("not started")
      return
    }
    #expect(phases(alice) == [.confirmed, .secured, .completed])
    #expect(phases(bob) == [.started, .confirmed, .secured, .completed])
    #expect(world.first.queues.isEmpty)
    #expect(try alice.engine.connectionStats(pair.a).receiveQueues.map(\.server) == [world.second.server])
    #expect(try bob.engine.connectionStats(pair.b).sendQueues.map(\.server) == [world.second.server])
    _ = try bob.send("after", to: pair.b)
    _ = try alice.send("answer", to: pair.a)
    #expect(alice.texts == ["before", "after"] && bob.texts == ["answer"])
    #expect(alice.integrities == [.ok, .ok])
    #expect(alice.errors.isEmpty && bob.errors.isEmpty)
    // And again.
    try alice.run { engine, now in try engine.switchQueue(pair.a, waiting: .event(nil), now: now) }
    _ = try bob.send("again", to: pair.b)
    #expect(alice.texts.last == "again")
    #expect(alice.errors.isEmpty && bob.errors.isEmpty)
    #expect(world.second.queues.count == 2)
  }

  @Test func abortsAndBeginsAgain() throws {
    let world = TestWorld()
    let pair = try Pair(world: world)
    let (alice, bob) = (pair.alice, pair.bob)
    bob.outage = .network(.connectError(connectError: "down"))
    try alice.run { engine, now in try engine.switchQueue(pair.a, now: now) }
    #expect(world.first.queues.count == 2)
    #expect(throws: AgentError.self) { try alice.engine.switchQueue(pair.a, now: world.now) }
    try alice.run { engine, now in try engine.abortSwitch(pair.a, now: now) }
    #expect(world.first.queues.count == 1)
    #expect(throws: AgentError.self) { try alice.engine.abortSwitch(pair.a, now: world.now) }
    try alice.run { engine, now in try engine.switchQueue(pair.a, now: now) }
    bob.outage = nil
    world.pass(120_000, bob)
    #expect(phases(alice).last == .completed)
    _ = try bob.send("x", to: pair.b)
    #expect(alice.texts == ["x"])
  }

  /// A call about a queue that is given up is answered.
  @Test func callsAboutAnAbandonedQueueFail() throws {
    let pair = try Pair()
    let (alice, bob) = (pair.alice, pair.bob)
    bob.outage = .network(.connectError(connectError: "down"))
    try alice.run { engine, now in try engine.switchQueue(pair.a, now: now) }
    alice.swallows = ["OFF"]
    let call = try alice.run { engine, now in try engine.suspend(pair.a, now: now) }
    try alice.run { engine, now in try engine.abortSwitch(pair.a, now: now) }
    #expect(throws: AgentError.inactive) { try alice.outcome(call) }
  }

  /// What the relay answers to an attempt that was stopped says nothing about the next one.
  @Test func abortsAndBeginsAgainBeforeTheRelayAnswers() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    alice.perform(try alice.engine.switchQueue(pair.a, waiting: .event(nil), now: world.now).effects)
    alice.perform(try alice.engine.abortSwitch(pair.a, now: world.now).effects)
    alice.perform(try alice.engine.switchQueue(pair.a, waiting: .event(nil), now: world.now).effects)
    world.settle()
    world.pass(120_000, alice, bob)
    #expect(phases(alice).last == .completed)
    #expect(try alice.engine.connectionStats(pair.a).receiveQueues.count == 1)
    #expect(try bob.engine.connectionStats(pair.b).sendQueues.count == 1)
    #expect(world.first.queues.count + world.second.queues.count == 2)
    _ = try bob.send("x", to: pair.b)
    #expect(alice.texts == ["x"])
  }

  @Test func survivesRestarts() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    for keyword in ["NEW", "SEND", "KEY", "DEL"] {
      world.first.failures = [keyword: [.network(.connectError(connectError: "lost"))]]
      world.second.failures = [keyword: [.network(.connectError(connectError: "lost"))]]
      try alice.run { engine, now in try engine.switchQueue(pair.a, waiting: .event(nil), now: now) }
      for _ in 1...4 {
        try alice.restart()
        try bob.restart()
        world.pass(120_000, alice, bob)
      }
      _ = try bob.send(keyword, to: pair.b)
      #expect(alice.texts.last == keyword)
      #expect(try alice.engine.connectionStats(pair.a).receiveQueues.map(\.switchStatus) == [nil], "\(keyword)")
    }
    #expect(alice.integrities.allSatisfy { $0 == .ok })
    #expect(alice.errors.isEmpty && bob.errors.isEmpty)
  }

  /// Found by a simulation: the answer to deleting the old queue was lost, and subscribing to it again failed.
  @Test func theOldQueueIsGoneBeforeWeKnow() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    let old = try #require(world.first.queues.keys.first)
    world.first.failures = ["DEL": [.timeout]]
    try alice.run { engine, now in try engine.switchQueue(pair.a, waiting: .event(nil), now: now) }
    #expect(world.first.queues[old] == nil)
    alice.session(world.first.server, .subscriptionFailed(old, .relay(.AUTH)))
    #expect(alice.errors.isEmpty)
    world.pass(120_000, alice)
    #expect(phases(alice).last == .completed)
    #expect(try alice.rows(of: "receive_queues") == 1)
    _ = try bob.send("x", to: pair.b)
    #expect(alice.texts == ["x"] && alice.errors.isEmpty)
  }

  /// Found by a simulation: a message was on its way to the old queue when it was moved to the new one, and then
  /// refused.
  @Test func theOldQueueRefusesWhatWasMoved() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    world.first.failures = ["KEY": [.network(.connectError(connectError: "lost"))]]
    try alice.run { engine, now in try engine.switchQueue(pair.a, waiting: .event(nil), now: now) }
    bob.swallows = ["SEND"]
    let id = try bob.send("x", to: pair.b)
    bob.swallows = []
    world.pass(120_000, alice)
    #expect(phases(bob).last == .completed)
    #expect(alice.texts == ["x"])
    bob.input(.completed(try #require(bob.swallowed.first), .failure(.relay(.AUTH))))
    world.settle()
    #expect(bob.last { if case .messageFailed(let message, _) = $0 { message.id } else { nil } } == nil)
    let sent = bob.events.compactMap { if case .sent(let message, _) = $0.kind { message.id } else { nil } }
    #expect(sent == [id])
  }

  /// Found by a simulation: the relay had forgotten the subscription of the old queue, which still had a message when
  /// it was deleted.
  @Test func theOldQueueIsEmptiedWhereItsRelayDoesNotDeliver() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    let old = try #require(world.first.queues.values.first { $0.subscriber === alice })
    world.first.failures = ["KEY": [.network(.connectError(connectError: "lost"))]]
    try alice.run { engine, now in try engine.switchQueue(pair.a, waiting: .event(nil), now: now) }
    old.subscriber = nil
    _ = try bob.send("x", to: pair.b)
    for _ in 0..<20 { world.pass(120_000, alice) }
    #expect(phases(alice).last == .completed)
    #expect(world.first.queues[old.recipientID] == nil, "the old queue is deleted")
    #expect(alice.texts == ["x"])
    #expect(alice.errors.isEmpty && bob.errors.isEmpty)
  }

  /// Found by a simulation: the sender did not learn that its test had arrived, so the old queue was gone while what
  /// had been put into both queues still waited.
  @Test func theOldQueueIsGoneBeforeTheTestIsAnswered() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    bob.receipts = true
    world.first.failures = ["KEY": [.network(.connectError(connectError: "lost"))]]
    try alice.run { engine, now in try engine.switchQueue(pair.a, waiting: .event(nil), now: now) }
    world.first.failures = ["SEND": [.timeout]]
    world.pass(120_000, alice)
    #expect(world.first.queues.count == 1, "the old queue is deleted")
    #expect(try bob.engine.connectionStats(pair.b).sendQueues.count == 2, "the test is not answered")
    _ = try alice.send("x", to: pair.a)
    let id = try bob.send("y", to: pair.b)
    world.pass(120_000, bob)
    #expect(bob.errors.isEmpty && alice.errors.isEmpty)
    #expect(alice.texts == ["y"] && bob.texts == ["x"])
    #expect(bob.events.contains { if case .sent(MessageReference(id: id), _) = $0.kind { true } else { false } })
    #expect(alice.events.contains { if case .received = $0.kind { true } else { false } })
  }
}

@Suite struct RatchetSyncTests {
  private func states(_ agent: TestAgent) -> [AgentRatchetSyncState] {
    agent.events.compactMap { if case .ratchetSync(let state, _, _) = $0.kind { state } else { nil } }
  }

  @Test(arguments: 0..<4)
  func agreesAnew(seed: Int) throws {
    let pair = try Pair()
    let (alice, bob) = (pair.alice, pair.bob)
    for _ in 0..<seed { _ = try bob.engine.createUser(servers: [], now: 0) }
    let code = try alice.engine.verificationCode(pair.a)
    #expect(throws: AgentError.self) {
      try alice.engine.synchronizeRatchet(pair.a, pq: true, force: false, now: pair.world.now)
    }
    try alice.run { engine, now in try engine.synchronizeRatchet(pair.a, pq: seed % 2 == 0, force: true, now: now) }
    #expect(states(alice).last == .ok && states(bob).last == .ok)
    #expect(try alice.engine.verificationCode(pair.a) == bob.engine.verificationCode(pair.b))
    #expect(try alice.engine.verificationCode(pair.a) != code)
    _ = try alice.send("a", to: pair.a)
    _ = try bob.send("b", to: pair.b)
    #expect(alice.texts == ["b"] && bob.texts == ["a"])
    #expect(alice.errors.isEmpty && bob.errors.isEmpty)
  }

  @Test func lostRatchetIsNoticedAndRepaired() throws {
    let pair = try Pair()
    let (alice, bob) = (pair.alice, pair.bob)
    // Bob's database goes back to an earlier state.
    let saved = try bob.database.first("SELECT state FROM ratchets") { (row) throws(SQLiteError) in try row.bytes(0) }
    for number in 1...3 {
      _ = try alice.send("a\(number)", to: pair.a)
      _ = try bob.send("b\(number)", to: pair.b)
    }
    try bob.database.execute("UPDATE ratchets SET state = ?", try #require(saved))
    _ = try alice.send("lost", to: pair.a)
    #expect(states(bob).last == .required)
    #expect(throws: AgentError.self) { try bob.send("x", to: pair.b) }
    try bob.run { engine, now in try engine.synchronizeRatchet(pair.b, pq: true, force: false, now: now) }
    #expect(states(bob).last == .ok && states(alice).last == .ok)
    _ = try alice.send("found", to: pair.a)
    _ = try bob.send("again", to: pair.b)
    #expect(bob.texts.last == "found" && alice.texts.last == "again")
  }

  /// A ratchet that can decrypt nothing is repaired without the application.
  @Test func brokenRatchetIsRepairedByItself() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    let saved = try bob.database.first("SELECT state FROM ratchets") { (row) throws(SQLiteError) in try row.bytes(0) }
    func breakDown() throws {
      for number in 1...3 {
        _ = try alice.send("a\(number)", to: pair.a)
        _ = try bob.send("b\(number)", to: pair.b)
      }
      try bob.database.execute("UPDATE ratchets SET state = ?", try #require(saved))
      _ = try alice.send("lost", to: pair.a)
      #expect(states(bob).last == .required)
      #expect(try bob.engine.diagnose(pair.b, now: world.now).findings == [.ratchet(.required)])
    }
    try breakDown()
    world.pass(bob.configuration.maintenanceInterval + 1, alice, bob)
    #expect(states(bob).last == .ok && states(alice).last == .ok)
    let told = bob.last { if case .stuck(let diagnosis) = $0 { diagnosis.findings } else { nil } }
    #expect(told == [.ratchet(.required)])
    _ = try alice.send("found", to: pair.a)
    _ = try bob.send("again", to: pair.b)
    #expect(bob.texts.last == "found" && alice.texts.last == "again")
    #expect(try bob.engine.diagnose(pair.b, now: world.now).findings == [])
    // Not again and again, if it breaks at once.
    try breakDown()
    world.pass(bob.configuration.maintenanceInterval + 1, alice, bob)
    #expect(states(bob).last == .required)
    world.pass(bob.configuration.ratchetRepairInterval, alice, bob)
    #expect(states(bob).last == .ok)
  }

  @Test func bothSidesBegin() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    alice.outage = .network(.connectError(connectError: "down"))
    try alice.run { engine, now in try engine.synchronizeRatchet(pair.a, pq: true, force: true, now: now) }
    bob.outage = .network(.connectError(connectError: "down"))
    try bob.run { engine, now in try engine.synchronizeRatchet(pair.b, pq: true, force: true, now: now) }
    alice.outage = nil
    bob.outage = nil
    world.pass(120_000, alice, bob)
    #expect(states(alice).last == .ok && states(bob).last == .ok)
    _ = try alice.send("a", to: pair.a)
    _ = try bob.send("b", to: pair.b)
    #expect(alice.texts == ["b"] && bob.texts == ["a"])
  }

  /// Each side asks, and asks again, while the keys of either may be on their way: both end with the same ratchet.
  @Test(arguments: 0..<60 as Range<UInt64>)
  func anyCrossingOfKeysConverges(seed: UInt64) throws {
    let pair = try Pair(seed: 1 + seed * 10, pq: seed % 3 == 0)
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<12 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        try alice.run { engine, now in try engine.synchronizeRatchet(pair.a, pq: true, force: true, now: now) }
      case 1: try bob.run { engine, now in try engine.synchronizeRatchet(pair.b, pq: true, force: true, now: now) }
      case 2: alice.outage = alice.outage == nil ? .network(.connectError(connectError: "down")) : nil
      case 3: bob.outage = bob.outage == nil ? .network(.connectError(connectError: "down")) : nil
      case 4: world.pass(70_000, alice)
      default: world.pass(70_000, bob)
      }
    }
    alice.outage = nil
    bob.outage = nil
    for _ in 0..<3 { world.pass(70_000, alice, bob) }
    #expect(try alice.engine.connectionStats(pair.a).ratchetSync == .ok)
    #expect(try bob.engine.connectionStats(pair.b).ratchetSync == .ok)
    #expect(try alice.engine.verificationCode(pair.a) == bob.engine.verificationCode(pair.b))
    _ = try alice.send("a", to: pair.a)
    _ = try bob.send("b", to: pair.b)
    #expect(alice.texts == ["b"] && bob.texts == ["a"])
    #expect(alice.errors.isEmpty && bob.errors.isEmpty)
    #expect(try alice.rows(of: "ratchet_keys") == 0 && bob.rows(of: "ratchet_keys") == 0)
  }
}
