import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

extension AgentMachine {
  /// Handles a message of an established connection, whose queue encryption is removed.
  func received(_ encrypted: [UInt8], version: UInt16, arrival: Arrival, in transaction: AgentTransaction) throws {
    var arrival = arrival
    try raiseVersion(of: &arrival.connection, to: version)
    let connection = arrival.connection
    var ratchet = try ratchet(of: connection)
    let hash = HashFunction.sha256.digest(of: encrypted)
    let before = ratchet.ratchet
    let body: [UInt8]
    do {
      body = try decrypt(encrypted, with: &ratchet, of: connection)
    } catch let error as RatchetError {
      return try cannotDecrypt(error, hash: hash, arrival: arrival, in: transaction)
    }
    guard case .message(let header, let message) = try AgentMessage.codec.decode(body) else {
      throw AgentError.peer(.prohibited("a confirmation in place of a message"))
    }
    let wasActive = arrival.queue.status == .active
    try usedQueue(&arrival, in: transaction)
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
    try ratchetWorks(&arrival.connection, in: transaction)

    let metadata = MessageMetadata(
      id: AgentMessageID(rawValue: ratchet.lastID), receivedAt: transaction.now, relayID: arrival.relayID,
      relayTime: arrival.time, senderNumber: header.messageID, integrity: integrity,
      pqEncryption: ratchet.ratchet.receivesPQ)
    switch message {
    case .message(let content):
      try hold(
        HeldMessage(
          queue: arrival.queue.number, metadata: metadata, flags: arrival.flags, kind: .message, body: content,
          hash: bodyHash), arrival: arrival, in: transaction)
    case .received(let receipts):
      try received(receipts, metadata: metadata, hash: bodyHash, arrival: arrival, in: transaction)
    case .hello:
      try receivedHello(arrival, wasActive: wasActive, pq: metadata.pqEncryption, in: transaction)
      try dismiss(arrival.relayID, at: arrival.time, queue: arrival.queue, of: connection, in: transaction)
    default:
      do {
        try savepoint(in: transaction) {
          try receivedCommand(message, before: before, lastReceived: lastReceived, arrival: arrival, in: transaction)
        }
      } catch let error as AgentError {
        guard case .peer = error else { throw error }
        // Even if it is refused, it was the sender's next message: the ratchet and the message numbers have advanced.
        count(.receivedErrors, at: session(arrival.queue.server, connection), in: transaction)
        try emit(.failed(error), connection: connection.id, in: transaction)
      }
      try dismiss(arrival.relayID, at: arrival.time, queue: arrival.queue, of: connection, in: transaction)
    }
  }

  /// Handles a command of the peer's agent.
  private func receivedCommand(
    _ message: ConnectionMessage, before: Ratchet, lastReceived: Int64, arrival: Arrival,
    in transaction: AgentTransaction
  ) throws {
    guard try !store.sendQueues(of: arrival.connection.number).isEmpty else {
      throw AgentError.peer(.prohibited("a message of the agent before the handshake's end"))
    }
    switch message {
    case .continueQueue(let reference): try continueQueue(reference, arrival: arrival, in: transaction)
    case .addQueues(let queues): try receivedAddition(queues, arrival: arrival, in: transaction)
    case .queueKeys(let keys): try receivedQueueKeys(keys, arrival: arrival, in: transaction)
    case .useQueues(let queues): try receivedQueueUse(queues, arrival: arrival, in: transaction)
    case .ratchetReady: try receivedRatchetReady(before, lastReceived: lastReceived, arrival: arrival, in: transaction)
    // Any message in the new queue completes the rotation.
    case .testQueues, .hello, .message, .received: break
    }
  }

  /// Keeps a message until the application acknowledges it, and delivers it.
  private func hold(_ message: HeldMessage, arrival: Arrival, in transaction: AgentTransaction) throws {
    try store.insert(message, of: arrival.connection.number)
    try store.setLastReceived(
      arrival.queue.number, relayID: arrival.relayID.bytes, message: message.metadata.id.rawValue, at: transaction.now,
      relayTime: arrival.time)
    try deliver(message, on: arrival.connection, in: transaction)
  }

  private func received(
    _ receipts: [MessageReceipt], metadata: MessageMetadata, hash: [UInt8], arrival: Arrival,
    in transaction: AgentTransaction
  ) throws {
    let connection = arrival.connection
    var delivered: [DeliveryReceipt] = []
    for receipt in receipts {
      guard let sent = try store.sentMessage(number: receipt.messageID, of: connection.number) else { continue }
      if sent.isReceived { continue }
      let isIntact = sent.hash == receipt.messageHash
      if isIntact { try store.markReceived(number: receipt.messageID, of: connection.number) }
      delivered.append(DeliveryReceipt(message: sent.message, isIntact: isIntact))
    }
    guard !delivered.isEmpty else {
      return try dismiss(arrival.relayID, at: arrival.time, queue: arrival.queue, of: connection, in: transaction)
    }
    try hold(
      HeldMessage(
        queue: arrival.queue.number, metadata: metadata, flags: arrival.flags, kind: .receipts,
        body: try DeliveryReceipt.storedCodec.encode(delivered), hash: hash), arrival: arrival, in: transaction)
  }

  /// Resumes sending to a queue that has room again; a queue that was replaced meanwhile is ignored.
  private func continueQueue(_ reference: QueueReference, arrival: Arrival, in transaction: AgentTransaction) throws {
    let queues = try store.sendQueues(of: arrival.connection.number)
    guard let queue = queues.first(where: { $0.isAt(reference) }) else { return }
    let lane = Lane.sendQueue(queue.number)
    if let task = try store.firstTask(in: lane), task.notBefore > 0, task.notBefore < .max {
      _ = try store.delayTask(task.id, attempts: 0, until: 0)
      transaction.change { if case .waiting = self.lanes[lane] { self.lanes[lane] = nil } }
      transaction.pump(lane)
    }
    try emit(.queueContinues, connection: arrival.connection.id, in: transaction)
  }

  /// Marks a queue that a message was received from as active, and completes its rotation if it replaces another.
  private func usedQueue(_ arrival: inout Arrival, in transaction: AgentTransaction) throws {
    guard arrival.queue.status != .active || arrival.queue.replaces != nil else { return }
    arrival.queue.status = .active
    try replacedQueue(&arrival, in: transaction)
    try store.update(arrival.queue)
  }

  // MARK: Decryption errors

  private func cannotDecrypt(_ error: RatchetError, hash: [UInt8], arrival: Arrival, in transaction: AgentTransaction)
    throws
  {
    var connection = arrival.connection
    let session = session(arrival.queue.server, connection)
    // The same message may come through two queues while one replaces the other.
    if try store.wasReceived(hash: hash, of: connection.number) {
      count(.receivedDuplicates, at: session, in: transaction)
      return try dismiss(arrival.relayID, at: arrival.time, queue: arrival.queue, of: connection, in: transaction)
    }
    guard let state = AgentRatchetSyncState(after: error) else { throw AgentError(error) }
    count(.receivedCryptoErrors, at: session, in: transaction)
    if connection.ratchetSync == .ok || connection.ratchetSync == .allowed || connection.ratchetSync == .required {
      let wasSilent = connection.ratchetSync.prohibitsSending
      connection.ratchetSync = state
      try store.update(connection)
      try emit(
        .ratchetSync(state, .peer(.crypto(error)), try stats(connection)), connection: connection.id, in: transaction)
      if wasSilent, !state.prohibitsSending { try resumeSending(connection, in: transaction) }
    }
    try dismiss(arrival.relayID, at: arrival.time, queue: arrival.queue, of: connection, in: transaction)
  }

  /// Records that the ratchet works, because a message was decrypted.
  private func ratchetWorks(_ connection: inout StoredConnection, in transaction: AgentTransaction) throws {
    guard connection.ratchetSync != .ok, connection.ratchetSync != .started else { return }
    let wasSilent = connection.ratchetSync.prohibitsSending
    connection.ratchetSync = .ok
    try store.update(connection)
    try store.removeRatchetKeys(of: connection.number)
    try emit(.ratchetSync(.ok, nil, try stats(connection)), connection: connection.id, in: transaction)
    if wasSilent { try resumeSending(connection, in: transaction) }
  }

  /// Does what became due while the ratchet prohibited sending.
  private func resumeSending(_ connection: StoredConnection, in transaction: AgentTransaction) throws {
    try resumeSwitching(connection, in: transaction)
    oweReceipts([connection.number], in: transaction)
  }
}

// MARK: Acknowledging

extension AgentMachine {
  /// Acknowledges a message that the application stored to its relay, and with `receipt` to its sender too. Without a
  /// tag it is ``ack(_:confirming:now:)`` of one message.
  public func ack(
    _ id: ConnectionID, _ message: AgentMessageID, receipt: [UInt8]? = nil, tag: CorrelationTag? = nil, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    let acknowledgement = MessageAcknowledgement(id, message, receipt: receipt)
    guard let tag else {
      return try postpone(now) { transaction in try self.take(acknowledgement, in: transaction) }.effects
    }
    return try run(now) { transaction in
      try self.take(acknowledgement, in: transaction)
      try self.emit(.done, connection: id, tag: tag, in: transaction)
    }.effects
  }

  /// Acknowledges messages that the application stored, and confirms all events up to `last`. Returns for each message
  /// the error of its acknowledgement, or nil.
  ///
  /// The acknowledgements are stored with the next transaction. If the program ends before that, the messages are
  /// delivered again at the next start.
  public func ack(
    _ messages: [MessageAcknowledgement], confirming last: EventID? = nil, now: Int64
  ) throws(AgentError) -> Accepted<[AgentError?]> {
    let (errors, effects) = try postpone(now) { transaction in
      if let last {
        transaction.write { [store] in try store.removeEvents(through: last) }
        transaction.change { self.skipEvents(through: last) }
      }
      return try messages.map { message -> AgentError? in
        do {
          try self.take(message, in: transaction)
          return nil
        } catch let error as AgentError {
          // These errors are thrown before anything was written.
          switch error {
          case .store, .internalError: throw error
          default: return error
          }
        }
      }
    }
    return Accepted(errors, effects)
  }

  private func take(_ acknowledgement: MessageAcknowledgement, in transaction: AgentTransaction) throws {
    guard let connection = try store.connection(acknowledgement.connection), connection.deletion == .no else { return }
    let id = acknowledgement.message.rawValue
    guard let stored = try store.receivedMessage(id, of: connection.number) else {
      // A message can be delivered twice before its first acknowledgement; the second acknowledgement is a no-op.
      guard id > 0, id <= (try ratchet(of: connection)).lastID else {
        throw AgentError.prohibited("ackMessage: no such message")
      }
      return
    }
    let number = connection.number
    if let info = acknowledgement.receipt {
      guard stored.kind == .message else { throw AgentError.prohibited("ackMessage: receipt not allowed") }
      guard info.count <= Self.receiptInfoLimit else { throw AgentError.tooLarge(limit: Self.receiptInfoLimit) }
      transaction.write { [store] in try store.oweReceipt(id, info: info, of: number) }
      oweReceipts([number], in: transaction)
    } else {
      transaction.write { [store] in try store.removeReceived(id, of: number) }
    }
    guard let queue = try store.receiveQueue(number: stored.queue), queue.lastMessage == id else { return }
    transaction.write { [store] in try store.clearLastMessage(queue.number, message: id) }
    acknowledge(stored.metadata.relayID, of: queue, on: connection, in: transaction)
  }

  /// Handles the response of the relay to an acknowledgement.
  func acknowledged(
    _ acknowledgement: Acknowledgement, with result: Result<BrokerMessage, SMPClientError>,
    in transaction: AgentTransaction
  ) throws {
    let session = acknowledgement.session
    switch result {
    case .success:
      count(.ackMessages, at: session, in: transaction)
      try releaseFetched(acknowledgement, in: transaction)
    case .failure(.relay(.NO_MSG)):
      count(.ackNoMessageErrors, at: session, in: transaction)
      try releaseFetched(acknowledgement, in: transaction)
    case .failure(let error)
    where error.isTemporary && (acknowledgement.attempts < 8 || connectedSessions.contains(session)):
      // While the session lasts, the relay delivers neither this message again nor the next.
      var next = acknowledgement
      next.attempts += 1
      let time = transaction.now + wait(configuration.retry, attempts: next.attempts)
      transaction.change {
        // A relay has at most one message of a queue that is not acknowledged.
        self.delayedAcknowledgements.removeAll {
          $0.acknowledgement.queue == next.queue && $0.acknowledgement.session == session
        }
        self.delayedAcknowledgements.append((time, next))
        self.schedule(time)
      }
    case .failure:
      count(.ackOtherErrors, at: session, in: transaction)
      try releaseFetched(acknowledgement, in: transaction)
    }
  }

  /// Retries acknowledgements that are due.
  func retryAcknowledgements(_ transaction: AgentTransaction) {
    let now = transaction.now
    let due = delayedAcknowledgements.filter { isDue($0.at, now: now) }
    guard !due.isEmpty else { return }
    transaction.change { self.delayedAcknowledgements.removeAll { self.isDue($0.at, now: now) } }
    for (_, acknowledgement) in due { send(acknowledgement, in: transaction) }
  }
}

extension SendQueue {
  func isAt(_ reference: QueueReference) -> Bool { server == reference.server && senderID == reference.senderID }
}

extension AgentRatchetSyncState {
  /// The ratchet state after a decryption error; nil where the error does not come from the ratchet.
  init?(after error: RatchetError) {
    switch error {
    case .unknownHeader, .tooManySkipped: self = .required
    case .bodyNotAuthentic, .earlierMessage, .crypto, .chainExhausted, .unexpectedKEM: self = .allowed
    case .duplicateMessage, .malformed, .messageTooLong, .cannotSendYet: return nil
    }
  }
}
