import AgentCore
import AgentEngine
import AgentProtocol
import SMPProtocol
import SimplexCrypto
import Testing

/// Commands that an application repeats, because it crashed before it stored that the agent took them.
@Suite struct RepeatTests {
  private let world = TestWorld()

  private func id(_ number: UInt8) -> ConnectionID { ConnectionID([UInt8](repeating: number, count: 12)) }

  private func created(_ agent: TestAgent) -> [AgentEvent] {
    agent.events.filter { if case .created = $0.kind { true } else { false } }
  }

  private func joined(_ agent: TestAgent) -> [AgentEvent] {
    agent.events.filter { if case .joined = $0.kind { true } else { false } }
  }

  private func create(_ agent: TestAgent, _ id: ConnectionID, _ mode: ConnectionMode = .invitation) throws -> CallID? {
    try agent.run { engine, now in try engine.createConnection(agent.user, connection: id, mode: mode, now: now) }.call
  }

  private func link(_ agent: TestAgent, _ call: CallID?) throws -> CreatedLink {
    guard case .created(_, let link) = try agent.outcome(call) else { throw AgentError.internalError("not created") }
    return link
  }

  @Test(arguments: [ConnectionMode.invitation, .contact]) func creatingReturnsTheFirstLink(mode: ConnectionMode) throws
  {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let first = try link(alice, try create(alice, id(1), mode))
    #expect(try link(alice, try create(alice, id(1), mode)) == first)
    try alice.restart()
    #expect(try link(alice, try create(alice, id(1), mode)) == first)
    #expect(world.first.log.filter { $0 == "NEW" }.count == 1)
    #expect(try alice.engine.connections(of: alice.user) == [id(1)])
    #expect(throws: AgentError.connection(.duplicate)) {
      _ = try alice.engine.createConnection(
        alice.user, connection: id(1), mode: mode == .contact ? .invitation : .contact, now: world.now)
    }
  }

  @Test func severalCallersWaitForOneCreation() throws {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let calls = try (0..<3).map { _ in
      let accepted = try alice.engine.createConnection(
        alice.user, connection: id(1), mode: .invitation, now: world.now)
      alice.perform(accepted.effects)
      return accepted.value.call
    }
    world.settle()
    let links = try calls.map { try link(alice, $0) }
    #expect(Set(links).count == 1 && links.count == 3)
    #expect(world.first.log.filter { $0 == "NEW" }.count == 1)
  }

  @Test func anEventTellsOnceWhileItIsNotConfirmed() throws {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let tag = CorrelationTag([1])
    func create() throws {
      try alice.run { engine, now in
        try engine.createConnection(
          alice.user, connection: id(1), mode: .invitation, waiting: .event(tag), now: now)
      }
    }
    try create()
    try create()
    #expect(created(alice).count == 1)
    let event = try #require(created(alice).first?.id)
    try alice.run { engine, now in try engine.confirmEvents(through: event, now: now) }
    try create()
    #expect(created(alice).count == 2)
    #expect(world.first.log.filter { $0 == "NEW" }.count == 1)
  }

  /// Joins, with a relay that does not answer one command at first, and repeats it at once and after it is done.
  @Test(arguments: [false, true], [false, true]) func joiningReturnsTheFirstAnswer(isAddress: Bool, isAsync: Bool)
    throws
  {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let request = try alice.create(isAddress ? .contact : .invitation).link.full
    let tag = CorrelationTag([7])
    func join() throws -> CallID? {
      let accepted = try bob.engine.join(
        bob.user, connection: id(2), request, info: [5], waiting: isAsync ? .event(tag) : .call, now: world.now)
      bob.perform(accepted.effects)
      #expect(accepted.value.connection == id(2))
      return accepted.value.call
    }
    func check(_ calls: [CallID?]) throws {
      for call in calls where !isAsync {
        guard case .joined(id(2), isSecured: !isAddress) = try bob.outcome(call) else {
          Issue.record("not joined")
          continue
        }
      }
    }
    var calls = try [join(), join()]
    world.settle()
    calls.append(try join())
    world.settle()
    try check(calls)
    try bob.restart()
    let last = try join()
    world.settle()
    try check([last])
    if isAsync {
      #expect(Set(joined(bob).map(\.id)).count == 1)
      #expect(joined(bob).first?.tag == tag)
    }
    #expect(world.second.log.filter { $0 == "NEW" }.count == 1)
    #expect(world.first.log.filter { $0 == "SEND" }.count == 1)
    #expect(alice.errors.isEmpty && bob.errors.isEmpty)
  }

  /// A join that is repeated while the relay makes the queue for the first attempt passes on its own information.
  @Test func theInformationOfTheLastJoinIsSent() throws {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let request = try alice.create().link.full
    func join(_ info: [UInt8]) throws -> (effects: [AgentEffect], call: CallID?) {
      let accepted = try bob.engine.join(bob.user, connection: id(2), request, info: info, now: world.now)
      return (accepted.effects, accepted.value.call)
    }
    world.first.failures["SKEY"] = [.noHost]
    let first = try join([5])
    var second: CallID?
    func isSecuring(_ effect: AgentEffect) -> Bool {
      if case .perform(_, _, let request, _) = effect { request.command.form.keyword == "SKEY" } else { false }
    }
    bob.perform(first.effects.filter(isSecuring))
    world.later {
      let repeated = try? join([6])
      second = repeated?.call
      bob.perform(repeated?.effects ?? [])
    }
    bob.perform(first.effects.filter { !isSecuring($0) })
    world.settle()
    #expect(throws: AgentError.server(world.first.server, .noHost)) { try bob.outcome(first.call) }
    _ = try bob.outcome(second)
    let info: [UInt8]? = alice.last {
      if case .confirmation(_, _, _, let info) = $0 { info } else { nil }
    }
    #expect(info == [6])
    #expect(world.second.log.filter { $0 == "NEW" }.count == 1)
  }

  @Test func acceptingIsRepeatedWithoutTheRequest() throws {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let address = try alice.create(.contact)
    _ = try bob.join(address.link.full)
    let invitation = try #require(alice.invitation)
    func accept() throws -> CallID? {
      try alice.run { engine, now in
        try engine.acceptContact(alice.user, connection: id(3), invitation.id, info: [], now: now)
      }.call
    }
    _ = try alice.outcome(try accept())
    try alice.run { engine, now in try engine.delete([address.id], now: now) }
    guard case .joined(id(3), _) = try alice.outcome(try accept()) else { return #expect(Bool(false), "not joined") }
    #expect(bob.confirmation != nil)
    // A request that is gone is rejected all the same.
    try alice.engine.rejectContact(invitation.id)
    try alice.engine.rejectContact(invitation.id)
  }

  @Test func aMessageIsSentOnceForEachKey() throws {
    let pair = try Pair(world: world)
    let (alice, bob) = (pair.alice, pair.bob)
    bob.receipts = true
    func send(_ keys: [Int64]) throws -> [AcceptedMessage] {
      try alice.run { engine, now in
        try engine.send(
          keys.map { OutgoingMessage(to: pair.a, key: $0, bodyIndex: 0) }, bodies: [Array("text".utf8)], now: now)
      }.map { try $0.get() }
    }
    let first = try send([10, 11])
    #expect(try send([10, 11]) == first)
    try alice.restart()
    let second = try send([11, 12])
    #expect(second[0] == first[1])
    #expect(bob.texts == ["text", "text", "text"])
    #expect(try alice.rows(of: "message_bodies") == 0)
    let sent = alice.events.compactMap { if case .sent(let message, _) = $0.kind { message } else { nil } }
    #expect(Set(sent) == Set(zip(first + [second[1]], [10, 11, 12]).map { MessageReference(id: $0.id, key: $1) }))
    world.pass(200, alice, bob)
    let receipts = alice.events.compactMap { event -> [DeliveryReceipt]? in
      if case .received(_, let receipts) = event.kind { receipts } else { nil }
    }.flatMap { $0 }
    #expect(Set(receipts.map(\.message)) == Set(sent))
  }

  /// What was sent last is known by its key however long ago that was.
  @Test func theLastKeyIsKeptLonger() throws {
    let pair = try Pair(world: world)
    func send(_ key: Int64) throws -> AcceptedMessage {
      try pair.alice.run { engine, now in try engine.send(pair.a, key: key, body: [1], now: now) }
    }
    _ = try send(1)
    let last = try send(2)
    world.pass(30 * 86_400_000, pair.alice)
    #expect(try pair.alice.rows(of: "sent_messages") == 1)
    #expect(try send(2) == last)
  }

  @Test func whatIsGoneIsAcknowledgedAndDeleted() throws {
    let pair = try Pair(world: world)
    _ = try pair.bob.send("hello", to: pair.b)
    let metadata = try #require(pair.alice.last { if case .message(let metadata, _, _) = $0 { metadata } else { nil } })
    try pair.alice.run { engine, now in try engine.ack(pair.a, metadata.id, now: now) }
    try pair.alice.run { engine, now in try engine.delete([pair.a], now: now) }
    try pair.alice.run { engine, now in try engine.ack(pair.a, metadata.id, now: now) }
    try pair.alice.run { engine, now in try engine.delete([pair.a], now: now) }
    #expect(try pair.alice.engine.connections(of: pair.alice.user).isEmpty)
  }

  @Test func usersAreDeletedRepeatedly() throws {
    let alice = try world.agent("alice", seed: 1)
    let other = try alice.engine.createUser(servers: [], now: world.now)
    #expect(try alice.engine.users() == [alice.user, other])
    for _ in 0..<2 {
      _ = try alice.run { engine, now in try engine.deleteUser(other, deletingQueues: true, now: now) }
    }
    #expect(try alice.engine.users() == [alice.user])
    #expect(alice.events.contains { if case .userDeleted(other) = $0.kind { true } else { false } })
  }

  // MARK: Numbers of events

  /// An event may be emitted before it is durable: a power failure reverts it, but its number is not reused.
  @Test func numbersOfEventsAreNotGivenTwice() throws {
    let pair = try Pair(world: world)
    let alice = pair.alice
    let image = try alice.database.image()
    alice.forgetEvents()
    _ = try alice.send("one", to: pair.a)
    let told = try #require(alice.events.compactMap(\.id).max())
    try alice.lose(to: image)
    alice.forgetEvents()
    _ = try alice.send("two", to: pair.a)
    let next = try #require(alice.events.compactMap(\.id).min())
    #expect(next > told)
  }

  /// The application's database is newer than the agent's: no event gets a number that the application handled.
  @Test func numbersBelowTheWatermarkAreNotGiven() throws {
    let pair = try Pair(world: world)
    pair.alice.forgetEvents()
    let watermark = EventID(rawValue: 1_000_000)
    try pair.alice.run { engine, now in try engine.confirmEvents(through: watermark, now: now) }
    _ = try pair.alice.send("one", to: pair.a)
    #expect(try #require(pair.alice.events.compactMap(\.id).min()) > watermark)
    #expect(try pair.alice.rows(of: "events") == 1)
  }
}
