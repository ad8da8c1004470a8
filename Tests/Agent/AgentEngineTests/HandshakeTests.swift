import AgentCore
import AgentEngine
import AgentProtocol
import DoubleRatchet
import SMPProtocol
import Testing
import WireCodec

/// Both handshakes, with all pairs of versions.
@Suite struct HandshakeTests {
  /// The queue of the initiating side, of the joining side, or of both are on relays that know no modes.
  @Test(arguments: [(false, true), (true, false), (false, false)])
  func standardHandshake(firstKnows: Bool, secondKnows: Bool) throws {
    let world = TestWorld()
    world.first.knowsModes = firstKnows
    world.second.knowsModes = secondKnows
    let pair = try Pair(world: world)
    #expect(world.first.log.contains("KEY") == !firstKnows)
    #expect(world.second.log.contains("KEY") == !secondKnows)
    _ = try pair.alice.send("a", to: pair.a)
    _ = try pair.bob.send("b", to: pair.b)
    #expect(pair.alice.texts == ["b"] && pair.bob.texts == ["a"])
    #expect(pair.alice.integrities == [.ok] && pair.bob.integrities == [.ok])
    #expect(pair.alice.errors.isEmpty && pair.bob.errors.isEmpty)
    #expect(pair.alice.events.filter { if case .connected = $0.kind { true } else { false } }.count == 1)
    #expect(pair.bob.events.filter { if case .connected = $0.kind { true } else { false } }.count == 1)
  }

  @Test(arguments: 2...7 as ClosedRange<UInt16>)
  func olderAgents(version: UInt16) throws {
    let pair = try Pair(bob: { $0.agentVersions = VersionRange(2...version) })
    #expect(try pair.alice.engine.connectionStats(pair.a).agentVersion == version)
    _ = try pair.alice.send("a", to: pair.a)
    _ = try pair.bob.send("b", to: pair.b)
    #expect(pair.alice.texts == ["b"] && pair.bob.texts == ["a"])
    let usesPQ = pair.alice.last { if case .message(let metadata, _, _) = $0 { metadata.pqEncryption } else { nil } }
    #expect(usesPQ == (version >= AgentVersion.postQuantum))
  }

  @Test func olderRatchet() throws {
    let pair = try Pair(alice: { $0.e2eVersions = VersionRange(2) })
    _ = try pair.bob.send("b", to: pair.b)
    #expect(pair.alice.texts == ["b"])
    #expect(try !pair.bob.engine.connectionStats(pair.b).pqSupport)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt16>)
  func olderClients(version: UInt16) throws {
    let pair = try Pair(bob: { $0.clientVersions = VersionRange(1...version) })
    _ = try pair.alice.send("a", to: pair.a)
    _ = try pair.bob.send("b", to: pair.b)
    #expect(pair.alice.texts == ["b"] && pair.bob.texts == ["a"])
  }

  @Test func versionsThatDoNotFit() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1) { $0.agentVersions = VersionRange(2...3) }
    let bob = try world.agent("bob", seed: 2) { $0.agentVersions = VersionRange(6...7) }
    let link = try alice.create()
    #expect(throws: AgentError.peer(.version)) { try bob.join(link.link.full) }
  }

  @Test func asynchronousVariants() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1)
    let bob = try world.agent("bob", seed: 2)
    alice.outage = .network(.connectError(connectError: "down"))
    let created = try alice.run { engine, now in
      try engine.createConnection(
        alice.user, mode: .invitation, waiting: .event(CorrelationTag([1])), now: now)
    }
    #expect(alice.events.isEmpty && created.call == nil)
    alice.outage = nil
    try alice.restart()
    world.pass(120_000, alice)
    let event = try #require(alice.events.last { if case .created = $0.kind { true } else { false } })
    #expect(event.tag == CorrelationTag([1]) && event.connection == created.connection)
    guard case .created(let link) = event.kind else { return }
    bob.outage = .timeout
    let joined = try bob.run { engine, now in
      try engine.join(bob.user, link.full, info: [], waiting: .event(CorrelationTag([2])), now: now)
    }
    bob.outage = nil
    try bob.restart()
    world.pass(120_000, bob)
    let tag = bob.events.last { if case .joined = $0.kind { true } else { false } }?.tag
    #expect(tag == CorrelationTag([2]))
    let confirmation = try #require(alice.confirmation)
    try alice.run { engine, now in
      try engine.allow(created.connection, confirmation.id, info: [], tag: CorrelationTag([3]), now: now)
    }
    #expect(alice.isConnected != nil && bob.isConnected != nil)
    _ = try bob.send("x", to: joined.connection)
    #expect(alice.texts == ["x"])
  }

  @Test func answeredConfirmationNeedsNoRepetition() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let link = try alice.create()
    // The confirmation arrives, and the relay's answer does not.
    world.first.failures = ["SEND": [.timeout]]
    let call = try bob.run { engine, now in try engine.join(bob.user, link.link.full, info: [], now: now) }
    #expect(throws: AgentError.self) { try bob.outcome(call.call) }
    let confirmation = try #require(alice.confirmation)
    try alice.run { engine, now in try engine.allow(link.id, confirmation.id, info: [], now: now) }
    #expect(alice.isConnected != nil && bob.isConnected != nil)
    _ = try bob.send("x", to: call.connection)
    #expect(alice.texts == ["x"])
    #expect(try bob.rows(of: "tasks") == 0)
  }

  @Test func joiningCanBeRepeated() throws {
    for keyword in ["SKEY", "NEW", "SEND"] {
      let world = TestWorld()
      let alice = try world.agent("alice", seed: 1, relays: [world.first])
      let bob = try world.agent("bob", seed: 2, relays: [world.second])
      let link = try alice.create()
      world.first.failures = [keyword: [.timeout]]
      world.second.failures = [keyword: [.timeout]]
      let id = ConnectionID([1, 2, 3])
      let first = try bob.run { engine, now in
        try engine.join(bob.user, connection: id, link.link.full, info: [5], now: now)
      }
      #expect(throws: AgentError.self) { try bob.outcome(first.call) }
      let second = try bob.run { engine, now in
        try engine.join(bob.user, connection: id, link.link.full, info: [5], now: now)
      }
      guard case .joined(id, isSecured: true) = try bob.outcome(second.call) else {
        Issue.record("not joined after \(keyword)")
        continue
      }
      let confirmation = try #require(alice.confirmation)
      try alice.run { engine, now in try engine.allow(link.id, confirmation.id, info: [], now: now) }
      // What failed once for each relay may have hit her too.
      world.pass(120_000, alice)
      #expect(alice.isConnected != nil && bob.isConnected != nil)
      _ = try bob.send("x", to: id)
      #expect(alice.texts == ["x"] && alice.integrities == [.ok])
    }
  }
}
