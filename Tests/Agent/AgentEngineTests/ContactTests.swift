import AgentCore
import AgentEngine
import AgentProtocol
import AgentStore
import SMPProtocol
import SimplexCrypto
import Testing
import WireCodec

@Suite struct ContactTests {
  private func contactData(_ text: String) throws -> UserLinkData {
    UserLinkData(
      agentVersions: AgentVersion.supported, kind: .contact(ContactLinkData(isDirect: true)), content: Array(text.utf8))
  }

  @Test func addressTakesRequests() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1)
    let bob = try world.agent("bob", seed: 2)
    let address = try alice.create(.contact)
    #expect(address.link.short == nil)
    let joined = try bob.join(try throughText(address.link.full), info: "hello")
    #expect(!joined.isSecured)
    let invitation = try #require(alice.invitation)
    #expect(invitation.info == Array("hello".utf8))
    let accepted = try alice.run { engine, now in
      try engine.acceptContact(alice.user, invitation.id, info: Array("welcome".utf8), now: now)
    }
    let confirmation = try #require(bob.confirmation)
    #expect(confirmation.info == Array("welcome".utf8))
    try bob.run { engine, now in try engine.allow(joined.id, confirmation.id, info: [1], now: now) }
    #expect(alice.isConnected == true && bob.isConnected == true)
    _ = try alice.send("to bob", to: accepted.connection)
    _ = try bob.send("to alice", to: joined.id)
    #expect(bob.texts == ["to bob"] && alice.texts == ["to alice"])
    #expect(alice.errors.isEmpty && bob.errors.isEmpty)
  }

  /// An imported profile may have the queue to answer a confirmation with, secured or not.
  @Test(arguments: [AgentQueueStatus.new, .secured]) func allowingUsesTheQueueThatIsThere(
    _ status: AgentQueueStatus
  ) throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1)
    let bob = try world.agent("bob", seed: 2)
    let address = try alice.create(.contact)
    let joined = try bob.join(address.link.full)
    let invitation = try #require(alice.invitation)
    _ = try alice.run { engine, now in
      try engine.acceptContact(alice.user, invitation.id, info: [], now: now)
    }
    let confirmation = try #require(bob.confirmation)
    let store = bob.engine.store
    let stored = try #require(try store.confirmation(confirmation.id))
    let reply = try #require(stored.queues.first)
    var random = SystemRandom()
    let own = X25519.PrivateKey(using: &random)
    var queue = SendQueue(
      connection: stored.connection, server: reply.address.server, senderID: reply.address.senderID,
      key: .ed25519(Ed25519.PrivateKey(using: &random)), publicKey: own.publicKey,
      sharedKey: try own.boxKey(with: reply.address.dhKey), mode: reply.address.mode,
      clientVersion: reply.clientVersion)
    queue.number = try store.insert(queue)
    func securing() -> Int { (world.first.log + world.second.log).filter { $0 == "SKEY" }.count }
    let before = securing()
    if status == .new {
      try bob.run { engine, now in try engine.allow(joined.id, confirmation.id, info: [1], now: now) }
      #expect(alice.isConnected == true && bob.isConnected == true)
      #expect(securing() == before + 1)
      #expect(try store.sendQueues(of: stored.connection).map(\.number) == [queue.number])
      _ = try bob.send("x", to: joined.id)
      #expect(alice.texts == ["x"])
    } else {
      // The relay does not know the key: nothing secures the queue again.
      queue.status = status
      try store.update(queue)
      try bob.run { engine, now in try engine.allow(joined.id, confirmation.id, info: [1], now: now) }
      #expect(securing() == before)
    }
  }

  @Test func requestsCanBeRejected() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1)
    let bob = try world.agent("bob", seed: 2)
    let address = try alice.create(.contact)
    _ = try bob.join(address.link.full)
    let invitation = try #require(alice.invitation)
    try alice.engine.rejectContact(invitation.id)
    try alice.engine.rejectContact(invitation.id)
    #expect(throws: AgentError.connection(.notFound)) {
      try alice.engine.acceptContact(alice.user, invitation.id, info: [], now: world.now)
    }
  }

  @Test func shortLinkOfAddress() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1)
    let bob = try world.agent("bob", seed: 2)
    let address = try alice.create(.contact, linkData: try contactData("profile"))
    let short = try #require(address.link.short)
    let text = try ShortLink.textCodec.text(short)
    let call = try bob.run { engine, now in
      try engine.getLinkData(bob.user, try ShortLink.textCodec.decode(text: text), now: now)
    }
    guard case .linkData(let request, let content) = try bob.outcome(call) else {
      Issue.record("no link data")
      return
    }
    #expect(content.user.content == Array("profile".utf8))
    #expect(request.queues == address.link.full.queues)
    // The data changes, the link does not.
    let set = try alice.run { engine, now in
      try engine.setLinkData(address.id, try contactData("new profile"), now: now)
    }
    guard case .linkSet(let link) = try alice.outcome(set) else {
      Issue.record("not set")
      return
    }
    #expect(link == short)
    let again = try bob.run { engine, now in try engine.getLinkData(bob.user, short, now: now) }
    guard case .linkData(_, let changed) = try bob.outcome(again) else {
      Issue.record("no link data")
      return
    }
    #expect(changed.user.content == Array("new profile".utf8))
    let deleted = try alice.run { engine, now in try engine.deleteShortLink(address.id, now: now) }
    guard case .done = try alice.outcome(deleted) else {
      Issue.record("not deleted")
      return
    }
    let gone = try bob.run { engine, now in try engine.getLinkData(bob.user, short, now: now) }
    #expect(throws: AgentError.server(short.server, .relay(.AUTH))) { try bob.outcome(gone) }
  }

  /// A call does not wait for the relay behind a change that is made in the background; that is made later.
  @Test func aCallBehindAChangeFails() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let address = try alice.create(.contact, linkData: try contactData("profile"))
    world.first.failures = ["LSET": [.closed, .closed, .closed]]
    func set(_ text: String, _ waiting: Waiting) throws -> CallID? {
      try alice.run { engine, now in
        try engine.setLinkData(address.id, try contactData(text), waiting: waiting, now: now)
      }
    }
    _ = try set("changed", .event(CorrelationTag([1])))
    // The first one is tried again for the call, and both fail.
    let call = try set("refused", .call)
    #expect(throws: AgentError.server(world.first.server, .closed)) { try alice.outcome(call) }
    let info = try alice.run { engine, now in try engine.queueInfo(address.id, now: now) }
    #expect(throws: AgentError.server(world.first.server, .closed)) { try alice.outcome(info) }
    #expect(alice.errors.isEmpty)
    world.pass(60_000, alice)
    let changed = alice.last { if case .linkSet(_, let data) = $0 { data.content } else { nil } }
    #expect(changed == Array("changed".utf8))
    #expect(try alice.rows(of: "tasks") == 0)
  }

  @Test func addressGetsShortLinkLater() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1)
    let bob = try world.agent("bob", seed: 2)
    let address = try alice.create(.contact)
    let set = try alice.run { engine, now in
      try engine.setLinkData(address.id, try contactData("later"), now: now)
    }
    guard case .linkSet(let link) = try alice.outcome(set) else {
      Issue.record("not set")
      return
    }
    let call = try bob.run { engine, now in try engine.getLinkData(bob.user, link, now: now) }
    guard case .linkData(let request, _) = try bob.outcome(call) else {
      Issue.record("no link data")
      return
    }
    _ = try bob.join(request)
    #expect(alice.invitation != nil)
  }

  @Test func shortLinkOfInvitation() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let data = UserLinkData(agentVersions: AgentVersion.supported, kind: .invitation, content: [7])
    let created = try alice.create(.invitation, linkData: data)
    let short = try #require(created.link.short)
    guard case .invitation(let offer) = created.link.full.kind else {
      Issue.record("no invitation")
      return
    }
    // The long keys are behind the short link only.
    #expect(offer.kem == nil)
    let call = try bob.run { engine, now in try engine.getLinkData(bob.user, short, now: now) }
    guard case .linkData(let request, let content) = try bob.outcome(call) else {
      Issue.record("no link data")
      return
    }
    #expect(content.user.content == [7])
    let joined = try bob.join(request)
    // Opening the link has secured the queue already.
    #expect(world.first.log.filter { $0 == "SKEY" }.isEmpty)
    let confirmation = try #require(alice.confirmation)
    try alice.run { engine, now in try engine.allow(created.id, confirmation.id, info: [], now: now) }
    #expect(alice.isConnected == true && bob.isConnected == true)
    _ = try bob.send("x", to: joined.id)
    #expect(alice.texts == ["x"])
  }
}
