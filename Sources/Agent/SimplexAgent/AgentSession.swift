import AgentCore
import SMPClient
import SMPClientCore
import SMPProtocol
import Synchronization

/// A session with a relay: sends commands in the order in which they are added, and reports what happens.
final class AgentSession: Sendable {
  let client: RelayClient
  /// Which of the agent's sessions it is.
  let number: Int
  private let orders: Orders
  private let worker: Task<Void, Never>
  private let reader: Task<Void, Never>

  /// A session; `onEvent` is called for everything that happens, in order, and may make the relay wait.
  init(
    _ server: SMPServerAddress, _ configuration: SMPClientConfiguration, number: Int,
    onEvent: @escaping @Sendable (SessionEvent) async -> Void
  ) {
    let client = RelayClient(server, configuration)
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let orders = Orders(signal)
    self.client = client
    self.number = number
    self.orders = orders
    reader = Task(executorPreference: configuration.executor) {
      for await event in client.events { await onEvent(SessionEvent(event)) }
    }
    worker = Task(executorPreference: configuration.executor) {
      for await _ in signals { await orders.carryOut(with: client) }
    }
  }

  deinit { orders.finish() }

  func perform(_ request: RequestPipeline.Request, _ completion: @escaping SMPConnection.Completion) {
    orders.add(.request(request, completion))
  }

  func subscribe(_ queues: [(queue: EntityID, key: AuthorizationPrivateKey)]) { orders.add(.subscribe(queues)) }

  func addSubscribed(_ queue: EntityID, key: AuthorizationPrivateKey) { orders.add(.addSubscribed(queue, key: key)) }

  func unsubscribe(_ queues: [EntityID]) { orders.add(.unsubscribe(queues)) }

  /// Closes the connection permanently; requests without response fail.
  func close() async {
    await client.close()
    orders.finish()
    await worker.value
    await reader.value
  }
}

/// The orders of a session, in sequence.
private final class Orders: Sendable {
  enum Order {
    case request(RequestPipeline.Request, SMPConnection.Completion)
    case subscribe([(queue: EntityID, key: AuthorizationPrivateKey)])
    case addSubscribed(EntityID, key: AuthorizationPrivateKey)
    case unsubscribe([EntityID])
  }

  private let waiting = Mutex<[Order]>([])
  private let signal: AsyncStream<Void>.Continuation

  init(_ signal: AsyncStream<Void>.Continuation) { self.signal = signal }

  func add(_ order: Order) {
    waiting.withLock { $0.append(order) }
    signal.yield()
  }

  /// Lets the worker do what waits, and end.
  func finish() { signal.finish() }

  /// Does everything that waits. Commands go together, so that they share blocks, and fail together without a
  /// connection.
  func carryOut(with client: RelayClient) async {
    var requests: [(request: RequestPipeline.Request, completion: SMPConnection.Completion)] = []
    for order in take() {
      if case .request(let request, let completion) = order {
        requests.append((request, completion))
        continue
      }
      if !requests.isEmpty {
        await client.start(requests)
        requests = []
      }
      switch order {
      case .request: break
      case .subscribe(let queues): await client.startSubscribing(queues)
      case .addSubscribed(let queue, let key): await client.addSubscribed(queue, key: key)
      case .unsubscribe(let queues): for queue in queues { await client.unsubscribe(queue) }
      }
    }
    if !requests.isEmpty { await client.start(requests) }
  }

  private func take() -> [Order] {
    waiting.withLock { orders in
      defer { orders = [] }
      return orders
    }
  }
}

extension SessionEvent {
  fileprivate init(_ event: RelayClient.Event) {
    self =
      switch event {
      case .connected: .connected
      case .disconnected(let error): .disconnected(error)
      case .subscribed(let queues): .subscribed(queues)
      case .subscriptionFailed(let queue, let error): .subscriptionFailed(queue, error)
      case .message(let queue, let message): .message(queue, message)
      }
  }
}
