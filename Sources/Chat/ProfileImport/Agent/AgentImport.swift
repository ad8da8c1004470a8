import AgentCore
import AgentProtocol
import AgentStore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

/// Writes the agent's part of a profile to a new database of ours.
struct AgentImport {
  let source: SourceDatabase
  /// The chat core's database, which says what messages are about.
  let chat: SourceDatabase
  let target: AgentDatabase
  let survey: ConnectionSurvey
  var report = ImportReport()
  /// What the chat core asks our agent for, because the app had not finished it.
  var handshakes: [ImportedCommand] = []
  /// How many events the chat core gets with its next start.
  var eventCount: Int64 = 0
  /// The connections whose ratchet has to be synchronized before anything can be sent.
  private(set) var prohibited: Set<[UInt8]> = []
  /// The number of the last message of each connection that is taken and that was shown, by its identifier.
  private(set) var lastMessages: [[UInt8]: Int64] = [:]
  /// What the messages that were sent are about.
  var deliveries: [ImportedDelivery] = []
  /// The numbers of commands, by connection and message.
  var commands: [SentKey: Int64] = [:]
  /// The numbers of queues in our database, by connection and the reference's number.
  var sendQueues: [QueueKey: Int64] = [:]
  var receiveQueues: [QueueKey: Int64] = [:]

  /// A queue of a connection, by the reference's number.
  struct QueueKey: Hashable {
    let connection: [UInt8]
    let queue: Int64
  }

  /// A message of a connection.
  struct SentKey: Hashable {
    let connection: [UInt8]
    let message: Int64
  }

  /// Whether the rows about push notifications were taken; otherwise they are kept as they are.
  private(set) var takesNotifications = false
  /// How many tasks there are.
  var taskCount: Int64 = 0
  /// The relays by host and port, with the fingerprint that a queue may replace.
  private var keyHashes: [String: [UInt8]] = [:]

  init(_ source: ProfileSource, to target: AgentDatabase, survey: ConnectionSurvey) {
    self.source = source.agent
    chat = source.chat
    self.target = target
    self.survey = survey
  }

  /// Writes everything in one transaction.
  mutating func run() throws(ProfileImportError) {
    try writing { (target) throws(SQLFailure) in try target.begin() }
    do throws(ProfileImportError) {
      try importServers()
      try importUsers()
      try importLinkKeys()
      for row in try source.rows("connections", key: "conn_id") { try importUnlessDamaged(row) }
      takesNotifications = try importNotifications()
      try writing { (target) throws(SQLFailure) in try target.commit() }
    } catch {
      target.rollback()
      throw error
    }
  }

  /// Imports a connection; if its values cannot be used, it is left, and the others are not affected.
  private mutating func importUnlessDamaged(_ row: SourceRow) throws(ProfileImportError) {
    let (before, handshakeCount, deliveryCount) = (report, handshakes.count, deliveries.count)
    try writing { (target) throws(SQLFailure) in try target.beginNested() }
    do throws(ProfileImportError) {
      try importConnection(row)
      return try writing { (target) throws(SQLFailure) in try target.commitNested() }
    } catch {
      target.rollbackNested()
      guard error.isAboutValues else { throw error }
      report = before
      report.leave(.damagedConnections, because: error)
      deliveries.removeLast(deliveries.count - deliveryCount)
      handshakes.removeLast(handshakes.count - handshakeCount)
      if case .blob(let id) = row["conn_id"] { lastMessages[id] = nil }
    }
  }

  /// Takes a row; if its values cannot be used, it is left, and the others are not affected.
  mutating func writeUnlessDamaged(
    _ kind: ImportReport.Left, _ body: (inout AgentImport) throws(ProfileImportError) -> Void
  ) throws(ProfileImportError) {
    let before = report
    try writing { (target) throws(SQLFailure) in try target.beginNested() }
    do throws(ProfileImportError) {
      try body(&self)
      try writing { (target) throws(SQLFailure) in try target.commitNested() }
    } catch {
      target.rollbackNested()
      guard error.isAboutValues else { throw error }
      report = before
      report.leave(kind, because: error)
    }
  }

  /// Writes to our database.
  func writing<Value>(_ body: (AgentDatabase) throws(SQLFailure) -> Value) throws(ProfileImportError) -> Value {
    do throws(SQLFailure) { return try body(target) } catch { throw .database(file: "agent", error) }
  }

  private mutating func importServers() throws(ProfileImportError) {
    for row in try source.rows("servers", key: "host") {
      // What is at a relay that cannot be read is reported with its connection.
      guard let host = try? row.text("host"), let port = try? row.text("port") else { continue }
      keyHashes[host + ":" + port] = try? row.bytes("key_hash")
    }
  }

  private func importUsers() throws(ProfileImportError) {
    for row in try source.rows("users", where: "deleted = 0", key: "user_id") {
      let user = try row.integer("user_id")
      try writing { (target) throws(SQLFailure) in try target.insertUser(UserID(rawValue: user)) }
    }
  }

  /// The relay of a queue.
  func server(_ row: SourceRow) throws(ProfileImportError) -> SMPServerAddress {
    let host = try row.text("host")
    let port = try row.text("port")
    guard let hash = try row.optionalBytes("server_key_hash") ?? keyHashes[host + ":" + port] else {
      throw row.unusable("host", "the relay is not known")
    }
    let text = "smp://\(String(decoding: hash, as: UTF8.self))@\(host)" + (port.isEmpty ? "" : ":\(port)")
    guard let server = try? SMPServerAddress.textCodec.decode(text: text) else {
      throw row.unusable("host", "it is not the address of a relay")
    }
    return server
  }

  private mutating func importConnection(_ row: SourceRow) throws(ProfileImportError) {
    let id = try row.bytes("conn_id")
    guard let fate = survey.fates[id], survey.takes(id) else { return }
    lastMessages[id] = try row.counter("last_internal_msg_id")
    if fate == .unmade { return try importUnmade(row) }
    let mode = try row.text("conn_mode")
    var connection = StoredConnection(
      id: ConnectionID(id), user: UserID(rawValue: try row.integer("user_id")),
      mode: mode == "CON" ? .contact : .invitation,
      agentVersion: try version(row, "smp_agent_version"), pqSupport: try row.bool("pq_support"),
      notifications: try row.optionalBool("enable_ntfs") ?? true)
    connection.ratchetSync = try ratchetSync(row)
    let stored = connection
    connection.number = try writing { (target) throws(SQLFailure) in try target.insert(stored) }
    let numbered = connection
    try writing { (target) throws(SQLFailure) in try target.update(numbered) }
    if connection.ratchetSync.prohibitsSending { prohibited.insert(id) }
    try importReceiveQueues(of: id, number: connection.number)
    try importSendQueues(of: id, number: connection.number)
    let commands = try commands(of: id)
    let confirmation = fate == .confirmed ? try importConfirmation(of: connection, commands) : nil
    try importRatchet(row, confirmation, number: connection.number, keepsKeys: connection.ratchetSync.prohibitsSending)
    try importOutgoingMessages(of: id, number: connection.number)
    try importCommands(commands, of: connection)
    try importHashes(of: id, number: connection.number)
    if let first = try importReceivedMessages(of: id, number: connection.number) { lastMessages[id] = first - 1 }
    if connection.mode == .contact { try importInvitations(of: id, number: connection.number) }
    report.take(.connections)
  }

  private func ratchetSync(_ row: SourceRow) throws(ProfileImportError) -> AgentRatchetSyncState {
    switch try row.text("ratchet_sync_state") {
    case "ok": .ok
    case "allowed": .allowed
    case "required": .required
    case "started": .started
    case "agreed": .agreed
    default: throw row.unusable("ratchet_sync_state", "it is not known")
    }
  }

  /// A version of a protocol.
  func version(_ row: SourceRow, _ column: String) throws(ProfileImportError) -> UInt16 {
    guard let version = UInt16(exactly: try row.integer(column)), version > 0 else {
      throw row.unusable(column, "it is not a version")
    }
    return version
  }

  /// Requests that came to an address.
  private mutating func importInvitations(of id: [UInt8], number: Int64) throws(ProfileImportError) {
    for row in try source.rows("conn_invitations", where: "contact_conn_id = ?", [.blob(id)], key: "invitation_id") {
      try writeUnlessDamaged(.requests) { (agent) throws(ProfileImportError) in
        try agent.importInvitation(row, number: number)
      }
    }
  }

  private func importInvitation(_ row: SourceRow, number: Int64) throws(ProfileImportError) {
    guard let request = try? ConnectionRequest.textCodec.decode(text: row.text("cr_invitation")) else {
      throw row.unusable("cr_invitation", "it is not an invitation")
    }
    let invitation = StoredInvitation(
      id: InvitationID(try row.bytes("invitation_id")), connection: number, request: request)
    let isAccepted = try row.bool("accepted")
    try writing { (target) throws(SQLFailure) in
      try target.insert(invitation)
      if isAccepted { try target.setAccepted(invitation.id, true) }
    }
  }
}

extension ProfileImportError {
  /// Whether values of the source caused the error, which skips the row or part; false for errors of files and SQLite.
  var isAboutValues: Bool {
    switch self {
    case .value: true
    case .database(_, let error): if case .constraint = error.kind { true } else { false }
    default: false
    }
  }
}
