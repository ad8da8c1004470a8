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

  /// The same through proxies: what is read for refused commands that they forward is theirs, too.
  @Test(arguments: [true, false]) func proxiesWithCostlyRefusalsReadOneAfterTheOther(isCostly: Bool) async throws {
    let store = SlowStore(MemoryQueueStore(), statedTime: isCostly ? .milliseconds(90) : .zero)
    try await TestRelay.with(store: store, { $0.threads = 1 }) { relay in
      let (port, fingerprint) = (relay.port, relay.server.fingerprint)
      let missing = EntityID([UInt8](repeating: 7, count: 24))
      // Each holds its reads until all proxies have been refused once.
      let refuse = { @Sendable (count: Int, ready: (@Sendable () async throws -> Void)?) in
        let proxy = try await TestClient.connect(port: port, fingerprint: fingerprint, isProxy: true)
        for index in 0..<count {
          if index == 1 { try await ready?() }
          let answer = try await proxy.forward(.send(SendRequest(body: [1])), missing, KeyKind.ed25519.random)
          #expect(answer == .err(.AUTH))
        }
      }
      let barrier = Barrier(4)
      let proxies = (0..<4).map { _ in
        Task {
          try await refuse(8) {
            try await barrier.arrive {
              _ = store.takeMostInFlight()
              store.hold()
            }
          }
        }
      }
      let answering = Task {
        while !Task.isCancelled {
          try await Task.sleep(for: .milliseconds(20))
          store.releaseOnce()
        }
      }
      for proxy in proxies { try await proxy.value }
      answering.cancel()
      store.release()
      let most = store.takeMostInFlight()
      #expect(isCostly ? most == 1 : most > 1)
    }
  }

  /// What the store has read takes bounded memory for all connections together, however many ask at once.
  @Test(arguments: [40_000, 1 << 30]) func readsWaitForRoom(limit: Int) async throws {
    let store = SlowStore(MemoryQueueStore())
    let change = { @Sendable (configuration: inout SMPServerConfiguration) in
      configuration.threads = 1
      configuration.readAnswerLimit = limit
    }
    try await TestRelay.with(store: store, change) { relay in
      let target = try await HostileTarget(try await relay.client(), try await relay.client())
      var clients: [TestClient] = []
      for _ in 0..<6 { clients.append(try await relay.client()) }
      let get = Request(command: .lget, entity: target.linkID)
      _ = store.takeMostInFlight()
      store.hold()
      var sent: [[CorrelationID]] = []
      for client in clients { sent.append(try await client.send([Request](repeating: get, count: 40))) }
      let answering = Task {
        while !Task.isCancelled {
          try await Task.sleep(for: .milliseconds(20))
          store.releaseOnce()
        }
      }
      for (client, correlations) in zip(clients, sent) {
        for correlation in correlations {
          guard case .lnk = try await client.response(to: correlation) else {
            Issue.record("a command was not answered with link data")
            continue
          }
        }
      }
      answering.cancel()
      store.release()
      let most = store.takeMostInFlight()
      #expect(limit == 40_000 ? most == 1 : most > 1)
    }
  }

  /// A connection that is closed keeps the memory of what the store reads for it until that is there.
  @Test func readsOfClosedConnectionsTakeRoom() async throws {
    let store = SlowStore(MemoryQueueStore())
    let change = { @Sendable (configuration: inout SMPServerConfiguration) in
      configuration.threads = 1
      configuration.readAnswerLimit = 40_000
    }
    try await TestRelay.with(store: store, change) { relay in
      defer { store.release() }
      let target = try await HostileTarget(try await relay.client(), try await relay.client())
      let (first, second) = (try await relay.client(), try await relay.client())
      let get = Request(command: .lget, entity: target.linkID)
      _ = store.takeMostInFlight()
      store.hold()
      let waiting = { relay.server.relay.waitingBytes.load(ordering: .relaxed) }
      // The records of their queues take all the room.
      _ = try await first.send([Request](repeating: get, count: 16))
      while waiting() == 0 { try await Task.sleep(for: .milliseconds(5)) }
      let (taken, open) = (waiting(), relay.server.relay.openSessions.count)
      first.close()
      while relay.server.relay.openSessions.count == open { try await Task.sleep(for: .milliseconds(5)) }
      let correlations = try await second.send([get])
      while waiting() == taken { try await Task.sleep(for: .milliseconds(5)) }
      #expect(store.takeMostInFlight() == 1)
      store.release()
      for correlation in correlations {
        guard case .lnk = try await second.response(to: correlation) else {
          Issue.record("a command was not answered with link data")
          continue
        }
      }
    }
  }

  /// What was read for a connection takes no room of others while it waits for the share of refused work.
  @Test func whoIsRefusedKeepsNoRoomOfOthers() async throws {
    let store = SlowStore(MemoryQueueStore(), statedTime: .milliseconds(100))
    let change = { @Sendable (configuration: inout SMPServerConfiguration) in
      configuration.threads = 1
      // In three quarters of it there is room for 16 queues, and not for link data besides.
      configuration.readAnswerLimit = 60_000
    }
    try await TestRelay.with(store: store, change) { relay in
      defer { store.release() }
      let target = try await HostileTarget(try await relay.client(), try await relay.client())
      let (good, busy, hostile) = (try await relay.client(), try await relay.client(), try await relay.client())
      let missing = EntityID([UInt8](repeating: 1, count: 24))
      let refused = Request(command: .sub, entity: missing, key: KeyKind.ed448.random)
      #expect(try await busy.ask(refused.command, refused.entity, key: refused.key) == .err(.AUTH))
      store.hold()
      // From now on those that are refused often wait for its read.
      _ = try await busy.send([refused])
      try await store.untilHeld()
      let sent = try await hostile.send([Request](repeating: refused, count: CommandQueue.limit))
      try await store.untilHeld(2)
      store.releaseLast()
      #expect(try await hostile.response(to: sent[0]) == .err(.AUTH))
      let get = try await good.send([Request(command: .lget, entity: target.linkID)])
      // The queue, then the link data.
      for read in 1...2 {
        for _ in 0..<1_000 where store.heldCount < 2 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(store.heldCount == 2, "read \(read)")
        store.releaseLast()
      }
      store.release()
      guard case .lnk = try await good.response(to: get[0]) else {
        Issue.record("no link data")
        return
      }
      for correlation in sent.dropFirst() { #expect(try await hostile.response(to: correlation) == .err(.AUTH)) }
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

/// A point that several tasks reach before any of them goes on.
private actor Barrier {
  private let count: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { self.count = count }

  /// Waits for the others; the last one does something first.
  func arrive(_ last: @Sendable () throws -> Void) async throws {
    guard waiting.count == count - 1 else {
      return await withCheckedContinuation { waiting.append($0) }
    }
    try last()
    for task in waiting { task.resume() }
    waiting = []
  }
}
