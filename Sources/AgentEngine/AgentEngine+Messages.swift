import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

extension AgentEngine {
  /// A message of an established connection came out of the boxes of its queue.
  func received(_ encrypted: [UInt8], version: UInt16, _ arrival: Arrival, _ turn: Turn) throws {
    var arrival = arrival
    try raiseVersion(of: &arrival.connection, to: version)
    let connection = arrival.connection
    var ratchet = try ratchet(of: connection)
    let hash = HashFunction.sha256.digest(of: encrypted)
    let before = ratchet.ratchet
    let body: [UInt8]
    do {
      body = try decrypt(encrypted, &ratchet, connection)
    } catch let error as RatchetError {
      return try cannotDecrypt(error, hash: hash, arrival, turn)
    }
    guard case .message(let header, let message) = try AgentMessage.codec.decode(body) else {
      throw AgentError.peer(.prohibited("a confirmation in place of a message"))
    }
    let wasActive = arrival.queue.status == .active
    try usedQueue(&arrival, turn)
    let integrity = MessageIntegrity(
      number: header.messageID, previousHash: header.previousHash, lastNumber: ratchet.lastReceived,
      lastHash: ratchet.lastReceivedHash)
    let bodyHash = HashFunction.sha256.digest(of: body)
    let lastReceived = ratchet.lastReceived
    ratchet.lastID += 1
    ratchet.receivedCount += 1
    ratchet.lastReceived = header.messageID
    ratchet.lastReceivedHash = bodyHash
    try store.setRatchet(ratchet, of: connection.number)
    try store.noteReceived(hash: hash, count: ratchet.receivedCount, of: connection.number)
    try ratchetWorks(&arrival.connection, turn)

    let metadata = MessageMetadata(
      id: AgentMessageID(rawValue: ratchet.lastID), receivedAt: turn.now, relayID: arrival.relayID,
      relayTime: arrival.time, senderNumber: header.messageID, integrity: integrity,
      pqEncryption: ratchet.ratchet.receivesPQ)
    switch message {
    case .message(let content):
      try hold(
        StoredMessage(
          queue: arrival.queue.number, metadata: metadata, flags: arrival.flags, kind: .message, body: content,
          hash: bodyHash), arrival, turn)
    case .received(let receipts): try received(receipts, metadata, hash: bodyHash, arrival, turn)
    case .hello:
      try receivedHello(arrival, wasActive: wasActive, pq: metadata.pqEncryption, turn)
      try dismiss(arrival.relayID, arrival.queue, connection, turn)
    default:
      do {
        try part(of: turn) {
          try receivedCommand(message, before: before, lastReceived: lastReceived, arrival, turn)
        }
      } catch let error as AgentError {
        guard case .peer = error else { throw error }
        // Refused or not, it was the sender's next message: the ratchet and the numbers have moved with it.
        count(.receivedErrors, session(arrival.queue.server, connection), turn)
        try emit(.failed(error), connection.id, turn)
      }
      try dismiss(arrival.relayID, arrival.queue, connection, turn)
    }
  }

  /// What the peer's agent wants of ours.
  private func receivedCommand(
    _ message: ConnectionMessage, before: Ratchet, lastReceived: Int64, _ arrival: Arrival, _ turn: Turn
  ) throws {
    guard try !store.sendQueues(of: arrival.connection.number).isEmpty else {
      throw AgentError.peer(.prohibited("a message of the agent before the handshake's end"))
    }
    switch message {
    case .continueQueue(let reference): try continueQueue(reference, arrival, turn)
    case .addQueues(let queues): try receivedAddition(queues, arrival, turn)
    case .queueKeys(let keys): try receivedQueueKeys(keys, arrival, turn)
    case .useQueues(let queues): try receivedQueueUse(queues, arrival, turn)
    case .ratchetReady: try receivedRatchetReady(before, lastReceived: lastReceived, arrival, turn)
    // Any message in the new queue has the effect of this one.
    case .testQueues, .hello, .message, .received: break
    }
  }

  /// Keeps a message until the application acknowledges it, and delivers it.
  private func hold(_ message: StoredMessage, _ arrival: Arrival, _ turn: Turn) throws {
    try store.insert(message, of: arrival.connection.number)
    try store.setLastReceived(
      arrival.queue.number, relayID: arrival.relayID.bytes, message: message.metadata.id.rawValue, at: turn.now)
    try deliver(message, arrival.connection, turn)
  }

  private func received(
    _ receipts: [MessageReceipt], _ metadata: MessageMetadata, hash: [UInt8], _ arrival: Arrival, _ turn: Turn
  ) throws {
    let connection = arrival.connection
    var delivered: [DeliveryReceipt] = []
    for receipt in receipts {
      guard let sent = try store.sentMessage(number: receipt.messageID, of: connection.number) else { continue }
      if sent.isReceived { continue }
      let isIntact = sent.hash == receipt.messageHash
      if isIntact { try store.markReceived(number: receipt.messageID, of: connection.number) }
      delivered.append(DeliveryReceipt(message: sent.id, isIntact: isIntact))
    }
    guard !delivered.isEmpty else {
      return try dismiss(arrival.relayID, arrival.queue, connection, turn)
    }
    try hold(
      StoredMessage(
        queue: arrival.queue.number, metadata: metadata, flags: arrival.flags, kind: .receipts,
        body: try DeliveryReceipt.storedCodec.encode(delivered), hash: hash), arrival, turn)
  }

  /// The peer's queue has room again; one that was replaced meanwhile does not matter any more.
  private func continueQueue(_ reference: QueueReference, _ arrival: Arrival, _ turn: Turn) throws {
    let queues = try store.sendQueues(of: arrival.connection.number)
    guard let queue = queues.first(where: { $0.isAt(reference) }) else { return }
    let lane = Lane.sendQueue(queue.number)
    if let task = try store.firstTask(in: lane), task.notBefore > 0, task.notBefore < .max {
      _ = try store.delayTask(task.id, attempts: 0, until: 0)
      turn.change { if case .waiting = self.lanes[lane] { self.lanes[lane] = nil } }
      turn.pump(lane)
    }
    try emit(.queueContinues, arrival.connection.id, turn)
  }

  /// A message came through a queue: it is active now, and has replaced the one it was to replace.
  private func usedQueue(_ arrival: inout Arrival, _ turn: Turn) throws {
    guard arrival.queue.status != .active || arrival.queue.replaces != nil else { return }
    arrival.queue.status = .active
    try replacedQueue(&arrival, turn)
    try store.update(arrival.queue)
  }

  // MARK: What cannot be decrypted

  private func cannotDecrypt(_ error: RatchetError, hash: [UInt8], _ arrival: Arrival, _ turn: Turn) throws {
    var connection = arrival.connection
    let session = session(arrival.queue.server, connection)
    // The same message may come through two queues while one replaces the other.
    if try store.wasReceived(hash: hash, of: connection.number) {
      count(.receivedDuplicates, session, turn)
      return try dismiss(arrival.relayID, arrival.queue, connection, turn)
    }
    guard let state = RatchetSyncState(after: error) else { throw AgentError(error) }
    count(.receivedCryptoErrors, session, turn)
    if connection.ratchetSync == .ok || connection.ratchetSync == .allowed || connection.ratchetSync == .required {
      connection.ratchetSync = state
      try store.update(connection)
      try emit(
        .ratchetSync(state, .peer(.crypto(error)), try stats(connection)), connection.id, turn)
    }
    try dismiss(arrival.relayID, arrival.queue, connection, turn)
  }

  /// A message was decrypted: the ratchet needs no repair any more.
  private func ratchetWorks(_ connection: inout StoredConnection, _ turn: Turn) throws {
    guard connection.ratchetSync != .ok, connection.ratchetSync != .started else { return }
    let wasSilent = connection.ratchetSync.prohibitsSending
    connection.ratchetSync = .ok
    try store.update(connection)
    try store.removeRatchetKeys(of: connection.number)
    try emit(.ratchetSync(.ok, nil, try stats(connection)), connection.id, turn)
    if wasSilent { try resumeSwitching(connection, turn) }
  }
}

// MARK: Acknowledging

extension AgentEngine {
  /// The application stored a message: it is acknowledged to the relay, and with `receipt` to its sender too. Without a
  /// tag it is as ``ack(_:confirming:now:)`` of one message.
  public func ack(
    _ id: ConnectionID, _ message: AgentMessageID, receipt: [UInt8]? = nil, tag: CorrelationTag? = nil, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    let acknowledgement = MessageAcknowledgement(id, message, receipt: receipt)
    guard let tag else { return try postpone(now) { turn in try self.take(acknowledgement, turn) }.effects }
    return try run(now) { turn in
      try self.take(acknowledgement, turn)
      try self.emit(.done, id, tag: tag, turn)
    }.effects
  }

  /// The application stored messages, and has taken the event `last` and all before it. Gives for each message why it
  /// cannot be acknowledged, or nil.
  ///
  /// That it did is stored with the next transaction. Should the program end before that, the messages are given again
  /// at the next start.
  public func ack(
    _ messages: [MessageAcknowledgement], confirming last: EventID? = nil, now: Int64
  ) throws(AgentError) -> Accepted<[AgentError?]> {
    let (errors, effects) = try postpone(now) { turn in
      if let last { turn.write { [store] in try store.removeEvents(through: last) } }
      return try messages.map { message -> AgentError? in
        do {
          try self.take(message, turn)
          return nil
        } catch let error as AgentError {
          // These are thrown before anything was written.
          switch error {
          case .store, .internalError: throw error
          default: return error
          }
        }
      }
    }
    return Accepted(errors, effects)
  }

  private func take(_ acknowledgement: MessageAcknowledgement, _ turn: Turn) throws {
    let connection = try connection(acknowledgement.connection)
    let id = acknowledgement.message.rawValue
    guard let stored = try store.receivedMessage(id, of: connection.number) else {
      // A message can be delivered again before its first acknowledgement was made; the second one changes nothing.
      guard id > 0, id <= (try ratchet(of: connection)).lastID else {
        throw AgentError.prohibited("there is no such message to acknowledge")
      }
      return
    }
    let number = connection.number
    if let info = acknowledgement.receipt {
      guard stored.kind == .message else { throw AgentError.prohibited("no receipt for a receipt") }
      guard info.count <= Self.receiptInfoLimit else { throw AgentError.tooLarge(limit: Self.receiptInfoLimit) }
      turn.write { [store] in try store.oweReceipt(id, info: info, of: number) }
      oweReceipts([number], turn)
    } else {
      turn.write { [store] in try store.removeReceived(id, of: number) }
    }
    guard let queue = try store.receiveQueue(number: stored.queue), queue.lastMessage == id else { return }
    turn.write { [store] in try store.clearLastMessage(queue.number, message: id) }
    acknowledge(stored.metadata.relayID, of: queue, connection, turn)
  }

  /// The relay answered an acknowledgement.
  func acknowledged(
    _ acknowledgement: Acknowledgement, _ result: Result<BrokerMessage, SMPClientError>, _ turn: Turn
  ) {
    let session = acknowledgement.session
    switch result {
    case .success: count(.ackMessages, session, turn)
    case .failure(.relay(.NO_MSG)): count(.ackNoMessageErrors, session, turn)
    case .failure(let error) where error.isTemporary && acknowledgement.attempts < 8:
      // While the session goes on, the relay does not deliver the message again by itself.
      var next = acknowledgement
      next.attempts += 1
      let time = turn.now + wait(configuration.retry, attempts: next.attempts)
      turn.change {
        self.delayedAcknowledgements.append((time, next))
        self.schedule(time)
      }
    case .failure: count(.ackOtherErrors, session, turn)
    }
  }

  /// Sends acknowledgements again whose time came.
  func retryAcknowledgements(_ turn: Turn) {
    let due = delayedAcknowledgements.filter { $0.at <= turn.now }
    guard !due.isEmpty else { return }
    turn.change { self.delayedAcknowledgements.removeAll { $0.at <= turn.now } }
    for (_, acknowledgement) in due { send(acknowledgement, turn) }
  }
}

extension SendQueue {
  func isAt(_ reference: QueueReference) -> Bool { server == reference.server && senderID == reference.senderID }
}

extension RatchetSyncState {
  /// What has to be done after a message could not be decrypted; nil where the ratchet is not to blame.
  init?(after error: RatchetError) {
    switch error {
    case .unknownHeader, .tooManySkipped: self = .required
    case .bodyNotAuthentic, .earlierMessage, .crypto, .chainExhausted, .unexpectedKEM: self = .allowed
    case .duplicateMessage, .malformed, .messageTooLong, .cannotSendYet: return nil
    }
  }
}
