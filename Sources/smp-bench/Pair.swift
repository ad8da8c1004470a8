import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto

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

  /// Sends messages through a queue of its own, and gives the time from SEND to MSG of each in seconds.
  func exchangeMessages(_ options: Options) async throws -> [Double] {
    let queue = try await makeQueue(options, subscription: .subscribe)
    var random = SystemRandom()
    let senderKey = AuthorizationPrivateKey.x25519(X25519.PrivateKey(using: &random))
    _ = try await sender.perform(
      RequestPipeline.Request(.skey(senderKey.publicKey), entity: queue.senderID, key: senderKey))
    let body = random.bytes(options.size)
    let send = RequestPipeline.Request(.send(SendRequest(body: body)), entity: queue.senderID, key: senderKey)
    let (permits, permitSink) = AsyncStream<Void>.makeStream()
    for _ in 0..<min(options.pipeline, options.messages) { permitSink.yield() }
    let times = SendTimes()

    return try await withThrowingTaskGroup(of: [Double].self) { group in
      group.addTask {
        defer { permitSink.finish() }
        return try await receive(options.messages, queue, times) { permitSink.yield() }
      }
      group.addTask {
        try await withThrowingDiscardingTaskGroup { sends in
          var sent = 0
          for await _ in permits {
            guard sent < options.messages else { break }
            sent += 1
            await times.started()
            sends.addTask { _ = try await sender.perform(send) }
          }
        }
        return []
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  /// Acknowledges messages until `count` of them were.
  private func receive(
    _ count: Int, _ queue: Queue, _ times: SendTimes, acknowledged: @Sendable () -> Void
  ) async throws -> [Double] {
    var latencies: [Double] = []
    latencies.reserveCapacity(count)
    for await event in receiver.events {
      guard case .msg(let message) = event.message, event.entity == queue.recipientID else { continue }
      latencies.append(await times.received().inSeconds)
      let ack = RequestPipeline.Request(.ack(message.id), entity: queue.recipientID, key: queue.key)
      _ = try await receiver.perform(ack)
      acknowledged()
      if latencies.count == count { return latencies }
    }
    throw SMPClientError.closed
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
}

/// A queue as its recipient knows it.
struct Queue: Sendable {
  let recipientID: EntityID
  let senderID: EntityID
  let key: AuthorizationPrivateKey
}

/// When the messages of a queue were sent. A queue keeps their order, so that they need no marks.
private actor SendTimes {
  private let clock = ContinuousClock()
  private var starts: [ContinuousClock.Instant] = []
  private var next = 0

  func started() { starts.append(clock.now) }

  /// The time since the next message was sent.
  func received() -> Duration {
    guard next < starts.count else { return .zero }
    defer { next += 1 }
    return clock.now - starts[next]
  }
}
