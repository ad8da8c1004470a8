import AgentCore
import AgentEngine
import SMPClientCore
import SMPProtocol
import Testing

@Suite struct SuspensionTests {
  private func count(_ agent: TestAgent, _ matches: (AgentEvent.Kind) -> Bool) -> Int {
    agent.events.count { matches($0.kind) }
  }

  private func suspensions(_ agent: TestAgent) -> Int {
    count(agent) { if case .suspended = $0 { true } else { false } }
  }

  @Test func anIdleAgentIsSuspendedAtOnce() throws {
    let pair = try Pair()
    let (alice, world) = (pair.alice, pair.world)
    alice.session(world.first.server, .connected)
    alice.forgetEvents()
    try alice.run { engine, now in try engine.suspend(timeout: 60_000, now: now) }
    try alice.run { engine, now in try engine.suspend(timeout: 60_000, now: now) }
    #expect(suspensions(alice) == 1)
    #expect(alice.wakeTime == .max)
    #expect(count(alice) { if case .down(_, [pair.a]) = $0 { true } else { false } } == 1)
    #expect(count(alice) { if case .serverDisconnected = $0 { true } else { false } } == 1)
    world.pass(86_400_000, alice)
    #expect(suspensions(alice) == 1)
  }

  /// Nothing is asked of relays while the agent is suspended, whatever happens; all of it follows later.
  @Test func nothingIsStartedWhileSuspended() throws {
    let pair = try Pair()
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    alice.acknowledges = false
    _ = try bob.send("before", to: pair.b)
    let metadata = try #require(alice.last { if case .message(let metadata, _, _) = $0 { metadata } else { nil } })
    try alice.run { engine, now in try engine.suspend(timeout: 0, now: now) }
    world.first.log = []
    world.second.log = []
    try alice.run { engine, now in try engine.ack(pair.a, metadata.id, receipt: [], now: now) }
    _ = try alice.send("waits", to: pair.a)
    _ = try bob.send("stays at the relay", to: pair.b)
    try alice.run { engine, now in try engine.subscribeAll(now: now) }
    let (_, call) = try alice.run { engine, now in
      try engine.createConnection(alice.user, mode: .invitation, now: now)
    }
    world.pass(10 * 86_400_000, alice)
    #expect(world.first.log == ["SEND"] && world.second.log.isEmpty)
    #expect(alice.texts == ["before"] && alice.wakeTime == .max)
    alice.acknowledges = true
    try alice.run { engine, now in try engine.activate(now: now) }
    world.pass(200, alice)
    _ = try alice.outcome(call)
    #expect(alice.texts == ["before", "stays at the relay"])
    #expect(bob.texts == ["waits"])
    #expect(bob.events.contains { if case .received = $0.kind { true } else { false } })
  }

  /// What is in flight has until the deadline, and is started again afterwards.
  @Test func suspendingEndsInTime() throws {
    let pair = try Pair()
    let (alice, world) = (pair.alice, pair.world)
    alice.swallows = ["SEND"]
    _ = try alice.send("lost", to: pair.a)
    try alice.run { engine, now in try engine.suspend(timeout: 1_000, now: now) }
    #expect(suspensions(alice) == 0)
    #expect(alice.wakeTime == world.now + 1_000)
    _ = try alice.send("later", to: pair.a)
    world.pass(1_000, alice)
    #expect(suspensions(alice) == 1)
    // The answer comes too late.
    for id in alice.swallowed { alice.input(.completed(id, .failure(.closed))) }
    world.settle()
    #expect(alice.wakeTime == .max)
    alice.swallows = []
    try alice.run { engine, now in try engine.activate(now: now) }
    #expect(pair.bob.texts == ["lost", "later"])
    #expect(suspensions(alice) == 1)
  }

  @Test func whatIsAnsweredInTimeEndsSuspending() throws {
    let pair = try Pair()
    let alice = pair.alice
    alice.swallows = ["SEND"]
    _ = try alice.send("1", to: pair.a)
    try alice.run { engine, now in try engine.suspend(timeout: 1_000, now: now) }
    alice.input(.completed(try #require(alice.swallowed.first), .success(.ok)))
    #expect(suspensions(alice) == 1)
    #expect(count(alice) { if case .sent = $0 { true } else { false } } == 1)
    #expect(try alice.rows(of: "tasks") == 0)
  }

  /// A subscription that is requested while the agent is being suspended is started when the agent is activated, even
  /// if the suspension was not complete.
  @Test func whatWaitedWhileSuspendingIsSubscribed() throws {
    let pair = try Pair()
    let (alice, bob) = (pair.alice, pair.bob)
    try alice.restart(subscribing: false)
    alice.swallows = ["SEND"]
    _ = try alice.send("keeps it from being suspended", to: pair.a)
    try alice.run { engine, now in try engine.suspend(timeout: 60_000, now: now) }
    try alice.run { engine, now in try engine.subscribe([pair.a], now: now) }
    try alice.run { engine, now in try engine.activate(now: now) }
    #expect(suspensions(alice) == 0)
    _ = try bob.send("hello", to: pair.b)
    #expect(alice.texts == ["hello"])
    #expect(try alice.engine.connectionStats(pair.a).subscription == .active)
  }

  @Test func stoppingTellsNothing() throws {
    let pair = try Pair()
    let (alice, world) = (pair.alice, pair.world)
    try alice.run { engine, now in try engine.stop(now: now) }
    world.first.log = []
    _ = try alice.send("1", to: pair.a)
    #expect(suspensions(alice) == 0 && pair.bob.texts.isEmpty)
    try alice.run { engine, now in try engine.activate(now: now) }
    #expect(pair.bob.texts == ["1"])
    #expect(world.first.log == ["SUB"])
    alice.swallows = ["SEND"]
    _ = try alice.send("2", to: pair.a)
    // Stopping ends a suspension that is awaited.
    try alice.run { engine, now in try engine.suspend(timeout: 1_000, now: now) }
    try alice.run { engine, now in try engine.stop(now: now) }
    #expect(suspensions(alice) == 1)
  }

  @Test func aSuspendedAgentStartsNothing() throws {
    let pair = try Pair()
    let (alice, world) = (pair.alice, pair.world)
    alice.outage = .network(.connectError(connectError: "down"))
    _ = try alice.send("1", to: pair.a)
    alice.outage = nil
    world.first.log = []
    world.second.log = []
    try alice.restart(suspended: true)
    world.pass(3_600_000, alice)
    #expect(world.first.log.isEmpty && world.second.log.isEmpty)
    try alice.run { engine, now in try engine.activate(now: now) }
    #expect(world.first.log == ["SUB"] && pair.bob.texts == ["1"])
  }
}
