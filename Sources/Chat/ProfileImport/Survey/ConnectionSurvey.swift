import SQLiteKit
import SimplexCrypto

/// What can be done with a connection of the agent.
enum ConnectionFate: Equatable {
  /// An address that anybody can send requests to.
  case address
  /// An invitation that nobody has joined, or a request that was not answered.
  case invitation
  /// A connection whose peer has sent its confirmation and waits for this side's.
  case confirmed
  /// A connection with queues of both sides: messages go through it, or will as soon as the peer answers.
  case established
  /// A connection whose creation or joining was not finished; its queues are created again.
  case unmade
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
  /// How many connections the chat core has, without those that it deleted and those of groups that are not taken.
  private var known = 0
  /// Whether the agent has most of the connections that the chat core has: else it is that of another profile.
  private var agentMatches: Bool { missing <= known / 2 }
  /// How many connections are made again although their peer may have got what was sent before.
  private var repeated = 0

  /// Whether the connection with this identifier is taken.
  func takes(_ id: [UInt8]) -> Bool {
    switch fates[id] {
    case .address, .invitation, .confirmed, .established, .unmade: true
    case .ofGroup, .left, nil: false
    }
  }

  /// How many connections are left, by reason.
  var remainder: ImportReport {
    var report = ImportReport()
    for case .left(let reason) in fates.values { report.leave(reason) }
    report.leave(agentMatches ? .missingConnections : .mismatchedAgent, missing)
    report.leave(.earlierAttempts, repeated)
    return report
  }

  init(_ source: ProfileSource) throws(ProfileImportError) {
    let statuses = try Self.chatStatuses(source.chat)
    func commands(_ tags: String) -> String {
      "(SELECT count(*) FROM commands k WHERE k.conn_id = c.conn_id AND coalesce(k.failed, 0) = 0"
        + " AND CAST(k.command_tag AS TEXT) IN (\(tags)))"
    }
    let sql = """
      SELECT c.conn_id, coalesce(CAST(c.conn_mode AS TEXT), ''), \
      coalesce(c.deleted, 0) OR c.deleted_at_wait_delivery IS NOT NULL, \
      (SELECT count(*) FROM rcv_queues q WHERE q.conn_id = c.conn_id AND q.deleted = 0), \
      (SELECT count(*) FROM snd_queues q WHERE q.conn_id = c.conn_id), \
      (SELECT count(*) FROM snd_queues q WHERE q.conn_id = c.conn_id AND CAST(q.status AS TEXT) IN ('new', 'secured')), \
      (SELECT (r.ratchet_state IS NOT NULL) + 2 * (r.x3dh_priv_key_1 IS NOT NULL) FROM ratchets r \
      WHERE r.conn_id = c.conn_id), \
      (SELECT count(*) FROM conn_confirmations f WHERE f.conn_id = c.conn_id), \
      (SELECT count(*) FROM snd_message_deliveries d JOIN messages m ON m.conn_id = d.conn_id \
      AND m.internal_id = d.internal_id WHERE d.conn_id = c.conn_id AND coalesce(d.failed, 0) = 0 \
      AND CAST(m.msg_type AS TEXT) IN ('C', 'D')), \
      \(commands("'CLIENT NEW', 'CLIENT JOIN'")), \(commands("'CLIENT DEL'")) \
      FROM connections c
      """
    var fates: [[UInt8]: ConnectionFate] = [:]
    var repeated = 0
    try source.agent.read { (connection) throws(SQLFailure) in
      try connection.forEach(sql) { (row) throws(SQLFailure) in
        guard case .blob(let id) = try row.value(0) else { return }
        var facts = ConnectionFacts(mode: try row.text(1), isDeleted: try row.bool(2))
        facts.receiveQueues = try row.integer(3)
        facts.sendQueues = try row.integer(4)
        facts.unusedSendQueues = try row.integer(5)
        facts.ratchet = try row.optionalInteger(6) ?? 0
        facts.confirmations = try row.integer(7)
        facts.outgoingConfirmations = try row.integer(8)
        facts.isBeingMade = try row.integer(9) > 0
        if try row.integer(10) > 0 { facts.isDeleted = true }
        facts.chat = statuses[id]
        let fate = facts.fate
        fates[id] = fate
        if fate == .unmade, facts.mayHaveReachedPeer { repeated += 1 }
      }
    }
    self.fates = fates
    self.repeated = repeated
    let inUse = statuses.filter { $0.value.status != "deleted" && !$0.value.isOfGroup }
    known = inUse.count
    missing = inUse.filter { fates[$0.key] == nil }.count
  }

  /// Before version 6.5 a contact or a member may have several connections. The app uses one, an established one of a
  /// contact before others and the newest of several, and an upgrade to 6.5 removes the others.
  private static let superseded = """
    EXISTS (SELECT 1 FROM connections d WHERE d.contact_id = c.contact_id AND d.connection_id <> c.connection_id \
    AND (CAST(d.conn_status AS TEXT) IN ('ready', 'snd-ready'), d.created_at, d.connection_id) \
    > (CAST(c.conn_status AS TEXT) IN ('ready', 'snd-ready'), c.created_at, c.connection_id)) \
    OR EXISTS (SELECT 1 FROM connections d WHERE d.group_member_id = c.group_member_id \
    AND d.connection_id > c.connection_id)
    """

  /// Connections as the chat core sees them.
  private static func chatStatuses(_ chat: SourceDatabase) throws(ProfileImportError) -> [[UInt8]: ChatFacts] {
    let sql = """
      SELECT CAST(c.agent_conn_id AS BLOB), CAST(c.conn_status AS TEXT), EXISTS (SELECT 1 FROM groups g \
      WHERE NOT (\(try ChatImport.takenGroups(chat))) AND g.group_id IN ((SELECT l.group_id FROM user_contact_links l \
      WHERE l.user_contact_link_id = c.user_contact_link_id), (SELECT m.group_id FROM group_members m \
      WHERE m.group_member_id = c.group_member_id))), CAST(c.conn_type AS TEXT) IN ('snd_file', 'rcv_file'), \
      \(superseded) FROM connections c
      """
    var statuses: [[UInt8]: ChatFacts] = [:]
    try chat.read { (connection) throws(SQLFailure) in
      try connection.forEach(sql) { (row) throws(SQLFailure) in
        statuses[try row.bytes(0)] = ChatFacts(
          status: try row.text(1), isOfGroup: try row.bool(2), isOfFile: try row.bool(3),
          isSuperseded: try row.bool(4))
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
  /// Whether a file was sent over it, as very old versions did.
  let isOfFile: Bool
  /// Whether another connection with the same contact or member is in use.
  let isSuperseded: Bool
}

/// What decides about a connection.
private struct ConnectionFacts {
  var mode: String
  var isDeleted: Bool
  var receiveQueues: Int64 = 0
  var sendQueues: Int64 = 0
  /// Those of the queues for sending that nothing was sent to yet.
  var unusedSendQueues: Int64 = 0
  /// 1 with a ratchet, 2 with keys for one, 3 with both.
  var ratchet: Int64 = 0
  /// Confirmations of peers.
  var confirmations: Int64 = 0
  /// Confirmations that wait to be sent.
  var outgoingConfirmations: Int64 = 0
  /// Whether its queue is still to be created, or joining is not finished.
  var isBeingMade = false
  /// Nil for one that the chat core does not know.
  var chat: ChatFacts?

  init(mode: String, isDeleted: Bool) {
    self.mode = mode
    self.isDeleted = isDeleted
  }

  /// Whether the peer may have got a confirmation or request: the queue for its answer is created before that is sent.
  var mayHaveReachedPeer: Bool { receiveQueues > 0 && ratchet > 0 && outgoingConfirmations == 0 && confirmations == 0 }

  var fate: ConnectionFate {
    guard !isDeleted, let chat, chat.status != "deleted", !chat.isOfFile, !chat.isSuperseded else {
      return .left(.deletedConnections)
    }
    if chat.isOfGroup { return .ofGroup }
    if mode == "CON" { return receiveQueues > 0 ? .address : .left(.damagedConnections) }
    let isJoined = chat.status == "ready" || chat.status == "snd-ready"
    let isUnmade = isBeingMade || chat.status == "new" || chat.status == "prepared"
    if sendQueues == 0, receiveQueues == 0 { return isUnmade ? .unmade : .left(.damagedConnections) }
    if isBeingMade, !isJoined, outgoingConfirmations == 0 { return .unmade }
    if confirmations > 0, outgoingConfirmations == 0, sendQueues == unusedSendQueues {
      return receiveQueues > 0 && sendQueues < 2 ? .confirmed : .left(.damagedConnections)
    }
    if sendQueues == 0 {
      guard ratchet == 2, receiveQueues == 1 else { return .left(.damagedConnections) }
      // That the request to the address was sent is not known.
      return chat.status == "prepared" ? .unmade : .invitation
    }
    if !isJoined, outgoingConfirmations == 0, sendQueues == unusedSendQueues { return .unmade }
    guard receiveQueues > 0, ratchet & 1 == 1 else { return .left(.damagedConnections) }
    return .established
  }
}
