import AgentCore
import AgentEngine
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

/// What peers and relays may send that they should not: a typed error, nothing else changes, and the connection goes
/// on.
@Suite struct BadInputTests {
  private struct Target {
    let pair: Pair
    /// Bob's queue for sending to alice.
    let queue: SendQueue

    init(seed: UInt64 = 1) throws {
      pair = try Pair(seed: seed)
      let store = try AgentDatabase(pair.bob.database)
      let connection = try #require(try store.connection(pair.b))
      queue = try #require(try store.sendQueues(of: connection.number).first)
      pair.alice.forgetEvents()
    }

    func inject(_ body: [UInt8]) {
      pair.world.first.inject(body, to: queue.senderID)
      pair.world.settle()
    }

    /// The body of a SEND with this in its box.
    func boxed(_ body: [UInt8], version: UInt16 = 4) throws -> [UInt8] {
      var random = InsecureSeededRandom(seed: 5)
      let nonce = BoxNonce(using: &random)
      let box = try ClientMessage(senderKey: nil, body: body)
        .seal(key: queue.sharedKey, nonce: nonce, paddedTo: ClientMessage.messagePaddedSize)
      return try SentMessage.codec.encode(SentMessage(version: version, key: nil, nonce: nonce, box: box))
    }

    func envelope(_ content: AgentEnvelope.Content) throws -> [UInt8] {
      try boxed(AgentEnvelope.codec.encode(AgentEnvelope(version: 7, content: content)))
    }

    func ratchet() throws -> [UInt8]? {
      try pair.alice.database.first("SELECT state FROM ratchets") { (row) throws(SQLiteError) in try row.bytes(0) }
    }

    /// The connection continues unaffected.
    func goesOn() throws {
      let before = pair.alice.texts.count
      _ = try pair.bob.send("goes on", to: pair.b)
      #expect(pair.alice.texts.count == before + 1)
      #expect(pair.alice.integrities.last == .ok)
      #expect(pair.world.first.queues.values.allSatisfy { $0.messages.isEmpty })
    }
  }

  @Test func malformedLayers() throws {
    let target = try Target()
    let before = try target.ratchet()
    target.inject([1, 2, 3])
    target.inject(try target.boxed([9, 9, 9]))
    target.inject(try target.boxed([0, 7, UInt8(ascii: "Z")]))
    #expect(target.pair.alice.errors.count == 3)
    #expect(
      target.pair.alice.errors.allSatisfy { if case .peer(.malformed) = $0 { true } else { false } })
    var random = InsecureSeededRandom(seed: 6)
    let forged = SentMessage(
      version: 4, key: nil, nonce: BoxNonce(using: &random), box: [UInt8](repeating: 1, count: 16_016))
    target.inject(try SentMessage.codec.encode(forged))
    #expect(target.pair.alice.errors.last == .peer(.box(.authenticationFailed)))
    #expect(try target.ratchet() == before)
    try target.goesOn()
  }

  @Test func versionsNobodySpeaks() throws {
    let target = try Target()
    target.inject(try target.boxed([], version: 99))
    #expect(target.pair.alice.errors == [.peer(.version)])
    try target.goesOn()
  }

  @Test func handshakeMessagesInAnEstablishedQueue() throws {
    let target = try Target()
    let invitation = try target.pair.bob.create().link.full
    target.inject(try target.envelope(.confirmation(keys: nil, encryptedInfo: [1])))
    target.inject(try target.envelope(.invitation(invitation, info: [])))
    #expect(
      target.pair.alice.errors.allSatisfy { if case .peer(.prohibited) = $0 { true } else { false } })
    #expect(target.pair.alice.errors.count == 2)
    try target.goesOn()
  }

  @Test func garbageForTheRatchet() throws {
    let target = try Target()
    let before = try target.ratchet()
    target.inject(try target.envelope(.message(encrypted: [])))
    #expect(target.pair.alice.errors.count == 1)
    // A message of another ratchet looks like one of a ratchet that was lost.
    let other = try Target(seed: 50)
    _ = try other.pair.bob.send("other", to: other.pair.b)
    let body = try #require(other.pair.world.first.sent[other.queue.senderID]?.last)
    let sent = try SentMessage.codec.decode(body)
    let inner = try ClientMessage(opening: sent, key: other.queue.sharedKey).body
    target.inject(try target.boxed(inner))
    #expect(try target.pair.alice.engine.connectionStats(target.pair.a).ratchetSync == .required)
    #expect(try target.ratchet() == before)
    try target.goesOn()
    #expect(try target.pair.alice.engine.connectionStats(target.pair.a).ratchetSync == .ok)
  }

  @Test func replays() throws {
    let target = try Target()
    let world = target.pair.world
    _ = try target.pair.bob.send("once", to: target.pair.b)
    let before = try target.ratchet()
    for body in world.first.sent[target.queue.senderID] ?? [] { target.inject(body) }
    #expect(target.pair.alice.texts == ["once"])
    #expect(target.pair.alice.errors.isEmpty)
    #expect(try target.ratchet() == before)
    try target.goesOn()
  }

  @Test func replayedConfirmationBeforeItIsAllowed() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let link = try alice.create()
    _ = try bob.join(link.link.full)
    let queue = try #require(world.first.queues.values.first)
    let body = try #require(world.first.sent[queue.senderID]?.first)
    world.first.inject(body, to: queue.senderID)
    world.settle()
    let confirmations = alice.events.filter { if case .confirmation = $0.kind { true } else { false } }
    #expect(confirmations.count == 1 && alice.errors.isEmpty)
    let confirmation = try #require(alice.confirmation)
    try alice.run { engine, now in try engine.allow(link.id, confirmation.id, info: [], now: now) }
    #expect(bob.isConnected != nil)
  }

  @Test func messagesOfDeletedConnections() throws {
    let target = try Target()
    let alice = target.pair.alice
    let message = SealedMessage(id: MessageID([1]), box: [2])
    alice.session(target.pair.world.first.server, .message(EntityID([3]), .msg(message)))
    alice.session(
      SMPServerAddress(.domain("nowhere.example"), keyHash: []), .message(EntityID([3]), .msg(message)))
    #expect(alice.errors.isEmpty)
    try target.goesOn()
  }

  /// The relay, or an impersonator, returns data other than the link's owner stored.
  @Test func linkDataOfAnotherHand() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    func address(_ text: String) throws -> ShortLink {
      let data = UserLinkData(
        agentVersions: AgentVersion.supported, kind: .contact(ContactLinkData(isDirect: true)),
        content: Array(text.utf8))
      return try #require(try alice.create(.contact, linkData: data).link.short)
    }
    let link = try address("alice's")
    let queue = try #require(world.first.queues.values.first)
    let genuine = try #require(queue.link)
    _ = try address("another")
    let other = try #require(world.first.queues.values.first { $0 !== queue }?.link)
    func flipped(_ bytes: [UInt8]) -> [UInt8] { bytes.dropLast() + [bytes[bytes.count - 1] ^ 1] }
    let wrong = [
      QueueLinkData(fixedData: flipped(genuine.fixedData), userData: genuine.userData),
      QueueLinkData(fixedData: genuine.fixedData, userData: flipped(genuine.userData)),
      QueueLinkData(fixedData: genuine.userData, userData: genuine.fixedData),
      QueueLinkData(fixedData: genuine.fixedData, userData: other.userData),
      QueueLinkData(fixedData: [], userData: []), QueueLinkData(fixedData: [1], userData: genuine.userData), other,
    ]
    for data in wrong {
      queue.link = data
      let call = try bob.run { engine, now in try engine.getLinkData(bob.user, link, now: now) }
      let error = #expect(throws: AgentError.self) { try bob.outcome(call) }
      guard case .peer(.link(.data)) = error else {
        Issue.record("\(error as Any)")
        continue
      }
    }
    queue.link = genuine
    let call = try bob.run { engine, now in try engine.getLinkData(bob.user, link, now: now) }
    guard case .linkData(_, let content) = try bob.outcome(call) else {
      Issue.record("no link data")
      return
    }
    #expect(content.user.content == Array("alice's".utf8))
    #expect(try bob.rows(of: "tasks") == 0)
  }

  /// A link with unsupported versions, or without a queue, is refused before anything is stored.
  @Test func linksThatCannotBeFollowed() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let genuine = try alice.create().link.full
    var wrong: [ConnectionRequest] = []
    let unknown = try #require(VersionRange(90, 99))
    var request = genuine
    request.agentVersions = unknown
    wrong.append(request)
    request = genuine
    request.queues[0].clientVersions = unknown
    wrong.append(request)
    request = genuine
    request.queues = []
    wrong.append(request)
    if case .invitation(var offer) = genuine.kind {
      offer.versions = unknown
      request = genuine
      request.kind = .invitation(offer)
      wrong.append(request)
    }
    #expect(wrong.count == 4)
    for request in wrong {
      #expect(throws: AgentError.self) { try bob.engine.join(bob.user, request, info: [], now: world.now) }
    }
    #expect(try bob.rows(of: "connections") == 0 && bob.rows(of: "tasks") == 0)
    _ = try bob.join(genuine)
    #expect(alice.confirmation != nil)
  }

  /// Messages that come while the deletion of their queue has not reached its relay.
  @Test func messagesWhileTheQueueIsBeingDeleted() throws {
    let target = try Target()
    let (alice, world) = (target.pair.alice, target.pair.world)
    alice.outage = .network(.connectError(connectError: "down"))
    try alice.run { engine, now in try engine.delete([target.pair.a], now: now) }
    alice.forgetEvents()
    target.inject([1, 2, 3])
    #expect(alice.errors.isEmpty)
    #expect(try alice.rows(of: "received_messages") == 0)
    alice.outage = nil
    world.pass(60_000, alice)
    #expect(world.first.queues.isEmpty)
  }

  @Test func mutatedMessages() throws {
    let target = try Target()
    for number in 1...5 { _ = try target.pair.bob.send("\(number)", to: target.pair.b) }
    let genuine = try #require(target.pair.world.first.sent[target.queue.senderID]?.last)
    let inner = try ClientMessage(
      opening: try SentMessage.codec.decode(genuine), key: target.queue.sharedKey
    ).body
    var random = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      var body = inner
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        body[Int.random(in: 0..<min(400, body.count), using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      case 1: body.removeLast(Int.random(in: 1..<body.count, using: &random))
      default: body = Array(body.prefix(3)) + random.bytes(upTo: 2_000)
      }
      target.inject(try target.boxed(body))
    }
    #expect(target.pair.alice.texts.count == 5)
    try target.goesOn()
  }
}
