import AgentCore
import AgentProtocol
import AgentStore
import SMPClientCore
import SMPProtocol

/// A queue that is, or is to be, subscribed.
struct Subscription {
  var session: SessionKey
  var state: SubscriptionState
  /// When something came from it last, or its relay confirmed it, in milliseconds.
  var heardAt: Int64 = 0
}

extension AgentEngine {
  /// Receives messages of these connections. Connections that cannot be subscribed are given with the reason.
  public func subscribe(
    _ ids: [ConnectionID], now: Int64
  ) throws(AgentError) -> Accepted<[ConnectionID: AgentError]> {
    let (errors, effects) = try run(now) { turn in
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
          self.add(queue.number, queue.recipientID, queue.key, self.session(queue.server, connection), &batches, turn)
        }
      }
      batches.finish(turn)
      return errors
    }
    return Accepted(errors, effects)
  }

  /// Whether anything is, or is to be, subscribed.
  public var hasSubscriptions: Bool { !subscriptions.isEmpty }

  /// Receives messages of all connections.
  public func subscribeAll(now: Int64) throws(AgentError) -> [AgentEffect] {
    try run(now) { turn in
      var batches = SubscriptionBatches(limit: self.configuration.subscriptionBatch)
      var last: Int64 = 0
      while true {
        let queues = try self.store.queuesToSubscribe(after: last, limit: 1_000)
        guard let next = queues.last?.number else { break }
        last = next
        for queue in queues {
          let session = SessionKey(
            server: queue.server, user: queue.user,
            entity: self.configuration.isolation == .perConnection ? EntityID(queue.connectionID.bytes) : nil)
          self.add(queue.number, queue.recipientID, queue.key, session, &batches, turn)
        }
      }
      batches.finish(turn)
    }.effects
  }

  /// Subscribes to queues of a connection.
  func subscribe(_ queues: [ReceiveQueue], _ connection: StoredConnection, _ turn: Turn) {
    var batches = SubscriptionBatches(limit: configuration.subscriptionBatch)
    for queue in queues {
      add(queue.number, queue.recipientID, queue.key, session(queue.server, connection), &batches, turn)
    }
    batches.finish(turn)
  }

  private func add(
    _ number: Int64, _ queue: EntityID, _ key: AuthorizationPrivateKey, _ session: SessionKey,
    _ batches: inout SubscriptionBatches, _ turn: Turn
  ) {
    switch subscriptions[number]?.state {
    case .active, .pending: return
    case .removed, .notRequested, nil: break
    }
    turn.change { self.subscriptions[number] = Subscription(session: session, state: .pending) }
    count(.subscriptionAttempts, session, turn)
    batches.add(queue, key, session, turn)
  }

  /// A queue was subscribed when it was created.
  func addSubscription(_ queue: ReceiveQueue, _ connection: StoredConnection, _ turn: Turn) {
    let session = session(queue.server, connection)
    turn.change { self.subscriptions[queue.number] = Subscription(session: session, state: .active, heardAt: turn.now) }
    turn.effect(.addSubscribed(session, queue: queue.recipientID, key: queue.key))
  }

  /// A queue is not subscribed any more.
  func removeSubscription(_ queue: ReceiveQueue, _ connection: StoredConnection, _ turn: Turn) {
    turn.change { self.subscriptions[queue.number] = nil }
    turn.effect(.unsubscribe(session(queue.server, connection), [queue.recipientID]))
  }

  // MARK: Sessions

  /// Something happened in a session.
  func handle(
    _ event: SessionEvent, of session: SessionKey, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    switch event {
    case .message(let entity, .msg(let message)): return try received(message, entity, session, now: now)
    case .message(let entity, let message): return try received(message, entity, session, now: now)
    case .connected:
      return try run(now) { turn in
        turn.change { self.connectedSessions.insert(session) }
        try self.emit(.serverConnected(session.server), turn)
        try self.endWaiting(for: session.server, turn)
      }.effects
    case .disconnected: return try run(now) { turn in try self.disconnected(session, turn) }.effects
    case .subscribed(let queues): return try subscribed(queues, session, now: now)
    case .subscriptionFailed(let queue, let error):
      return try subscriptionFailed(queue, error, session, now: now)
    }
  }

  /// A session lost its connection, or is given up.
  private func disconnected(_ session: SessionKey, _ turn: Turn) throws {
    turn.change {
      self.connectedSessions.remove(session)
      self.delayedAcknowledgements.removeAll { $0.acknowledgement.session == session }
    }
    try emit(.serverDisconnected(session.server), turn)
    var connections: Set<Int64> = []
    var down: [ConnectionID] = []
    for (number, subscription) in subscriptions
    where subscription.session == session && subscription.state == .active {
      turn.change { self.subscriptions[number]?.state = .pending }
      if let queue = try store.receiveQueue(number: number), connections.insert(queue.connection).inserted,
        let id = try store.connectionID(queue.connection)
      {
        down.append(id)
      }
    }
    if !down.isEmpty { try emit(.down(session.server, down), turn) }
  }

  /// Decides by other values from now on. Where commands share connections to relays in another way than before, the
  /// connections are closed, and queues are subscribed over new ones.
  public func reconfigure(_ configuration: AgentConfiguration, now: Int64) throws(AgentError) -> [AgentEffect] {
    let old = self.configuration
    self.configuration = configuration
    guard configuration.isolation != old.isolation else { return [] }
    do throws(AgentError) {
      return try run(now) { turn in try self.replaceSessions(turn) }.effects
    } catch {
      self.configuration = old
      throw error
    }
  }

  private func replaceSessions(_ turn: Turn) throws {
    for session in connectedSessions { try disconnected(session, turn) }
    for session in connectedSessions.union(subscriptions.values.map(\.session)) { turn.effect(.disconnect(session)) }
    var batches = SubscriptionBatches(limit: configuration.subscriptionBatch)
    for (number, subscription) in subscriptions.sorted(by: { $0.key < $1.key })
    where subscription.state == .active || subscription.state == .pending {
      guard let queue = try store.receiveQueue(number: number),
        let connection = try store.connection(number: queue.connection)
      else { continue }
      let session = session(queue.server, connection)
      turn.change { self.subscriptions[number] = Subscription(session: session, state: .pending) }
      batches.add(queue.recipientID, queue.key, session, turn)
    }
    batches.finish(turn)
  }

  private func subscribed(
    _ queues: [EntityID], _ session: SessionKey, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { turn in
      var connections: Set<Int64> = []
      var up: [ConnectionID] = []
      let hasNotices = try self.store.hasNotices()
      for queue in queues {
        guard let found = try self.store.receiveQueueNumber(recipientID: queue, at: session.server),
          case .pending? = self.subscriptions[found.queue]?.state
        else { continue }
        turn.change { self.subscriptions[found.queue]?.state = .active }
        self.heard(found.queue, turn)
        if hasNotices { try self.store.removeNotice(queue, at: session.server) }
        self.count(.connectionsSubscribed, session, turn)
        if connections.insert(found.connection).inserted, let id = try self.store.connectionID(found.connection) {
          up.append(id)
        }
      }
      if !up.isEmpty { try self.emit(.up(session.server, up), turn) }
    }.effects
  }

  private func subscriptionFailed(
    _ queue: EntityID, _ error: SMPClientError, _ session: SessionKey, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { turn in
      guard let found = try self.store.receiveQueueNumber(recipientID: queue, at: session.server) else { return }
      try self.note(error, of: queue, at: session.server, turn)
      try self.cannotSubscribe(found.queue, found.connection, error, session, turn)
    }.effects
  }

  /// The relay refuses to deliver messages of a queue.
  func cannotSubscribe(
    _ queue: Int64, _ connection: Int64, _ error: SMPClientError, _ session: SessionKey, _ turn: Turn
  ) throws {
    count(.subscriptionErrors, session, turn)
    turn.change { self.subscriptions[queue]?.state = .removed(error) }
    // That a queue which we delete is gone is no news.
    guard try store.receiveQueue(number: queue)?.isDeleted == false else { return }
    try emit(.failed(.server(session.server, error)), try store.connectionID(connection), turn)
  }

  /// Subscribes again to what another connection took over some time ago: it may have been one of our own that was
  /// lost, whose command came to the relay later than that of the one after it.
  func resubscribe(_ turn: Turn) throws {
    let ended = endedSubscriptions.sorted()
    guard !ended.isEmpty else { return }
    turn.change { self.endedSubscriptions = [] }
    for number in ended where subscriptions[number] == nil {
      guard let queue = try store.receiveQueue(number: number), queue.isSubscribed,
        let connection = try store.connection(number: queue.connection), connection.deletion == .no
      else { continue }
      subscribe([queue], connection, turn)
    }
  }

  /// A relay sent something else than a message.
  private func received(
    _ message: BrokerMessage, _ queue: EntityID, _ session: SessionKey, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { turn in
      guard let found = try self.store.receiveQueueNumber(recipientID: queue, at: session.server) else { return }
      let id = try self.store.connectionID(found.connection)
      switch message {
      case .end:
        // What took over may be another connection of this agent.
        if let subscription = self.subscriptions[found.queue], subscription.session != session { return }
        turn.change {
          self.subscriptions[found.queue] = nil
          self.endedSubscriptions.insert(found.queue)
        }
        try self.emit(.subscriptionEnded, id, turn)
      case .deld:
        turn.change { self.subscriptions[found.queue] = nil }
        try self.emit(.queueDeleted, id, turn)
      case .err(let error):
        try self.note(.relay(error), of: queue, at: session.server, turn)
        try self.emit(.failed(.server(session.server, .relay(error))), id, turn)
      default:
        try self.emit(
          .failed(.server(session.server, .unexpectedResponse(message.form.keyword))), id, turn)
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

  mutating func add(_ queue: EntityID, _ key: AuthorizationPrivateKey, _ session: SessionKey, _ turn: Turn) {
    if waiting[session] == nil { order.append(session) }
    waiting[session, default: []].append((queue, key))
    if let batch = waiting[session], batch.count >= limit {
      turn.effect(.subscribe(session, batch))
      waiting[session] = []
    }
  }

  mutating func finish(_ turn: Turn) {
    for session in order {
      if let batch = waiting[session], !batch.isEmpty { turn.effect(.subscribe(session, batch)) }
    }
    waiting = [:]
  }
}
