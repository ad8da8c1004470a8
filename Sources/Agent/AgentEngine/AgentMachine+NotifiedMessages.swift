import AgentCore
import AgentStore
import NotificationProtocol
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

// Connections that pushes are about, and the messages behind pushes. A message that is fetched arrives as any other;
// until it is acknowledged nothing more is fetched from its queue.

/// A queue that messages are fetched from.
struct FetchedQueue: Hashable {
  var server: SMPServerAddress
  var queue: EntityID
}

/// A message to fetch, for a call.
struct MessageFetch {
  var call: CallID
  var queue: FetchedQueue
  var connection: ConnectionID
  var request: NotifiedMessageRequest
}

/// The fetches of a queue: one is in progress until its message is acknowledged; the others wait.
struct FetchedMessages {
  /// The call of the fetch in flight.
  var call: CallID?
  /// The message that was fetched, and when the relay received it.
  var message: (id: MessageID, time: Int64?)?
  var waiting: [MessageFetch] = []
}

extension AgentMachine {
  /// The connections that a push is about, the oldest first; the last one is what caused it.
  /// - Parameter message: the box of the push, with this nonce.
  public func notifiedConnections(
    nonce: BoxNonce, message: [UInt8], now: Int64
  ) throws(AgentError) -> [NotifiedConnection] {
    try run(now) { transaction in
      guard let token = try self.store.notificationToken(), token.status == .active, let key = token.boxKey else {
        throw AgentError.prohibited("getNotificationConns")
      }
      let entries = try PushBox.messages(in: message, key: key, nonce: nonce)
      try self.store.setSetting(Self.lastPushSetting, transaction.now)
      transaction.mayBeLost = true
      var connections: [NotifiedConnection] = []
      for (index, entry) in entries.suffix(Self.entryLimit).enumerated() {
        guard let queue = try self.store.notifiedQueue(entry.queue) else { continue }
        let metadata = try? NotificationMetadata(opening: entry.notification, key: queue.notifier.boxKey)
        if index < min(entries.count, Self.entryLimit) - 1 {
          guard let metadata, metadata.time.seconds > queue.lastRelayTime ?? .min else { continue }
        }
        connections.append(
          NotifiedConnection(
            connection: queue.connection, queue: queue.number, notifiedAt: entry.time.seconds,
            message: metadata.map { NotifiedMessage(id: $0.messageID, time: $0.time.seconds) }))
      }
      if connections.isEmpty { throw AgentError.internalError("getNotificationConns: no connections") }
      return connections
    }.value
  }

  /// The largest number of entries of a push that are looked at.
  private static let entryLimit = 100

  /// Fetches a message that a push announced. The call returns `notifiedMessage`; the message follows as an event.
  public func fetchMessage(
    _ request: NotifiedMessageRequest, now: Int64
  ) throws(AgentError) -> Accepted<CallID> {
    let (call, effects) = try run(now) { transaction in
      let connection = try self.connection(request.connection)
      guard let queue = try self.store.receiveQueues(of: connection.number).first else {
        throw try self.store.sendQueues(of: connection.number).isEmpty
          ? AgentError.prohibited("getConnectionMessage: NewConnection") : AgentError.connection(.simplex)
      }
      switch self.subscriptions[queue.number]?.state {
      case .active, .pending: throw AgentError.prohibited("getConnectionMessage: subscribed")
      case .removed, .notRequested, nil: break
      }
      let fetch = MessageFetch(
        call: self.makeCallID(), queue: FetchedQueue(server: queue.server, queue: queue.recipientID),
        connection: connection.id, request: request)
      try self.begin(fetch, in: transaction)
      return fetch.call
    }
    return Accepted(call, effects)
  }

  /// Begins a fetch, or has it wait for the one before it.
  private func begin(_ fetch: MessageFetch, in transaction: AgentTransaction) throws {
    if fetches[fetch.queue] != nil {
      return transaction.change { self.fetches[fetch.queue]?.waiting.append(fetch) }
    }
    try send(fetch, in: transaction)
  }

  private func send(_ fetch: MessageFetch, in transaction: AgentTransaction) throws {
    guard let found = try store.receiveQueue(recipientID: fetch.queue.queue, at: fetch.queue.server) else {
      transaction.effect(.complete(fetch.call, .failure(.connection(.notFound))))
      return try releaseNext(fetch.queue, in: transaction)
    }
    let session = session(found.queue.server, found.connection)
    let id = makeRequestID()
    transaction.change {
      self.fetches[fetch.queue, default: FetchedMessages()].message = nil
      self.fetches[fetch.queue]?.call = fetch.call
      self.flights[id] = Flight(work: .getMessage(fetch), session: session, startedAt: transaction.now)
    }
    transaction.effect(
      .perform(
        id, session, RequestPipeline.Request(.get, entity: found.queue.recipientID, key: found.queue.key), .direct))
  }

  /// Handles the answer to GET.
  func gotMessage(
    _ id: RequestID, for fetch: MessageFetch, session: SessionKey, result: Result<BrokerMessage, SMPClientError>,
    now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    let answered = try run(now) { transaction in
      transaction.change { self.flights[id] = nil }
      switch result {
      case .success(.msg(let message)):
        let metadata = try self.metadata(of: message, in: fetch.queue)
        transaction.change {
          self.fetches[fetch.queue]?.message = (message.id, metadata?.time)
          self.fetches[fetch.queue]?.call = nil
        }
        transaction.effect(.complete(fetch.call, .success(.notifiedMessage(metadata))))
      case .success(.ok):
        if let time = fetch.request.time {
          try self.store.setLastRelayTime(ofQueue: fetch.request.queue, time)
        }
        transaction.effect(.complete(fetch.call, .success(.notifiedMessage(nil))))
        try self.releaseNext(fetch.queue, in: transaction)
      case .success(let message):
        let error = AgentError.server(session.server, .unexpectedResponse(message.form.keyword))
        transaction.effect(.complete(fetch.call, .failure(error)))
        try self.releaseNext(fetch.queue, in: transaction)
      case .failure(let error):
        transaction.effect(.complete(fetch.call, .failure(.server(session.server, error))))
        try self.releaseNext(fetch.queue, in: transaction)
      }
    }.effects
    guard case .success(.msg(let message)) = result else { return answered }
    return answered + (try received(message, for: fetch.queue.queue, at: session, now: now))
  }

  private func metadata(of message: SealedMessage, in queue: FetchedQueue) throws -> NotifiedMessage? {
    guard let found = try store.receiveQueue(recipientID: queue.queue, at: queue.server),
      let delivered = try? DeliveredMessage(opening: message, key: found.queue.deliveryKey)
    else { return nil }
    switch delivered {
    case .message(let time, _, _): return NotifiedMessage(id: message.id, time: time.seconds)
    case .quota(let time): return NotifiedMessage(id: message.id, time: time.seconds)
    }
  }

  /// Handles that a message was acknowledged to its relay, or cannot be: the next one is fetched from its queue.
  func releaseFetched(_ acknowledgement: Acknowledgement, in transaction: AgentTransaction) throws {
    let queue = FetchedQueue(server: acknowledgement.session.server, queue: acknowledgement.queue)
    guard let message = fetches[queue]?.message, message.id == acknowledgement.message else { return }
    let found = try store.receiveQueueNumber(recipientID: queue.queue, at: queue.server)
    if let found, let id = try store.connectionID(found.connection) {
      try emit(.notifiedMessageHandled(message.id, relayTime: message.time), connection: id, in: transaction)
    }
    try releaseNext(queue, in: transaction)
  }

  private func releaseNext(_ queue: FetchedQueue, in transaction: AgentTransaction) throws {
    guard let next = fetches[queue]?.waiting.first else {
      return transaction.change { self.fetches[queue] = nil }
    }
    transaction.change { self.fetches[queue]?.waiting.removeFirst() }
    try send(next, in: transaction)
  }

  /// Fails the calls that wait for messages or for the status of the token, because the agent leaves the network.
  func leaveFetches(_ transaction: AgentTransaction) {
    let fetching = fetches.values.flatMap { $0.waiting.map(\.call) + ($0.call.map { [$0] } ?? []) }
    for call in (fetching + pushes.checks).sorted(by: { $0.rawValue < $1.rawValue }) {
      transaction.effect(.complete(call, .failure(.inactive)))
    }
    fetches = [:]
  }
}
