import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPProtocol
import SimplexCrypto
import WireCodec

/// A decrypted confirmation.
struct ReceivedConfirmation {
  /// The key that the queue has to be secured with.
  let senderKey: AuthorizationKey?
  let sharedKey: BoxKey
  let keys: E2EParameters?
  let encryptedInfo: [UInt8]
  let clientVersion: UInt16
  let agentVersion: UInt16
}

extension AgentMachine {
  /// Handles a confirmation, from the joining side or from the side that created the invitation.
  func received(_ confirmation: ReceivedConfirmation, arrival: Arrival, in transaction: AgentTransaction) throws {
    let connection = arrival.connection
    guard
      configuration.agentVersions.contains(confirmation.agentVersion)
        || confirmation.agentVersion <= connection.agentVersion
    else { throw AgentError.peer(.version) }
    guard arrival.queue.status == .new else { throw AgentError.peer(.prohibited("repeated confirmation")) }
    guard connection.mode == .invitation else {
      throw AgentError.peer(.prohibited("confirmation sent to an address"))
    }
    let isEstablished = try !store.sendQueues(of: connection.number).isEmpty
    switch (isEstablished, confirmation.keys) {
    case (false, let keys?): try receivedReply(confirmation, parameters: keys, arrival: arrival, in: transaction)
    case (true, nil): try receivedAnswer(confirmation, arrival: arrival, in: transaction)
    default: throw AgentError.peer(.prohibited("confirmation of the wrong side"))
    }
  }

  /// Handles the confirmation of the joining side. The ratchet is created now, so that later messages can be decrypted
  /// before the application allows the connection.
  private func receivedReply(
    _ confirmation: ReceivedConfirmation, parameters: E2EParameters, arrival: Arrival, in transaction: AgentTransaction
  ) throws {
    var connection = arrival.connection
    guard configuration.e2eVersions.contains(parameters.version) else { throw AgentError.peer(.version) }
    guard let own = try store.ratchetKeys(of: connection.number) else {
      throw AgentError.peer(.prohibited("confirmation without an invitation"))
    }
    let pqSupport =
      connection.pqSupport && confirmation.agentVersion >= AgentVersion.postQuantum
      && parameters.version >= E2EVersion.postQuantum
    var ratchet = StoredRatchet(
      try Ratchet(
        accepting: parameters, keys: own,
        versions: RatchetVersions(current: parameters.version, maximum: configuration.e2eVersions.highest),
        wantsPQ: pqSupport))
    let body = try decrypt(confirmation.encryptedInfo, with: &ratchet, of: connection)
    guard case .connectionInfoReply(let queues, let info) = try AgentMessage.codec.decode(body) else {
      throw AgentError.peer(.prohibited("confirmation without a reply queue"))
    }
    ratchet.lastReceived = 1
    ratchet.lastReceivedHash = HashFunction.sha256.digest(of: body)
    try store.setRatchet(ratchet, of: connection.number)
    try store.removeRatchetKeys(of: connection.number)
    connection.agentVersion = min(confirmation.agentVersion, configuration.agentVersions.highest)
    connection.pqSupport = pqSupport
    try store.update(connection)
    try confirm(arrival.queue, confirmation, status: .confirmed)
    var random = random
    let stored = StoredConfirmation(
      id: ConfirmationID(using: &random), connection: connection.number, senderKey: confirmation.senderKey,
      queues: queues)
    try store.insert(stored)
    try settleAnswered(connection, in: transaction)
    try emit(
      .confirmation(stored.id, pqSupport: pqSupport, servers: queues.map(\.address.server), info: info),
      connection: connection.id, in: transaction)
  }

  /// Handles the confirmation of the side that created the invitation.
  private func receivedAnswer(_ confirmation: ReceivedConfirmation, arrival: Arrival, in transaction: AgentTransaction)
    throws
  {
    let connection = arrival.connection
    var ratchet = try ratchet(of: connection)
    let body = try decrypt(confirmation.encryptedInfo, with: &ratchet, of: connection)
    guard case .connectionInfo(let info) = try AgentMessage.codec.decode(body) else {
      throw AgentError.peer(.prohibited("answer with a reply queue"))
    }
    ratchet.lastReceived = 1
    ratchet.lastReceivedHash = HashFunction.sha256.digest(of: body)
    try store.setRatchet(ratchet, of: connection.number)
    // The event `joined` comes before the information, as it does where the relay's response arrives.
    try confirm(arrival.queue, confirmation, status: confirmation.senderKey == nil ? .active : .confirmed)
    try settleAnswered(connection, in: transaction)
    try emit(.information(pqSupport: connection.pqSupport, info: info), connection: connection.id, in: transaction)
    if let senderKey = confirmation.senderKey {
      let queues = try store.sendQueues(of: connection.number)
      guard let queue = queues.first else { return }
      // HELLO tells the peer that the queue is secured, so it is sent after KEY in the same lane.
      try add(
        .secureReceiveQueue, to: .sendQueue(queue.number), of: connection.number,
        payload: try SecurePayload.codec.encode(SecurePayload(queue: arrival.queue.number, senderKey: senderKey)),
        in: transaction)
      try enqueue(.hello, for: .hello, on: connection, to: [queue], notification: true, in: transaction)
    } else {
      try connected(connection, by: arrival.queue.server, pq: ratchet.ratchet.receivesPQ, in: transaction)
    }
  }

  /// Stores the shared secret of the queue, which is known now.
  private func confirm(_ queue: ReceiveQueue, _ confirmation: ReceivedConfirmation, status: AgentQueueStatus) throws {
    var queue = queue
    queue.sharedKey = confirmation.sharedKey
    queue.clientVersion = min(queue.clientVersion, confirmation.clientVersion)
    queue.status = status
    try store.update(queue)
  }

  /// Decrypts with the ratchet, which the caller stores. Of the keys of skipped messages it reads the header keys, for
  /// a message of a previous chain alone, and the one key of a skipped message.
  func decrypt(
    _ message: [UInt8], with ratchet: inout StoredRatchet, of connection: StoredConnection
  ) throws -> [UInt8] {
    let number = connection.number
    let bytes = message.span.bytes
    var opened = try ratchet.ratchet.openHeader(of: bytes)
    if opened == nil, ratchet.skippedCount > 0 {
      opened = try ratchet.ratchet.openHeader(of: bytes, among: try store.skippedHeaderKeys(of: number))
    }
    guard let opened else { throw RatchetError.unknownHeader }
    var skippedKey: MessageKey?
    if opened.isSkipped, ratchet.skippedCount > 0 {
      skippedKey = try store.skippedKey(of: number, headerKey: opened.headerKey, number: opened.number)
    }
    let decrypted = try ratchet.ratchet.decrypt(bytes, opened, skippedKey: skippedKey, keys: &keys)
    ratchet.skippedCount += try store.apply(decrypted.skippedChange, of: number)
    return decrypted.body
  }

  /// Handles HELLO: the receive queue is active.
  func receivedHello(_ arrival: Arrival, wasActive: Bool, pq: Bool, in transaction: AgentTransaction) throws {
    if wasActive { throw AgentError.peer(.prohibited("HELLO in an active queue")) }
    let connection = arrival.connection
    guard let queue = try store.sendQueues(of: connection.number).first else { return }
    if queue.status == .active {
      try connected(connection, by: arrival.queue.server, pq: pq, in: transaction)
    } else {
      try enqueue(.hello, for: .hello, on: connection, to: [queue], notification: true, in: transaction)
    }
  }

  /// Handles a request to an address.
  func received(_ request: ConnectionRequest, info: [UInt8], arrival: Arrival, in transaction: AgentTransaction) throws
  {
    guard arrival.connection.mode == .contact else {
      throw AgentError.peer(.prohibited("request sent to a connection"))
    }
    // A request with incompatible versions is reported too; accepting it fails with the reason.
    let pqSupport = (try? Negotiation(request, configuration, pq: true))?.pqSupport ?? false
    var random = random
    let invitation = StoredInvitation(
      id: InvitationID(using: &random), connection: arrival.connection.number, request: request)
    try store.insert(invitation)
    try emit(
      .request(
        invitation.id, pqSupport: pqSupport, servers: request.queues.map(\.address.server), info: info),
      connection: arrival.connection.id, in: transaction)
  }
}
