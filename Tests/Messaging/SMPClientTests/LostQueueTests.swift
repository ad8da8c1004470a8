import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import Synchronization
import Testing

/// NEW subscribes the connection that it is sent over. Where that is lost before the queue is added to the client, the
/// queue has to be subscribed over the next one.
@Suite("Queues created over a connection that is lost", .timeLimit(.minutes(1)))
struct LostQueueTests {
  private static let created = EntityID([9])

  private final class Relay: Sendable {
    private let links = Mutex<[FakeLink]>([])
    private let subscribed = Mutex<[EntityID]>([])

    func add(_ link: FakeLink) { links.withLock { $0.append(link) } }
    func breakLast() { links.withLock { $0.last }?.close() }
    func subscribe(_ queue: EntityID) { subscribed.withLock { $0.append(queue) } }
    /// The queues that SUB was sent for.
    var subscriptions: [EntityID] { subscribed.withLock { $0 } }
  }

  private let relay = Relay()
  private let client: RelayClient
  private let key: AuthorizationPrivateKey
  private let request: NewQueueRequest

  init() {
    var random = InsecureSeededRandom(seed: 6)
    let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
    let dhKey = X25519.PrivateKey(using: &random).publicKey
    let ids = QueueIDs(recipientID: Self.created, senderID: EntityID([10]), serverDHKey: dhKey, mode: .messaging)
    self.key = key
    request = NewQueueRequest(recipientKey: key.publicKey, recipientDHKey: dhKey, purpose: .messaging(nil))
    var configuration = SMPClientConfiguration()
    configuration.backoff = Backoff.Policy(initial: 1, limit: 5)
    let server = SMPServerAddress(.domain("relay.example"), keyHash: [1])
    let relay = relay
    client = RelayClient(server, configuration) { (_, configuration) async throws(SMPClientError) in
      let answer: FakeLink.Answer = { command in
        switch command.message {
        case .success(.new): return .ids(ids)
        case .success(.sub):
          relay.subscribe(command.entityID)
          return .ok
        default: return .pong
        }
      }
      guard let link = try? FakeLink(answer: answer) else { throw .noHost }
      relay.add(link)
      return try await SMPConnection.establish(link, keyHash: [1], configuration)
    }
  }

  /// Creates the queue, as a session of the agent does.
  private func create() async {
    let (client, request, key) = (client, request, key)
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<BrokerMessage, SMPClientError>, Never>) in
      let completion: SMPConnection.Completion = { continuation.resume(returning: $0) }
      Task { await client.start([(RequestPipeline.Request(.new(request), key: key), completion)]) }
    }
    if case .success(.ids) = result { return }
    Issue.record("\(result)")
  }

  private func waitForLoss() async {
    for await event in client.events { if case .disconnected = event { return } }
  }

  /// Waits until SUB was sent for the queue, a few seconds at most.
  private func waitForSubscription() async throws {
    let end = ContinuousClock.now + .seconds(5)
    while relay.subscriptions.isEmpty, .now < end { try await Task.sleep(for: .milliseconds(5)) }
    #expect(relay.subscriptions == [Self.created])
  }

  @Test func whereTheConnectionWasLostTheQueueIsSubscribed() async throws {
    await create()
    relay.breakLast()
    await waitForLoss()
    await client.addSubscribed(Self.created, key: key)
    // Nobody asks for anything else: the client connects for the queue.
    try await waitForSubscription()
    await client.close()
  }

  @Test func whereThereIsAnotherConnectionAlreadyTheQueueIsSubscribed() async throws {
    await create()
    relay.breakLast()
    await waitForLoss()
    #expect(try await client.perform(RequestPipeline.Request(.ping)) == .pong)
    await client.addSubscribed(Self.created, key: key)
    try await waitForSubscription()
    await client.close()
  }

  /// SUB is not sent while the connection lasts, but after it is lost.
  @Test func anAddedQueueIsSubscribedAfterTheNextLoss() async throws {
    await create()
    await client.addSubscribed(Self.created, key: key)
    #expect(await client.subscriptionState(of: Self.created) == .active)
    #expect(try await client.perform(RequestPipeline.Request(.ping)) == .pong)
    #expect(relay.subscriptions.isEmpty)
    relay.breakLast()
    try await waitForSubscription()
    await client.close()
  }

  /// A queue that another client created, as after its connection moved to another user.
  @Test func aQueueOfAnotherClientIsSubscribed() async throws {
    await client.addSubscribed(Self.created, key: key)
    try await waitForSubscription()
    await client.close()
  }
}
