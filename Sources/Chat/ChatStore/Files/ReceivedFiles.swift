import ChatAPI
import FoundationTypes
import SQLiteKit

// Files that are received.

extension StoredFile {
  /// The transfer as the API shows it.
  /// - Parameter description: what is known of the file's description.
  /// - Throws: `rcvFileInvalid` where the file should have a place and has none.
  public func received(_ description: RcvFileDescr?) throws(StoreError) -> RcvFileTransfer {
    let place: String
    switch (step, path) {
    case (.new, _), (.cancelled, _): place = path ?? ""
    case (_, let path?): place = path
    default: throw .rcvFileInvalid(fileId: id)
    }
    let status: RcvFileStatus =
      switch step {
      case .new: .new
      case .accepted: .accepted(filePath: place)
      case .connected: .connected(filePath: place)
      case .complete: .complete(filePath: place)
      case .cancelled: .cancelled(filePath_: path)
      }
    return RcvFileTransfer(
      fileId: id,
      xftpRcvFile: description.map {
        XFTPRcvFile(
          rcvFileDescription: $0, agentRcvFileId: agentId, agentRcvFileDeleted: isAgentDeleted,
          userApprovedRelays: approvesRelays)
      },
      fileInvitation: FileInvitation(fileName: name, fileSize: size, fileInline: inlineMode), fileStatus: status,
      rcvFileInline: acceptedInline, senderDisplayName: senderName, chunkSize: chunkSize, cancelled: isCancelled,
      grpMemberId: memberId, cryptoArgs: cryptoArgs)
  }
}

extension ChatTransaction {
  /// The transfer of a received file.
  public func received(_ file: StoredFile) throws(StoreError) -> RcvFileTransfer {
    guard !file.isSent else { throw .rcvFileNotFound(fileId: file.id) }
    return try file.received(try receivedDescription(ofFile: file.id))
  }

  /// Stores that a file is accepted, and where it will be.
  public func acceptFile(
    _ id: Int64, as source: CryptoFile, approvesRelays: Bool, inline: InlineFileMode? = nil
  ) throws(StoreError) {
    try execute(
      """
      UPDATE files SET path = ?2, crypto_key = ?3, crypto_nonce = ?4, approves_relays = ?5, accepted_inline = ?6, \
      step = 'accepted', status = ?7, to_receive = 0, updated_at = ?8, charged_to = ?9 WHERE file_id = ?1
      """, id, source.filePath, source.cryptoArgs?.fileKey, source.cryptoArgs?.fileNonce, approvesRelays,
      inline?.rawValue, CIFileStatus.rcvAccepted.column, nowMicroseconds, inline == .sent ? payer : 0)
  }

  /// Stores how far receiving a file came.
  public func setStep(_ step: FileStatus, _ status: CIFileStatus, ofFile id: Int64) throws(StoreError) {
    try execute(
      "UPDATE files SET step = ?2, status = ?3, updated_at = ?4 WHERE file_id = ?1", id, step.rawValue,
      status.column, nowMicroseconds)
  }

  /// How many parts of a file came in messages.
  public func receivedParts(ofFile id: Int64) throws(StoreError) -> Int64 {
    try integer("SELECT received_parts FROM files WHERE file_id = ?", id) ?? 0
  }

  /// Stores how many parts of a file came in messages.
  public func setReceivedParts(_ count: Int64, ofFile id: Int64) throws(StoreError) {
    try execute("UPDATE files SET received_parts = ?2 WHERE file_id = ?1", id, count)
  }

  /// Stores that a file was not received and can be accepted again.
  public func resetFile(_ id: Int64, _ status: CIFileStatus) throws(StoreError) {
    try execute(
      """
      UPDATE files SET step = 'new', status = ?2, path = NULL, crypto_key = NULL, crypto_nonce = NULL, agent_id = NULL, \
      agent_deleted = 0, to_receive = 0, accepted_inline = NULL, updated_at = ?3 WHERE file_id = ?1
      """, id, status.column, nowMicroseconds)
  }

  /// Stores that a file is received with the next start; a no-op where it is being received, or was.
  /// - Parameter cryptoArgs: the key and nonce that it is encrypted with; nil leaves that as it is.
  public func setWanted(
    _ id: Int64, approvesRelays: Bool, encryptedWith cryptoArgs: CryptoFileArgs?
  ) throws(StoreError) {
    try execute(
      """
      UPDATE files SET to_receive = 1, approves_relays = ?2, crypto_key = coalesce(?3, crypto_key), \
      crypto_nonce = coalesce(?4, crypto_nonce), updated_at = ?5 WHERE file_id = ?1 AND sent = 0 AND step = 'new' \
      AND cancelled = 0
      """, id, approvesRelays, cryptoArgs?.fileKey, cryptoArgs?.fileNonce, nowMicroseconds)
  }

  /// The files that are received with a start, of all users, as far as they came within the last seconds.
  public func wantedFiles(within seconds: Double) throws(StoreError) -> [Int64] {
    try integers(
      """
      SELECT file_id FROM files f WHERE to_receive = 1 AND step = 'new' AND cancelled = 0 AND removed = 0 \
      AND created_at > ? AND EXISTS (SELECT 1 FROM users u WHERE u.user_id = f.user_id) ORDER BY file_id
      """, now.addingTimeInterval(-seconds).microseconds)
  }
}
