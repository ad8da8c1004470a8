import AgentCore
import AgentEngine
import SMPClientCore
import SMPProtocol
import Testing

/// Stalled queues and messages are detected, explained and restarted without the application.
@Suite struct WatchdogTests {
  private func diagnoses(_ agent: TestAgent) -> [ConnectionDiagnosis] {
    agent.events.compactMap { if case .stuck(let diagnosis) = $0.kind { diagnosis } else { nil } }
  }

  /// The relay forgets who is subscribed; the connection to it holds, so that nothing else shows it.
  @Test func subscribedButSilentQueue() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    alice.session(world.first.server, .connected)
    world.first.disconnect(alice)
    _ = try bob.send("held back", to: pair.b)
    #expect(alice.texts.isEmpty)
    #expect(try alice.engine.diagnose(pair.a, now: world.now).findings.isEmpty, "nobody can know yet")
    world.pass(alice.configuration.maintenanceInterval + 1, alice)
    #expect(alice.texts.isEmpty, "too early to ask")
    world.pass(alice.configuration.silentQueue, alice)
    #expect(alice.texts == ["held back"])
    #expect(diagnoses(alice).map(\.findings) == [[.silent(world.first.server, waiting: 1)]])
    #expect(alice.last { if case .up(_, let ids) = $0 { ids } else { nil } } == [pair.a])
    #expect(try alice.engine.connectionStats(pair.a).subscription == .active)
  }

  /// A queue without new messages is queried, and nothing else is done.
  @Test func quietQueueIsNoFinding() throws {
    let pair = try Pair()
    let (alice, world) = (pair.alice, pair.world)
    alice.session(world.first.server, .connected)
    world.pass(alice.configuration.silentQueue + 1, alice)
    #expect(world.first.log.last == "QUE")
    #expect(diagnoses(alice).isEmpty)
    // And not each time the watchdog looks around.
    let asked = world.first.log.count
    world.pass(alice.configuration.maintenanceInterval + 1, alice)
    #expect(world.first.log.count == asked)
  }

  /// What the application has not acknowledged is its own matter: it is explained, not subscribed again.
  @Test func applicationThatDoesNotAcknowledge() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    alice.session(world.first.server, .connected)
    alice.acknowledges = false
    _ = try bob.send("1", to: pair.b)
    _ = try bob.send("2", to: pair.b)
    world.pass(alice.configuration.silentQueue + 1, alice)
    #expect(alice.texts == ["1"] && diagnoses(alice).isEmpty)
    guard case .notAcknowledged(_, let since)? = try alice.engine.diagnose(pair.a, now: world.now).findings.first else {
      Issue.record("not explained")
      return
    }
    #expect(since == alice.configuration.silentQueue + 1)
  }

  /// The queue was deleted at its relay without an event.
  @Test func silentQueueThatIsGone() throws {
    let pair = try Pair()
    let (alice, world) = (pair.alice, pair.world)
    alice.session(world.first.server, .connected)
    world.first.failures = ["QUE": [.relay(.AUTH)]]
    world.pass(alice.configuration.silentQueue + 1, alice)
    #expect(alice.errors == [.server(world.first.server, .relay(.AUTH))])
    let findings = try alice.engine.diagnose(pair.a, now: world.now).findings
    #expect(findings == [.notSubscribed(world.first.server, .removed(.relay(.AUTH)))])
  }

  /// The answer of a SEND never comes, though the relay is connected.
  @Test func outboxThatDoesNotMove() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    alice.swallows = ["SEND"]
    _ = try alice.send("1", to: pair.a)
    _ = try alice.send("2", to: pair.a)
    world.now += 5_000
    #expect(
      try alice.engine.diagnose(pair.a, now: world.now).findings == [.noAnswer(world.second.server, since: 5_000)])
    alice.swallows = []
    world.pass(alice.configuration.stuckOutbox + alice.configuration.maintenanceInterval, alice)
    #expect(bob.texts == ["1", "2"])
    let diagnosis = try #require(diagnoses(alice).first)
    #expect(diagnosis.waitingMessages == 2)
    #expect(diagnosis.findings.contains { if case .noAnswer = $0 { true } else { false } })
    #expect(try alice.engine.diagnose(pair.a, now: world.now).findings.isEmpty)
  }

  /// What is explained by a known reason is not called stuck.
  @Test func waitingForAReasonIsNotStuck() throws {
    let pair = try Pair()
    let (alice, world) = (pair.alice, pair.world)
    alice.outage = .network(.connectError(connectError: "down"))
    _ = try alice.send("1", to: pair.a)
    world.pass(alice.configuration.stuckOutbox + alice.configuration.maintenanceInterval, alice)
    #expect(diagnoses(alice).isEmpty)
    guard
      case .retrying(world.second.server, let attempts, _)? = try alice.engine.diagnose(pair.a, now: world.now)
        .findings.first
    else {
      Issue.record("not explained")
      return
    }
    #expect(attempts > 1)
  }
}

/// What shares a connection to a relay.
@Suite struct IsolationTests {
  @Test func usersHaveSessionsOfTheirOwn() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let other = try alice.engine.createUser(
      servers: [AgentUserServer(ServerWithAuth(server: world.first.server, basicAuth: nil))], now: world.now)
    for user in [alice.user, other] {
      try alice.run { engine, now in try engine.createConnection(user, mode: .invitation, now: now) }
    }
    #expect(alice.sessions == Set([alice.user, other].map { SessionKey(server: world.first.server, user: $0) }))
  }

  @Test func connectionsCanHaveSessionsOfTheirOwn() throws {
    let pair = try Pair(alice: { $0.isolation = .perConnection })
    let alice = pair.alice
    let second = try alice.create()
    _ = try alice.send("x", to: pair.a)
    #expect(pair.bob.texts == ["x"])
    let entities = [pair.a, second.id].map { EntityID($0.bytes) }
    #expect(Set(alice.sessions.map(\.entity)) == Set(entities))
    // No session serves two connections, neither for receiving nor for sending.
    #expect(alice.sessions.filter { $0.entity == entities[0] }.count == 2)
    #expect(alice.sessions.filter { $0.entity == entities[1] }.count == 1)
    try alice.restart()
    #expect(alice.sessions.allSatisfy { $0.entity != nil })
  }
}
