import Foundation
import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import SimplexTesting
import Testing

@testable import SMPServer

/// Reads that take long: they stop nobody but the client that needs them, and what changes meanwhile counts.
@Suite(.timeLimit(.minutes(2))) struct SlowStoreTests {
  private typealias Request = TestClient.Request

  /// A relay with one event loop.
  private func withRelay(caches: Bool = false, _ body: (TestRelay, SlowStore) async throws -> Void) async throws {
    let store = SlowStore(MemoryQueueStore(), caches: caches)
    try await TestRelay.with(store: store, { $0.threads = 1 }) { relay in
      do { try await body(relay, store) } catch {
        store.release()
        throw error
      }
      store.release()
    }
  }

  @Test func othersAreServedWhileAReadWaits() async throws {
    try await withRelay(caches: true) { relay, store in
      let owner = try await relay.client()
      let queue = try await owner.newQueue()
      let slow = try await relay.client()
      let description = Request(command: .que, entity: queue.recipient, key: queue.key)
      store.hold()
      let asked = try await slow.send([description, Request(command: .ping)])
      try await store.untilHeld()
      #expect(try await owner.sendMessage([1], to: queue) == .ok)
      let delivered = try queue.body(try await owner.event().message)
      #expect(try await owner.acknowledge(delivered.id, queue) == .ok)
      #expect(store.heldCount == 1)
      store.release()
      guard case .info(let info) = try await slow.response(to: asked[0]) else {
        Issue.record("no description")
        return
      }
      #expect(info.qiSize == 0)
      #expect(try await slow.response(to: asked[1]) == .pong)
    }
  }

  @Test func closingWhileAReadWaitsLeavesNothing() async throws {
    try await withRelay { relay, store in
      let owner = try await relay.client()
      let queue = try await owner.newQueue(subscription: .onlyCreate)
      #expect(try await owner.sendMessage([1], to: queue) == .ok)
      let subscribe = Request(command: .sub, entity: queue.recipient, key: queue.key)
      store.hold()
      // One is closed before its queue is found, another one before the first message is.
      let first = try await relay.client()
      _ = try await first.send([subscribe])
      try await store.untilHeld()
      store.releaseOnce()
      try await store.untilHeld()
      let second = try await relay.client()
      _ = try await second.send([subscribe])
      try await store.untilHeld(2)
      let sessions = relay.server.relay.openSessions.count
      first.close()
      second.close()
      while relay.server.relay.openSessions.count > sessions - 2 { try await Task.sleep(for: .milliseconds(2)) }
      store.release()
      while relay.server.relay.waitingBytes.load(ordering: .relaxed) > 0 { try await Task.sleep(for: .milliseconds(2)) }
      #expect(relay.server.relay.withShards { $0.subscriptionCount }.reduce(0, +) == 0)
      // The message is delivered to the next one, once.
      #expect(try await owner.ask(.sub, queue.recipient, key: queue.key) == .sok(nil))
      let delivered = try queue.body(try await owner.event().message)
      #expect(delivered.body == [1])
      #expect(try await owner.acknowledge(delivered.id, queue) == .ok)
      #expect(try await owner.hasEvent() == false)
    }
  }

  /// The record was read before the change, and would be used after it.
  @Test func aRecordThatChangedSinceItWasReadIsNotUsed() async throws {
    try await withRelay { relay, store in
      let owner = try await relay.client()
      let queues = [
        try await owner.newQueue(subscription: .onlyCreate), try await owner.newQueue(subscription: .onlyCreate),
      ]
      let client = try await relay.client()
      store.hold()
      let send = Command.send(SendRequest(body: [1]))
      let sent = try await client.send([
        Request(command: .sub, entity: queues[0].recipient, key: queues[0].key),
        Request(command: send, entity: queues[1].ids.senderID),
      ])
      try await store.untilHeld()
      let numbers = try await numbers(of: queues, in: store.store)
      _ = try await relay.store.perform(.deleteQueue(numbers[0]))
      _ = try await relay.store.perform(.setStatus(numbers[1], .off))
      store.release()
      #expect(try await client.response(to: sent[0]) == .err(.AUTH))
      #expect(try await client.response(to: sent[1]) == .err(.AUTH))
      #expect(relay.server.relay.withShards { $0.subscriptionCount }.reduce(0, +) == 0)
    }
  }

  private func numbers(of queues: [TestQueue], in store: any RelayStore) async throws -> [QueueNumber] {
    var numbers: [QueueNumber] = []
    for queue in queues {
      numbers.append(try #require(try await store.queue(.recipient(queue.recipient.bytes))).number)
    }
    return numbers
  }

  /// A client that is told END before the answer to its SUB would take itself for subscribed.
  @Test func aSubscriptionIsAnsweredBeforeItEnds() async throws {
    try await withRelay { relay, store in
      let owner = try await relay.client()
      let queue = try await owner.newQueue(subscription: .onlyCreate)
      #expect(try await owner.sendMessage([1], to: queue) == .ok)
      let (first, second) = (try await relay.client(), try await relay.client())
      store.hold()
      let subscribe = Request(command: .sub, entity: queue.recipient, key: queue.key)
      let asked = try await first.send([subscribe])
      try await store.untilHeld()
      store.releaseOnce()
      try await store.untilHeld()
      let askedSecond = try await second.send([subscribe])
      try await store.untilHeld(2)
      // The first message is still being read for the first connection.
      store.release()
      #expect(try await first.response(to: asked[0]) == .sok(nil))
      #expect(try await first.event().message == .end)
      #expect(try await second.response(to: askedSecond[0]) == .sok(nil))
      #expect(try queue.body(try await second.event().message).body == [1])
      #expect(try await first.hasEvent() == false)
    }
  }

  /// A command that follows another one on the same queue finds what that one did.
  @Test func commandsOfAClientAreExecutedInOrder() async throws {
    try await withRelay { relay, store in
      let owner = try await relay.client()
      let queue = try await owner.newQueue()
      #expect(try await owner.sendMessage([1], to: queue) == .ok)
      let message = try queue.body(try await owner.event().message)
      let client = try await relay.client()
      let asked = try await client.send([
        Request(command: .sub, entity: queue.recipient, key: queue.key),
        Request(command: .ack(message.id), entity: queue.recipient, key: queue.key),
        Request(command: .get, entity: queue.recipient, key: queue.key),
      ])
      #expect(try await client.response(to: asked[0]) == .sok(nil))
      #expect(try await client.response(to: asked[1]) == .ok)
      #expect(try await client.response(to: asked[2]) == .err(.CMD(cmdErr: .PROHIBITED)))
      #expect(try queue.body(try await client.event().message).body == [1])
      #expect(try await client.hasEvent() == false)
    }
  }

  /// The time of a refusal must not tell whether there is a queue: as much is read for it. How many are read together
  /// may depend on time slices, which checks of signatures end in a debug build; for single commands it does not.
  @Test(arguments: [(1, 5), (40, 1)]) func refusalsReadAsMuchWhetherThereIsAQueue(count: Int, blocks: Int) async throws
  {
    try await withDatabase(caches: true, { $0.threads = 1 }) { relay, store in
      let owner = try await relay.client()
      let queue = try await owner.newQueue(subscription: .onlyCreate)
      #expect(try await owner.ask(.sub, queue.recipient, key: queue.key) == .sok(nil))
      #expect(store.cached(.recipient(queue.recipient.bytes)) != nil)
      var random = SystemRandom()
      var sizes: [[Int]] = []
      for entity in [queue.recipient, EntityID(using: &random)] {
        _ = store.takeSizes()
        let client = try await relay.client()
        let forged = Request(command: .sub, entity: entity, key: KeyKind.ed25519.random)
        for _ in 0..<blocks {
          for answer in try await client.send([Request](repeating: forged, count: count)) {
            #expect(try await client.response(to: answer) == .err(.AUTH))
          }
        }
        sizes.append(store.takeSizes())
      }
      #expect(sizes.map { $0.reduce(0, +) } == [count * blocks, count * blocks])
      #expect(sizes.joined().allSatisfy { $0 <= CommandQueue.limit })
      if count == 1 { #expect(sizes[0] == sizes[1]) }
    }
  }

  /// A refused command whose queue is not in memory waits, one whose queue is there does not: nothing is read ahead
  /// because one waits.
  @Test func nothingIsReadAheadBeforeARefusal() async throws {
    // Where the system interrupts a time slice, fewer commands are read together: the numbers differ sometimes, and
    // always where something is read ahead.
    var counts: [[Int]] = []
    while counts.count < 5 {
      counts.append(try await readsOfRefusals())
      if counts.last?.first == counts.last?.last { return }
    }
    Issue.record("reads with and without a queue in memory: \(counts)")
  }

  /// The numbers of queues that are read for the same commands, one of which is refused: where its queue is in memory,
  /// and where there is none.
  private func readsOfRefusals() async throws -> [Int] {
    var counts: [Int] = []
    try await withDatabase(caches: true, { $0.threads = 1 }) { relay, store in
      let owner = try await relay.client()
      let queue = try await owner.newQueue(subscription: .onlyCreate)
      #expect(try await owner.ask(.sub, queue.recipient, key: queue.key) == .sok(nil))
      var random = SystemRandom()
      for entity in [queue.recipient, EntityID(using: &random)] {
        let client = try await relay.client()
        let own = try await client.newQueue(subscription: .onlyCreate)
        let describe = Request(command: .que, entity: own.recipient, key: own.key)
        for _ in 0..<CommandQueue.limit {
          guard case .info = try await client.ask(.que, own.recipient, key: own.key) else {
            Issue.record("no description")
            return
          }
        }
        #expect(store.cached(.recipient(queue.recipient.bytes)) != nil)
        _ = store.takeSizes()
        let forged = Request(command: .sub, entity: entity, key: KeyKind.ed25519.random)
        let nothing = Request(
          command: .ack(MessageID([UInt8](repeating: 1, count: 24))), entity: own.recipient, key: own.key)
        let all = [describe, forged] + [Request](repeating: nothing, count: CommandQueue.limit + 6)
        for answer in try await client.send(all) { _ = try await client.response(to: answer) }
        counts.append(store.takeSizes().reduce(0, +))
      }
    }
    return counts
  }

  /// Nor must the order of answers: commands behind a refusal wait for it, also if they need nothing from the store.
  @Test func refusalsComeInOrderWhetherThereIsAQueue() async throws {
    try await withDatabase(caches: true, { $0.threads = 1 }) { relay, store in
      let owner = try await relay.client()
      let queue = try await owner.newQueue(subscription: .onlyCreate)
      #expect(try await owner.ask(.sub, queue.recipient, key: queue.key) == .sok(nil))
      var random = SystemRandom()
      for entity in [queue.recipient, EntityID(using: &random)] {
        let client = try await relay.client()
        let own = try await client.newQueue(subscription: .onlyCreate)
        #expect(try await client.ask(.sub, own.recipient, key: own.key) == .sok(nil))
        // Both are in memory.
        #expect(store.cached(.recipient(queue.recipient.bytes)) != nil)
        #expect(store.cached(.recipient(own.recipient.bytes)) != nil)
        let forged = Request(command: .sub, entity: entity, key: KeyKind.ed25519.random)
        let nothing = Request(
          command: .ack(MessageID([UInt8](repeating: 1, count: 24))), entity: own.recipient, key: own.key)
        let sent = try await client.send([forged, nothing, forged, nothing])
        let received = try await client.received(4)
        #expect(received.map(\.correlation) == sent)
        #expect(received.map(\.message) == [.err(.AUTH), .err(.NO_MSG), .err(.AUTH), .err(.NO_MSG)])
      }
    }
  }
}

/// Runs a test with a relay whose store is slow, and a database.
private func withDatabase(
  caches: Bool, _ change: (inout SMPServerConfiguration) -> Void = { _ in },
  _ body: (TestRelay, SlowStore) async throws -> Void
) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "slow-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let store = SlowStore(try SQLiteQueueStore(path: folder.appending(path: "queues.db").path), caches: caches)
  try await TestRelay.with(store: store, change) { relay in try await body(relay, store) }
}

/// Conversations over a store whose answers come late and in any order.
@Suite(.timeLimit(.minutes(2))) struct SlowConversationTests {
  /// A recipient whose connection is replaced again and again gets every message, each once by every acknowledgement.
  @Test(arguments: propertySeeds(4)) func everyMessageArrivesInOrder(seed: UInt64) async throws {
    try await withDatabase(caches: seed % 2 == 0) { relay, store in
      store.shuffle(seed: seed)
      let owner = try await relay.client()
      var queues: [TestQueue] = []
      for _ in 0..<20 { queues.append(try await owner.newQueue(subscription: .onlyCreate)) }
      let count = 12
      let (port, fingerprint, all) = (relay.port, relay.server.fingerprint, queues)
      let sending = Task {
        let sender = try await TestClient.connect(port: port, fingerprint: fingerprint)
        for number in 0..<count {
          let sends = all.map { queue in
            TestClient.Request(command: .send(SendRequest(body: [UInt8(number)])), entity: queue.ids.senderID)
          }
          for sent in try await sender.send(sends) { #expect(try await sender.response(to: sent) == .ok) }
        }
      }
      var chance = SeededGenerator(seed: seed)
      var received = [Int](repeating: 0, count: queues.count)
      var client = try await relay.client()
      while received.contains(where: { $0 < count }) {
        let subscriptions = queues.map {
          TestClient.Request(command: .sub, entity: $0.recipient, key: $0.key)
        }
        for answer in try await client.send(subscriptions) {
          #expect(try await client.response(to: answer) == .sok(nil))
        }
        // Some messages, then a new connection.
        for _ in 0..<Int.random(in: 1...60, using: &chance) {
          guard received.contains(where: { $0 < count }) else { break }
          let event = try await client.event()
          let index = try #require(queues.firstIndex { $0.recipient == event.entity })
          var next: BrokerMessage? = event.message
          while let message = next {
            let (id, body) = try queues[index].body(message)
            // A message comes again if the connection was replaced before its acknowledgement, and never otherwise.
            #expect(body == [UInt8(received[index])], "seed \(seed)")
            received[index] += 1
            let answer = try await client.acknowledge(id, queues[index])
            next = if case .msg = answer { answer } else { nil }
            if next == nil { #expect(answer == .ok) }
          }
        }
        client.close()
        client = try await relay.client()
      }
      try await sending.value
      #expect(try await store.counts().messages == 0)
    }
  }
}
