import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

/// A received message while its layers are opened.
struct Arrival {
  let relayID: MessageID
  /// When the relay received it, in seconds.
  let time: Int64
  let flags: MessageFlags
  var queue: ReceiveQueue
  var connection: StoredConnection
}

extension AgentMachine {
  /// Handles a message that a relay delivered.
  func received(
    _ message: SealedMessage, for entity: EntityID, at session: SessionKey, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    do throws(AgentError) {
      return try run(now) { transaction in
        guard let (queue, connection) = try self.queue(entity, session) else {
          // No error: the relay sent it before it knew that the queue is deleted. Not kept either: a relay could send
          // any number of these.
          return self.count(.receivedErrors, at: session, in: transaction)
        }
        self.count(.receivedMessages, at: session, in: transaction)
        self.heard(queue.number, in: transaction)
        if queue.lastRelayID == message.id.bytes {
          return try self.deliveredAgain(message, queue: queue, of: connection, in: transaction)
        }
        try self.process(message, queue: queue, of: connection, in: transaction)
      }.effects
    } catch {
      switch error {
      case .store, .internalError: throw error
      default: break
      }
      // Partial changes were undone; the message is acknowledged and dropped.
      return try run(now) { transaction in
        guard let (queue, connection) = try self.queue(entity, session) else { return }
        self.count(.receivedErrors, at: session, in: transaction)
        try self.emit(.failed(error), connection: connection.id, in: transaction)
        try self.dismiss(message.id, queue: queue, of: connection, in: transaction)
      }.effects
    }
  }

  private func queue(
    _ entity: EntityID, _ session: SessionKey
  ) throws -> (queue: ReceiveQueue, connection: StoredConnection)? {
    guard let found = try store.receiveQueue(recipientID: entity, at: session.server),
      found.connection.deletion != .queues
    else { return nil }
    return found
  }

  /// Handles a message that the relay delivers again, because its acknowledgement was lost or not sent yet.
  private func deliveredAgain(
    _ message: SealedMessage, queue: ReceiveQueue, of connection: StoredConnection, in transaction: AgentTransaction
  ) throws {
    guard let id = queue.lastMessage, let stored = try store.receivedMessage(id, of: connection.number) else {
      count(.receivedDuplicates, at: session(queue.server, connection), in: transaction)
      return acknowledge(message.id, of: queue, on: connection, in: transaction)
    }
    if stored.attempts >= configuration.receiveAttempts,
      transaction.now - stored.metadata.receivedAt >= configuration.receiveExpiry
    {
      // The message stays stored and is offered again later; the queue's next messages need not wait for it.
      try store.setAside(id, of: connection.number)
      let dropped = AgentError.DroppedMessage(relayTime: stored.metadata.relayTime, attempts: stored.attempts)
      try emit(.failed(.peer(.duplicate(dropped))), connection: connection.id, in: transaction)
      return try dismiss(message.id, queue: queue, of: connection, in: transaction)
    }
    try store.countDelivery(id, of: connection.number)
    try deliver(stored, on: connection, in: transaction)
  }

  /// Delivers a message to the application.
  func deliver(_ message: HeldMessage, on connection: StoredConnection, in transaction: AgentTransaction) throws {
    switch message.kind {
    case .message:
      try emit(
        .message(message.metadata, flags: message.flags, body: message.body), connection: connection.id, in: transaction
      )
    case .receipts:
      let receipts = try DeliveryReceipt.storedCodec.decode(message.body)
      try emit(.received(message.metadata, receipts), connection: connection.id, in: transaction)
    case .owedReceipt: break
    }
  }

  /// Acknowledges a message that the application does not get.
  /// - Parameter relayTime: when the relay received it, in seconds, where that is known.
  func dismiss(
    _ message: MessageID, at relayTime: Int64? = nil, queue: ReceiveQueue, of connection: StoredConnection,
    in transaction: AgentTransaction
  ) throws {
    try store.setLastReceived(
      queue.number, relayID: message.bytes, message: nil, at: transaction.now, relayTime: relayTime)
    acknowledge(message, of: queue, on: connection, in: transaction)
  }

  // MARK: Layers

  /// Opens the relay's box and the sender's box, and reads the envelope.
  private func process(
    _ message: SealedMessage, queue: ReceiveQueue, of connection: StoredConnection, in transaction: AgentTransaction
  ) throws {
    switch try DeliveredMessage(opening: message, key: queue.deliveryKey) {
    case .quota:
      try queueDrained(queue, of: connection, in: transaction)
      try dismiss(message.id, queue: queue, of: connection, in: transaction)
    case .message(let time, let flags, let body):
      let arrival = Arrival(
        relayID: message.id, time: time.seconds, flags: flags, queue: queue, connection: connection)
      try process(try SentMessage.codec.decode(body), arrival: arrival, in: transaction)
    }
  }

  private func process(_ sent: SentMessage, arrival: Arrival, in transaction: AgentTransaction) throws {
    let queue = arrival.queue
    guard configuration.clientVersions.contains(sent.version) || sent.version <= queue.clientVersion else {
      throw AgentError.peer(.version)
    }
    switch (queue.sharedKey, sent.key) {
    case (nil, let senderKey?):
      let key = try queue.privateKey.boxKey(with: senderKey)
      let (header, envelope) = try open(sent, key)
      switch envelope.content {
      case .confirmation(let keys, let info) where header != nil || queue.mode == .messaging:
        let confirmation = ReceivedConfirmation(
          senderKey: header, sharedKey: key, keys: keys, encryptedInfo: info, clientVersion: sent.version,
          agentVersion: envelope.version)
        try received(confirmation, arrival: arrival, in: transaction)
        try dismiss(arrival.relayID, at: arrival.time, queue: queue, of: arrival.connection, in: transaction)
      case .confirmation: throw AgentError.peer(.prohibited("confirmation without the sender's key"))
      case .invitation(let request, let info) where header == nil:
        try received(request, info: info, arrival: arrival, in: transaction)
        try dismiss(arrival.relayID, at: arrival.time, queue: queue, of: arrival.connection, in: transaction)
      default: throw AgentError.peer(.prohibited("message before the handshake"))
      }
    case (let key?, nil):
      let (header, envelope) = try open(sent, key)
      switch (header, envelope.content) {
      case (nil, .message(let encrypted)):
        try received(encrypted, version: envelope.version, arrival: arrival, in: transaction)
      case (nil, .ratchetKey(let keys, let info)):
        var arrival = arrival
        try raiseVersion(of: &arrival.connection, to: envelope.version)
        try received(keys, info: info, arrival: arrival, in: transaction)
        try dismiss(arrival.relayID, at: arrival.time, queue: queue, of: arrival.connection, in: transaction)
      default: throw AgentError.peer(.prohibited("handshake message in an established queue"))
      }
    case (let key?, .some):
      // A confirmation that is delivered again, because its acknowledgement was lost.
      guard case .confirmation = try open(sent, key).envelope.content else {
        throw AgentError.peer(.prohibited("message with a key"))
      }
      try dismiss(arrival.relayID, at: arrival.time, queue: queue, of: arrival.connection, in: transaction)
    case (nil, nil): throw AgentError.peer(.prohibited("message without a key"))
    }
  }

  private func open(
    _ sent: SentMessage, _ key: BoxKey
  ) throws -> (senderKey: AuthorizationKey?, envelope: AgentEnvelope) {
    let message = try ClientMessage(opening: sent, key: key)
    return (message.senderKey, try AgentEnvelope.codec.decode(message.body))
  }

  /// Updates the agreed version if the peer uses a newer one.
  func raiseVersion(of connection: inout StoredConnection, to version: UInt16) throws {
    let possible = min(version, configuration.agentVersions.highest)
    guard possible > connection.agentVersion, version >= configuration.agentVersions.lowest else { return }
    connection.agentVersion = possible
    try store.update(connection)
  }

  /// Tells the peer that the queue, which was full, has room again (QCONT).
  private func queueDrained(_ queue: ReceiveQueue, of connection: StoredConnection, in transaction: AgentTransaction)
    throws
  {
    guard !connection.ratchetSync.prohibitsSending else { return }
    try enqueue(
      .continueQueue(QueueReference(server: queue.server, senderID: queue.senderID)), for: .continueQueue,
      on: connection,
      to: try store.sendQueues(of: connection.number), in: transaction)
  }
}
