import AgentCore
import AgentEngine
import SMPClientCore
import SMPProtocol
import Testing

/// Where queues are created when a relay does not want to, or cannot.
@Suite struct RelayChoiceTests {
  private static let notice = SMPClientError.relay(
    .BLOCKED(blockInfo: BlockingInfo(reason: .spam, notice: ClientNotice(ttl: 3_600))))

  /// An agent with both relays, one of which always fails at first.
  private func agent(_ world: TestWorld, _ error: SMPClientError, seed: UInt64) throws -> TestAgent {
    world.first.failures = ["NEW": [error]]
    return try world.agent("alice", seed: seed)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func anotherRelayIsTriedAtOnce(seed: UInt64) throws {
    for error in [
      SMPClientError.relay(.AUTH), .noHost, .network(.connectError(connectError: "down")), .relay(.QUOTA), Self.notice,
    ] {
      let world = TestWorld()
      let alice = try agent(world, error, seed: seed)
      _ = try alice.create()
      let isFirstTried = world.first.log.contains("NEW")
      #expect(world.second.queues.count == 1)
      #expect(world.first.queues.isEmpty || !isFirstTried)
      #expect(alice.errors.isEmpty)
    }
  }

  @Test func allRefuse() throws {
    let world = TestWorld()
    world.first.failures = ["NEW": [.relay(.AUTH)]]
    world.second.failures = ["NEW": [.relay(.AUTH)]]
    let alice = try world.agent("alice", seed: 1)
    #expect(throws: AgentError.self) { try alice.create() }
    #expect(world.first.log == ["NEW"] && world.second.log == ["NEW"])
    #expect(try alice.rows(of: "connections") == 0 && alice.rows(of: "tasks") == 0)
    // The next one starts from the beginning.
    _ = try alice.create()
  }

  @Test func allUnreachableAndNobodyWaits() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1)
    alice.outage = .network(.connectError(connectError: "down"))
    try alice.run { engine, now in
      try engine.createConnection(alice.user, mode: .invitation, waiting: .event(nil), now: now)
    }
    #expect(alice.events.isEmpty)
    alice.outage = nil
    world.pass(60_000, alice)
    #expect(alice.last { if case .created = $0 { true } else { nil } } == true)
  }

  /// One refuses permanently, the other cannot be reached: it is retried, in whatever order they were asked.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func refusalOfOneDoesNotCountWhileAnotherMayHelp(seed: UInt64) throws {
    let world = TestWorld()
    world.first.failures = ["NEW": [.relay(.AUTH)]]
    world.second.failures = ["NEW": [.network(.connectError(connectError: "down"))]]
    let alice = try world.agent("alice", seed: seed)
    try alice.run { engine, now in
      try engine.createConnection(alice.user, mode: .invitation, waiting: .event(nil), now: now)
    }
    #expect(alice.events.isEmpty)
    world.pass(60_000, alice)
    #expect(alice.last { if case .created = $0 { true } else { nil } } == true)
    #expect(alice.errors.isEmpty)
  }

  @Test func noMoreThanAFewAreTried() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, { $0.creationRelays = 1 })
    alice.outage = .network(.connectError(connectError: "down"))
    #expect(throws: AgentError.self) { try alice.create() }
    world.first.failures = [:]
    #expect(world.first.log.isEmpty && world.second.log.isEmpty)
  }

  @Test func noticeStopsAddressesUntilItIsOver() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    _ = try alice.create()
    let queue = try #require(world.first.queues.keys.first)
    alice.session(world.first.server, .subscriptionFailed(queue, Self.notice))
    let expected = AgentError.notice(world.first.server, expiresAt: world.now + 3_600_000)
    #expect(throws: expected) { try alice.create(.contact) }
    // Invitations are for one person each, and are not hindered.
    _ = try alice.create()
    try alice.restart(subscribing: false)
    #expect(throws: expected) { try alice.create(.contact) }
    world.now += 3_600_001
    _ = try alice.create(.contact)
  }

  @Test func noticeEndsWhenTheQueueWorks() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    _ = try alice.create()
    let queue = try #require(world.first.queues.keys.first)
    let blocked = ProtocolErrorType.BLOCKED(blockInfo: BlockingInfo(reason: .spam, notice: ClientNotice()))
    alice.session(world.first.server, .message(queue, .err(blocked)))
    #expect(throws: AgentError.notice(world.first.server, expiresAt: nil)) { try alice.create(.contact) }
    try alice.restart()
    _ = try alice.create(.contact)
  }

  @Test func addressesGoToRelaysWithoutNotice() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1)
    world.first.failures = ["NEW": Array(repeating: Self.notice, count: 20)]
    for _ in 0..<12 { _ = try alice.create(.contact) }
    #expect(world.first.queues.isEmpty && world.second.queues.count == 12)
    #expect(world.first.log.count == 1, "it is not asked again while its notice lasts")
  }
}
