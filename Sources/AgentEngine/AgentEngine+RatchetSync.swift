import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPProtocol
import SimplexCrypto
import WireCodec

// Both sides send keys; whose hash is lower starts receiving, the other one starts sending and says so with EREADY.
// Source: agent-protocol.md, "Ratchet synchronization".

extension AgentEngine {
  /// Agrees on a new ratchet with the peer.
  public func synchronizeRatchet(
    _ id: ConnectionID, pq: Bool, force: Bool, now: Int64
  ) throws(AgentError) -> Accepted<ConnectionStats> {
    let (stats, effects) = try run(now) { turn in
      var connection = try self.connection(id)
      try self.requireDuplex(connection)
      guard connection.ratchetSync.allowsStarting || force else {
        throw AgentError.prohibited("the ratchet needs no synchronization")
      }
      connection.pqSupport = pq
      connection.ratchetSync = .started
      try self.store.update(connection)
      let version = self.configuration.e2eVersions.highest
      let own = E2EPrivateKeys(version: version, kem: pq ? .propose : nil, keys: &self.keys)
      try self.store.setRatchetKeys(own, parameters: own.parameters(version: version), of: connection.number)
      try self.enqueueRatchetKey(own.parameters(version: version), connection, turn)
      return try self.stats(connection)
    }
    return Accepted(stats, effects)
  }

  /// Sends keys for a new ratchet, which the ratchet itself cannot encrypt.
  private func enqueueRatchetKey(_ keys: E2EParameters, _ connection: StoredConnection, _ turn: Turn) throws {
    var ratchet = try ratchet(of: connection)
    let info = try AgentMessage.codec.encode(.ratchetInfo([]))
    ratchet.lastID += 1
    ratchet.lastSent += 1
    ratchet.lastSentHash = HashFunction.sha256.digest(of: info)
    try store.setRatchet(ratchet, of: connection.number)
    let envelope = AgentEnvelope(
      version: configuration.agentVersions.highest, content: .ratchetKey(keys, info: info))
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
  func received(_ parameters: E2EParameters, _ arrival: Arrival, _ turn: Turn) throws {
    var connection = arrival.connection
    try requireDuplex(connection)
    let peerHash = Self.hash(parameters.key1, parameters.key2)
    guard try store.noteRatchetKeyHash(peerHash, of: connection.number) else { return }
    guard configuration.e2eVersions.contains(parameters.version) else { throw AgentError.peer(.version) }
    let own: E2EPrivateKeys
    switch connection.ratchetSync {
    case .ok, .allowed, .required:
      own = E2EPrivateKeys(
        version: parameters.version, kem: connection.pqSupport ? .propose : nil, keys: &keys)
      try enqueueRatchetKey(own.parameters(version: parameters.version), connection, turn)
    case .started:
      guard let stored = try store.ratchetKeys(of: connection.number) else {
        throw AgentError.internalError("no keys for a new ratchet")
      }
      own = stored
    case .agreed:
      connection.ratchetSync = .required
      try store.update(connection)
      try emit(.ratchetSync(.required, .peer(.ratchetSync), try stats(connection)), connection.id, turn)
      return
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
    try store.removeRatchetKeys(of: connection.number)
    connection.ratchetSync = .agreed
    try store.update(connection)
    try emit(.ratchetSync(.agreed, nil, try stats(connection)), connection.id, turn)
    if !startsReceiving { try sendRatchetReady(lastReceived, connection, turn) }
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
