import SMPClientCore
import SMPProtocol
import SimplexCrypto

/// A client of one relay that maintains its connection: it connects on demand, reconnects with growing delays when the
/// connection is lost, and then restores its subscriptions.
public actor RelayClient {
  /// An event that is not a response.
  public enum Event: Sendable {
    /// The client is connected.
    case connected
    /// The connection was lost; subscriptions wait for the next one.
    case disconnected(SMPClientError)
    /// These queues are subscribed.
    case subscribed([EntityID])
    /// This queue cannot be subscribed, and its subscription was removed.
    case subscriptionFailed(EntityID, SMPClientError)
    /// The relay sent this about a queue: MSG, END, DELD and so on.
    case message(EntityID, BrokerMessage)
  }

  /// Opens connections; tests provide their own.
  public typealias Connect =
    @Sendable (SMPServerAddress, SMPClientConfiguration) async throws(SMPClientError) -> SMPConnection

  /// The events, in order. While more than ``SMPClientConfiguration/unreadLimit`` bytes are unread, nothing is
  /// received.
  public nonisolated let events: EventStream<Event>

  private let server: SMPServerAddress
  private var configuration: SMPClientConfiguration
  private let connect: Connect
  private var connection: SMPConnection?
  private var connecting: Task<Result<SMPConnection, SMPClientError>, Never>?
  private var reader: Task<Void, Never>?
  /// Queues whose subscription was not answered yet, and the messages that came with answers: one for each of them.
  private var subscribing: Set<EntityID> = []
  private var heldMessages: [RequestPipeline.Event] = []
  private var heldBytes = 0
  /// Those of them that are known to be subscribed, because their messages came.
  private var confirmedByMessage: Set<EntityID> = []
  private var retry: Task<Void, Never>?
  private var book = SubscriptionBook()
  private var backoff: Backoff
  /// The time at which the connection was established.
  private var connectedAt = ContinuousClock.now
  /// The pause before the next attempt, after a connection that did not last.
  private var pause: Task<Void, Never>?
  private let forwarding = ForwardingSessions()
  private var isClosed = false

  /// A client of a relay, not connected yet.
  public init(
    _ server: SMPServerAddress, _ configuration: SMPClientConfiguration = SMPClientConfiguration(),
    connect: @escaping Connect = { (server, configuration) async throws(SMPClientError) in
      try await SMPConnection.connect(to: server, configuration)
    }
  ) {
    self.server = server
    self.configuration = configuration
    self.connect = connect
    backoff = Backoff(configuration.backoff)
    events = EventStream(limit: configuration.unreadLimit)
  }

  /// Sends a command and waits for its response; connects first if necessary.
  public func perform(_ request: RequestPipeline.Request) async throws(SMPClientError) -> BrokerMessage {
    try await currentConnection().perform(request)
  }

  /// Sends commands in this order, without waiting for their responses; connects first if necessary. All of them fail
  /// where connecting fails.
  public func start(
    _ requests: [(request: RequestPipeline.Request, completion: SMPConnection.Completion)]
  ) async {
    do throws(SMPClientError) {
      await (try currentConnection()).start(requests)
    } catch {
      for (_, completion) in requests { completion(.failure(error)) }
    }
  }

  /// Sends a sender's command to another relay through this one, whose address that relay then sees.
  /// - Throws: `relay` with the error of the other relay, `proxy` with that of this one.
  public func perform(
    _ request: RequestPipeline.Request, through relay: SMPServerAddress, basicAuth: BasicAuth? = nil
  ) async throws(SMPClientError) -> BrokerMessage {
    let connection = try await currentConnection()
    let session = try await forwarding.session(with: relay, over: connection, basicAuth: basicAuth)
    do throws(SMPClientError) {
      return try await connection.perform(request, through: session)
    } catch {
      if case .proxy = error { await forwarding.forget(relay) }
      throw error
    }
  }

  /// Subscribes to queues as ``subscribe(_:)`` does, without waiting for the first attempt.
  public func startSubscribing(_ queues: [(queue: EntityID, key: AuthorizationPrivateKey)]) {
    for (queue, key) in queues { book.add(queue, key: key) }
    Task(executorPreference: configuration.executor) { await self.subscribeWaiting() }
  }

  /// Connects now, if there is something to subscribe to, instead of waiting for the next attempt: called when the
  /// network has changed.
  public func retryNow() {
    backoff.reset()
    endPause()
    guard let waiting = retry else { return }
    waiting.cancel()
    retry = nil
    Task(executorPreference: configuration.executor) { await self.subscribeWaiting() }
  }

  /// Closes the connection and opens a new one, with another configuration if one is given. Commands in flight fail;
  /// subscriptions are restored.
  public func reconnect(_ configuration: SMPClientConfiguration? = nil) async {
    if let configuration {
      self.configuration = configuration
      backoff = Backoff(configuration.backoff)
    }
    connecting?.cancel()
    if let connection {
      await connection.close()
      await lost(connection)
    }
    retryNow()
  }

  /// Subscribes to queues, now and after every loss of the connection, until they are unsubscribed. The outcome is
  /// reported by events.
  public func subscribe(_ queues: [(queue: EntityID, key: AuthorizationPrivateKey)]) async {
    for (queue, key) in queues { book.add(queue, key: key) }
    await subscribeWaiting()
  }

  /// Adds a queue that NEW has subscribed. If it was not created over the connection that is open now, it is subscribed
  /// with SUB; the outcome is then reported by events.
  public func addSubscribed(_ queue: EntityID, key: AuthorizationPrivateKey) async {
    let current = connection
    if let current, await current.takeCreated(queue), connection === current {
      book.add(queue, key: key, state: .active)
    } else {
      startSubscribing([(queue, key)])
    }
  }

  /// Removes a subscription.
  public func unsubscribe(_ queue: EntityID) { book.remove(queue) }

  /// The state of a subscription; nil if there is none.
  public func subscriptionState(of queue: EntityID) -> SubscriptionBook.State? { book.state(of: queue) }

  /// The number of queues that are subscribed, or are to be.
  public var subscriptionCount: Int { book.count }

  /// Closes the connection permanently.
  public func close() async {
    isClosed = true
    endPause()
    retry?.cancel()
    reader?.cancel()
    connecting?.cancel()
    await connection?.close()
    connection = nil
    events.finish()
  }

  // MARK: The connection

  private func currentConnection() async throws(SMPClientError) -> SMPConnection {
    if isClosed { throw .closed }
    if let connection { return connection }
    if let connecting { return try await connecting.value.get() }
    let (connect, server, configuration, pause) = (connect, server, configuration, pause)
    let attempt = Task(executorPreference: configuration.executor) { () -> Result<SMPConnection, SMPClientError> in
      await pause?.value
      if Task.isCancelled { return .failure(.cancelled) }
      do throws(SMPClientError) {
        return .success(try await connect(server, configuration))
      } catch {
        return .failure(error)
      }
    }
    connecting = attempt
    let result = await attempt.value
    connecting = nil
    let connection = try result.get()
    if isClosed {
      await connection.close()
      throw .closed
    }
    adopt(connection)
    return connection
  }

  private func adopt(_ connection: SMPConnection) {
    self.connection = connection
    connectedAt = .now
    emit(.connected)
    reader = Task(executorPreference: configuration.executor) { [weak self, events] in
      for await event in connection.events {
        await self?.handle(event, from: connection)
        await events.waitForReader()
      }
      await self?.lost(connection)
    }
    Task(executorPreference: configuration.executor) { await self.subscribeWaiting() }
  }

  private func lost(_ connection: SMPConnection) async {
    guard self.connection === connection else { return }
    let reason = await connection.failure ?? .closed
    guard self.connection === connection, !isClosed else { return }
    self.connection = nil
    book.connectionLost()
    emit(.disconnected(reason))
    endPause()
    let isStable = connectedAt.duration(to: .now) >= configuration.stableTime
    if isStable { backoff.reset() }
    let delay = nextDelay()
    if !isStable {
      let limit = min(delay, configuration.commandPause)
      pause = Task(executorPreference: configuration.executor) { try? await Task.sleep(for: limit) }
    }
    if book.count > 0 { scheduleRetry(after: delay) }
  }

  /// Lets commands connect at once.
  private func endPause() {
    pause?.cancel()
    pause = nil
  }

  private func nextDelay() -> Duration {
    var random = SystemRandomNumberGenerator()
    return .milliseconds(backoff.next(using: &random))
  }

  private func scheduleRetry(after delay: Duration? = nil) {
    guard retry == nil, !isClosed else { return }
    let pause = delay ?? nextDelay()
    retry = Task(executorPreference: configuration.executor) { [weak self] in
      try? await Task.sleep(for: pause)
      if !Task.isCancelled { await self?.subscribeAgain() }
    }
  }

  private func subscribeAgain() async {
    retry = nil
    await subscribeWaiting()
  }

  // MARK: Subscriptions

  /// Subscribes to the queues that are due, in batches, so that a relay is not flooded.
  private func subscribeWaiting() async {
    do throws(SMPClientError) {
      let connection = try await currentConnection()
      while self.connection === connection {
        let batch = book.takeWaiting(limit: configuration.subscriptionBatch)
        if batch.isEmpty { return }
        await subscribe(batch, on: connection)
      }
    } catch {
      if book.count > 0 { scheduleRetry() }
    }
  }

  private func subscribe(
    _ batch: [(queue: EntityID, key: AuthorizationPrivateKey)], on connection: SMPConnection
  ) async {
    subscribing.formUnion(batch.map(\.queue))
    defer { releaseHeldMessages(of: batch.map(\.queue)) }
    let results = await connection.perform(
      batch.map { RequestPipeline.Request(configuration.subscription, entity: $0.queue, key: $0.key) })
    let known = confirmedByMessage.intersection(batch.map(\.queue))
    confirmedByMessage.subtract(known)
    var subscribed: [EntityID] = []
    for ((queue, _), result) in zip(batch, results) where self.connection === connection {
      switch result {
      case .failure(let error):
        if book.fail(queue, error) { emit(.subscriptionFailed(queue, error)) } else { scheduleRetry() }
      case .success where known.contains(queue): break
      case .success:
        book.confirm(queue)
        subscribed.append(queue)
      }
    }
    if !subscribed.isEmpty { emit(.subscribed(subscribed)) }
  }

  /// Emits the messages that subscriptions brought, behind the news that their queues are subscribed.
  private func releaseHeldMessages(of queues: [EntityID]) {
    subscribing.subtract(queues)
    let held = heldMessages
    heldMessages = []
    heldBytes = 0
    for event in held {
      if subscribing.contains(event.entity) { hold(event) } else { emit(event) }
    }
  }

  private func hold(_ event: RequestPipeline.Event) {
    heldMessages.append(event)
    heldBytes += event.size
  }

  /// Does not wait for the responses of the others while the messages of subscribed queues take too much memory.
  private func confirmHeldMessages() {
    let queues = heldMessages.map(\.entity)
    for queue in queues { book.confirm(queue) }
    confirmedByMessage.formUnion(queues)
    emit(.subscribed(queues))
    releaseHeldMessages(of: queues)
  }

  private func handle(_ event: RequestPipeline.Event, from connection: SMPConnection) async {
    // What an earlier connection brought and was not read comes again.
    guard self.connection === connection else { return }
    switch event.message {
    case .end, .deld: book.remove(event.entity)
    case .msg where subscribing.contains(event.entity):
      // A relay has at most one message of a queue that is not acknowledged.
      if heldMessages.contains(where: { $0.entity == event.entity }) { return await connection.close(.overflow) }
      hold(event)
      if heldBytes > configuration.unreadLimit { confirmHeldMessages() }
      return
    default: break
    }
    emit(event)
  }

  private func emit(_ event: RequestPipeline.Event) {
    events.add(.message(event.entity, event.message), size: event.size)
  }

  private func emit(_ event: Event) { events.add(event, size: 256) }
}
