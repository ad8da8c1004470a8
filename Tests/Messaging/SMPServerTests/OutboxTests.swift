import NIOCore
import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import Synchronization
import Testing

@testable import SMPServer

/// What waits for a client that does not take it.
@Suite(.timeLimit(.minutes(2))) struct OutboxTests {
  private static func randomCorrelation() -> CorrelationID {
    var random = SystemRandom()
    return CorrelationID(using: &random)
  }

  /// Link data is 300 times as long as the command that asks for it.
  @Test func notMoreLinkDataIsKeptThanMessages() {
    var outbox = Outbox()
    let data = LinkData(fixed: [UInt8](repeating: 1, count: 2_000), user: [UInt8](repeating: 2, count: 11_000))
    for _ in 0..<200 {
      _ = outbox.add(
        Response(Self.randomCorrelation(), about: EntityID([1]), .link(data, of: QueueNumber(7), sender: EntityID([2])))
      )
    }
    #expect(outbox.isBusy)
    var (kept, dropped) = (0, 0)
    while case let items = outbox.take(), !items.isEmpty {
      for item in items {
        if case .response = item { kept += 13_000 } else { dropped += 1 }
      }
      #expect(items.compactMap(\.read).count <= 16)
    }
    #expect(kept <= 256 * 1024 + 13_000)
    #expect(dropped == 200 - kept / 13_000)
    #expect(!outbox.isBusy)
  }

  private static func delivery(_ queue: Int64) -> Response {
    let message = QueuedMessage(
      id: [UInt8](repeating: 1, count: 24), timestamp: 1_700_000_000,
      content: .message(notify: false, body: [UInt8](repeating: 2, count: 16_000)))
    return Response(
      .none, about: EntityID([1]),
      .delivery(message, of: QueueNumber(queue), secret: [UInt8](repeating: 3, count: 32)))
  }

  /// Between two looks at whether the client takes what it is sent, little is written.
  @Test func contentsAreTakenAFewAtATime() {
    var outbox = Outbox()
    for queue in 1...100 { _ = outbox.add(Self.delivery(Int64(queue))) }
    var taken = 0
    while case let items = outbox.take(), !items.isEmpty {
      #expect(items.count <= 5)
      taken += items.count
    }
    #expect(taken == 100)
    #expect(outbox.bodyBytes == 0)
    // Short responses are written together.
    for _ in 0..<300 { _ = outbox.add(Response(.none, about: EntityID([1]), .plain(.ok))) }
    #expect(outbox.take().count == 128)
  }

  /// While the contents for all connections take much memory, each keeps one content or two.
  @Test func fewContentsAreKeptWhileMemoryIsScarce() {
    var outbox = Outbox()
    for queue in 1...20 { _ = outbox.add(Self.delivery(Int64(queue)), isTotalExceeded: true) }
    #expect(outbox.bodyBytes == 32_000)
    var reads = 0
    while case let items = outbox.take(), !items.isEmpty { reads += items.compactMap(\.read).count }
    #expect(reads == 18)
  }

  /// Many clients that take nothing: what is kept for them in total is bounded, and given back.
  @Test func contentsOfAllConnectionsAreBounded() async throws {
    try await TestRelay.with(
      store: MemoryQueueStore(),
      {
        $0.threads = 1
        $0.unsentBodyLimit = 1 << 20
      }
    ) { relay in
      var clients: [TestClient] = []
      for _ in 0..<20 { clients.append(try await relay.client()) }
      let shared = relay.server.relay
      let sessions = shared.openSessions
      // Nothing is written meanwhile.
      try await sessions[0].connection.eventLoop.submit {
        for session in sessions {
          for queue in 1...20 { session.send(Self.delivery(Int64(queue))) }
        }
        let held = shared.unsentBodyBytes.load(ordering: .relaxed)
        // The limit, the content that exceeds it, and what each connection may keep.
        #expect(held > 1 << 20 && held <= 1 << 20 + 16_000 + 20 * 32_000)
      }.get()
      for client in clients { client.close() }
      while shared.unsentBodyBytes.load(ordering: .relaxed) > 0 { try await Task.sleep(for: .milliseconds(2)) }
      #expect(shared.unsentBodyBytes.load(ordering: .relaxed) == 0)
    }
  }

  /// Responses of other relays cannot be read again; nothing further is read from the client.
  @Test func forwardedResponsesEndReading() {
    var outbox = Outbox()
    for _ in 0..<20 {
      _ = outbox.add(
        Response(Self.randomCorrelation(), about: .none, .plain(.pres([UInt8](repeating: 1, count: 16_000)))))
    }
    #expect(outbox.isBusy)
    while !outbox.take().isEmpty {}
    #expect(outbox.isIdle)
  }

  /// Responses to forwarded commands are short until they are written, and end reading as if they were not.
  @Test func responsesToForwardedCommandsEndReading() {
    struct Reply: ForwardedSealing {
      let response = Response(.none, about: .none, .plain(.ok))

      func seal() -> BrokerMessage { .rres([]) }
    }
    var outbox = Outbox()
    for _ in 0..<20 { _ = outbox.add(Response(Self.randomCorrelation(), about: .none, .forwarded(Reply()))) }
    #expect(outbox.isBusy)
    #expect(outbox.bodyBytes == 0)
    #expect(outbox.take().count == 3)
    while !outbox.take().isEmpty {}
    #expect(outbox.isIdle)
  }

  /// A notifier that takes nothing loses notifications; others get theirs.
  @Test func notificationsOfAllConnectionsAreBounded() async throws {
    try await TestRelay.with(
      store: MemoryQueueStore(),
      {
        $0.threads = 1
        $0.unsentNotificationLimit = 3_000
      }
    ) { relay in
      var clients: [TestClient] = []
      for _ in 0..<2 { clients.append(try await relay.client()) }
      let shared = relay.server.relay
      let sessions = shared.openSessions
      let response = Response(
        .none, about: EntityID([UInt8](repeating: 1, count: 24)),
        .notification(
          PendingNotification(messageID: [UInt8](repeating: 2, count: 24), timestamp: 1_700_000_000),
          secret: [UInt8](repeating: 3, count: 32)))
      // Nothing is written meanwhile.
      try await sessions[0].connection.eventLoop.submit {
        for _ in 0..<5_000 { sessions[0].send(response) }
        for _ in 0..<2_000 { sessions[1].send(response) }
        #expect(shared.unsentNotifications.load(ordering: .relaxed) == 4_000)
        #expect(shared.statistics.value(.notificationLost) == 2_000 + 1_000)
      }.get()
      // What is taken makes room, and so does what is lost with its connection.
      while shared.unsentNotifications.load(ordering: .relaxed) > 0 {
        for client in clients { client.close() }
        try await Task.sleep(for: .milliseconds(2))
      }
      #expect(shared.unsentNotifications.load(ordering: .relaxed) == 0)
    }
  }

  @Test func droppedLinkDataIsReadAgain() async throws {
    try await TestRelay.with(store: MemoryQueueStore(), { $0.threads = 1 }) { relay in
      let client = try await relay.client()
      let correlation = Self.randomCorrelation()
      let data = QueueLinkData(
        fixedData: [UInt8](repeating: 1, count: 2_000), userData: [UInt8](repeating: 2, count: 13_000))
      let sender = EntityID.sender(for: correlation)
      let linkID = EntityID([UInt8](repeating: 3, count: 24))
      let queue = try await client.newQueue(
        .contact(ContactLink(linkID: linkID, senderID: sender, data: data)), correlation: correlation)
      let record = try #require(try await relay.store.queue(.recipient(queue.recipient.bytes)))
      let session = try #require(relay.server.relay.openSessions.first)
      let asked = (0..<60).map { _ in Self.randomCorrelation() }
      // Nothing is written before all are answered.
      try await session.connection.eventLoop.submit {
        for correlation in asked {
          relay.server.relay.read([
            .link(record, Origin(session: Client(session), correlation: correlation, entity: linkID))
          ])
        }
      }.get()
      for correlation in asked {
        #expect(try await client.response(to: correlation) == .lnk(LinkResponse(senderID: sender, data: data)))
      }
    }
  }

  /// Otherwise the queue would be stuck: its recipient cannot acknowledge what it never got.
  @Test func aMessageThatExpiresBeforeItIsSentMakesRoomForTheNext() async throws {
    let store = LateAnswers()
    try await TestRelay.with(store: store, { $0.threads = 1 }) { relay in
      let owner = try await relay.client()
      let session = try #require(relay.server.relay.openSessions.first)
      var queues: [TestQueue] = []
      for _ in 0..<24 { queues.append(try await owner.newQueue()) }
      let sender = try await relay.client()
      store.hold()
      let body = [UInt8](repeating: 1, count: 15_000)
      for queue in queues {
        _ = try await sender.send([.init(command: .send(SendRequest(body: body)), entity: queue.ids.senderID)])
      }
      while store.heldCount < queues.count { try await Task.sleep(for: .milliseconds(2)) }
      // The last message expires before the recipient can take it, and is followed by another one.
      let last = try #require(queues.last)
      let number = try #require(try await store.queue(.recipient(last.recipient.bytes))).number
      let next = QueuedMessage(
        id: [UInt8](repeating: 9, count: 24), timestamp: 1_700_000_000, content: .message(notify: false, body: [2]))
      _ = try await store.store.perform(.expireMessagesOfQueue(number, before: .max))
      _ = try await store.store.perform(.addMessage(number, next, quota: 9))
      // All are delivered before anything is written.
      try await session.connection.eventLoop.submit { store.release() }.get()
      var received: [EntityID: [UInt8]] = [:]
      while received.count < queues.count {
        let event = try await owner.event()
        let queue = try #require(queues.first { $0.recipient == event.entity })
        received[event.entity] = try queue.body(event.message).body
      }
      #expect(received.values.count { $0 == body } == queues.count - 1)
      #expect(received[last.recipient] == [2])
      #expect(try await owner.acknowledge(MessageID(next.id), last) == .ok)
      #expect(try await owner.hasEvent() == false)
    }
  }
}

/// Messages that cannot be read for a while.
@Suite(.timeLimit(.minutes(2))) struct UnreadMessageTests {
  /// The relay reads them again by itself, because possibly nothing else happens to their queue.
  @Test func aMessageIsDeliveredWhenItCanBeRead() async throws {
    let store = UnreadableMessages()
    try await TestRelay.with(store: store, { $0.readRetryInterval = .milliseconds(20) }) { relay in
      let owner = try await relay.client()
      let session = try #require(relay.server.relay.openSessions.first)
      let queue = try await owner.newQueue()
      let number = try #require(try await store.queue(.recipient(queue.recipient.bytes))).number
      #expect(try await owner.sendMessage([1], to: queue) == .ok)
      let message = try queue.body(try await owner.event().message)
      // As after a read of a message that was dropped from memory.
      store.isFailing = true
      relay.server.relay.update(number) { $0.notSent(message.id.bytes, of: number, to: Client(session)) }
      while store.failures < 3 { try await Task.sleep(for: .milliseconds(2)) }
      #expect(try await owner.hasEvent() == false)
      store.isFailing = false
      #expect(try queue.body(try await owner.event().message).id == message.id)
      #expect(try await owner.acknowledge(message.id, queue) == .ok)
      #expect(try await owner.hasEvent() == false)
    }
  }

  /// OK would mean that the queue is empty.
  @Test func aMessageThatCannotBeReadAgainIsAnErrorForGet() async throws {
    let store = UnreadableMessages()
    try await TestRelay.with(store: store, { $0.threads = 1 }) { relay in
      let owner = try await relay.client()
      let session = try #require(relay.server.relay.openSessions.first)
      let body = [UInt8](repeating: 1, count: 15_000)
      var asked: [(queue: TestQueue, record: QueueRecord, correlation: CorrelationID)] = []
      var random = SystemRandom()
      for _ in 0..<24 {
        let queue = try await owner.newQueue(subscription: .onlyCreate)
        #expect(try await owner.sendMessage(body, to: queue) == .ok)
        let record = try #require(try await store.queue(.recipient(queue.recipient.bytes)))
        asked.append((queue, record, CorrelationID(using: &random)))
      }
      // Nothing is written before all are read once; the last ones are dropped from memory.
      try await session.connection.eventLoop.submit { [asked] in
        let context = CommandContext(version: 18, service: nil, now: 1_700_000_000, quota: 9)
        for (queue, record, correlation) in asked {
          let origin = Origin(session: Client(session), correlation: correlation, entity: queue.recipient)
          relay.server.relay.update(record.number) {
            var random = SystemRandom()
            return $0.handle(.get, from: origin, about: record, context, using: &random)
          }
        }
        store.isFailing = true
      }.get()
      var failures = 0
      for (queue, _, correlation) in asked {
        let answer = try await owner.response(to: correlation)
        if answer == .err(.STORE(storeErr: "unavailable")) {
          failures += 1
        } else {
          #expect(try queue.body(answer).body == body)
        }
      }
      #expect(failures > 0 && failures == store.failures)
    }
  }
}

/// A store in memory whose messages cannot be read for a while.
private final class UnreadableMessages: ForwardingStore {
  let store: any RelayStore = MemoryQueueStore()
  private let failing = Atomic<Bool>(false)
  private let failed = Atomic<Int>(0)

  var isFailing: Bool {
    get { failing.load(ordering: .sequentiallyConsistent) }
    set { failing.store(newValue, ordering: .sequentiallyConsistent) }
  }

  /// The number of messages that could not be read.
  var failures: Int { failed.load(ordering: .sequentiallyConsistent) }

  func read(
    _ reads: [StoreRead], completion: @escaping @Sendable (_ answers: [StoreAnswer], _ time: Duration) -> Void
  ) {
    let isFailing = isFailing
    store.read(reads) { [self] answers, time in
      let answers = answers.map { answer -> StoreAnswer in
        guard isFailing, case .firstMessage = answer else { return answer }
        failed.add(1, ordering: .sequentiallyConsistent)
        return .failed(.unavailable)
      }
      completion(answers, time)
    }
  }
}

/// A store in memory that can answer changes late, all of them on one thread.
private final class LateAnswers: ForwardingStore {
  private struct State {
    var isHolding = false
    var held: [@Sendable () -> Void] = []
  }

  let store: any RelayStore = MemoryQueueStore()
  private let state = Mutex(State())

  var heldCount: Int { state.withLock { $0.held.count } }

  func hold() { state.withLock { $0.isHolding = true } }

  func release() {
    let held = state.withLock { state in
      defer { state = State() }
      return state.held
    }
    for answer in held { answer() }
  }

  func submit(
    _ operation: StoreOperation, completion: @escaping @Sendable (Result<StoreOutcome, StoreFailure>) -> Void
  ) {
    store.submit(operation) { [self] result in
      let isHeld = state.withLock { state in
        if state.isHolding { state.held.append { completion(result) } }
        return state.isHolding
      }
      if !isHeld { completion(result) }
    }
  }
}
