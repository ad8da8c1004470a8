import Dispatch
import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import Synchronization
import Testing

@testable import SMPServer

/// What clients are told while other threads use the same queue.
@Suite(.timeLimit(.minutes(2))) struct ResponseOrderTests {
  /// A client that is told END before the answer to its SUB would take itself for subscribed. The thread that answers
  /// is stopped while it does, and another connection subscribes meanwhile, if it can.
  @Test func noOtherThreadTellsTheEndBeforeTheAnswer() async throws {
    try await TestRelay.with(store: MemoryQueueStore()) { relay in
      let owner = try await relay.client()
      let queue = try await owner.newQueue(subscription: .onlyCreate)
      let record = try #require(try await relay.store.queue(.recipient(queue.recipient.bytes)))
      let (first, second) = (SlowTarget(), SlowTarget())
      let subscribe = { @Sendable (target: SlowTarget) in
        var random = SystemRandom()
        let origin = Origin(
          session: Client(target), correlation: CorrelationID(using: &random), entity: queue.recipient)
        let context = CommandContext(version: 18, service: nil, now: 1_700_000_000, quota: 9)
        relay.server.relay.update(record.number) {
          $0.handle(.sub, from: origin, about: record, context, using: &random)
        }
      }
      let threads = DispatchQueue(label: "clients", attributes: .concurrent)
      threads.async { subscribe(first) }
      await first.untilAnswering()
      threads.async { subscribe(second) }
      while first.received.count < 2 || second.received.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
      #expect(first.received == [.sok(nil), .end])
      #expect(second.received == [.sok(nil)])
      for target in [first, second] { relay.server.relay.forget(Client(target)) }
    }
  }

  /// A client that is told END takes no further message of the queue. Another connection subscribes while the sender,
  /// whose command a proxy forwarded, is being answered.
  @Test func aForwardedMessagePrecedesTheEndOfTheSubscription() async throws {
    try await TestRelay.with(store: MemoryQueueStore()) { relay in
      let owner = try await relay.client()
      let queue = try await owner.newQueue(subscription: .onlyCreate)
      let record = try #require(try await relay.store.queue(.recipient(queue.recipient.bytes)))
      let (first, second) = (FastTarget(), FastTarget())
      let execute = { @Sendable (target: any ResponseTarget, command: Command) in
        var random = SystemRandom()
        let origin = Origin(
          session: Client(target), correlation: CorrelationID(using: &random), entity: queue.recipient)
        let context = CommandContext(version: 18, service: nil, now: 1_700_000_000, quota: 9)
        relay.server.relay.update(record.number) {
          $0.handle(command, from: origin, about: record, context, using: &random)
        }
      }
      execute(first, .sub)
      while first.received != ["SOK"] { try await Task.sleep(for: .milliseconds(2)) }
      let sender = ForwardedTarget { execute(second, .sub) }
      execute(sender, .send(SendRequest(body: [1])))
      while second.received.count < 2 { try await Task.sleep(for: .milliseconds(2)) }
      #expect(first.received == ["SOK", "MSG", "END"])
      #expect(second.received == ["SOK", "MSG"])
      for target in [first, second] { relay.server.relay.forget(Client(target)) }
    }
  }
}

/// A connection that records the keywords of the responses that it is sent.
private final class FastTarget: ResponseTarget {
  private let responses = Mutex<[String]>([])

  var received: [String] { responses.withLock { $0 } }

  func send(_ response: Response) {
    let keyword: String
    switch response.body {
    case .delivery: keyword = "MSG"
    case .plain(let message): keyword = message.form.keyword
    case .link, .notification, .forwarded: keyword = ""
    }
    responses.withLock { $0.append(keyword) }
  }

  var isClosed: Bool { false }
}

/// A client whose command a proxy forwarded. It calls `before` instead of taking the response.
private final class ForwardedTarget: ResponseTarget {
  private let before: @Sendable () -> Void

  init(before: @escaping @Sendable () -> Void) { self.before = before }

  var maySubscribe: Bool { false }

  func send(_ response: Response) { before() }

  var isClosed: Bool { false }
}

/// A connection whose thread is slow where it answers SUB: it goes on when it is told END, or after a while.
private final class SlowTarget: ResponseTarget {
  private let responses = Mutex<[BrokerMessage]>([])
  private let answering = Atomic<Bool>(false)
  private let ended = DispatchSemaphore(value: 0)

  var received: [BrokerMessage] { responses.withLock { $0 } }

  func untilAnswering() async {
    while !answering.load(ordering: .sequentiallyConsistent) { await Task.yield() }
  }

  func send(_ response: Response) {
    guard case .plain(let message) = response.body else { return }
    if case .sok = message {
      answering.store(true, ordering: .sequentiallyConsistent)
      _ = ended.wait(timeout: .now() + .milliseconds(300))
    }
    responses.withLock { $0.append(message) }
    if message == .end { ended.signal() }
  }

  var isClosed: Bool { false }
}
