import QueueStore
import SMPProtocol
import SMPServerCore
import Testing

@testable import SMPServer

/// What the store reads for refused commands counts as work of the connections that send them.
@Suite(.timeLimit(.minutes(2))) struct RefusedReadTests {
  private typealias Request = TestClient.Request

  /// Clients that are refused, where the store says how long each of their reads took.
  private struct Scene {
    let relay: TestRelay
    let store: SlowStore
    let clients: [TestClient]
    /// A command that is refused after a read.
    let refused: Request

    /// The most reads that are in flight at once while every client has one command refused after the other.
    func mostReadsInFlight() async throws -> Int {
      // The first refusal of each tells the relay how long its reads take.
      for client in clients {
        #expect(try await client.ask(refused.command, refused.entity, key: refused.key) == .err(.AUTH))
      }
      _ = store.takeMostInFlight()
      store.hold()
      var correlations: [[CorrelationID]] = []
      for client in clients { correlations.append(try await client.send([Request](repeating: refused, count: 40))) }
      let answering = Task { [store] in
        while !Task.isCancelled {
          try await Task.sleep(for: .milliseconds(20))
          store.releaseOnce()
        }
      }
      defer { answering.cancel() }
      for (client, correlations) in zip(clients, correlations) {
        for correlation in correlations { #expect(try await client.response(to: correlation) == .err(.AUTH)) }
      }
      return store.takeMostInFlight()
    }
  }

  /// A relay with one event loop, so that its connections share one run queue.
  private func with(
    _ store: SlowStore, isMissing: Bool, _ body: (Scene) async throws -> Void
  ) async throws {
    try await TestRelay.with(store: store, { $0.threads = 1 }) { relay in
      let owner = try await relay.client()
      let queue = try await owner.newQueue(.contact(nil), subscription: .onlyCreate)
      let entity = isMissing ? EntityID([UInt8](repeating: 1, count: 24)) : queue.recipient
      var clients: [TestClient] = []
      for _ in 0..<6 { clients.append(try await relay.client()) }
      let refused = Request(command: .sub, entity: entity, key: KeyKind.ed25519.random)
      do {
        try await body(Scene(relay: relay, store: store, clients: clients, refused: refused))
      } catch {
        store.release()
        throw error
      }
      store.release()
      #expect(try await owner.ask(.sub, queue.recipient, key: queue.key) == .sok(nil))
    }
  }

  /// For missing queues, and for a wrong key of one that is in memory, which is read before the refusal.
  @Test(arguments: [true, false]) func connectionsWithCostlyRefusalsReadOneAfterTheOther(isMissing: Bool) async throws {
    let store = SlowStore(CachedStore(), caches: !isMissing, statedTime: .milliseconds(30))
    try await with(store, isMissing: isMissing) { scene in
      let most = try await scene.mostReadsInFlight()
      #expect(most == 1)
    }
  }

  /// Otherwise signatures would be checked before the read for queues in memory and after it for others, and the wait
  /// for the share of refused work in between would tell them apart.
  @Test func whoIsRefusedOftenGetsNothingFromMemory() async throws {
    let store = SlowStore(CachedStore(), caches: true, statedTime: .milliseconds(30))
    try await with(store, isMissing: false) { scene in
      let client = try #require(scene.clients.first)
      let refused = scene.refused
      _ = store.takeFoundInMemory()
      #expect(try await client.ask(refused.command, refused.entity, key: refused.key) == .err(.AUTH))
      #expect(store.takeFoundInMemory() == 1)
      #expect(try await client.ask(refused.command, refused.entity, key: refused.key) == .err(.AUTH))
      #expect(store.takeFoundInMemory() == 0)
    }
  }

  /// The same commands where a read takes no time: nobody waits for others.
  @Test(arguments: [true, false]) func connectionsWithCheapReadsReadConcurrently(isMissing: Bool) async throws {
    let store = SlowStore(CachedStore(), caches: !isMissing)
    try await with(store, isMissing: isMissing) { scene in
      let most = try await scene.mostReadsInFlight()
      #expect(most > 1)
    }
  }

  /// Commands that are admitted cost their connection nothing, however long the store reads for them.
  @Test func readsOfAdmittedCommandsAreNotCharged() async throws {
    let store = SlowStore(MemoryQueueStore(), statedTime: .milliseconds(30))
    try await TestRelay.with(store: store, { $0.threads = 1 }) { relay in
      var owners: [(client: TestClient, queue: TestQueue)] = []
      for _ in 0..<2 {
        let client = try await relay.client()
        owners.append((client, try await client.newQueue(subscription: .onlyCreate)))
      }
      for _ in 0..<5 {
        for (client, queue) in owners {
          #expect(try await client.ask(.sub, queue.recipient, key: queue.key) == .sok(nil))
        }
      }
      store.hold()
      var sent: [[CorrelationID]] = []
      for (client, queue) in owners {
        sent.append(try await client.send([Request(command: .sub, entity: queue.recipient, key: queue.key)]))
      }
      try await store.untilHeld(2)
      store.release()
      for ((client, _), correlations) in zip(owners, sent) {
        for correlation in correlations { #expect(try await client.response(to: correlation) == .sok(nil)) }
      }
    }
  }
}

/// A store in memory that says of queues that they were cached.
private final class CachedStore: ForwardingStore {
  let store: any RelayStore = MemoryQueueStore()

  func cached(_ key: QueueKey) -> QueueLookup? {
    store.cached(key).flatMap { lookup in
      guard lookup.record != nil else { return nil }
      var lookup = lookup
      lookup.isCached = true
      return lookup
    }
  }
}
