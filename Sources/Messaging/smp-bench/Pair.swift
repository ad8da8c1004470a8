import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import Synchronization

/// A recipient and a sender with a connection each, and the queue between them.
struct Pair: Sendable {
  let receiver: SMPConnection
  let sender: Sender

  static func connect(_ options: Options) async throws -> Pair {
    var configuration = SMPClientConfiguration()
    configuration.requestTimeout = .seconds(60)
    return Pair(
      receiver: try await SMPConnection.connect(to: options.server.server, configuration),
      sender: try await Sender.connect(options, configuration))
  }

  func close() async {
    await receiver.close()
    await sender.connection.close()
  }

  /// Makes a queue.
  func makeQueue(_ options: Options, subscription: SubscriptionMode) async throws -> Queue {
    var random = SystemRandom()
    let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
    let request = NewQueueRequest(
      recipientKey: key.publicKey, recipientDHKey: X25519.PrivateKey(using: &random).publicKey,
      basicAuth: options.server.basicAuth, subscription: subscription, purpose: .messaging(nil))
    let response = try await receiver.perform(RequestPipeline.Request(.new(request), key: key))
    guard case .ids(let ids) = response else { throw SMPClientError.unexpectedResponse(response.form.keyword) }
    return Queue(recipientID: ids.recipientID, senderID: ids.senderID, key: key)
  }

  /// Sends messages through a queue of its own, as long as `budget` lasts, and returns the latency from SEND to MSG of
  /// each in seconds.
  func exchangeMessages(_ options: Options, _ budget: Budget) async throws -> [Double] {
    let queue = try await makeQueue(options, subscription: .subscribe)
    var random = SystemRandom()
    let senderKey: AuthorizationPrivateKey =
      switch options.senderKey {
      case .ed25519: .ed25519(Ed25519.PrivateKey(using: &random))
      case .x25519: .x25519(X25519.PrivateKey(using: &random))
      }
    _ = try await sender.perform(
      RequestPipeline.Request(.skey(senderKey.publicKey), entity: queue.senderID, key: senderKey))
    let body = random.bytes(options.size)
    let send = RequestPipeline.Request(.send(SendRequest(body: body)), entity: queue.senderID, key: senderKey)
    let (permits, permitSink) = AsyncStream<Void>.makeStream()
    let exchange = Exchange()
    let interval = options.rate > 0 ? Duration.seconds(Double(options.pairs) / Double(options.rate)) : nil
    // At a fixed rate all may be in flight at once; `pace` determines the times.
    let first = budget.take(interval == nil ? options.pipeline : options.messages)
    for _ in 0..<first { permitSink.yield() }
    guard first > 0 else { return [] }

    return try await withThrowingTaskGroup(of: [Double].self) { group in
      group.addTask(executorPreference: receiver.executor) {
        defer { permitSink.finish() }
        return try await receive(first, budget: budget, queue: queue, exchange: exchange) { permitSink.yield() }
      }
      group.addTask(executorPreference: sender.connection.executor) {
        let pace = Pace(interval)
        for await _ in permits {
          try await pace?.wait()
          exchange.started()
          await sender.start(send) { answered($0, exchange) }
        }
        return []
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  /// Acknowledges messages: `first` of them, and as many more as the budget allows, each of which is sent after an
  /// acknowledgement.
  private func receive(
    _ first: Int, budget: Budget, queue: Queue, exchange: Exchange,
    acknowledged: @escaping @Sendable () -> Void
  ) async throws -> [Double] {
    var latencies: [Double] = []
    var count = first
    for await event in receiver.events {
      guard case .msg(let message) = event.message, event.entity == queue.recipientID else { continue }
      latencies.append(exchange.received().inSeconds)
      let ack = RequestPipeline.Request(.ack(message.id), entity: queue.recipientID, key: queue.key)
      let sendsNext = budget.take(1) == 1
      if sendsNext { count += 1 }
      if latencies.count == count {
        _ = try await receiver.perform(ack)
        return latencies
      }
      let completion: SMPConnection.Completion = {
        answered($0, exchange)
        if sendsNext { acknowledged() }
      }
      await receiver.start([(ack, completion)])
    }
    throw exchange.failure ?? .closed
  }

  /// Records the end of a command. After a failure there is nothing to wait for.
  private func answered(_ result: Result<BrokerMessage, SMPClientError>, _ exchange: Exchange) {
    guard case .failure(let error) = result else { return }
    exchange.fail(error)
    Task { await receiver.close(error) }
  }
}

/// The messages that all pairs together have still to send. Faster pairs send more, so that all are busy to the end.
final class Budget: Sendable {
  private let rest: Mutex<Int>

  init(_ count: Int) { rest = Mutex(count) }

  /// Takes up to `count` messages, and returns their number.
  func take(_ count: Int) -> Int {
    rest.withLock { rest in
      let taken = min(count, rest)
      rest -= taken
      return taken
    }
  }
}

/// Times at equal distances, with a random start within the first interval.
private final class Pace {
  private let clock = ContinuousClock()
  private let interval: Duration
  private var next: ContinuousClock.Instant

  init?(_ interval: Duration?) {
    guard let interval else { return nil }
    self.interval = interval
    next = clock.now + interval * Double.random(in: 0..<1)
  }

  /// Waits for the next time; returns at once where it has passed, so that delays do not lower the rate.
  func wait() async throws {
    if next > clock.now { try await clock.sleep(until: next, tolerance: .zero) }
    next += interval
  }
}

/// A sender's connection: to the relay itself, or to one that forwards to it.
struct Sender: Sendable {
  let connection: SMPConnection
  /// The relay behind the proxy; nil without one.
  let session: ProxiedRelay?

  static func connect(_ options: Options, _ configuration: SMPClientConfiguration) async throws -> Sender {
    guard let proxy = options.proxy else {
      return Sender(connection: try await .connect(to: options.server.server, configuration), session: nil)
    }
    let connection = try await SMPConnection.connect(to: proxy.server, configuration)
    let session = try await connection.openSession(with: options.server.server, basicAuth: proxy.basicAuth)
    return Sender(connection: connection, session: session)
  }

  func perform(_ request: RequestPipeline.Request) async throws -> BrokerMessage {
    guard let session else { return try await connection.perform(request) }
    return try await connection.perform(request, through: session)
  }

  /// Sends a command without waiting for the response.
  func start(_ request: RequestPipeline.Request, _ completion: @escaping SMPConnection.Completion) async {
    guard session != nil else { return await connection.start([(request, completion)]) }
    Task {
      do {
        completion(.success(try await perform(request)))
      } catch {
        completion(.failure(error as? SMPClientError ?? .closed))
      }
    }
  }
}

/// A queue as its recipient knows it.
struct Queue: Sendable {
  let recipientID: EntityID
  let senderID: EntityID
  let key: AuthorizationPrivateKey
}

/// The times at which the messages of a queue were sent, and whether a command failed. A queue keeps the order of
/// messages, so that they need no marks.
private final class Exchange: Sendable {
  private struct State {
    var starts: [ContinuousClock.Instant] = []
    var next = 0
    var failure: SMPClientError?
  }

  private let clock = ContinuousClock()
  private let state = Mutex(State())

  func started() {
    let now = clock.now
    state.withLock { $0.starts.append(now) }
  }

  /// Records a failed command, if it is the first.
  func fail(_ error: SMPClientError) { state.withLock { $0.failure = $0.failure ?? error } }

  var failure: SMPClientError? { state.withLock { $0.failure } }

  /// The time since the next message was sent.
  func received() -> Duration {
    let now = clock.now
    return state.withLock { state in
      guard state.next < state.starts.count else { return .zero }
      defer { state.next += 1 }
      return now - state.starts[state.next]
    }
  }
}
