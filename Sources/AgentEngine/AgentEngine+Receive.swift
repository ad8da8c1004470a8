import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

/// A message on its way through the layers.
struct Arrival {
  let relayID: MessageID
  /// When the relay received it, in seconds.
  let time: Int64
  let flags: MessageFlags
  var queue: ReceiveQueue
  var connection: StoredConnection
}

extension AgentEngine {
  /// A relay delivered a message.
  func received(
    _ message: ReceivedMessage, _ entity: EntityID, _ session: SessionKey, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    do throws(AgentError) {
      return try run(now) { turn in
        guard let (queue, connection) = try self.queue(entity, session) else {
          // Not kept: a relay could send any number of these.
          return turn.effect(.event(AgentEvent(.failed(.connection(.notFound)))))
        }
        self.count(.receivedMessages, session, turn)
        self.heard(queue.number, turn)
        if queue.lastRelayID == message.id.bytes { return try self.deliveredAgain(message, queue, connection, turn) }
        try self.process(message, queue, connection, turn)
      }.effects
    } catch {
      switch error {
      case .store, .internalError: throw error
      default: break
      }
      // What was begun is undone; the message itself is done with.
      return try run(now) { turn in
        guard let (queue, connection) = try self.queue(entity, session) else { return }
        self.count(.receivedErrors, session, turn)
        try self.emit(.failed(error), connection.id, turn)
        try self.dismiss(message.id, queue, connection, turn)
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

  /// The relay did not get the acknowledgement of the last message, or there was none yet.
  private func deliveredAgain(
    _ message: ReceivedMessage, _ queue: ReceiveQueue, _ connection: StoredConnection, _ turn: Turn
  ) throws {
    guard let id = queue.lastMessage, let stored = try store.receivedMessage(id, of: connection.number) else {
      count(.receivedDuplicates, session(queue.server, connection), turn)
      return acknowledge(message.id, of: queue, connection, turn)
    }
    if stored.attempts >= configuration.receiveAttempts,
      turn.now - stored.metadata.receivedAt >= configuration.receiveExpiry
    {
      try store.removeReceived(id, of: connection.number)
      let dropped = AgentError.DroppedMessage(relayTime: stored.metadata.relayTime, attempts: stored.attempts)
      try emit(.failed(.peer(.duplicate(dropped))), connection.id, turn)
      return try dismiss(message.id, queue, connection, turn)
    }
    try store.countDelivery(id, of: connection.number)
    try deliver(stored, connection, turn)
  }

  /// Gives a message to the application.
  func deliver(_ message: StoredMessage, _ connection: StoredConnection, _ turn: Turn) throws {
    switch message.kind {
    case .message:
      try emit(.message(message.metadata, flags: message.flags, body: message.body), connection.id, turn)
    case .receipts:
      let receipts = try DeliveryReceipt.storedCodec.decode(message.body)
      try emit(.received(message.metadata, receipts), connection.id, turn)
    case .owedReceipt: break
    }
  }

  /// A message is done with, and the application has nothing to acknowledge.
  func dismiss(_ message: MessageID, _ queue: ReceiveQueue, _ connection: StoredConnection, _ turn: Turn) throws {
    try store.setLastReceived(queue.number, relayID: message.bytes, message: nil, at: turn.now)
    acknowledge(message, of: queue, connection, turn)
  }

  // MARK: Layers

  /// Opens the relay's box and the sender's box, and reads the envelope.
  private func process(
    _ message: ReceivedMessage, _ queue: ReceiveQueue, _ connection: StoredConnection, _ turn: Turn
  ) throws {
    switch try DeliveredMessage(opening: message, key: queue.deliveryKey) {
    case .quota:
      try queueDrained(queue, connection, turn)
      try dismiss(message.id, queue, connection, turn)
    case .message(let time, let flags, let body):
      let arrival = Arrival(
        relayID: message.id, time: time.seconds, flags: flags, queue: queue, connection: connection)
      try process(try SentMessage.codec.decode(body), arrival, turn)
    }
  }

  private func process(_ sent: SentMessage, _ arrival: Arrival, _ turn: Turn) throws {
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
        try received(confirmation, arrival, turn)
        try dismiss(arrival.relayID, queue, arrival.connection, turn)
      case .confirmation: throw AgentError.peer(.prohibited("confirmation without the sender's key"))
      case .invitation(let request, let info) where header == nil:
        try received(request, info: info, arrival, turn)
        try dismiss(arrival.relayID, queue, arrival.connection, turn)
      default: throw AgentError.peer(.prohibited("message before the handshake"))
      }
    case (let key?, nil):
      let (header, envelope) = try open(sent, key)
      switch (header, envelope.content) {
      case (nil, .message(let encrypted)): try received(encrypted, version: envelope.version, arrival, turn)
      case (nil, .ratchetKey(let keys, let info)):
        var arrival = arrival
        try raiseVersion(of: &arrival.connection, to: envelope.version)
        try received(keys, info: info, arrival, turn)
        try dismiss(arrival.relayID, queue, arrival.connection, turn)
      default: throw AgentError.peer(.prohibited("handshake message in an established queue"))
      }
    case (let key?, .some):
      // Its acknowledgement was lost together with the relay's memory of it.
      guard case .confirmation = try open(sent, key).envelope.content else {
        throw AgentError.peer(.prohibited("message with a key"))
      }
      try dismiss(arrival.relayID, queue, arrival.connection, turn)
    case (nil, nil): throw AgentError.peer(.prohibited("message without a key"))
    }
  }

  private func open(
    _ sent: SentMessage, _ key: BoxKey
  ) throws -> (senderKey: AuthorizationKey?, envelope: AgentEnvelope) {
    let message = try ClientMessage(opening: sent, key: key)
    return (message.senderKey, try AgentEnvelope.codec.decode(message.body))
  }

  /// The peer speaks a newer version than was agreed.
  func raiseVersion(of connection: inout StoredConnection, to version: UInt16) throws {
    let possible = min(version, configuration.agentVersions.highest)
    guard possible > connection.agentVersion, version >= configuration.agentVersions.lowest else { return }
    connection.agentVersion = possible
    try store.update(connection)
  }

  /// The queue was full and has room again: the peer is told.
  private func queueDrained(_ queue: ReceiveQueue, _ connection: StoredConnection, _ turn: Turn) throws {
    guard !connection.ratchetSync.prohibitsSending else { return }
    try enqueue(
      .continueQueue(QueueReference(server: queue.server, senderID: queue.senderID)), .continueQueue, connection,
      to: try store.sendQueues(of: connection.number), turn)
  }
}

extension DeliveryReceipt {
  static let storedCodec = Codec<DeliveryReceipt>.record(
    Field("message", \.message.rawValue, Codec<Int64>.integer), Field("isIntact", \.isIntact, .bool),
    build: { DeliveryReceipt(message: AgentMessageID(rawValue: $0), isIntact: $1) }
  ).list
}
