import AgentCore
import SMPClientCore
import SMPProtocol
import Testing

@testable import AgentEngine

/// A relay that does not answer delays messages to no other.
@Suite struct FlightLimitTests {
  private struct Trio {
    let world = TestWorld()
    let alice: TestAgent
    let bob: TestAgent
    let carol: TestAgent
    var toBob: [ConnectionID] = []
    var toCarol: ConnectionID

    /// Bob's queues are at the second relay, Carol's at the first one.
    init(_ configure: (inout AgentConfiguration) -> Void) throws {
      alice = try world.agent("alice", seed: 1, relays: [world.first], configure)
      bob = try world.agent("bob", seed: 2, relays: [world.second])
      carol = try world.agent("carol", seed: 3, relays: [world.first])
      toCarol = try Self.connect(alice, carol)
      for _ in 0..<3 { toBob.append(try Self.connect(alice, bob)) }
    }

    private static func connect(_ alice: TestAgent, _ peer: TestAgent) throws -> ConnectionID {
      let link = try alice.create()
      _ = try peer.join(link.link.full)
      let confirmation = try #require(alice.confirmation)
      try alice.run { engine, now in try engine.allow(link.id, confirmation.id, info: [], now: now) }
      return link.id
    }
  }

  @Test func othersPassWhileARelayHangs() throws {
    let trio = try Trio { configuration in
      configuration.flightLimit = 2
      configuration.flightsPerRelay = 2
    }
    let alice = trio.alice
    alice.hangs = [trio.world.second.server]
    for connection in trio.toBob { _ = try alice.send("to bob", to: connection) }
    #expect(alice.swallowed.count == 2)
    for number in 0..<3 { _ = try alice.send("\(number)", to: trio.toCarol) }
    #expect(trio.carol.texts == ["0", "1", "2"])
    // One is answered: the next one goes out, and they are all sent in the end.
    alice.input(.completed(alice.swallowed[0], .failure(.timeout)))
    #expect(alice.swallowed.count == 3)
    alice.hangs = []
    for request in alice.swallowed.dropFirst() { alice.input(.completed(request, .failure(.timeout))) }
    for _ in 0..<3 { trio.world.pass(60_000, alice) }
    #expect(trio.bob.texts.count == 3)
  }

  @Test func aRelayHasALimitOfItsOwn() throws {
    let trio = try Trio { $0.flightsPerRelay = 2 }
    trio.alice.hangs = [trio.world.second.server]
    for connection in trio.toBob { _ = try trio.alice.send("to bob", to: connection) }
    #expect(trio.alice.swallowed.count == 2)
  }

  private func startCreating(_ agent: TestAgent) throws {
    _ = try agent.run { engine, now in try engine.createConnection(agent.user, mode: .invitation, now: now) }
  }

  /// New queues are created at the other relays once a relay that does not answer has as many commands as it may.
  @Test func queuesAreCreatedWhileARelayHangs() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first, world.second]) { $0.flightsPerRelay = 2 }
    alice.hangs = [world.second.server]
    for _ in 0..<40 { try startCreating(alice) }
    #expect(alice.swallowed.count == 2)
    #expect(world.first.log.filter { $0 == "NEW" }.count == 38)
  }

  /// Nothing but the limit of its own relay delays a new queue, also where the user has no other relay.
  @Test func aQueueWaitsForItsRelayOnly() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.second]) { $0.flightsPerRelay = 2 }
    alice.hangs = [world.second.server]
    for _ in 0..<3 { try startCreating(alice) }
    #expect(alice.swallowed.count == 2)
    alice.input(.completed(alice.swallowed[0], .failure(.timeout)))
    #expect(alice.swallowed.count == 3)
  }

  /// The usual limits leave room for all but the relay that hangs, and for a few commands where many hang.
  @Test func usualLimitsLeaveRoomForOtherRelays() {
    let configuration = AgentConfiguration()
    let servers = (0..<6).map { SMPServerAddress(.domain("relay\($0).example"), keyHash: [UInt8($0)]) }
    var table = FlightTable()
    var last: UInt64 = 0
    func start(_ server: SMPServerAddress) -> Bool {
      guard table.hasRoom(for: server, configuration) else { return false }
      last += 1
      let task = AgentTask(
        id: Int64(last), lane: .sendQueue(Int64(last)), connection: 1, kind: .sendMessage, message: 1, payload: [],
        body: nil, createdAt: 0)
      table[RequestID(rawValue: last)] = Flight(
        work: .task(task), session: SessionKey(server: server, user: UserID(rawValue: 1)), startedAt: 0)
      return true
    }
    var started = 0
    while start(servers[0]) { started += 1 }
    #expect(started == configuration.flightsPerRelay && started <= configuration.flightLimit / 4)
    for server in servers[1..<5] { while start(server) { started += 1 } }
    #expect(started <= configuration.flightLimit + 4 * configuration.reservedFlights)
    for _ in 0..<configuration.reservedFlights {
      let isStarted = start(servers[5])
      #expect(isStarted)
    }
    let isStarted = start(servers[5])
    #expect(!isStarted)
    table[RequestID(rawValue: last)] = nil
    let isStartedAgain = start(servers[5])
    #expect(isStartedAgain)
  }
}
