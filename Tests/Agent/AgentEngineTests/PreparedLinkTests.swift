import AgentCore
import AgentEngine
import AgentProtocol
import SMPProtocol
import SimplexCrypto
import Testing
import WireCodec

/// Links that are known before their queues are created.
@Suite struct PreparedLinkTests {
  private let world = TestWorld()
  private let root: Ed25519.PrivateKey
  private let owner: Ed25519.PrivateKey
  private let entityID: [UInt8]

  init() throws {
    root = try Ed25519.PrivateKey(secret: SecretBytes([UInt8](repeating: 1, count: 32)))
    owner = try Ed25519.PrivateKey(secret: SecretBytes([UInt8](repeating: 2, count: 32)))
    entityID = HashFunction.sha256.digest(of: root.publicKey.rawBytes.span.bytes)
  }

  private func id(_ number: UInt8) -> ConnectionID { ConnectionID([UInt8](repeating: number, count: 12)) }

  private func prepare(_ agent: TestAgent) throws -> PreparedLink {
    try agent.engine.prepareLink(
      agent.user, root: root, entityID: entityID, clientData: "{\"type\":\"group\"}", now: world.now)
  }

  private func relayLink() throws -> ShortLink {
    ShortLink(
      scheme: .server, kind: .contact(.group), server: world.second.server,
      linkKey: [UInt8](repeating: 5, count: 32))
  }

  private func data(_ text: String) throws -> UserLinkData {
    UserLinkData(
      agentVersions: AgentVersion.supported,
      kind: .contact(
        ContactLinkData(
          isDirect: false, owners: [LinkOwner(ownerID: [9], key: owner.publicKey, authorizedBy: root)],
          relays: [try relayLink()])), content: Array(text.utf8))
  }

  private func create(
    _ agent: TestAgent, _ id: ConnectionID, _ link: PreparedLink, _ text: String = "news"
  ) throws -> CallID? {
    let data = try data(text)
    return try agent.run { engine, now in
      try engine.createConnection(agent.user, connection: id, for: link, linkData: data, now: now)
    }.call
  }

  private func created(_ agent: TestAgent, _ call: CallID?) throws -> CreatedLink {
    guard case .created(_, let link) = try agent.outcome(call) else { throw AgentError.internalError("not created") }
    return link
  }

  private func read(_ agent: TestAgent, _ link: ShortLink) throws -> (ConnectionRequest, LinkContent) {
    let call = try agent.run { engine, now in try engine.getLinkData(agent.user, link, now: now) }
    guard case .linkData(let request, let content) = try agent.outcome(call) else {
      throw AgentError.internalError("no data")
    }
    return (request, content)
  }

  @Test func theLinkIsKnownBeforeAnythingIsSent() throws {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let link = try prepare(alice)
    #expect(world.first.log == [])
    #expect(try alice.engine.connections(of: alice.user) == [])
    let call = try create(alice, id(1), link)
    #expect(try created(alice, call) == link.link)
    #expect(world.first.log.filter { $0 == "NEW" }.count == 1)
    #expect(!world.first.log.contains("LSET"))
    // Others may name another type in the link: it leads to the same data.
    var short = try #require(link.link.short)
    short.kind = .contact(.channel)
    let (request, content) = try read(bob, try throughText(short))
    #expect(request == link.request)
    #expect(content.fixed.rootKey == root.publicKey)
    #expect(content.fixed.entityID == entityID)
    #expect(content.fixed.request == link.request)
    guard case .contact(let contact) = content.user.kind else { Issue.record("data of an invitation"); return }
    #expect(!contact.isDirect)
    #expect(contact.owners.map(\.key) == [owner.publicKey])
    #expect(contact.relays == [try relayLink()])
    #expect(content.user.content == Array("news".utf8))
    // The address works as any other one.
    let joined = try bob.join(request, info: "hello")
    #expect(try #require(alice.invitation).info == Array("hello".utf8))
    #expect(!joined.isSecured)
  }

  private func throughText(_ link: ShortLink) throws -> ShortLink {
    try ShortLink.textCodec.decode(text: try ShortLink.textCodec.text(link))
  }

  @Test func theDataCanChange() throws {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let link = try prepare(alice)
    _ = try created(alice, try create(alice, id(1), link))
    let changed = try data("more news")
    let set = try alice.run { engine, now in try engine.setLinkData(id(1), changed, now: now) }
    guard case .linkSet(let short) = try alice.outcome(set) else { Issue.record("not set"); return }
    #expect(short == link.link.short)
    #expect(try read(bob, short).1.user.content == Array("more news".utf8))
    #expect(try read(bob, short).1.fixed.entityID == entityID)
  }

  @Test func theSigningKeyCanBeRead() throws {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    _ = try created(alice, try create(alice, id(1), try prepare(alice)))
    #expect(try alice.engine.linkSigningKey(id(1))?.publicKey == root.publicKey)
    let plain = try alice.create(.contact)
    #expect(try alice.engine.linkSigningKey(plain.id) == nil)
    #expect(throws: AgentError.connection(.notFound)) { _ = try alice.engine.linkSigningKey(id(7)) }
  }

  @Test func repeatingReturnsTheSameLink() throws {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let link = try prepare(alice)
    _ = try created(alice, try create(alice, id(1), link))
    #expect(try created(alice, try create(alice, id(1), link, "other")) == link.link)
    try alice.restart()
    #expect(try created(alice, try create(alice, id(1), link)) == link.link)
    #expect(world.first.log.filter { $0 == "NEW" }.count == 1)
  }

  /// The application keeps the link as bytes, and the agent the command.
  @Test func creatingGoesOnAfterARestart() throws {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let link = try prepare(alice)
    let stored = try PreparedLink.codec.decode(try PreparedLink.codec.encode(link))
    #expect(stored.link == link.link)
    #expect(stored.senderID == link.senderID)
    let data = try data("news")
    alice.outage = .noHost
    try alice.run { engine, now in
      try engine.createConnection(
        alice.user, connection: id(1), for: stored, linkData: data, waiting: .event(CorrelationTag([1])), now: now)
    }
    alice.outage = nil
    try alice.restart()
    world.pass(60_000, alice)
    let event = alice.last { (kind) -> CreatedLink? in if case .created(let link) = kind { link } else { nil } }
    #expect(event == link.link)
    #expect(world.first.log.filter { $0 == "NEW" }.count == 1)
  }

  /// Its queue cannot be created at another relay, nor twice.
  @Test func aLinkIsCreatedOnce() throws {
    let alice = try world.agent("alice", seed: 1)
    let link = try prepare(alice)
    let relay = try #require(world.relays[link.server.server])
    _ = try created(alice, try create(alice, id(1), link))
    let call = try create(alice, id(2), link)
    let failure = #expect(throws: AgentError.self) { _ = try created(alice, call) }
    guard case .server(relay.server, .relay(.AUTH)) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    let other = relay === world.first ? world.second : world.first
    #expect(other.log == [])
    #expect(try alice.engine.connections(of: alice.user) == [id(1)])
  }

  @Test func otherLinkDataIsRefused() throws {
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let link = try prepare(alice)
    let invitation = UserLinkData(agentVersions: AgentVersion.supported, kind: .invitation, content: [])
    #expect(throws: AgentError.prohibited("createConnectionForLink")) {
      _ = try alice.engine.createConnection(
        alice.user, connection: id(1), for: link, linkData: invitation, now: world.now)
    }
    #expect(try alice.engine.connections(of: alice.user) == [])
  }
}
