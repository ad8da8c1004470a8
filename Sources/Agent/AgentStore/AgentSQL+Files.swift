// The statements about files.
extension AgentSQL {
  static let fileServerNumber = "SELECT number FROM file_servers WHERE address = ?"
  static let insertFileServer = "INSERT INTO file_servers (address) VALUES (?)"
  static let insertUserFileServer = """
    INSERT INTO user_file_servers (user, position, address, stores_files) VALUES (?, ?, ?, ?)
    """
  static let userFileServers = "SELECT address, stores_files FROM user_file_servers WHERE user = ? ORDER BY position"

  // What may begin at the time ?2, and then the rest in the order of its time. Of that, the files first of which the
  // least is left: a picture waits for no more than a chunk of a film at the same relay.
  private static func order(_ done: String) -> String {
    "max(c.not_before, ?2), f.size - f.\(done), c.file, c.number"
  }

  // MARK: Sending

  static let insertSentFile = """
    INSERT INTO sent_files (id, user, source, source_key, source_nonce, content, name, recipients, redirect_size, \
    redirect_digest, seed, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  static let sentFileNumber = "SELECT number FROM sent_files WHERE id = ?"
  private static func sentFileColumns(_ prefix: String = "") -> String {
    [
      "number", "id", "user", "source", "source_key", "source_nonce", "content", "name", "recipients",
      "redirect_size", "redirect_digest", "seed", "size", "sent", "status", "created_at",
    ].map { prefix + $0 }.joined(separator: ", ")
  }
  static let sentFileColumnCount = 16
  static let sentFile = "SELECT \(sentFileColumns()) FROM sent_files WHERE number = ?"
  static let encryptedForm = "SELECT key, nonce, digest, size FROM sent_files WHERE number = ? AND key IS NOT NULL"
  static let filesToSeal = "SELECT \(sentFileColumns()) FROM sent_files WHERE status = 0 ORDER BY number LIMIT ?"
  static let filesToDescribe =
    "SELECT \(sentFileColumns()) FROM sent_files WHERE status = 2 ORDER BY number LIMIT ?"
  static let setUploaded = "UPDATE sent_files SET status = 2 WHERE number = ? AND status = 1 AND sent = size"
  static let setSealed = """
    UPDATE sent_files SET key = ?2, nonce = ?3, digest = ?4, size = ?5, content = NULL, status = 1 \
    WHERE number = ?1 AND status = 0
    """
  static let addSent = "UPDATE sent_files SET sent = sent + ?2 WHERE number = ?1"
  static let finishSentFile = """
    UPDATE sent_files SET status = ?2, source = NULL, source_key = NULL, source_nonce = NULL, content = NULL, \
    seed = x'', key = NULL, nonce = NULL WHERE number = ?1
    """
  static let insertSentChunk = """
    INSERT INTO sent_chunks (file, number, offset, size, digest, server, recipient_ids) VALUES (?, ?, ?, ?, ?, ?, x'')
    """
  private static let sentChunkColumns = """
    c.number, c.offset, c.size, c.digest, s.address, c.sender_id, c.recipient_ids, c.attempts, c.not_before
    """
  static let sentChunkColumnCount = 9
  static let sentChunks = """
    SELECT \(sentChunkColumns) FROM sent_chunks c JOIN file_servers s ON s.number = c.server WHERE c.file = ? \
    ORDER BY c.number
    """
  static let chunksToSend = """
    WITH next AS (SELECT c.file, c.number FROM sent_chunks c CROSS JOIN sent_files f ON f.number = c.file \
    WHERE c.server = ?1 AND c.is_sent = 0 ORDER BY \(order("sent")) LIMIT ?3) \
    SELECT \(sentChunkColumns), \(sentFileColumns("f.")) FROM next n \
    CROSS JOIN sent_chunks c ON c.file = n.file AND c.number = n.number \
    CROSS JOIN sent_files f ON f.number = c.file CROSS JOIN file_servers s ON s.number = c.server \
    ORDER BY \(order("sent"))
    """
  static let serversToSendTo = "SELECT DISTINCT server FROM sent_chunks WHERE is_sent = 0"
  static let setCreated = """
    UPDATE sent_chunks SET sender_id = ?3, recipient_ids = ?4, attempts = 0 \
    WHERE file = ?1 AND number = ?2 AND server = ?5 AND is_sent = 0
    """
  static let sentChunkIsCurrent = "SELECT 1 FROM sent_chunks WHERE file = ? AND number = ? AND digest = ?"
  static let setSent = "UPDATE sent_chunks SET is_sent = 1 WHERE file = ? AND number = ? AND is_sent = 0"
  static let delaySending = "UPDATE sent_chunks SET attempts = ?3, not_before = ?4 WHERE file = ?1 AND number = ?2"
  static let moveSending = """
    UPDATE sent_chunks SET server = ?3, sender_id = NULL, recipient_ids = x'', attempts = ?4, not_before = ?5 \
    WHERE file = ?1 AND number = ?2 AND is_sent = 0
    """
  static let unseal = """
    UPDATE sent_files SET key = NULL, nonce = NULL, digest = NULL, size = 0, sent = 0, status = 0 \
    WHERE number = ? AND status = 1
    """
  static let sentFilesOfUser = "SELECT number FROM sent_files WHERE user = ?"
  static let forgetSentFile = "DELETE FROM sent_files WHERE number = ? AND status IN (3, 4)"
  static let removeSentFile = "DELETE FROM sent_files WHERE number = ? AND status = 5"
  static let deleteSentChunks = "DELETE FROM sent_chunks WHERE file = ?"

  // MARK: Receiving

  static let insertReceivedFile = """
    INSERT INTO received_files (id, user, destination, destination_key, destination_nonce, is_approved, \
    redirect_size, redirect_digest, key, nonce, digest, chunk_size, size, created_at) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  static let receivedFileNumber = "SELECT number FROM received_files WHERE id = ?"
  private static func receivedFileColumns(_ prefix: String = "") -> String {
    [
      "number", "id", "user", "destination", "destination_key", "destination_nonce", "is_approved", "redirect_size",
      "redirect_digest", "key", "nonce", "digest", "chunk_size", "size", "received", "status", "created_at",
    ].map { prefix + $0 }.joined(separator: ", ")
  }
  static let receivedFile = "SELECT \(receivedFileColumns()) FROM received_files WHERE number = ? AND status < 2"
  static let filesToOpen = """
    SELECT \(receivedFileColumns()) FROM received_files WHERE status = 1 ORDER BY size, number LIMIT ?
    """
  static let setOpening = "UPDATE received_files SET status = 1 WHERE number = ? AND status = 0 AND received = size"
  static let addReceived = "UPDATE received_files SET received = received + ?2 WHERE number = ?1"
  static let followRedirect = """
    UPDATE received_files SET key = ?2, nonce = ?3, digest = ?4, chunk_size = ?5, size = ?6, redirect_size = NULL, \
    redirect_digest = NULL, received = 0, status = 0 WHERE number = ?1 AND status = 1
    """
  static let finishReceivedFile = """
    UPDATE received_files SET status = ?2, key = x'', nonce = x'', destination_key = NULL, destination_nonce = NULL \
    WHERE number = ?1
    """
  static let insertReceivedChunk = """
    INSERT INTO received_chunks (file, number, size, digest, replicas, server) VALUES (?, ?, ?, ?, ?, ?)
    """
  static let receivedChunks = "SELECT number, size FROM received_chunks WHERE file = ? ORDER BY number"
  static let chunksToReceive = """
    WITH next AS (SELECT c.file, c.number FROM received_chunks c CROSS JOIN received_files f ON f.number = c.file \
    WHERE c.server = ?1 AND c.is_received = 0 ORDER BY \(order("received")) LIMIT ?3) \
    SELECT c.number, c.size, c.digest, c.replicas, c.replica, c.attempts, c.not_before, \(receivedFileColumns("f.")) \
    FROM next n CROSS JOIN received_chunks c ON c.file = n.file AND c.number = n.number \
    CROSS JOIN received_files f ON f.number = c.file ORDER BY \(order("received"))
    """
  static let receivedChunkColumnCount = 7
  static let serversToReceiveFrom = "SELECT DISTINCT server FROM received_chunks WHERE is_received = 0"
  static let setReceived = """
    UPDATE received_chunks SET is_received = 1 WHERE file = ? AND number = ? AND is_received = 0
    """
  static let setMissing = """
    UPDATE received_chunks SET is_received = 0, attempts = 0, not_before = 0 \
    WHERE file = ? AND number = ? AND is_received = 1
    """
  static let setReceiving = """
    UPDATE received_files SET status = 0, received = received - ?2 WHERE number = ?1 AND status = 1
    """
  static let delayReceiving = """
    UPDATE received_chunks SET attempts = ?3, not_before = ?4 WHERE file = ?1 AND number = ?2
    """
  static let moveReceiving = """
    UPDATE received_chunks SET replica = ?3, server = ?4, attempts = 0, not_before = 0 WHERE file = ?1 AND number = ?2
    """
  static let receivedFilesOfUser = "SELECT number FROM received_files WHERE user = ?"
  static let forgetReceivedFile = "DELETE FROM received_files WHERE number = ? AND status = 2"
  static let removeReceivedFile = "DELETE FROM received_files WHERE number = ? AND status = 4"
  static let deleteReceivedChunks = "DELETE FROM received_chunks WHERE file = ?"

  // MARK: Removing

  static let forgottenFiles = """
    SELECT 1, number, id, NULL FROM sent_files WHERE status = 5 UNION ALL \
    SELECT 0, number, id, destination FROM received_files WHERE status = 4 LIMIT ?
    """

  // MARK: Deleting

  static let insertChunkDeletion = """
    INSERT OR IGNORE INTO chunk_deletions (user, server, sender_id, key, created_at) VALUES (?, ?, ?, ?, ?)
    """
  static let chunksToDelete = """
    SELECT d.number, d.user, s.address, d.sender_id, d.key, d.created_at, d.attempts, d.not_before \
    FROM chunk_deletions d CROSS JOIN file_servers s ON s.number = d.server \
    WHERE d.server = ? ORDER BY d.not_before LIMIT ?
    """
  static let serversToDeleteAt = "SELECT DISTINCT server FROM chunk_deletions"
  static let delayDeletion = "UPDATE chunk_deletions SET attempts = ?2, not_before = ?3 WHERE number = ?1"
  static let deleteChunkDeletion = "DELETE FROM chunk_deletions WHERE number = ?"

  // MARK: Statistics

  static let countAtFileServer = """
    INSERT INTO file_statistics (user, server, counter, value) VALUES (?, ?, ?, ?) \
    ON CONFLICT DO UPDATE SET value = value + excluded.value
    """
  static let fileServerCounters = """
    SELECT t.user, t.server, s.address, t.counter, t.value FROM file_statistics t \
    JOIN file_servers s ON s.number = t.server
    """
  // With the raw values of FileServerWork.
  static let fileServerWork = """
    SELECT DISTINCT f.user, c.server, s.address, 0 FROM sent_chunks c JOIN sent_files f ON f.number = c.file \
    JOIN file_servers s ON s.number = c.server WHERE c.is_sent = 0 \
    UNION ALL SELECT DISTINCT f.user, c.server, s.address, 1 FROM received_chunks c \
    JOIN received_files f ON f.number = c.file JOIN file_servers s ON s.number = c.server WHERE c.is_received = 0 \
    UNION ALL SELECT DISTINCT d.user, d.server, s.address, 2 FROM chunk_deletions d \
    JOIN file_servers s ON s.number = d.server
    """
}
