import AgentCore
import SMPClientCore
import SMPProtocol
import SimplexCrypto

/// A session with a relay that behaves as ``RelayClient`` does: connects when there is something to do, completes each
/// request once, and subscribes again after the connection was lost.
final class SimulatedSession {
  typealias Completion = (Result<BrokerMessage, SMPClientError>) -> Void

  private struct Pending {
    var entity: EntityID
    var deliversMessages: Bool
    var completion: Completion
  }

  private static let requestTimeout: Int64 = 15_000

  private unowned let world: World
  private let relay: SimulatedRelay
  private let onEvent: (SessionEvent) -> Void
  private var connection: SimulatedConnection?
  private var isConnected = false
  private var isClosed = false
  private var waitingForConnection: [(SMPClientError?) -> Void] = []
  private var pending: [CorrelationID: Pending] = [:]
  private var book = SubscriptionBook()
  /// The queues that were created over the connection.
  private var created: Set<EntityID> = []
  private var backoff = Backoff()
  private var isRetryPlanned = false

  init(_ relay: SimulatedRelay, world: World, onEvent: @escaping (SessionEvent) -> Void) {
    self.relay = relay
    self.world = world
    self.onEvent = onEvent
  }

  // MARK: What the agent asks for

  func perform(_ request: RequestPipeline.Request, _ completion: @escaping Completion) {
    withConnection { [self] error in
      if let error { return completion(.failure(error)) }
      send(request, completion)
    }
  }

  /// Has the relay pass a command on to another one.
  func perform(
    _ request: RequestPipeline.Request, through destination: SimulatedRelay, _ completion: @escaping Completion
  ) {
    withConnection { [self] error in
      if let error { return completion(.failure(error)) }
      let correlation = CorrelationID(using: &world.random)
      pending[correlation] = Pending(entity: request.entity, deliversMessages: false, completion: completion)
      connection?.sendUp(request, through: destination) { [weak self] result in
        self?.pending.removeValue(forKey: correlation)?.completion(result)
      }
      planTimeout(of: correlation)
    }
  }

  func subscribe(_ queues: [(queue: EntityID, key: AuthorizationPrivateKey)]) {
    for (queue, key) in queues { book.add(queue, key: key) }
    subscribeWaiting()
  }

  func addSubscribed(_ queue: EntityID, key: AuthorizationPrivateKey) {
    if created.remove(queue) != nil { return book.add(queue, key: key, state: .active) }
    subscribe([(queue, key)])
  }

  func unsubscribe(_ queues: [EntityID]) { for queue in queues { book.remove(queue) } }

  /// Closes permanently; it emits nothing more, but waiting requests fail.
  func close() {
    isClosed = true
    connection?.close()
    connection = nil
    failPending(.closed)
    let waiting = waitingForConnection
    waitingForConnection = []
    for body in waiting { body(.closed) }
  }

  /// Vanishes with the process that it belongs to: nothing is completed.
  func vanish() {
    isClosed = true
    pending = [:]
    waitingForConnection = []
    connection?.close()
    connection = nil
  }

  // MARK: The connection

  private func withConnection(_ body: @escaping (SMPClientError?) -> Void) {
    if isClosed { return body(.closed) }
    if isConnected { return body(nil) }
    waitingForConnection.append(body)
    guard connection == nil else { return }
    let connection = SimulatedConnection(relay, world: world) { [weak self] correlation, entity, message in
      self?.received(correlation, for: entity, message: message)
    } onBreak: { [weak self] error in
      self?.lost(error)
    }
    self.connection = connection
    connection.open { [weak self, weak connection] error in
      guard let self, let connection, self.connection === connection, !isClosed else { return }
      opened(error)
    }
  }

  private func opened(_ error: SMPClientError?) {
    let waiting = waitingForConnection
    waitingForConnection = []
    if error == nil {
      isConnected = true
      backoff.reset()
      onEvent(.connected)
    } else {
      connection?.close()
      connection = nil
    }
    for body in waiting { body(error) }
    if error == nil { subscribeWaiting() }
  }

  private func lost(_ error: SMPClientError) {
    guard !isClosed else { return }
    connection = nil
    guard isConnected else {
      let waiting = waitingForConnection
      waitingForConnection = []
      for body in waiting { body(error) }
      return
    }
    isConnected = false
    failPending(error)
    book.connectionLost()
    created = []
    onEvent(.disconnected(error))
    if book.count > 0 { planRetry() }
  }

  private func failPending(_ error: SMPClientError) {
    let failed = pending.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
    pending = [:]
    for (_, request) in failed { request.completion(.failure(error)) }
  }

  private func planRetry() {
    guard !isRetryPlanned, !isClosed else { return }
    isRetryPlanned = true
    world.after(backoff.next(using: &world.random)) { [weak self] in
      self?.isRetryPlanned = false
      self?.subscribeWaiting()
    }
  }

  // MARK: Requests

  private func send(_ request: RequestPipeline.Request, _ completion: @escaping Completion) {
    let correlation = request.correlation ?? CorrelationID(using: &world.random)
    let deliversMessages =
      switch request.command {
      case .sub, .ack: true
      default: false
      }
    pending[correlation] = Pending(
      entity: request.entity, deliversMessages: deliversMessages, completion: completion)
    connection?.sendUp(request, correlation: correlation)
    planTimeout(of: correlation)
  }

  private func planTimeout(of correlation: CorrelationID) {
    world.after(Self.requestTimeout) { [weak self] in
      self?.pending.removeValue(forKey: correlation)?.completion(.failure(.timeout))
    }
  }

  /// What `RequestPipeline` makes of a transmission.
  private func received(_ correlation: CorrelationID, for entity: EntityID, message: BrokerMessage) {
    guard !isClosed else { return }
    guard let request = pending.removeValue(forKey: correlation) else {
      var isMessage = false
      if case .msg = message { isMessage = true }
      if correlation.isNone || isMessage { emit(entity, message) }
      return
    }
    switch message {
    case .err(let error): request.completion(.failure(.relay(error)))
    case .msg where request.deliversMessages:
      emit(request.entity, message)
      request.completion(.success(.ok))
    case .ids(let ids):
      created.insert(ids.recipientID)
      request.completion(.success(message))
    default: request.completion(.success(message))
    }
  }

  private func emit(_ entity: EntityID, _ message: BrokerMessage) {
    switch message {
    case .end, .deld: book.remove(entity)
    default: break
    }
    onEvent(.message(entity, message))
  }

  // MARK: Subscriptions

  private func subscribeWaiting() {
    guard book.count > 0, !isClosed else { return }
    withConnection { [self] error in
      if error != nil { return planRetry() }
      let batch = book.takeWaiting(limit: 1_350)
      var rest = batch.count
      var subscribed: [EntityID] = []
      for (queue, key) in batch {
        send(RequestPipeline.Request(.sub, entity: queue, key: key)) { [weak self] result in
          guard let self, !isClosed else { return }
          rest -= 1
          switch result {
          case .success:
            book.confirm(queue)
            subscribed.append(queue)
          case .failure(let error):
            if book.fail(queue, error) { onEvent(.subscriptionFailed(queue, error)) } else { planRetry() }
          }
          if rest == 0, !subscribed.isEmpty { onEvent(.subscribed(subscribed)) }
        }
      }
    }
  }
}
