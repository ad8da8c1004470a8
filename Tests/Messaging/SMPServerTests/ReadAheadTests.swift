import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import SimplexTesting
import Synchronization
import Testing

@testable import SMPServer

/// Connections with many commands, whose queues are read while commands before them are executed.
@Suite(.timeLimit(.minutes(2))) struct ReadAheadTests {
  private typealias Request = TestClient.Request

  private func subscribe(_ queue: TestQueue) -> Request {
    Request(command: .sub, entity: queue.recipient, key: queue.key)
  }

  private func newQueues(_ count: Int, of client: TestClient) async throws -> [TestQueue] {
    var queues: [TestQueue] = []
    for _ in 0..<count { queues.append(try await client.newQueue(subscription: .onlyCreate)) }
    return queues
  }

  /// First messages of one group of commands are then read together with the queues of a later one.
  @Test func subscribingToManyQueuesReadsAhead() async throws {
    let store = SlowStore(MemoryQueueStore())
    try await TestRelay.with(store: store, { $0.threads = 1 }) { relay in
      let queues = try await newQueues(100, of: try await relay.client())
      let client = try await relay.client()
      _ = store.takeSizes()
      for answer in try await client.send(queues.map(subscribe)) {
        #expect(try await client.response(to: answer) == .sok(nil))
      }
      let sizes = store.takeSizes()
      #expect(sizes.reduce(0, +) == 2 * queues.count)
      #expect(sizes.contains { $0 > CommandQueue.limit })
      // The first messages of the group before and of the first command of the present one, and the next group.
      #expect(sizes.allSatisfy { $0 <= 2 * CommandQueue.limit + 1 })
      #expect(store.takeMostInFlight() == 1)
    }
  }

  /// An acknowledgement finds what the SUB before it delivered, although its queue was read before that.
  @Test(arguments: propertySeeds(4)) func commandsThatAreReadAheadAreExecutedInOrder(seed: UInt64) async throws {
    let store = SlowStore(MemoryQueueStore())
    store.shuffle(seed: seed)
    try await TestRelay.with(store: store, { $0.threads = 1 }) { relay in
      let owner = try await relay.client()
      var messages: [(queue: TestQueue, id: MessageID)] = []
      for _ in 0..<60 {
        let queue = try await owner.newQueue()
        #expect(try await owner.sendMessage([1], to: queue) == .ok)
        messages.append((queue, try queue.body(try await owner.event().message).id))
      }
      let client = try await relay.client()
      var chance = SeededGenerator(seed: seed)
      var requests: [Request] = []
      var expected: [BrokerMessage] = []
      var unacknowledged: ArraySlice = messages[0..<0]
      for (index, (queue, _)) in messages.enumerated() {
        requests.append(subscribe(queue))
        expected.append(.sok(nil))
        unacknowledged = messages[unacknowledged.startIndex...index]
        while Bool.random(using: &chance), let (queue, id) = unacknowledged.popFirst() {
          requests.append(Request(command: .ack(id), entity: queue.recipient, key: queue.key))
          expected.append(.ok)
        }
      }
      for (answer, expected) in zip(try await client.send(requests), expected) {
        #expect(try await client.response(to: answer) == expected, "seed \(seed)")
      }
      #expect(try await store.counts().messages == unacknowledged.count, "seed \(seed)")
    }
  }

  /// What a connection sent before makes no difference for refusals: everything that was read is refused before more is
  /// read, as it is with queues in memory.
  @Test func refusalsDoNotOverlapWithReads() async throws {
    let store = WatchedStore()
    try await TestRelay.with(store: store, { $0.threads = 1 }) { relay in
      let client = try await relay.client()
      for answer in try await client.send(try await newQueues(40, of: client).map(subscribe)) {
        #expect(try await client.response(to: answer) == .sok(nil))
      }
      let statistics = relay.server.statistics
      store.watch { statistics.value(.subscribedUnauthorized) }
      let missing = Request(
        command: .sub, entity: EntityID([UInt8](repeating: 1, count: 24)), key: KeyKind.ed25519.random)
      let count = 3 * CommandQueue.limit
      for answer in try await client.send([Request](repeating: missing, count: count)) {
        #expect(try await client.response(to: answer) == .err(.AUTH))
      }
      var sent = 0
      for read in store.reads {
        #expect(read.refusals == sent)
        sent += read.size
      }
      #expect(sent == count)
    }
  }
}

/// A store in memory whose queues have to be read; it records what was refused when each read was submitted.
private final class WatchedStore: ForwardingStore {
  private struct State {
    var refusals: (@Sendable () -> Int)?
    var reads: [(size: Int, refusals: Int)] = []
  }

  let store: any RelayStore = MemoryQueueStore()
  private let state = Mutex(State())

  /// From now on records reads, with the number of refusals.
  func watch(_ refusals: @escaping @Sendable () -> Int) { state.withLock { $0.refusals = refusals } }

  var reads: [(size: Int, refusals: Int)] { state.withLock { $0.reads } }

  func cached(_ key: QueueKey) -> QueueLookup? { nil }

  func read(
    _ reads: [StoreRead], completion: @escaping @Sendable (_ answers: [StoreAnswer], _ time: Duration) -> Void
  ) {
    state.withLock { state in
      if let refusals = state.refusals { state.reads.append((reads.count, refusals())) }
    }
    store.read(reads, completion: completion)
  }
}
