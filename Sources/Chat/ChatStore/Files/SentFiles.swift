import ChatAPI
import SQLiteKit

/// Somebody who gets the description of a sent file.
public struct FileRecipient: Sendable {
  /// Its database id.
  public var id: Int64
  /// The member of a group, a database id; nil for a contact.
  public var memberId: Int64?
  /// Whether there was a connection when the file was sent.
  public var wasConnected: Bool
  /// The description.
  public var description: String
}

// Files that are sent.

extension ChatTransaction {
  /// Stores that copies of files are being made at these places, before there is any; returns the job that removes
  /// those that no message gets.
  public func addCopies(at places: [String], of user: User) throws(StoreError) -> ChatJob {
    let payload = places.column
    return ChatJob(
      id: try addJob(.copies, payload, of: user), userId: user.userId, kind: .copies, subject: nil, cursor: 0,
      payload: payload)
  }

  /// The places among those of a job of copies that no file has, and no other job of copies.
  public func unusedCopies(_ job: ChatJob) throws(StoreError) -> [String] {
    try texts(
      """
      SELECT p.value FROM json_each(CASE WHEN json_valid(?1) THEN ?1 ELSE '[]' END) p \
      WHERE NOT EXISTS (SELECT 1 FROM files WHERE path = p.value) \
      AND NOT EXISTS (SELECT 1 FROM jobs j JOIN json_each(\(placesOfCopies)) other WHERE j.kind = ?2 AND j.job_id <> ?3 \
      AND other.value = p.value)
      """, job.payload, ChatJob.Kind.copies.rawValue, job.id)
  }

  /// The transfer of a sent file, without its recipients.
  public func sent(_ file: StoredFile) throws(StoreError) -> FileTransferMeta {
    guard file.isSent else { throw .sndFileNotFound(fileId: file.id) }
    let description = try description(.sender, ofFile: file.id)
    return FileTransferMeta(
      fileId: file.id,
      xftpSndFile: file.agentId.map {
        XFTPSndFile(
          agentSndFileId: $0, privateSndFileDescr: description?.fileDescrText, agentSndFileDeleted: file.isAgentDeleted,
          cryptoArgs: file.cryptoArgs)
      }, xftpRedirectFor: file.redirectFor, fileName: file.name,
      filePath: file.path ?? (file.redirectFor == nil ? "" : file.name), fileSize: file.size,
      fileInline: file.inlineMode, chunkSize: file.chunkSize, cancelled: file.isCancelled)
  }

  /// The recipients of a sent file as the API shows them.
  public func recipients(of file: StoredFile) throws(StoreError) -> [SndFileTransfer] {
    try all(
      """
      SELECT coalesce(m.local_display_name, c.local_display_name, ''), r.connection_id, n.agent_conn_id, r.member_id, \
      r.status, r.description_id FROM file_recipients r JOIN connections n ON n.connection_id = r.connection_id \
      LEFT JOIN members m ON m.member_id = r.member_id LEFT JOIN contacts c ON c.contact_id = n.contact_id \
      WHERE r.file_id = ? ORDER BY r.recipient_id
      """, file.id
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return SndFileTransfer(
        fileId: file.id, fileName: file.name, filePath: file.path ?? "", fileSize: file.size,
        chunkSize: file.chunkSize, recipientDisplayName: try row.text(&at), connId: try row.integer(&at),
        agentConnId: try row.text(&at), groupMemberId: try row.optionalInteger(&at),
        fileStatus: try row.name(&at, otherwise: .cancelled),
        fileDescrId: try row.optionalInteger(&at))
    }
  }

  /// Adds a recipient of a sent file.
  /// - Parameters:
  ///   - connection: a database id; nil for a member that is not connected.
  ///   - member: a database id; nil for a contact.
  public func addFileRecipient(
    connection: Int64?, member: Int64? = nil, ofFile id: Int64
  ) throws(StoreError) {
    try execute(
      "INSERT INTO file_recipients (file_id, connection_id, member_id, status) VALUES (?, ?, ?, 'new')", id,
      connection, member)
  }

  /// Stores the descriptions of an uploaded file: one for each recipient, the others as spare ones.
  /// - Parameter description: the description for a recipient, from 0 to `count` - 1. Each is asked for once.
  public func setDescriptions(
    sender: String, count: Int, ofFile id: Int64, _ description: (Int) throws -> String
  ) throws {
    try addDescription(sender, .sender, ofFile: id)
    let waiting = try integers(
      "SELECT recipient_id FROM file_recipients WHERE file_id = ? AND status = 'new' ORDER BY recipient_id", id)
    for index in 0..<count {
      let text = try description(index)
      guard waiting.indices.contains(index) else {
        try addDescription(text, .spare, ofFile: id)
        continue
      }
      try execute(
        "UPDATE file_recipients SET description_id = ?2 WHERE recipient_id = ?1", waiting[index],
        try addDescription(text, .recipient, ofFile: id))
    }
  }

  /// Some of the recipients whose description was not sent yet.
  public func waitingRecipients(ofFile id: Int64, limit: Int) throws(StoreError) -> [FileRecipient] {
    try all(
      """
      SELECT r.recipient_id, r.member_id, r.connection_id IS NOT NULL, d.text FROM file_recipients r \
      JOIN file_descriptions d ON d.description_id = r.description_id WHERE r.file_id = ? AND r.status = 'new' \
      ORDER BY r.recipient_id LIMIT ?
      """, id, limit
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return FileRecipient(
        id: try row.integer(&at), memberId: try row.optionalInteger(&at), wasConnected: try row.bool(&at),
        description: try row.text(&at))
    }
  }

  /// Stores that the description was sent to a recipient.
  /// - Parameter command: the command with its last part, where its outcome matters.
  public func setDescriptionSent(toRecipient id: Int64, command: Int64?) throws(StoreError) {
    try execute(
      "UPDATE file_recipients SET status = 'connected', command_id = ?2 WHERE recipient_id = ?1", id, command)
  }

  /// Takes note of the outcome of a command with the last part of a description.
  /// - Returns: the file, a database id; nil where the command is no such one.
  public func finishDescription(command: Int64) throws(StoreError) -> Int64? {
    try first(
      """
      UPDATE file_recipients SET status = 'complete', command_id = NULL WHERE command_id = ? RETURNING file_id
      """, command
    ) { (row) throws(SQLFailure) in try row.integer(0) }
  }
}
