import AgentCore
import AgentProtocol
import AgentStore
import SMPClientCore
import SMPProtocol

/// A queue that is, or is to be, subscribed.
struct Subscription {
  var session: SessionKey
  var state: SubscriptionState
  /// When its relay last delivered a message or confirmed the subscription, in milliseconds.
  var heardAt: Int64 = 0
}

extension AgentMachine {
  /// Receives messages of these connections. Returns the connections that cannot be subscribed, with the reason.
  public func subscribe(
    _ ids: [ConnectionID], now: Int64
  ) throws(AgentError) -> Accepted<[ConnectionID: AgentError]> {
    let (errors, effects) = try run(now) { transaction in
      var errors: [ConnectionID: AgentError] = [:]
      var batches = SubscriptionBatches(limit: self.configuration.subscriptionBatch)
      for id in ids {
        guard let connection = try self.store.connection(id), connection.deletion != .queues else {
          errors[id] = .connection(.notFound)
          continue
        }
        let queues = try self.store.receiveQueues(of: connection.number)
        if queues.isEmpty, try !self.store.sendQueues(of: connection.number).isEmpty {
          errors[id] = .connection(.simplex)
        }
        for var queue in queues where queue.status != .disabled {
          if !queue.isSubscribed {
            queue.isSubscribed = true
            try self.store.update(queue)
          }
          self.add(
            queue.number, queue: queue.recipientID, key: queue.key, at: self.session(queue.server, connection),
            to: &batches, in: transaction)
        }
      }
      batches.finish(transaction)
      return errors
    }
    return Accepted(errors, effects)
  }

  /// Whether anything is, or is to be, subscribed.
  public var hasSubscriptions: Bool { !subscriptions.isEmpty }

  /// Receives messages of all connections.
  public func subscribeAll(now: Int64) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      var batches = SubscriptionBatches(limit: self.configuration.subscriptionBatch)
      var last: Int64 = 0
      while true {
        let (queues, end) = try self.store.queuesToSubscribe(after: last, limit: 1_000)
        guard let next = end else { break }
        last = next
        for queue in queues {
          let session = SessionKey(
            server: queue.server, user: queue.user,
            entity: self.configuration.isolation == .perConnection ? EntityID(queue.connectionID.bytes) : nil)
          self.add(queue.number, queue: queue.recipientID, key: queue.key, at: session, to: &batches, in: transaction)
        }
      }
      batches.finish(transaction)
    }.effects
  }

  /// Subscribes to queues of a connection.
  func subscribe(_ queues: [ReceiveQueue], of connection: StoredConnection, in transaction: AgentTransaction) {
    var batches = SubscriptionBatches(limit: configuration.subscriptionBatch)
    for queue in queues {
      add(
        queue.number, queue: queue.recipientID, key: queue.key, at: session(queue.server, connection), to: &batches,
        in: transaction)
    }
    batches.finish(transaction)
  }

  private func add(
    _ number: Int64, queue: EntityID, key: AuthorizationPrivateKey, at session: SessionKey,
    to batches: inout SubscriptionBatches, in transaction: AgentTransaction
  ) {
    switch subscriptions[number]?.state {
    case .active, .pending: return
    case .removed, .notRequested, nil: break
    }
    transaction.change { self.subscriptions[number] = Subscription(session: session, state: .pending) }
    guard !delayUnlessActive(number, in: transaction) else { return }
    count(.subscriptionAttempts, at: session, in: transaction)
    batches.add(queue, key: key, at: session, in: transaction)
  }

  /// Delays the subscription of a queue until the agent is activated; a no-op while it is active.
  /// - Returns: whether the subscription is delayed.
  func delayUnlessActive(_ queue: Int64, in transaction: AgentTransaction) -> Bool {
    if activity == .active { return false }
    transaction.change { self.delayedSubscriptions.insert(queue) }
    return true
  }

  /// Records the subscription of a queue that was subscribed by its creation.
  func addSubscription(_ queue: ReceiveQueue, of connection: StoredConnection, in transaction: AgentTransaction) {
    let session = session(queue.server, connection)
    transaction.change {
      self.subscriptions[queue.number] = Subscription(session: session, state: .active, heardAt: transaction.now)
    }
    transaction.effect(.addSubscribed(session, queue: queue.recipientID, key: queue.key))
  }

  /// Removes the subscription of a queue.
  func removeSubscription(_ queue: ReceiveQueue, of connection: StoredConnection, in transaction: AgentTransaction) {
    transaction.change { self.subscriptions[queue.number] = nil }
    transaction.effect(.unsubscribe(session(queue.server, connection), [queue.recipientID]))
  }

  // MARK: Sessions

  /// Handles an event of a session.
  func handle(
    _ event: SessionEvent, of session: SessionKey, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    switch event {
    case .message(let entity, .msg(let message)): return try received(message, for: entity, at: session, now: now)
    case .message(let entity, let message): return try received(message, for: entity, at: session, now: now)
    case .connected:
      return try run(now) { transaction in
        transaction.change { self.connectedSessions.insert(session) }
        try self.emit(.serverConnected(session.server), in: transaction)
        try self.endWaiting(for: session.server, in: transaction)
      }.effects
    case .disconnected: return try run(now) { transaction in try self.disconnected(session, in: transaction) }.effects
    case .subscribed(let queues): return try subscribed(queues, session, now: now)
    case .subscriptionFailed(let queue, let error):
      return try subscriptionFailed(queue, error: error, at: session, now: now)
    }
  }

  /// Handles the loss of the connection of a session, or its closing.
  private func disconnected(_ session: SessionKey, in transaction: AgentTransaction) throws {
    transaction.change {
      self.connectedSessions.remove(session)
      self.delayedAcknowledgements.removeAll { $0.acknowledgement.session == session }
    }
    try emit(.serverDisconnected(session.server), in: transaction)
    var connections: Set<Int64> = []
    var down: [ConnectionID] = []
    for (number, subscription) in subscriptions
    where subscription.session == session && subscription.state == .active {
      transaction.change { self.subscriptions[number]?.state = .pending }
      if let queue = try store.receiveQueue(number: number), connections.insert(queue.connection).inserted,
        let id = try store.connectionID(queue.connection)
      {
        down.append(id)
      }
    }
    if !down.isEmpty { try emit(.down(session.server, down), in: transaction) }
  }

  /// Replaces the configuration. If it changes which commands share connections to relays, the connections are closed,
  /// and queues are subscribed over new ones.
  public func reconfigure(_ configuration: AgentConfiguration, now: Int64) throws(AgentError) -> [AgentEffect] {
    let old = self.configuration
    self.configuration = configuration
    // A suspended agent has no sessions; it creates them with the new configuration when it is activated.
    guard configuration.isolation != old.isolation, activity != .suspended else { return [] }
    do throws(AgentError) {
      return try run(now) { transaction in try self.replaceSessions(transaction) }.effects
    } catch {
      self.configuration = old
      throw error
    }
  }

  private func replaceSessions(_ transaction: AgentTransaction) throws {
    for session in connectedSessions { try disconnected(session, in: transaction) }
    for session in connectedSessions.union(subscriptions.values.map(\.session)) {
      transaction.effect(.disconnect(session))
    }
    try subscribePending(transaction)
  }

  /// Subscribes to what is, or is to be, subscribed, over new sessions.
  /// - Parameter queues: the numbers of the receive queues to choose from; nil for all.
  func subscribePending(only queues: Set<Int64>? = nil, _ transaction: AgentTransaction) throws {
    var batches = SubscriptionBatches(limit: configuration.subscriptionBatch)
    for number in queues?.sorted() ?? subscriptions.keys.sorted() {
      guard let state = subscriptions[number]?.state, state == .active || state == .pending else { continue }
      guard let queue = try store.receiveQueue(number: number),
        let connection = try store.connection(number: queue.connection)
      else { continue }
      let session = session(queue.server, connection)
      transaction.change { self.subscriptions[number] = Subscription(session: session, state: .pending) }
      batches.add(queue.recipientID, key: queue.key, at: session, in: transaction)
    }
    batches.finish(transaction)
  }

  private func subscribed(
    _ queues: [EntityID], _ session: SessionKey, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      var connections: Set<Int64> = []
      var up: [ConnectionID] = []
      let hasNotices = try self.store.hasNotices()
      for queue in queues {
        guard let found = try self.store.receiveQueueNumber(recipientID: queue, at: session.server),
          case .pending? = self.subscriptions[found.queue]?.state
        else { continue }
        transaction.change { self.subscriptions[found.queue]?.state = .active }
        self.heard(found.queue, in: transaction)
        if hasNotices { try self.store.removeNotice(queue, at: session.server) }
        self.count(.connectionsSubscribed, at: session, in: transaction)
        if connections.insert(found.connection).inserted, let id = try self.store.connectionID(found.connection) {
          up.append(id)
        }
      }
      if !up.isEmpty { try self.emit(.up(session.server, up), in: transaction) }
    }.effects
  }

  private func subscriptionFailed(
    _ queue: EntityID, error: SMPClientError, at session: SessionKey, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      guard let found = try self.store.receiveQueueNumber(recipientID: queue, at: session.server) else { return }
      try self.note(error, of: queue, at: session.server, in: transaction)
      try self.cannotSubscribe(found.queue, connection: found.connection, error: error, at: session, in: transaction)
    }.effects
  }

  /// Handles the refusal of a relay to deliver messages of a queue.
  func cannotSubscribe(
    _ queue: Int64, connection: Int64, error: SMPClientError, at session: SessionKey, in transaction: AgentTransaction
  ) throws {
    count(.subscriptionErrors, at: session, in: transaction)
    transaction.change { self.subscriptions[queue]?.state = .removed(error) }
    // A queue that is being deleted is expected to be gone.
    guard try store.receiveQueue(number: queue)?.isDeleted == false else { return }
    try emit(.failed(.server(session.server, error)), connection: try store.connectionID(connection), in: transaction)
  }

  /// Subscribes again to queues that another connection took over some time ago: it may have been an earlier connection
  /// of this agent, whose SUB reached the relay after that of its successor.
  func resubscribe(_ transaction: AgentTransaction) throws {
    let ended = endedSubscriptions.sorted()
    guard !ended.isEmpty else { return }
    transaction.change { self.endedSubscriptions = [] }
    for number in ended where subscriptions[number] == nil {
      guard let queue = try store.receiveQueue(number: number), queue.isSubscribed,
        let connection = try store.connection(number: queue.connection), connection.deletion == .no
      else { continue }
      subscribe([queue], of: connection, in: transaction)
    }
  }

  /// Handles an event of a relay other than a message.
  private func received(
    _ message: BrokerMessage, for queue: EntityID, at session: SessionKey, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      guard let found = try self.store.receiveQueueNumber(recipientID: queue, at: session.server) else { return }
      let id = try self.store.connectionID(found.connection)
      switch message {
      case .end:
        // The new subscriber may be another connection of this agent.
        if let subscription = self.subscriptions[found.queue], subscription.session != session { return }
        transaction.change {
          self.subscriptions[found.queue] = nil
          self.endedSubscriptions.insert(found.queue)
        }
        try self.emit(.subscriptionEnded, connection: id, in: transaction)
      case .deld:
        transaction.change { self.subscriptions[found.queue] = nil }
        try self.emit(.queueDeleted, connection: id, in: transaction)
      case .err(let error):
        try self.note(.relay(error), of: queue, at: session.server, in: transaction)
        try self.emit(.failed(.server(session.server, .relay(error))), connection: id, in: transaction)
      default:
        try self.emit(
          .failed(.server(session.server, .unexpectedResponse(message.form.keyword))), connection: id, in: transaction)
      }
    }.effects
  }
}

/// Subscriptions collected by session.
private struct SubscriptionBatches {
  let limit: Int
  private var waiting: [SessionKey: [(queue: EntityID, key: AuthorizationPrivateKey)]] = [:]
  private var order: [SessionKey] = []

  init(limit: Int) { self.limit = max(1, limit) }

  mutating func add(
    _ queue: EntityID, key: AuthorizationPrivateKey, at session: SessionKey, in transaction: AgentTransaction
  ) {
    if waiting[session] == nil { order.append(session) }
    waiting[session, default: []].append((queue, key))
    if let batch = waiting[session], batch.count >= limit {
      transaction.effect(.subscribe(session, batch))
      waiting[session] = []
    }
  }

  mutating func finish(_ transaction: AgentTransaction) {
    for session in order {
      if let batch = waiting[session], !batch.isEmpty { transaction.effect(.subscribe(session, batch)) }
    }
    waiting = [:]
  }
}
