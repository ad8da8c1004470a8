import AgentCore
import AgentEngine
import AgentProtocol
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import Testing
import WireCodec

/// Failures of commands by relays and networks, and the events that the application gets.
@Suite struct NetworkFailureTests {
  private let world = TestWorld()

  private var linkData: UserLinkData {
    UserLinkData(agentVersions: AgentVersion.supported, kind: .invitation, content: [1])
  }

  private func opened(_ link: ShortLink, by agent: TestAgent) throws -> ConnectionRequest {
    let call = try agent.run { engine, now in try engine.getLinkData(agent.user, link, now: now) }
    guard case .linkData(let request, _) = try agent.outcome(call) else { throw AgentError.internalError("no data") }
    return request
  }

  private func join(_ agent: TestAgent, _ request: ConnectionRequest, _ id: ConnectionID) throws -> CallID? {
    try agent.run { engine, now in
      try engine.join(agent.user, connection: id, request, info: [1], now: now)
    }.call
  }

  /// An invitation can be joined again after a failure, by the same connection and by another one, whatever its relay
  /// did before the answer was lost.
  @Test(arguments: [true, false], [true, false]) func anInvitationCanBeTriedAgain(isShort: Bool, isSame: Bool) throws {
    for lost in ["SKEY", "SEND", "NEW"] {
      let world = TestWorld()
      let alice = try world.agent("alice", seed: 1, relays: [world.first])
      let bob = try world.agent("bob", seed: 2, relays: [world.second])
      let created = try alice.create(linkData: isShort ? linkData : nil).link
      let first = ConnectionID([1])
      var request = try created.short.map { try opened($0, by: bob) } ?? created.full
      // The relay did what it was asked, and the answer is lost.
      world.first.failures = [lost: [.timeout]]
      world.second.failures = [lost: [.timeout]]
      let failing = try join(bob, request, first)
      // A short link secures the queue when it is opened: nothing is lost then.
      guard case .failure(let error)? = bob.outcomes[try #require(failing)] else {
        #expect(isShort && lost == "SKEY")
        continue
      }
      #expect(error.isTemporary)
      if let short = created.short { request = try opened(short, by: bob) }
      let call = try join(bob, request, isSame ? first : ConnectionID([2]))
      // Where the confirmation arrived, the invitation is used up, and the first connection is the one that works.
      if lost == "SEND", !isSame { continue }
      guard case .joined = try bob.outcome(call) else {
        Issue.record("not joined after \(lost) failed")
        continue
      }
      let confirmation = try #require(alice.confirmation, "\(lost)")
      #expect(confirmation.info == [1])
    }
  }

  /// A request in the background is repeated until the queue of the address has room: copies of it may fill the queue.
  @Test func aRequestWaitsForAFullAddress() throws {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let request = try alice.create(.contact).link.full
    world.first.failures["SEND"] = [.relay(.QUOTA), .relay(.QUOTA)]
    try bob.run { engine, now in
      try engine.join(
        bob.user, connection: ConnectionID([1]), request, info: [1], waiting: .event(CorrelationTag([7])), now: now)
    }
    for _ in 0..<2 { world.pass(60_000, bob) }
    #expect(alice.invitation?.info == [1])
    #expect(bob.events.contains { if case .joined = $0.kind { true } else { false } })
    #expect(bob.errors.isEmpty)
  }

  @Test func aCallToAFullAddressCanBeRepeated() throws {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let request = try alice.create(.contact).link.full
    world.first.failures["SEND"] = [.relay(.QUOTA)]
    let refused = try join(bob, request, ConnectionID([1]))
    #expect(throws: AgentError.server(world.first.server, .relay(.QUOTA))) { try bob.outcome(refused) }
    guard case .joined = try bob.outcome(try join(bob, request, ConnectionID([1]))) else {
      Issue.record("not joined")
      return
    }
    #expect(alice.invitation?.info == [1])
  }

  /// A request that waits in the background is tried at once where a call repeats it: the pause may be hours long.
  @Test func aRepeatedRequestDoesNotWait() throws {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let request = try alice.create(.contact).link.full
    world.first.failures["SEND"] = [.relay(.QUOTA), .relay(.QUOTA), .relay(.QUOTA)]
    func ask(_ waiting: Waiting) throws -> CallID? {
      try bob.run { engine, now in
        try engine.join(bob.user, connection: ConnectionID([1]), request, info: [1], waiting: waiting, now: now)
      }.call
    }
    _ = try ask(.event(CorrelationTag([7])))
    for _ in 0..<2 {
      let call = try ask(.call)
      #expect(throws: AgentError.server(world.first.server, .relay(.QUOTA))) { try bob.outcome(call) }
    }
    guard case .joined = try bob.outcome(try ask(.call)) else { throw AgentError.internalError("not joined") }
    #expect(alice.invitation?.info == [1])
  }

  /// Where there is only one relay, which is the destination, it passes messages on to itself.
  @Test func theDestinationIsTheLastProxy() throws {
    let alice = try world.agent("alice", seed: 1, relays: [world.first]) {
      $0.proxyMode = .always
      $0.proxyFallback = false
    }
    let bob = try world.agent("bob", seed: 2, relays: [world.first]) {
      $0.proxyMode = .always
      $0.proxyFallback = false
    }
    let link = try alice.create()
    let joined = try bob.join(link.link.full)
    let confirmation = try #require(alice.confirmation)
    try alice.run { engine, now in try engine.allow(link.id, confirmation.id, info: [], now: now) }
    _ = try alice.send("1", to: link.id)
    _ = try bob.send("2", to: joined.id)
    #expect(alice.texts == ["2"] && bob.texts == ["1"])
    #expect(alice.errors.isEmpty && bob.errors.isEmpty)
  }

  /// A peer of an older ratchet announces a newer one when it is asked for post-quantum encryption.
  @Test(arguments: [true, false]) func pqIsAskedOfAnOldRatchet(isOldInviter: Bool) throws {
    let old: (inout AgentConfiguration) -> Void = { $0.e2eVersions = VersionRange(2...2) }
    let pair = try Pair(world: world, alice: isOldInviter ? old : { _ in }, bob: isOldInviter ? { _ in } : old)
    let (alice, bob) = (pair.alice, pair.bob)
    let long = String(repeating: "x", count: 13_000)
    for number in 0..<6 {
      try alice.run { engine, now in
        try engine.send(pair.a, pq: true, body: Array("a\(number) \(long)".utf8), now: now)
      }
      try bob.run { engine, now in try engine.send(pair.b, pq: true, body: Array("b\(number) \(long)".utf8), now: now) }
    }
    #expect(alice.texts == (0..<6).map { "b\($0) \(long)" })
    #expect(bob.texts == (0..<6).map { "a\($0) \(long)" })
    #expect(try alice.rows(of: "tasks") == 0 && bob.rows(of: "tasks") == 0)
    #expect(alice.errors.isEmpty && bob.errors.isEmpty)
  }

  /// A message that cannot even be encrypted is given up, and the event names it.
  @Test func aMessageThatCannotBeStartedFails() throws {
    let pair = try Pair(world: world)
    let alice = pair.alice
    try alice.run { engine, now in try engine.setNetwork(online: false, now: now) }
    let accepted = try alice.run { engine, now in try engine.send(pair.a, key: 5, body: [1], now: now) }
    try alice.database.execute("UPDATE tasks SET payload = substr(payload, 1, 10)")
    try alice.run { engine, now in try engine.setNetwork(online: true, now: now) }
    let failed = alice.last { if case .messageFailed(let message, _) = $0 { message } else { nil } }
    #expect(failed == MessageReference(id: accepted.id, key: 5))
  }

  /// Events that change the state of a chat have a number, so that they are handled once.
  @Test func eventsThatChangeStateHaveNumbers() throws {
    let stats = AgentConnectionStats(
      agentVersion: 7, receiveQueues: [], sendQueues: [], ratchetSync: .ok, ratchetSyncSupported: true,
      subscription: nil, pqSupport: true)
    let message = MessageReference(id: AgentMessageID(rawValue: 3), key: 9)
    let error = AgentError.server(world.first.server, .network(.unknownCAError))
    let kinds: [AgentEvent.Kind] = [
      .confirmation(ConfirmationID([1]), pqSupport: true, servers: [world.first.server], info: [1]),
      .request(InvitationID([1]), pqSupport: true, servers: [], info: [1]), .information(pqSupport: true, info: [1]),
      .connected(pqEncryption: true), .joined(isSecured: true), .subscriptionEnded, .queueDeleted, .queueContinues,
      .switched(.receive, .started, stats), .ratchetSync(.required, error, stats), .sent(message, proxy: nil),
      .messageWarning(message, error), .messageFailed(message, error), .messagesFailed([message], error),
      .receiveQueuesDeleted([]), .connectionsDeleted([ConnectionID([1])]), .userDeleted(UserID(rawValue: 1)), .done,
      .failed(error),
    ]
    let file = AgentFileID([1, 2])
    let relay = XFTPServer(.domain("files.example"), port: 1, keyHash: [UInt8](repeating: 1, count: 32))
    let fileErrors: [AgentError] = [
      .fileServer(relay, .relay(.AUTH)), .fileServer(relay, .relay(.CMD(cmdErr: .NO_AUTH))),
      .fileServer(relay, .network(.timeoutError)), .fileServer(relay, .timeout), .fileServer(relay, .noHost),
      .fileServer(relay, .version), .fileServer(relay, .unexpected("a b")), .file(.notApproved), .file(.tooLarge),
      .file(.redirect("x")), .file(.local("x")), .file(.missing), .file(.damaged(.DIGEST)), .noServers,
    ]
    let files = fileErrors.flatMap { [AgentEvent.Kind.fileSendFailed(file, $0), .fileReceiveFailed(file, $0)] }
    for kind in kinds + files + [.fileReceived(file, size: 1 << 40)] {
      let payload = try #require(try kind.storedPayload(), "\(kind)")
      let read = try #require(try AgentEvent.Kind(storedPayload: payload))
      #expect("\(read)" == "\(kind)")
    }
  }

  /// What failed while the clock was a year ahead does not wait for that year once the clock is right.
  @Test(arguments: [true, false]) func aWrongClockDelaysNothing(restarts: Bool) throws {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let link = try alice.create()
    _ = try bob.join(link.link.full)
    let confirmation = try #require(alice.confirmation)
    try alice.run { engine, now in try engine.allow(link.id, confirmation.id, info: [], now: now) }
    let year: Int64 = 365 * 86_400_000
    world.pass(year, alice, bob)
    alice.outage = .network(.connectError(connectError: "down"))
    _ = try alice.send("late", to: link.id)
    alice.outage = nil
    world.pass(-year, alice)
    if restarts { try alice.restart() }
    world.pass(60_000, alice)
    #expect(bob.texts == ["late"])
    #expect(alice.wakeTime - world.now <= alice.configuration.maintenanceInterval)
  }
}
