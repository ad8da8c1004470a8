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
// Both sides may ask at any time, and again, so keys can cross. The newest keys of each side count: whoever has sent
// keys keeps them until a message shows that the ratchet works, and uses them with whatever newer keys of the peer come.
// New ones are made only where the peer waits for them (``RatchetKeyOrder``), so this comes to an end, and as both
// sides get all keys, they end with the same two.

extension AgentEngine {
  /// Agrees on a new ratchet with the peer.
  public func synchronizeRatchet(
    _ id: ConnectionID, pq: Bool, force: Bool, now: Int64
  ) throws(AgentError) -> Accepted<ConnectionStats> {
    let (stats, effects) = try run(now) { turn in
      let connection = try self.connection(id)
      try self.requireDuplex(connection)
      guard connection.ratchetSync.allowsStarting || force else {
        throw AgentError.prohibited("the ratchet needs no synchronization")
      }
      return try self.stats(try self.startAgreement(connection, pq: pq, turn))
    }
    return Accepted(stats, effects)
  }

  /// Sends keys for a new ratchet, and waits for the peer's.
  private func startAgreement(_ connection: StoredConnection, pq: Bool, _ turn: Turn) throws -> StoredConnection {
    var connection = connection
    connection.pqSupport = pq
    connection.ratchetSync = .started
    try store.update(connection)
    _ = try sendRatchetKeys(version: configuration.e2eVersions.highest, isReply: false, connection, turn)
    return connection
  }

  /// Agrees anew on ratchets that can decrypt nothing. Not too often: where that does not help, it would go on for ever.
  func repairRatchets(_ turn: Turn) throws {
    guard configuration.ratchetRepairInterval > 0 else { return }
    for connection in try store.connectionsWithBrokenRatchet() {
      var agreement = try store.ratchetAgreement(of: connection.number)
      guard turn.now - agreement.repairedAt >= configuration.ratchetRepairInterval,
        connection.agentVersion >= AgentVersion.ratchetSync, (try? requireDuplex(connection)) != nil
      else { continue }
      agreement.repairedAt = turn.now
      try store.setRatchetAgreement(agreement, of: connection.number)
      try emit(.stuck(try diagnosis(connection, now: turn.now)), connection.id, turn)
      _ = try startAgreement(connection, pq: connection.pqSupport, turn)
    }
  }

  /// Makes keys for a new ratchet and sends them, which the ratchet itself cannot encrypt.
  private func sendRatchetKeys(
    version: UInt16, isReply: Bool, _ connection: StoredConnection, _ turn: Turn
  ) throws -> E2EPrivateKeys {
    let own = E2EPrivateKeys(version: version, kem: connection.pqSupport ? .propose : nil, keys: &keys)
    let parameters = own.parameters(version: version)
    try store.setRatchetKeys(own, parameters: parameters, of: connection.number)
    var agreement = try store.ratchetAgreement(of: connection.number)
    agreement.ownNumber = max(turn.now, agreement.ownNumber &+ 1)
    try store.setRatchetAgreement(agreement, of: connection.number)
    let order = RatchetKeyOrder(
      number: agreement.ownNumber, answered: agreement.peerNumber, isReply: isReply)
    try enqueueRatchetKeys(parameters, order, connection, turn)
    return own
  }

  private func enqueueRatchetKeys(
    _ parameters: E2EParameters, _ order: RatchetKeyOrder, _ connection: StoredConnection, _ turn: Turn
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
        .sendEnvelope, in: .sendQueue(queue.number), of: connection.number, payload: payload,
        message: ratchet.lastID, turn)
    }
  }

  /// The peer's keys for a new ratchet came.
  func received(_ parameters: E2EParameters, info: [UInt8], _ arrival: Arrival, _ turn: Turn) throws {
    var connection = arrival.connection
    try requireDuplex(connection)
    let peerHash = Self.hash(parameters.key1, parameters.key2)
    guard try store.noteRatchetKeyHash(peerHash, of: connection.number) else { return }
    guard configuration.e2eVersions.contains(parameters.version) else { throw AgentError.peer(.version) }
    var agreement = try store.ratchetAgreement(of: connection.number)
    let order = Self.order(info)
    if let order {
      // While a queue is replaced, keys can be overtaken by newer ones.
      guard order.number > agreement.peerNumber else { return }
      agreement.peerNumber = order.number
      try store.setRatchetAgreement(agreement, of: connection.number)
    }
    let own: E2EPrivateKeys
    if let kept = try keptKeys(connection), !peerWaits(order, agreement, connection) {
      own = kept
    } else {
      own = try sendRatchetKeys(version: parameters.version, isReply: true, connection, turn)
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
    try emit(.ratchetSync(.agreed, nil, try stats(connection)), connection.id, turn)
    if !startsReceiving { try sendRatchetReady(lastReceived, connection, turn) }
  }

  /// Our newest keys, while no message has shown that their ratchet works.
  private func keptKeys(_ connection: StoredConnection) throws -> E2EPrivateKeys? {
    switch connection.ratchetSync {
    case .ok, .allowed, .required: nil
    case .started, .agreed: try store.ratchetKeys(of: connection.number)
    }
  }

  /// Whether the peer made its keys to get others than our newest.
  private func peerWaits(
    _ order: RatchetKeyOrder?, _ agreement: RatchetAgreement, _ connection: StoredConnection
  ) -> Bool {
    // The reference implementation does not say what it has seen. Most likely it asks again because the ratchet that was
    // agreed does not work for it.
    guard let order else { return connection.ratchetSync == .agreed }
    return !order.isReply && order.answered == agreement.ownNumber
  }

  private static func order(_ info: [UInt8]) -> RatchetKeyOrder? {
    guard case .ratchetInfo(let bytes)? = try? AgentMessage.codec.decode(info) else { return nil }
    return try? RatchetKeyOrder.codec.decode(bytes)
  }

  /// The peer's first message with the new ratchet came.
  func receivedRatchetReady(
    _ before: Ratchet, lastReceived: Int64, _ arrival: Arrival, _ turn: Turn
  ) throws {
    // Who could send before has sent this message already.
    guard !before.canSend else { return }
    try sendRatchetReady(lastReceived, arrival.connection, turn)
  }

  private func sendRatchetReady(_ lastReceived: Int64, _ connection: StoredConnection, _ turn: Turn) throws {
    try enqueue(
      .ratchetReady(lastDecryptedMessageID: lastReceived), .ratchetReady, connection,
      to: try store.sendQueues(of: connection.number), notification: true, turn)
  }

  private static func hash(_ key1: X448.PublicKey, _ key2: X448.PublicKey) -> [UInt8] {
    HashFunction.sha256.digest(of: key1.rawBytes + key2.rawBytes)
  }
}
