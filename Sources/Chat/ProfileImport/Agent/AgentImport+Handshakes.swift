import AgentCore
import AgentProtocol
import AgentStore
import ChatStore
import DoubleRatchet
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

/// A command that the chat core gives to our agent at its next start, because the app had not finished it.
struct ImportedCommand {
  /// The agent's identifier of the connection.
  let connection: [UInt8]
  let command: HandshakeCommand
}

extension AgentImport {
  // MARK: Links

  /// The keys that queues of invitations are secured with whose links were opened: the relay accepts no others.
  mutating func importLinkKeys() throws(ProfileImportError) {
    for row in try source.rows("inv_short_links", key: "inv_short_link_id", secrets: ["snd_private_key"]) {
      try writeUnlessDamaged(.linkKeys) { (agent) throws(ProfileImportError) in try agent.importLinkKey(row) }
    }
  }

  private func importLinkKey(_ row: SourceRow) throws(ProfileImportError) {
    let server = try server(row)
    let key = try authorizationKey(row, "snd_private_key")
    let linkID = EntityID(try row.bytes("link_id"))
    let linkKey = try row.bytes("link_key")
    let sender = try row.optionalBytes("snd_id").map { EntityID($0) }
    try writing { (target) throws(SQLFailure) in
      try target.setLinkSenderKey(key, linkID: linkID, linkKey: linkKey, at: server)
      if let sender { try target.setLinkSender(sender, linkID: linkID, at: server) }
    }
  }

  // MARK: Connections that are made again

  /// A connection that was being made. Our agent makes it when it gets the command for that, or when the user tries
  /// again; what the relay knows already of its queue is kept.
  mutating func importUnmade(_ row: SourceRow) throws(ProfileImportError) {
    let id = try row.bytes("conn_id")
    let user = try row.integer("user_id")
    let pq = try row.bool("pq_support")
    for queue in try source.rows(
      "snd_queues", where: "conn_id = ?", [.blob(id)], key: "snd_queue_id",
      secrets: ["snd_private_key", "e2e_dh_secret"])
    {
      let server = try server(queue)
      let sender = EntityID(try queue.bytes("snd_id"))
      let key = try authorizationKey(queue, "snd_private_key")
      try writing { (target) throws(SQLFailure) in
        guard try target.linkSenderKey(queue: sender, at: server) == nil else { return }
        try target.setLinkSenderKey(key, queue: sender, at: server)
      }
    }
    for command in try commands(of: id) {
      switch command {
      case .create: handshakes.append(ImportedCommand(connection: id, command: .create(user: user, pq: pq)))
      case .join(let request, let info):
        handshakes.append(
          ImportedCommand(connection: id, command: .join(user: user, request: request, pq: pq, info: info)))
      default: break
      }
    }
    report.take(.connections)
  }

  // MARK: Confirmations

  /// A peer's confirmation that this side has to answer: the chat core allows it, or gets to know it as if it had come
  /// just now. Returns the secrets of its ratchet for an agent that did not make it yet, as versions before 6.0.
  mutating func importConfirmation(
    of connection: StoredConnection, _ commands: [ReferenceCommand]
  ) throws(ProfileImportError) -> SourceRow? {
    var allowed: [UInt8] = []
    for case .allow(let id, _) in commands { allowed = id }
    let rows = try source.rows(
      "conn_confirmations", where: "conn_id = ?", [.blob(connection.id.bytes), .blob(allowed)],
      order: "CAST(confirmation_id AS BLOB) = ? DESC, accepted DESC, created_at DESC, confirmation_id",
      key: "confirmation_id", secrets: ["ratchet_state"])
    guard let row = rows.first else { return nil }
    report.leave(.otherConfirmations, rows.count - 1)
    let id = try row.bytes("confirmation_id")
    guard let queues = try? QueueInfoAddress.codec.list.decode(row.bytes("smp_reply_queues")), !queues.isEmpty else {
      throw row.unusable("smp_reply_queues", "it is no list of queues")
    }
    let confirmation = StoredConfirmation(
      id: ConfirmationID(id), connection: connection.number, senderKey: try senderKey(row), queues: queues)
    try writing { (target) throws(SQLFailure) in try target.insert(confirmation) }
    try confirmQueue(of: connection.number, row)
    if let info = try allowedInfo(row, id: id, commands) {
      handshakes.append(
        ImportedCommand(connection: connection.id.bytes, command: .allow(confirmation: id, info: info)))
    } else {
      try addEvent(
        .confirmation(
          confirmation.id, pqSupport: connection.pqSupport, servers: queues.map(\.address.server),
          info: try row.bytes("sender_conn_info")),
        about: connection.id)
    }
    return row
  }

  /// The information for the peer, if it was allowed.
  private func allowedInfo(
    _ row: SourceRow, id: [UInt8], _ commands: [ReferenceCommand]
  ) throws(ProfileImportError) -> [UInt8]? {
    for case .allow(id, let info) in commands { return info }
    return try row.bool("accepted") ? try row.bytes("own_conn_info") : nil
  }

  private func senderKey(_ row: SourceRow) throws(ProfileImportError) -> AuthorizationKey? {
    guard let der = try row.optionalBytes("sender_key") else { return nil }
    // The codec has the length before it.
    guard let count = UInt8(exactly: der.count), let key = try? AuthorizationKey.codec.decode([count] + der) else {
      throw row.unusable("sender_key", "it is not a key")
    }
    return key
  }

  /// Gives the queue its shared secret where the app had not done it yet.
  private func confirmQueue(of connection: Int64, _ row: SourceRow) throws(ProfileImportError) {
    guard
      var queue = try writing({ (target) throws(SQLFailure) in try target.receiveQueues(of: connection).first })
    else { return }
    guard queue.sharedKey == nil else { return }
    guard let key = try? X25519.PublicKey(der: row.bytes("e2e_snd_pub_key")),
      let shared = try? queue.privateKey.boxKey(with: key)
    else { throw row.unusable("e2e_snd_pub_key", "it is not a key") }
    queue.sharedKey = shared
    if queue.status == .new { queue.status = .confirmed }
    if row["smp_client_version"] != .null {
      queue.clientVersion = min(queue.clientVersion, try version(row, "smp_client_version"))
    }
    let confirmed = queue
    try writing { (target) throws(SQLFailure) in try target.update(confirmed) }
  }

  /// Stores an event that the chat core gets with its next start.
  private mutating func addEvent(
    _ event: AgentEvent.Kind, about connection: ConnectionID
  ) throws(ProfileImportError) {
    let payload: [UInt8]?
    do throws(WireError) { payload = try event.storedPayload() } catch {
      throw .value(table: "confirmations", column: "sender_conn_info", row: "\(connection)", reason: "\(error)")
    }
    guard let payload else { return }
    eventCount += 1
    let stored = StoredEvent(id: EventID(rawValue: eventCount), connection: connection, tag: nil, payload: payload)
    try writing { (target) throws(SQLFailure) in
      try target.insert(stored)
      try target.reserveEvents(through: stored.id)
    }
  }
}
