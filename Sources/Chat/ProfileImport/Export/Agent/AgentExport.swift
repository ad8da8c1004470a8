import AgentCore
import AgentProtocol
import AgentStore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

/// Writes the agent's part of a profile to a new database of the reference.
struct AgentExport {
  let source: AgentDatabase
  let target: ReferenceDatabase
  let survey: ExportSurvey
  /// When the export is made, as the reference writes times.
  let now: String
  var report = ImportReport()
  /// The identifiers of the connections that were written, as base64url.
  private(set) var taken: Set<String> = []
  /// Messages that were sent for a command of the chat core.
  var sent: [ExportedMessage] = []
  /// The fingerprints of the relays that were written, by host and port.
  private var keyHashes: [String: [UInt8]] = [:]

  init(_ source: AgentDatabase, to target: ReferenceDatabase, survey: ExportSurvey, now: String) {
    (self.source, self.target, self.survey, self.now) = (source, target, survey, now)
  }

  /// Writes everything in one transaction.
  mutating func run() throws(ProfileImportError) {
    try writing { (target) throws(SQLFailure) in
      try target.execute("BEGIN")
      // The app adds its statistics to this row, and does not make it.
      try target.execute("INSERT INTO servers_stats (servers_stats_id) VALUES (1)")
    }
    let users = try reading { (source) throws(SQLFailure) in try source.users() }
    for user in users { try target.insert(into: "users", ["user_id": .integer(user.rawValue)]) }
    let numbers = try reading { (source) throws(SQLFailure) in
      try source.database.all("SELECT number FROM connections ORDER BY number") { (row) throws(SQLFailure) in
        try row.integer(0)
      }
    }
    for number in numbers { try exportUnlessDamaged(number) }
    try exportLinkKeys()
    try exportNotifications()
    try writing { (target) throws(SQLFailure) in try target.execute("COMMIT") }
    try target.finish(ReferenceSchema.agentTriggers)
  }

  /// Exports a connection; if its values cannot be used, it is left, and the others are not affected.
  private mutating func exportUnlessDamaged(_ number: Int64) throws(ProfileImportError) {
    let (before, sentBefore) = ((report, keyHashes), sent.count)
    try writing { (target) throws(SQLFailure) in try target.execute("SAVEPOINT part") }
    do throws(ProfileImportError) {
      try export(number)
    } catch {
      try writing { (target) throws(SQLFailure) in try target.execute("ROLLBACK TO part") }
      guard error.isAboutValues else { throw error }
      (report, keyHashes) = before
      sent.removeLast(sent.count - sentBefore)
      report.leave(.damagedConnections, because: error)
    }
    try writing { (target) throws(SQLFailure) in try target.execute("RELEASE part") }
  }

  private mutating func export(_ number: Int64) throws(ProfileImportError) {
    let stored = try reading(number) { (source) throws(SQLFailure) in try source.connection(number: number) }
    guard let connection = stored else { return }
    let name = Base64URL.string(connection.id.bytes)
    switch try survey.fate(of: connection, named: name, in: source) {
    case .left(let reason): return report.leave(reason)
    case .ofGroup: return
    case .address, .invitation, .confirmed, .established, .unmade: break
    }
    let ratchet = try reading(number) { (source) throws(SQLFailure) in try source.ratchet(of: number) }
    try target.insert(
      into: "connections",
      [
        "conn_id": .blob(connection.id.bytes), "conn_mode": .text(connection.mode == .contact ? "CON" : "INV"),
        "last_internal_msg_id": .integer(ratchet?.lastID ?? 0),
        "last_internal_rcv_msg_id": .integer(ratchet?.receivedCount ?? 0),
        "last_internal_snd_msg_id": .integer(ratchet?.lastSent ?? 0),
        "last_external_snd_msg_id": .integer(ratchet?.lastReceived ?? 0),
        "last_rcv_msg_hash": .blob(ratchet?.lastReceivedHash ?? []),
        "last_snd_msg_hash": .blob(ratchet?.lastSentHash ?? []),
        "smp_agent_version": .integer(Int64(connection.agentVersion)), "duplex_handshake": .integer(1),
        "enable_ntfs": .bool(connection.notifications), "deleted": .integer(0),
        "user_id": .integer(connection.user.rawValue),
        "ratchet_sync_state": .text(Self.syncState(connection.ratchetSync)),
        "pq_support": .bool(connection.pqSupport),
      ])
    try exportReceiveQueues(of: connection)
    let queues = try exportSendQueues(of: connection)
    if let ratchet {
      try exportRatchet(ratchet, of: connection)
    } else {
      try exportKeys(of: connection)
    }
    try exportHashes(of: connection, count: ratchet?.receivedCount ?? 0)
    try exportMessages(of: connection, named: name, queues: queues)
    if connection.mode == .contact { try exportInvitations(of: connection) }
    taken.insert(name)
    report.take(.connections)
  }

  private static func syncState(_ state: AgentRatchetSyncState) -> String {
    switch state {
    case .ok: "ok"
    case .allowed: "allowed"
    case .required: "required"
    case .started: "started"
    case .agreed: "agreed"
    }
  }

  /// Requests that came to an address.
  private mutating func exportInvitations(of connection: StoredConnection) throws(ProfileImportError) {
    let ids = try reading(connection.number) { (source) throws(SQLFailure) in
      try source.database.all("SELECT id FROM invitations WHERE connection = ? ORDER BY id", connection.number) {
        (row) throws(SQLFailure) in InvitationID(try row.bytes(0))
      }
    }
    for id in ids {
      let found = try reading(connection.number) { (source) throws(SQLFailure) in try source.invitation(id) }
      guard let invitation = found, let request = try? ConnectionRequest.textCodec.encode(invitation.request) else {
        throw unusable(connection.number, "a request to connect")
      }
      try target.insert(
        into: "conn_invitations",
        [
          "invitation_id": .blob(id.bytes), "contact_conn_id": .blob(connection.id.bytes),
          "cr_invitation": .blob(request),
          // The profile in it was shown when the request came.
          "recipient_conn_info": .blob([]), "accepted": .bool(invitation.isAccepted),
        ])
    }
  }

  /// The keys that queues of invitations are secured with whose links were opened: the relay accepts no others.
  private mutating func exportLinkKeys() throws(ProfileImportError) {
    let links = try reading { (source) throws(SQLFailure) in
      try source.database.all(
        """
        SELECT s.address, l.link_id, l.link_key, l.sender_id FROM invitation_links l \
        JOIN servers s ON s.number = l.server WHERE length(l.link_key) > 0 ORDER BY l.link_id
        """
      ) { (row) throws(SQLFailure) in
        (address: try row.bytes(0), id: try row.bytes(1), key: try row.bytes(2), sender: try row.optionalBytes(3))
      }
    }
    for link in links {
      do throws(ProfileImportError) {
        let found = try linkSenderKey(at: link.address, id: link.id, linkKey: link.key)
        try exportLinkKey(found.key, at: found.server, (link.id, link.key, link.sender))
      } catch {
        guard error.isAboutValues else { throw error }
        report.leave(.linkKeys, because: error)
      }
    }
  }

  private func linkSenderKey(
    at address: [UInt8], id: [UInt8], linkKey: [UInt8]
  ) throws(ProfileImportError) -> (server: SMPServerAddress, key: AuthorizationPrivateKey) {
    let damage = ProfileImportError.value(
      table: "invitation_links", column: "sender_key", row: Base64URL.string(id), reason: "it cannot be read")
    guard let server = try? SMPServerAddress.codec.decode(address) else { throw damage }
    let key: AuthorizationPrivateKey?
    do throws(SQLFailure) { key = try source.linkSenderKey(EntityID(id), linkKey: linkKey, at: server) } catch {
      switch error.kind {
      case .damaged, .unexpectedColumn: throw damage
      default: throw .database(file: "agent", error)
      }
    }
    guard let key else { throw damage }
    return (server, key)
  }

  private mutating func exportLinkKey(
    _ key: AuthorizationPrivateKey, at address: SMPServerAddress, _ link: (id: [UInt8], key: [UInt8], sender: [UInt8]?)
  ) throws(ProfileImportError) {
    let relay = try server(address)
    try writing { (target) throws(SQLFailure) in
      try target.execute(
        """
        INSERT INTO inv_short_links (host, port, server_key_hash, link_id, link_key, snd_private_key, snd_id) \
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """, relay.host, relay.port, relay.keyHash, link.id, link.key, key.der, link.sender)
    }
  }

  // MARK: Relays

  /// The columns by which a queue names its relay, which is written at its first use.
  mutating func server(
    _ server: SMPServerAddress
  ) throws(ProfileImportError) -> (host: String, port: String, keyHash: [UInt8]?) {
    guard let bytes = try? SMPServerAddress.textCodec.encode(server) else {
      throw unusable(0, "the address of a relay")
    }
    // `smp://fingerprint@hosts:port`.
    let parts = String(decoding: bytes, as: UTF8.self).dropFirst(6).split(separator: "@", maxSplits: 1)
    guard parts.count == 2 else { throw unusable(0, "the address of a relay") }
    let port = server.port.map { String($0) } ?? ""
    let host = String(port.isEmpty ? parts[1] : parts[1].dropLast(port.utf8.count + 1))
    let keyHash = Array(parts[0].utf8)
    guard let known = keyHashes[host + ":" + port] else {
      keyHashes[host + ":" + port] = keyHash
      try target.insert(
        into: "servers", ["host": .text(host), "port": .text(port), "key_hash": .blob(keyHash)])
      return (host, port, nil)
    }
    return (host, port, known == keyHash ? nil : keyHash)
  }

  // MARK: Databases

  /// Reads from our database.
  /// - Parameter connection: what is damaged where a value cannot be read.
  func reading<Value>(
    _ connection: Int64 = 0, _ body: (AgentDatabase) throws(SQLFailure) -> Value
  ) throws(ProfileImportError) -> Value {
    do throws(SQLFailure) { return try body(source) } catch {
      switch error.kind {
      case .damaged where connection > 0, .unexpectedColumn where connection > 0:
        throw unusable(connection, error.message)
      default: throw .database(file: "agent", error)
      }
    }
  }

  /// Writes to the new database.
  @discardableResult
  func writing<Value>(_ body: (SQLiteConnection) throws(SQLFailure) -> Value) throws(ProfileImportError) -> Value {
    try target.writing(body)
  }

  /// The error of a value of a connection.
  func unusable(_ connection: Int64, _ reason: String) -> ProfileImportError {
    .value(table: "connections", column: "number", row: "\(connection)", reason: reason)
  }
}

/// A message that was sent for a command of the chat core.
struct ExportedMessage {
  /// The command's number.
  let command: Int64
  /// The agent's identifier of the connection, base64url.
  let connection: String
  /// The number of the message in the connection.
  let message: Int64
  /// When it was sent, as the reference writes times.
  let time: String
  /// Whether a receipt came.
  let isReceived: Bool
}
