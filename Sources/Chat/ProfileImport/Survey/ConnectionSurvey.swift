import SQLiteKit
import SimplexCrypto

/// What can be done with a connection of the agent.
enum ConnectionFate: Equatable {
  /// An address that anybody can send requests to.
  case address
  /// An invitation that nobody has joined.
  case invitation
  /// One that messages go through.
  case established
  /// One of a group's that is not taken.
  case ofGroup
  /// It is not taken, for this reason.
  case left(ImportReport.Left)
}

/// Decides about every connection of the agent.
struct ConnectionSurvey {
  /// By the identifiers of the agent.
  private(set) var fates: [[UInt8]: ConnectionFate] = [:]
  /// How many connections the chat core has, and the agent has not.
  private var missing = 0

  /// Whether the connection with this identifier is taken.
  func takes(_ id: [UInt8]) -> Bool {
    switch fates[id] {
    case .address, .invitation, .established: true
    case .ofGroup, .left, nil: false
    }
  }

  /// How many connections are left, by reason.
  var remainder: ImportReport {
    var report = ImportReport()
    for case .left(let reason) in fates.values { report.leave(reason) }
    report.leave(.missingConnections, missing)
    return report
  }

  init(_ source: ProfileSource) throws(ProfileImportError) {
    let statuses = try Self.chatStatuses(source.chat)
    // What was not acknowledged at the relay is delivered again, and known by its hash then.
    let commands =
      "(SELECT count(*) FROM commands k WHERE k.conn_id = c.conn_id AND coalesce(k.failed, 0) = 0"
      + " AND CAST(k.command_tag AS TEXT) NOT IN ('CLIENT ACK', 'INTERNAL ACK', 'INTERNAL ACK_DEL'))"
    let sql = """
      SELECT c.conn_id, CAST(c.conn_mode AS TEXT), c.deleted OR c.deleted_at_wait_delivery IS NOT NULL, \
      CAST(c.ratchet_sync_state AS TEXT), \
      (SELECT count(*) FROM rcv_queues q WHERE q.conn_id = c.conn_id AND q.deleted = 0), \
      (SELECT count(*) FROM snd_queues q WHERE q.conn_id = c.conn_id), \
      (SELECT count(*) FROM rcv_queues q WHERE q.conn_id = c.conn_id AND q.deleted = 0 AND \
      (q.switch_status IS NOT NULL OR q.replace_rcv_queue_id IS NOT NULL)) + \
      (SELECT count(*) FROM snd_queues q WHERE q.conn_id = c.conn_id AND \
      (q.switch_status IS NOT NULL OR q.replace_snd_queue_id IS NOT NULL)), \
      (SELECT (r.ratchet_state IS NOT NULL) + 2 * (r.x3dh_priv_key_1 IS NOT NULL) FROM ratchets r \
      WHERE r.conn_id = c.conn_id), \
      (SELECT count(*) FROM conn_confirmations f WHERE f.conn_id = c.conn_id), \
      (SELECT count(*) FROM snd_message_deliveries d WHERE d.conn_id = c.conn_id AND coalesce(d.failed, 0) = 0 \
      AND NOT EXISTS (SELECT 1 FROM messages m JOIN snd_messages s ON s.conn_id = m.conn_id \
      AND s.internal_id = m.internal_id WHERE m.conn_id = d.conn_id AND m.internal_id = d.internal_id \
      AND CAST(m.msg_type AS TEXT) IN ('M', 'V') AND s.msg_encrypt_key IS NOT NULL)), \
      \(commands) \
      FROM connections c
      """
    var fates: [[UInt8]: ConnectionFate] = [:]
    try source.agent.read { (connection) throws(SQLFailure) in
      try connection.forEach(sql) { (row) throws(SQLFailure) in
        guard case .blob(let id) = try row.value(0) else { return }
        var facts = ConnectionFacts(mode: try row.text(1), isDeleted: try row.bool(2), ratchetSync: try row.text(3))
        facts.receiveQueues = try row.integer(4)
        facts.sendQueues = try row.integer(5)
        facts.switching = try row.integer(6)
        facts.ratchet = try row.optionalInteger(7) ?? 0
        facts.confirmations = try row.integer(8)
        facts.outgoing = try row.integer(9)
        facts.commands = try row.integer(10)
        facts.chat = statuses[id]
        fates[id] = facts.fate
      }
    }
    self.fates = fates
    missing = statuses.filter { fates[$0.key] == nil && $0.value.status != "deleted" && !$0.value.isOfGroup }.count
  }

  /// Connections as the chat core sees them.
  private static func chatStatuses(_ chat: SourceDatabase) throws(ProfileImportError) -> [[UInt8]: ChatFacts] {
    let sql = """
      SELECT CAST(c.agent_conn_id AS BLOB), CAST(c.conn_status AS TEXT), EXISTS (SELECT 1 FROM groups g \
      WHERE NOT (\(try ChatImport.takenGroups(chat))) AND g.group_id IN ((SELECT l.group_id FROM user_contact_links l \
      WHERE l.user_contact_link_id = c.user_contact_link_id), (SELECT m.group_id FROM group_members m \
      WHERE m.group_member_id = c.group_member_id))), c.group_member_id IS NOT NULL, CAST(c.conn_type AS TEXT) IN ('snd_file', 'rcv_file') FROM connections c
      """
    var statuses: [[UInt8]: ChatFacts] = [:]
    try chat.read { (connection) throws(SQLFailure) in
      try connection.forEach(sql) { (row) throws(SQLFailure) in
        statuses[try row.bytes(0)] = ChatFacts(
          status: try row.text(1), isOfGroup: try row.bool(2), isOfMember: try row.bool(3), isOfFile: try row.bool(4))
      }
    }
    return statuses
  }
}

/// A connection as the chat core sees it.
private struct ChatFacts {
  let status: String
  /// Whether it belongs to a group that is not taken.
  let isOfGroup: Bool
  let isOfMember: Bool
  /// Whether a file was sent over it, as very old versions did.
  let isOfFile: Bool
}

/// What decides about a connection.
private struct ConnectionFacts {
  var mode: String
  var isDeleted: Bool
  var ratchetSync: String
  var receiveQueues: Int64 = 0
  var sendQueues: Int64 = 0
  var switching: Int64 = 0
  /// 1 with a ratchet, 2 with keys for one, 3 with both.
  var ratchet: Int64 = 0
  var confirmations: Int64 = 0
  /// Messages that wait to be sent, and are neither the application's nor receipts.
  var outgoing: Int64 = 0
  var commands: Int64 = 0
  /// Nil for one that the chat core does not know.
  var chat: ChatFacts?

  init(mode: String, isDeleted: Bool, ratchetSync: String) {
    self.mode = mode
    self.isDeleted = isDeleted
    self.ratchetSync = ratchetSync
  }

  var fate: ConnectionFate {
    guard !isDeleted, let chat, chat.status != "deleted", !chat.isOfFile else { return .left(.deletedConnections) }
    if chat.isOfGroup { return .ofGroup }
    if commands > 0 { return .left(.agentCommands) }
    if ratchetSync == "started" || ratchetSync == "agreed" { return .left(.ratchetChanges) }
    if mode == "CON" { return receiveQueues > 0 ? .address : .left(.damagedConnections) }
    if ratchet & 1 == 0, sendQueues == 0, confirmations == 0, receiveQueues == 1, ratchet == 2, chat.status == "new" {
      return .invitation
    }
    guard chat.status == "ready" || chat.status == "snd-ready" else {
      return .left(chat.isOfMember ? .memberHandshakes : .handshakes)
    }
    guard receiveQueues > 0, sendQueues > 0, ratchet & 1 == 1 else { return .left(.damagedConnections) }
    if switching > 0 { return .left(.queueChanges) }
    if outgoing > 0 { return .left(.outgoingMessages) }
    return .established
  }
}
