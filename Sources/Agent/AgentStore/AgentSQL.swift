/// The statements of the store that are used often. Those that are written where they are used run rarely.
enum AgentSQL {
  static let setting = "SELECT value FROM settings WHERE name = ?"
  static let putSetting = "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)"
  static let serverNumber = "SELECT number FROM servers WHERE address = ?"
  static let server = "SELECT address FROM servers WHERE number = ?"
  static let insertServer = "INSERT INTO servers (address) VALUES (?)"
  static let userIsDeleted = "SELECT is_deleted FROM users WHERE number = ?"
  static let insertUserServer = """
    INSERT INTO user_servers (user, position, address, stores_messages, forwards_messages) VALUES (?, ?, ?, ?, ?)
    """
  static let userServers = """
    SELECT address, stores_messages, forwards_messages FROM user_servers WHERE user = ? ORDER BY position
    """

  // MARK: Connections

  private static func connectionColumns(_ prefix: String = "") -> String {
    [
      "number", "id", "user", "mode", "agent_version", "pq_support", "notifications", "ratchet_sync", "deletion",
    ].map { prefix + $0 }.joined(separator: ", ")
  }
  static let insertConnection = """
    INSERT INTO connections (id, user, mode, agent_version, pq_support, notifications) VALUES (?, ?, ?, ?, ?, ?)
    """
  static let connectionByID = "SELECT \(connectionColumns()) FROM connections WHERE id = ?"
  static let connectionByNumber = "SELECT \(connectionColumns()) FROM connections WHERE number = ?"
  static let connectionID = "SELECT id FROM connections WHERE number = ?"
  static let connectionsOfUser =
    "SELECT \(connectionColumns()) FROM connections WHERE user = ? AND number > ? ORDER BY number LIMIT ?"
  static let userHasConnections = "SELECT 1 FROM connections WHERE user = ? LIMIT 1"
  static let updateConnection = """
    UPDATE connections SET user = ?2, agent_version = ?3, pq_support = ?4, notifications = ?5, ratchet_sync = ?6 \
    WHERE number = ?1
    """
  static let setDeletion = "UPDATE connections SET deletion = ?2, delete_at = ?3 WHERE number = ?1"
  static let deletedConnections = """
    SELECT \(connectionColumns()), delete_at FROM connections WHERE deletion <> 0 ORDER BY delete_at
    """
  static let removeConnection = [
    unwantedNotificationsOfConnection, "DELETE FROM connections WHERE number = ?",
    "DELETE FROM send_queues WHERE connection = ?",
    "DELETE FROM receive_queues WHERE connection = ?", "DELETE FROM ratchets WHERE connection = ?",
    "DELETE FROM skipped_keys WHERE connection = ?", "DELETE FROM ratchet_keys WHERE connection = ?",
    "DELETE FROM ratchet_key_hashes WHERE connection = ?", "DELETE FROM ratchet_agreements WHERE connection = ?",
    "DELETE FROM received_messages WHERE connection = ?",
    "DELETE FROM received_hashes WHERE connection = ?", "DELETE FROM sent_messages WHERE connection = ?",
    "DELETE FROM unreadable_rows WHERE connection = ?",
    "DELETE FROM created_links WHERE connection = ?", "DELETE FROM confirmations WHERE connection = ?",
    // Requests that are not answered outlive their address: they can still be accepted.
    "DELETE FROM invitations WHERE connection = ? AND is_accepted = 1",
  ]

  // MARK: Queues

  private static let receiveColumns = [
    "number", "connection", "server", "recipient_id", "sender_id", "key", "delivery_secret", "private_key",
    "shared_secret", "mode", "client_version", "status", "is_primary", "replaces", "switch_status", "is_deleted",
    "is_subscribed", "last_relay_id", "last_message", "last_received_at", "link", "notifier",
  ]
  private static let receive = receiveColumns.joined(separator: ", ")
  static let insertReceiveQueue = """
    INSERT INTO receive_queues (connection, server, recipient_id, sender_id, key, delivery_secret, private_key, \
    shared_secret, mode, client_version, status, is_primary, replaces, is_subscribed, link, notifier, notifier_id) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  static let receiveQueueByRecipient = """
    SELECT \(receiveColumns.map { "q." + $0 }.joined(separator: ", ")), \(connectionColumns("c.")) \
    FROM receive_queues q JOIN connections c ON c.number = q.connection \
    WHERE q.recipient_id = ? AND q.server = ?
    """
  static let receiveQueueNumber = """
    SELECT number, connection FROM receive_queues WHERE recipient_id = ? AND server = ?
    """
  static let receiveQueueByNumber = "SELECT \(receive) FROM receive_queues WHERE number = ?"
  static let allReceiveQueues = """
    SELECT \(receive) FROM receive_queues WHERE connection = ? ORDER BY is_primary DESC, number
    """
  static let receiveQueues = """
    SELECT \(receive) FROM receive_queues WHERE connection = ? AND is_deleted = 0 ORDER BY is_primary DESC, number
    """
  static let queuesToSubscribe = """
    SELECT q.number, q.connection, q.server, q.recipient_id, q.key, c.user, c.id \
    FROM receive_queues q JOIN connections c ON c.number = q.connection \
    WHERE q.number > ? AND q.is_deleted = 0 AND q.is_subscribed = 1 AND q.status <> 4 AND c.deletion <> 1 \
    ORDER BY q.number LIMIT ?
    """
  static let serverOfReceiveQueue = "SELECT server FROM receive_queues WHERE number = ?"
  static let serverOfSendQueue = "SELECT server FROM send_queues WHERE number = ?"
  static let updateReceiveQueue = """
    UPDATE receive_queues SET shared_secret = ?2, client_version = ?3, status = ?4, is_primary = ?5, replaces = ?6, \
    switch_status = ?7, is_deleted = ?8, is_subscribed = ?9, link = ?10, notifier = ?11, notifier_id = ?12 \
    WHERE number = ?1
    """
  static let setLastReceived = """
    UPDATE receive_queues SET last_relay_id = ?2, last_message = ?3, last_received_at = ?4, \
    last_relay_time = coalesce(max(last_relay_time, ?5), ?5, last_relay_time) WHERE number = ?1
    """
  static let clearLastMessage = "UPDATE receive_queues SET last_message = NULL WHERE number = ? AND last_message = ?"

  private static let send = """
    number, connection, server, sender_id, key, public_key, shared_secret, mode, client_version, status, is_primary, \
    replaces, switch_status
    """
  static let insertSendQueue = """
    INSERT INTO send_queues (connection, server, sender_id, key, public_key, shared_secret, mode, client_version, \
    status, is_primary, replaces) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  static let sendQueueByNumber = "SELECT \(send) FROM send_queues WHERE number = ?"
  static let sendQueues = "SELECT \(send) FROM send_queues WHERE connection = ? ORDER BY is_primary DESC, number"
  static let updateSendQueue = """
    UPDATE send_queues SET status = ?2, is_primary = ?3, replaces = ?4, switch_status = ?5 WHERE number = ?1
    """

  // MARK: Ratchets

  static let ratchet = """
    SELECT last_id, last_sent, last_sent_hash, last_received, last_received_hash, received_count, skipped_count, \
    last_key, state FROM ratchets WHERE connection = ?
    """
  static let putRatchet = """
    INSERT OR REPLACE INTO ratchets (connection, last_id, last_sent, last_sent_hash, last_received, \
    last_received_hash, received_count, skipped_count, last_key, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  /// The header keys of chains, the newest chain first.
  static let skippedHeaderKeys = """
    SELECT header_key FROM skipped_keys WHERE connection = ? AND length(header_key) = 32 \
    GROUP BY header_key ORDER BY min(place) DESC LIMIT ?
    """
  static let skippedKey = """
    SELECT key FROM skipped_keys WHERE connection = ? AND header_key = ? AND number = ?
    """
  /// Removes the keys before the oldest that is within both limits: of keys, and of chains.
  static let deleteExcessSkippedKeys = """
    DELETE FROM skipped_keys WHERE connection = ?1 AND place < max( \
    coalesce((SELECT place FROM skipped_keys WHERE connection = ?1 ORDER BY place DESC LIMIT 1 OFFSET ?2 - 1), 0), \
    coalesce((SELECT min(place) FROM skipped_keys WHERE connection = ?1 GROUP BY header_key \
    ORDER BY min(place) DESC LIMIT 1 OFFSET ?3 - 1), 0))
    """
  static let insertSkippedKey = """
    INSERT OR IGNORE INTO skipped_keys (connection, header_key, number, key) VALUES (?, ?, ?, ?)
    """
  static let deleteSkippedKey = """
    DELETE FROM skipped_keys WHERE connection = ? AND header_key = ? AND number = ?
    """
  static let ratchetKeys = "SELECT keys FROM ratchet_keys WHERE connection = ?"
  static let ratchetParameters = "SELECT parameters FROM ratchet_keys WHERE connection = ?"
  static let putRatchetKeys = "INSERT OR REPLACE INTO ratchet_keys (connection, keys, parameters) VALUES (?, ?, ?)"
  static let insertRatchetKeyHash = "INSERT OR IGNORE INTO ratchet_key_hashes (connection, hash) VALUES (?, ?)"

  static let ratchetAgreement = """
    SELECT own_number, peer_number, repaired_at, taken_keys, taken_since FROM ratchet_agreements WHERE connection = ?
    """
  static let putRatchetAgreement = """
    INSERT OR REPLACE INTO ratchet_agreements (connection, own_number, peer_number, repaired_at, taken_keys, \
    taken_since) VALUES (?, ?, ?, ?, ?, ?)
    """
  static let brokenRatchets = """
    SELECT \(connectionColumns()) FROM connections WHERE ratchet_sync = 2 AND deletion = 0 ORDER BY number
    """

  // MARK: Messages

  static let insertReceived = """
    INSERT INTO received_messages (connection, id, queue, relay_id, relay_time, received_at, sender_number, \
    integrity, integrity_from, integrity_to, pq_encryption, notification, kind, body, hash) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  static let receivedMessage = """
    SELECT queue, relay_id, relay_time, received_at, sender_number, integrity, integrity_from, integrity_to, \
    pq_encryption, notification, kind, body, hash, attempts FROM received_messages \
    WHERE connection = ? AND id = ? AND kind <> 2
    """
  static let unacknowledgedMessages = """
    SELECT connection, id FROM received_messages WHERE kind <> 2 ORDER BY connection, id
    """
  static let messagesAside = """
    SELECT connection, id FROM received_messages WHERE is_aside = 1 AND kind <> 2 ORDER BY connection, id
    """
  static let setMessageAside = "UPDATE received_messages SET is_aside = 1 WHERE connection = ? AND id = ?"
  static let countDelivery = """
    UPDATE received_messages SET attempts = attempts + 1 WHERE connection = ? AND id = ?
    """
  static let oldestUnacknowledged = """
    SELECT id, received_at FROM received_messages WHERE connection = ? AND kind <> 2 AND is_aside = 0 ORDER BY id \
    LIMIT 1
    """
  static let oweReceipt = "UPDATE received_messages SET kind = 2, body = ?3 WHERE connection = ?1 AND id = ?2"
  static let owedReceipts = """
    SELECT id, sender_number, hash, body FROM received_messages WHERE connection = ? AND kind = 2 ORDER BY id LIMIT ?
    """
  static let deleteOwedReceipts = "DELETE FROM received_messages WHERE connection = ? AND id <= ? AND kind = 2"
  static let connectionsOwingReceipts = "SELECT DISTINCT connection FROM received_messages WHERE kind = 2"
  static let deleteReceived = "DELETE FROM received_messages WHERE connection = ? AND id = ?"
  static let putReceivedHash = "INSERT OR REPLACE INTO received_hashes (connection, slot, hash) VALUES (?, ?, ?)"
  static let receivedHash = "SELECT 1 FROM received_hashes WHERE connection = ? AND hash = ?"
  static let insertSent = """
    INSERT INTO sent_messages (connection, sender_number, id, key, pq, hash, sent_at) VALUES (?, ?, ?, ?, ?, ?, ?)
    """
  /// Looked for from the newest on: what is repeated was sent lately.
  static let acceptedMessage = """
    SELECT id, pq FROM sent_messages WHERE connection = ? AND key = ? ORDER BY sender_number DESC LIMIT 1
    """
  /// What was sent with the last key of a connection stays, because it may be repeated.
  static let deleteOldSent = """
    DELETE FROM sent_messages WHERE sent_at < ? AND NOT EXISTS \
    (SELECT 1 FROM ratchets r WHERE r.connection = sent_messages.connection AND r.last_key = sent_messages.key)
    """
  static let sentMessage = """
    SELECT id, key, hash, receipt FROM sent_messages WHERE connection = ? AND sender_number = ?
    """
  static let markReceived = "UPDATE sent_messages SET receipt = 1 WHERE connection = ? AND sender_number = ?"
  static let deleteUnusedBody = """
    DELETE FROM message_bodies WHERE number = ?1 AND NOT EXISTS (SELECT 1 FROM tasks WHERE body = ?1)
    """

  // MARK: Tasks

  private static let taskColumns = """
    id, lane, connection, kind, message, payload, body, created_at, attempts, not_before, tag, is_call, message_key
    """
  static let insertTask = """
    INSERT INTO tasks (id, lane, connection, kind, message, payload, body, created_at, tag, is_call, message_key) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  static let task = "SELECT \(taskColumns) FROM tasks WHERE id = ?"
  static let firstTask = "SELECT \(taskColumns) FROM tasks WHERE lane = ? ORDER BY id LIMIT 1"
  static let tasksOfLane = "SELECT \(taskColumns) FROM tasks WHERE lane = ? ORDER BY id"
  static let tasksOfConnection = "SELECT \(taskColumns) FROM tasks WHERE connection = ? ORDER BY id"
  static let abandonedCalls = "SELECT \(taskColumns) FROM tasks WHERE is_call = 1"
  static let openLanes = "SELECT DISTINCT lane FROM tasks ORDER BY lane"
  static let deleteTask = "DELETE FROM tasks WHERE id = ?"
  static let delayTask = "UPDATE tasks SET attempts = ?2, not_before = ?3 WHERE id = ?1"
  static let hasCopy = "SELECT 1 FROM tasks WHERE connection = ? AND message = ? AND id <> ? LIMIT 1"
  static let hasMessagesToSend = "SELECT 1 FROM tasks WHERE connection = ? AND kind = 5 LIMIT 1"
  static let expiredMessages = """
    SELECT \(taskColumns) FROM tasks WHERE lane = ? AND created_at < ? AND kind = 5 ORDER BY id
    """
  static let connectionsWaiting = """
    SELECT DISTINCT connection FROM tasks WHERE created_at < ? AND kind IN (4, 5)
    """

  // MARK: Handshakes, events, statistics

  static let insertConfirmation = "INSERT INTO confirmations (id, connection, sender_key, queues) VALUES (?, ?, ?, ?)"
  static let confirmation = "SELECT connection, sender_key, queues FROM confirmations WHERE id = ?"
  static let insertInvitation = "INSERT INTO invitations (id, connection, request) VALUES (?, ?, ?)"
  static let invitation = "SELECT connection, request, is_accepted FROM invitations WHERE id = ?"
  static let linkSenderKey = """
    SELECT sender_key FROM invitation_links WHERE server = ? AND link_id = ? AND link_key = ?
    """
  static let putLinkSenderKey = """
    INSERT OR REPLACE INTO invitation_links (server, link_id, link_key, sender_key) VALUES (?, ?, ?, ?)
    """
  static let setLinkSender = "UPDATE invitation_links SET sender_id = ?3 WHERE server = ?1 AND link_id = ?2"
  static let linkSenderKeyByQueue = """
    SELECT sender_key, length(link_key) > 0 FROM invitation_links WHERE server = ? AND sender_id = ?
    """
  static let insertEvent = "INSERT INTO events (id, connection, tag, payload) VALUES (?, ?, ?, ?)"
  static let hasEvent = """
    SELECT 1 FROM events WHERE connection = ? AND tag IS ? AND substr(payload, 1, 1) = ? LIMIT 1
    """
  static let putCreatedLink = "INSERT OR REPLACE INTO created_links (connection, link) VALUES (?, ?)"
  static let createdLink = "SELECT link FROM created_links WHERE connection = ?"
  static let setJoined = "UPDATE connections SET joined = ?2 WHERE number = ?1"
  static let joined = "SELECT joined FROM connections WHERE number = ?"
  static let putNotice = "INSERT OR REPLACE INTO relay_notices (server, queue, expires_at) VALUES (?, ?, ?)"
  static let deleteNotice = "DELETE FROM relay_notices WHERE server = ? AND queue = ?"
  static let count = """
    INSERT INTO statistics (user, server, counter, value) VALUES (?, ?, ?, ?) \
    ON CONFLICT DO UPDATE SET value = value + excluded.value
    """
}
