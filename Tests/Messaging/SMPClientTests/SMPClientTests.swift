import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import Synchronization
import Testing

@Suite("A client that keeps its connection", .timeLimit(.minutes(1)))
struct SMPClientTests {
  private let server = SMPServerAddress(.domain("relay.example"), keyHash: [1])

  /// The links that were made, so that a test can break them.
  private final class Links: Sendable {
    private let links = Mutex<[FakeLink]>([])
    var count: Int { links.withLock { $0.count } }
    func add(_ link: FakeLink) { links.withLock { $0.append(link) } }
    func breakLast() { links.withLock { $0.last }?.close() }
    func last() -> FakeLink? { links.withLock { $0.last } }
  }

  private func client(
    _ links: Links, batch: Int = 10, unread: Int = 1 << 20,
    backoff: Backoff.Policy = Backoff.Policy(initial: 1, limit: 5), answer: @escaping FakeLink.Answer
  ) -> RelayClient {
    var configuration = SMPClientConfiguration()
    configuration.backoff = backoff
    configuration.subscriptionBatch = batch
    configuration.unreadLimit = unread
    return RelayClient(server, configuration) { (_, configuration) async throws(SMPClientError) in
      guard let link = try? FakeLink(answer: answer) else { throw .noHost }
      links.add(link)
      return try await SMPConnection.establish(link, keyHash: [1], configuration)
    }
  }

  @Test func connectsOnDemandAndOnce() async throws {
    let links = Links()
    let client = client(links) { _ in .pong }
    #expect(links.count == 0)
    try await withThrowingDiscardingTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          let answer = try await client.perform(RequestPipeline.Request(.ping))
          #expect(answer == .pong)
        }
      }
    }
    #expect(links.count == 1)
    await client.close()
    await #expect(throws: SMPClientError.closed) { try await client.perform(RequestPipeline.Request(.ping)) }
  }

  /// A handshake does not reset the back-off: a relay that drops each connection is left alone more and more.
  @Test func aRelayThatDropsEachConnectionIsLeftAlone() async throws {
    let links = Links()
    let client = client(links, backoff: Backoff.Policy(initial: 1, limit: 3_600_000)) { _ in
      links.breakLast()
      return nil
    }
    var random = InsecureSeededRandom(seed: 1)
    let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
    await client.startSubscribing([(EntityID([1]), key)])
    try await Task.sleep(for: .seconds(1))
    // Commands connect no earlier.
    let commands = Task { for _ in 0..<1_000 { _ = try? await client.perform(RequestPipeline.Request(.ping)) } }
    try await Task.sleep(for: .milliseconds(500))
    #expect((2...60).contains(links.count))
    commands.cancel()
    await client.close()
    await commands.value
  }

  @Test func aNameIsResolved() async throws {
    let name = try #require(DomainName("Alice.simplex"))
    let record = NameRecord(
      name: name.text, simplexContact: ["simplex:/a#b"], eth: "0x1", owner: "0x2", resolver: "0x3")
    let client = client(Links()) { $0.message == .success(.rslv(name)) ? .rname(record) : nil }
    #expect(try await client.resolve(name) == record)
    await client.close()
    let other = self.client(Links()) { _ in .pong }
    await #expect(throws: SMPClientError.unexpectedResponse("PONG")) { try await other.resolve(name) }
    await other.close()
  }

  @Test func messagesComeBehindTheirSubscriptions() async throws {
    let message = SealedMessage(id: MessageID([UInt8](repeating: 7, count: 24)), box: [1])
    let client = client(Links()) { command in
      guard case .success(.sub) = command.message else { return .pong }
      return command.entityID == EntityID([3]) ? .msg(message) : .ok
    }
    var random = InsecureSeededRandom(seed: 5)
    let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
    await client.subscribe((0..<9).map { (EntityID([$0]), key) })
    var subscribed: [EntityID] = []
    loop: for await event in client.events {
      switch event {
      case .subscribed(let queues): subscribed += queues
      case .message(let queue, let received):
        #expect(queue == EntityID([3]) && received == .msg(message))
        break loop
      case .connected, .disconnected, .subscriptionFailed: break
      }
    }
    #expect(subscribed.contains(EntityID([3])))
    await client.close()
  }

  /// Queues whose messages come all at once: they wait at the relay until their reader is ready, and none comes before
  /// the news that its queue is subscribed.
  @Test func messagesOfManySubscriptionsAreBoundedByTheirBytes() async throws {
    let links = Links()
    let sealed = SealedMessage(
      id: MessageID([UInt8](repeating: 7, count: 24)), box: [UInt8](repeating: 1, count: 15_000))
    let client = client(links, batch: 150, unread: 100_000) { command in
      guard case .success(.sub) = command.message else { return .pong }
      // Every tenth queue has no message.
      return command.entityID.bytes[0] % 10 == 0 ? .ok : .msg(sealed)
    }
    var random = InsecureSeededRandom(seed: 5)
    let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
    let queues = (0..<200).map { EntityID([UInt8($0)]) }
    await client.startSubscribing(queues.map { ($0, key) })
    while links.last() == nil { await Task.yield() }
    let link = try #require(links.last())
    try await link.waitUntilHeld()
    // What is unread of the client and of its connection, and what is held for its subscription.
    #expect((8...1 + 3 * 8).contains(link.takenCount))
    var subscribed: Set<EntityID> = []
    var received: [EntityID] = []
    for await event in client.events {
      switch event {
      case .subscribed(let queues):
        #expect(subscribed.isDisjoint(with: queues))
        subscribed.formUnion(queues)
      case .message(let queue, let message):
        #expect(subscribed.contains(queue) && message == .msg(sealed))
        received.append(queue)
      case .connected: break
      case .disconnected, .subscriptionFailed: Issue.record("\(event)")
      }
      if subscribed.count == 200, received.count == 180 { break }
    }
    #expect(Set(received).count == 180)
    #expect(await client.subscriptionState(of: queues[0]) == .active)
    #expect(await client.subscriptionState(of: queues[1]) == .active)
    await client.close()
  }

  @Test func subscriptionsAreMadeAgainAfterTheConnectionIsLost() async throws {
    let links = Links()
    let gone = EntityID([200])
    let client = client(links) { command in command.entityID == gone ? .err(.AUTH) : .ok }
    var random = InsecureSeededRandom(seed: 4)
    let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
    let queues = (0..<25).map { EntityID([UInt8($0)]) }
    await client.subscribe((queues + [gone]).map { ($0, key) })

    var subscribed: Set<EntityID> = []
    var failed: [EntityID] = []
    var connections = 0
    var losses = 0
    loop: for await event in client.events {
      switch event {
      case .connected: connections += 1
      case .subscribed(let queues): subscribed.formUnion(queues)
      case .subscriptionFailed(let queue, let error):
        #expect(error == .relay(.AUTH))
        failed.append(queue)
      case .disconnected:
        losses += 1
        subscribed = []
      case .message(let queue, let message):
        #expect(message == .end)
        #expect(queue == queues[0])
        break loop
      }
      guard subscribed.count == queues.count, losses == 0 || links.count == 2 else { continue }
      if losses == 0 { links.breakLast() } else { await links.last()?.push([(queues[0], .end)]) }
    }
    #expect(connections == 2)
    #expect(losses == 1)
    #expect(failed == [gone])
    #expect(await client.subscriptionState(of: queues[0]) == nil)
    #expect(await client.subscriptionState(of: queues[1]) == .active)
    await client.close()
  }
}
