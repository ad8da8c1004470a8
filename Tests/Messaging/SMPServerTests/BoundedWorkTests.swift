import QueueStore
import SMPClient
import SMPClientCore
import SMPProtocol
import SMPServer
import SMPServerCore
import SimplexCrypto
import Synchronization
import Testing

/// What one client can make the relay do or keep, whatever it sends.
@Suite(.timeLimit(.minutes(2))) struct BoundedWorkTests {
  /// Each key of a recipient is checked for each wrong signature.
  @Test func aRecipientHasFewKeys() async throws {
    try await TestRelay.with { relay in
      let owner = try await relay.client()
      let queue = try await owner.newQueue(.contact(nil))
      let keys = (0...QueueRecord.recipientKeyLimit).map { _ in KeyKind.ed448.random }
      #expect(
        try await owner.ask(.rkey(keys.map(\.publicKey)), queue.recipient, key: queue.key)
          == .err(.CMD(cmdErr: .PROHIBITED)))
      #expect(try await owner.ask(.sub, queue.recipient, key: queue.key) == .sok(nil))
      #expect(try await owner.ask(.rkey(keys.dropLast().map(\.publicKey)), queue.recipient, key: queue.key) == .ok)
      // As an earlier version could store them.
      let number = try #require(try await relay.store.queue(.recipient(queue.recipient.bytes))?.number)
      _ = try await relay.store.perform(.setRecipientKeys(number, keys.map(\.publicKey.publicKey.der)))
      for key in keys.dropLast() { #expect(try await owner.ask(.sub, queue.recipient, key: key) == .sok(nil)) }
      #expect(try await owner.ask(.sub, queue.recipient, key: keys[QueueRecord.recipientKeyLimit]) == .err(.AUTH))
    }
  }

  /// Messages that wait for a slow disk are bounded by their bytes, also those whose answers nobody can recognize.
  @Test(arguments: [false, true]) func messagesThatWaitForTheStorePauseTheirConnection(named: Bool) async throws {
    let store = HeldStore()
    try await TestRelay.with(store: store) { relay in
      let owner = try await relay.client()
      let queue = try await owner.newQueue(subscription: .onlyCreate)
      store.hold()
      let (port, fingerprint) = (relay.port, relay.server.fingerprint)
      let count = 300
      let flood = Task {
        let client = try await TestClient.connect(port: port, fingerprint: fingerprint)
        let send = Command.send(SendRequest(body: [UInt8](repeating: 1, count: 15_000)))
        var correlations: [CorrelationID] = []
        for _ in 0..<count {
          correlations += try await client.send([
            TestClient.Request(command: send, entity: queue.ids.senderID, correlation: named ? nil : CorrelationID.none)
          ])
        }
        for correlation in correlations { _ = try await client.response(to: correlation) }
      }
      let held = try await store.finalHeldCount()
      // A megabyte, and the blocks that were read together.
      #expect(held <= 100)
      #expect(try await owner.ask(.ping) == .pong)
      store.release()
      try await flood.value
    }
  }
}

extension BoundedWorkTests {
  /// The use of a queue is recorded once a day. Until that is stored, each command records it again.
  @Test func usesOfAQueueThatWaitForTheStorePauseTheirConnection() async throws {
    let store = HeldStore()
    try await TestRelay.with(store: store) { relay in
      let owner = try await relay.client()
      let queue = try await owner.newQueue(subscription: .onlyCreate)
      let number = try #require(try await store.queue(.recipient(queue.recipient.bytes))?.number)
      _ = try await store.perform(.touch(number, day: 1))
      store.hold()
      let count = 5_000
      let flood = Task {
        var answers = 0
        for _ in 0..<count / 50 {
          let subscriptions = [TestClient.Request](
            repeating: TestClient.Request(command: .sub, entity: queue.recipient, key: queue.key), count: 50)
          for correlation in try await owner.send(subscriptions) {
            #expect(try await owner.response(to: correlation) == .sok(nil))
            answers += 1
          }
        }
        return answers
      }
      // A megabyte, and what was read together.
      #expect(try await store.finalHeldCount() <= 2_048 + 600)
      store.release()
      #expect(try await flood.value == count)
    }
  }
}

extension BoundedWorkTests {
  /// Wrong signatures of a queue with many keys take milliseconds each. A client that sends a block of them gets time
  /// slices; another one on the same event loop is served in between.
  @Test func refusedCommandsGetTimeSlices() async throws {
    try await TestRelay.with({ $0.threads = 1 }) { relay in
      let owner = try await relay.client()
      let queue = try await owner.newQueue(.contact(nil), subscription: .onlyCreate)
      let keys = (0..<QueueRecord.recipientKeyLimit).map { _ in KeyKind.ed448.random }
      #expect(try await owner.ask(.rkey(keys.map(\.publicKey)), queue.recipient, key: queue.key) == .ok)
      let client = try await relay.client()
      let forged = TestClient.Request(command: .sub, entity: queue.recipient, key: KeyKind.ed448.random)
      // All of them are in one block, which the relay reads at once.
      let count = 50
      let correlations = try await client.send([TestClient.Request](repeating: forged, count: count))
      let refusals = { relay.server.statistics.value(.subscribedUnauthorized) }
      while refusals() == 0 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(try await owner.ask(.ping) == .pong)
      #expect(refusals() < count)
      // Everything is answered in order, and the connection goes on.
      for correlation in correlations { #expect(try await client.response(to: correlation) == .err(.AUTH)) }
      #expect(try await client.ask(.ping) == .pong)
    }
  }
}

/// What clients can make a proxy keep.
@Suite(.timeLimit(.minutes(2))) struct BoundedForwardingTests {
  /// Commands that wait for another relay are bounded by their bytes, those of all clients together.
  @Test func commandsThatWaitForAnotherRelayPauseTheirConnections() async throws {
    let store = HeldStore()
    let change = { @Sendable (configuration: inout SMPServerConfiguration) in
      configuration.proxy?.waitingLimit = 100_000
      configuration.proxy?.client.requestTimeout = .seconds(60)
    }
    try await TestRelay.with(store: MemoryQueueStore(), change) { proxy in
      try await TestRelay.with(store: store) { relay in
        let queue = try await relay.client().newQueue(subscription: .onlyCreate)
        let send = RequestPipeline.Request(.send(SendRequest(body: [7])), entity: queue.ids.senderID)
        var configuration = SMPClientConfiguration()
        configuration.requestTimeout = .seconds(60)
        var sends: [Task<BrokerMessage, any Error>] = []
        store.hold()
        var clients: [SMPConnection] = []
        for _ in 0..<3 {
          let client = try await proxy.connection(configuration)
          clients.append(client)
          let session = try await client.openSession(with: relay.address)
          sends += (0..<30).map { _ in Task { try await client.perform(send, through: session) } }
        }
        // Six blocks, and for each client what was read together with its first one.
        #expect(try await store.finalHeldCount() <= 6 + 3 * 6)
        store.release()
        for send in sends { #expect(try await send.value == .ok) }
        #expect(try await relay.store.counts().messages == 90)
      }
    }
  }
}

/// A store in memory whose disk can stop answering.
private final class HeldStore: ForwardingStore {
  private struct State {
    var isHolding = false
    var held: [@Sendable () -> Void] = []
  }

  let store: any RelayStore = MemoryQueueStore()
  private let state = Mutex(State())

  var heldCount: Int { state.withLock { $0.held.count } }

  /// The number when it does not grow any more.
  func finalHeldCount() async throws -> Int {
    var held = 0
    repeat {
      held = heldCount
      try await Task.sleep(for: .milliseconds(500))
    } while held == 0 || heldCount != held
    return held
  }

  func hold() { state.withLock { $0.isHolding = true } }

  func release() {
    let held = state.withLock { state in
      defer { state = State() }
      return state.held
    }
    for submit in held { submit() }
  }

  func submit(
    _ operation: StoreOperation, completion: @escaping @Sendable (Result<StoreOutcome, StoreFailure>) -> Void
  ) {
    let isHeld = state.withLock { state in
      if state.isHolding { state.held.append { [store] in store.submit(operation, completion: completion) } }
      return state.isHolding
    }
    if !isHeld { store.submit(operation, completion: completion) }
  }
}
