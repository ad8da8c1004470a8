import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPProtocol
import SimplexCrypto
import WireCodec

// Both sides send keys; whose hash is lower starts receiving, the other one starts sending and says so with EREADY.
// Source: agent-protocol.md, "Ratchet synchronization".
//
// Both sides may start at any time, and repeatedly, so keys can cross. The newest keys of each side are used: a side
// keeps the keys it sent until a message is decrypted with the new ratchet, and combines them with the newest keys of
// the peer. A side creates new keys in response only if the peer waits for them (``RatchetKeyOrder``), so the exchange
// terminates; as both sides receive all keys, they converge on the same pair.

extension AgentMachine {
  /// Agrees on a new ratchet with the peer.
  public func synchronizeRatchet(
    _ id: ConnectionID, pq: Bool, force: Bool, now: Int64
  ) throws(AgentError) -> Accepted<AgentConnectionStats> {
    let (stats, effects) = try run(now) { transaction in
      let connection = try self.connection(id)
      try self.requireDuplex(connection, "synchronizeRatchet")
      guard connection.ratchetSync.allowsStarting || force else {
        throw AgentError.prohibited("synchronizeRatchet: not allowed")
      }
      return try self.stats(try self.startAgreement(connection, pq: pq, in: transaction))
    }
    return Accepted(stats, effects)
  }

  /// Sends keys for a new ratchet, and waits for the peer's.
  private func startAgreement(_ connection: StoredConnection, pq: Bool, in transaction: AgentTransaction) throws
    -> StoredConnection
  {
    var connection = connection
    connection.pqSupport = pq
    connection.ratchetSync = .started
    try store.update(connection)
    _ = try sendRatchetKeys(
      version: configuration.e2eVersions.highest, isReply: false, connection: connection, in: transaction)
    return connection
  }

  /// Renegotiates ratchets that can decrypt nothing. The rate is limited, because a renegotiation may not help.
  func repairRatchets(_ transaction: AgentTransaction) throws {
    guard configuration.ratchetRepairInterval > 0 else { return }
    for connection in try store.connectionsWithBrokenRatchet() {
      var agreement = try store.ratchetAgreement(of: connection.number)
      guard transaction.now - agreement.repairedAt >= configuration.ratchetRepairInterval,
        connection.agentVersion >= AgentVersion.ratchetSync,
        (try? requireDuplex(connection, "synchronizeRatchet")) != nil
      else { continue }
      agreement.repairedAt = transaction.now
      try store.setRatchetAgreement(agreement, of: connection.number)
      try emit(.stuck(try diagnosis(connection, now: transaction.now)), connection: connection.id, in: transaction)
      _ = try startAgreement(connection, pq: connection.pqSupport, in: transaction)
    }
  }

  /// Creates keys for a new ratchet and sends them, not encrypted by the present ratchet.
  private func sendRatchetKeys(
    version: UInt16, isReply: Bool, connection: StoredConnection, in transaction: AgentTransaction
  ) throws -> E2EPrivateKeys {
    let own = E2EPrivateKeys(version: version, kem: connection.pqSupport ? .propose : nil, keys: &keys)
    let parameters = own.parameters(version: version)
    try store.setRatchetKeys(own, parameters: parameters, of: connection.number)
    var agreement = try store.ratchetAgreement(of: connection.number)
    agreement.ownNumber = max(transaction.now, agreement.ownNumber &+ 1)
    try store.setRatchetAgreement(agreement, of: connection.number)
    let order = RatchetKeyOrder(
      number: agreement.ownNumber, answered: agreement.peerNumber, isReply: isReply)
    try enqueueRatchetKeys(parameters, order: order, on: connection, in: transaction)
    return own
  }

  private func enqueueRatchetKeys(
    _ parameters: E2EParameters, order: RatchetKeyOrder, on connection: StoredConnection,
    in transaction: AgentTransaction
  ) throws {
    var ratchet = try ratchet(of: connection)
    let info = try AgentMessage.codec.encode(.ratchetInfo(try RatchetKeyOrder.codec.encode(order)))
    ratchet.lastID += 1
    ratchet.lastSent += 1
    ratchet.lastSentHash = HashFunction.sha256.digest(of: info)
    try store.setRatchet(ratchet, of: connection.number)
    let envelope = AgentEnvelope(
      version: configuration.agentVersions.highest, content: .ratchetKey(parameters, info: info))
    var random = random
    let payload = try EnvelopePayload.codec.encode(
      EnvelopePayload(
        purpose: .ratchetKey, nonce: BoxNonce(using: &random), envelope: try AgentEnvelope.codec.encode(envelope)))
    for (index, queue) in try store.sendQueues(of: connection.number).enumerated() where index == 0 || queue.isReady {
      try add(
        .sendEnvelope, to: .sendQueue(queue.number), of: connection.number, payload: payload,
        message: ratchet.lastID, in: transaction)
    }
  }

  /// Handles the peer's keys for a new ratchet.
  func received(_ parameters: E2EParameters, info: [UInt8], arrival: Arrival, in transaction: AgentTransaction) throws {
    var connection = arrival.connection
    try requireDuplex(connection, "synchronizeRatchet")
    let peerHash = Self.hash(parameters.key1, parameters.key2)
    var agreement = try store.ratchetAgreement(of: connection.number)
    let isTaken = agreement.mayTakeKeys(at: transaction.now, limit: configuration.ratchetKeysPerDay)
    if isTaken == false { return }
    guard try store.noteRatchetKeyHash(peerHash, of: connection.number) else { return }
    try store.setRatchetAgreement(agreement, of: connection.number)
    guard isTaken == true else {
      // Not thrown, which would undo that it was counted.
      let error = AgentError.peer(.prohibited("too many keys for a new ratchet"))
      return try emit(.failed(error), connection: connection.id, in: transaction)
    }
    guard configuration.e2eVersions.contains(parameters.version) else { throw AgentError.peer(.version) }
    let order = Self.order(info)
    if let order {
      // While a queue is replaced, keys can be overtaken by newer ones.
      guard order.number > agreement.peerNumber else { return }
      agreement.peerNumber = order.number
      try store.setRatchetAgreement(agreement, of: connection.number)
    }
    let own: E2EPrivateKeys
    if let kept = try keptKeys(connection), !peerWaits(order, after: agreement, on: connection) {
      own = kept
    } else {
      own = try sendRatchetKeys(version: parameters.version, isReply: true, connection: connection, in: transaction)
    }
    var stored = try ratchet(of: connection)
    let lastReceived = stored.lastReceived
    let versions = RatchetVersions(current: parameters.version, maximum: configuration.e2eVersions.highest)
    let ownHash = Self.hash(own.key1.publicKey, own.key2.publicKey)
    let startsReceiving = !peerHash.lexicographicallyPrecedes(ownHash)
    if startsReceiving {
      stored.ratchet = try Ratchet(
        accepting: parameters, keys: own, versions: versions, wantsPQ: connection.pqSupport)
    } else {
      stored.ratchet = try Ratchet(
        joining: parameters, keys: own, ratchetKey: keys.makeRatchetKey(), versions: versions)
    }
    stored.skippedCount = 0
    try store.removeSkippedKeys(of: connection.number)
    try store.setRatchet(stored, of: connection.number)
    connection.ratchetSync = .agreed
    try store.update(connection)
    try emit(.ratchetSync(.agreed, nil, try stats(connection)), connection: connection.id, in: transaction)
    if !startsReceiving { try sendRatchetReady(lastReceived, on: connection, in: transaction) }
  }

  /// Our newest keys, while no message has shown that their ratchet works.
  private func keptKeys(_ connection: StoredConnection) throws -> E2EPrivateKeys? {
    switch connection.ratchetSync {
    case .ok, .allowed, .required: nil
    case .started, .agreed: try store.ratchetKeys(of: connection.number)
    }
  }

  /// Whether the peer waits for newer keys than our newest.
  private func peerWaits(
    _ order: RatchetKeyOrder?, after agreement: RatchetAgreement, on connection: StoredConnection
  ) -> Bool {
    // The reference implementation does not state which keys it has received. Most likely it starts again because the
    // agreed ratchet does not work for it.
    guard let order else { return connection.ratchetSync == .agreed }
    return !order.isReply && order.answered == agreement.ownNumber
  }

  private static func order(_ info: [UInt8]) -> RatchetKeyOrder? {
    guard case .ratchetInfo(let bytes)? = try? AgentMessage.codec.decode(info) else { return nil }
    return try? RatchetKeyOrder.codec.decode(bytes)
  }

  /// Handles EREADY, the peer's first message with the new ratchet.
  func receivedRatchetReady(
    _ before: Ratchet, lastReceived: Int64, arrival: Arrival, in transaction: AgentTransaction
  ) throws {
    // The side that could send first has sent EREADY already.
    guard !before.canSend else { return }
    try sendRatchetReady(lastReceived, on: arrival.connection, in: transaction)
  }

  private func sendRatchetReady(
    _ lastReceived: Int64, on connection: StoredConnection, in transaction: AgentTransaction
  ) throws {
    try enqueue(
      .ratchetReady(lastDecryptedMessageID: lastReceived), for: .ratchetReady, on: connection,
      to: try store.sendQueues(of: connection.number), notification: true, in: transaction)
  }

  private static func hash(_ key1: X448.PublicKey, _ key2: X448.PublicKey) -> [UInt8] {
    HashFunction.sha256.digest(of: key1.rawBytes + key2.rawBytes)
  }
}
