import ChatAPI
import SQLiteKit

/// What the row of a file is made of.
public struct NewFile: Sendable {
  /// Whether the user sends it.
  public var isSent: Bool
  /// How it is transferred.
  public var fileProtocol: FileProtocol
  /// Its name, without folders.
  public var name: String
  /// Its size in bytes.
  public var size: Int64
  /// The size of parts of it in messages, in bytes.
  public var chunkSize: Int64
  /// The local file; nil for one that is not accepted.
  public var source: CryptoFile?
  /// The state of the transfer.
  public var status: CIFileStatus
  /// The agent's identifier of the transfer, base64url.
  public var agentId: String?
  /// How the sender offers it in messages.
  public var inlineMode: InlineFileMode?
  /// The file that this one only leads to, a database id.
  public var redirectFor: Int64?
  /// How far receiving it is.
  public var step = FileStatus.new
  /// The member who sends it, a database id.
  public var memberId: Int64?

  /// A file; see the members for what else can be set.
  public init(
    isSent: Bool, fileProtocol: FileProtocol, name: String, size: Int64, chunkSize: Int64, source: CryptoFile? = nil,
    status: CIFileStatus
  ) {
    self.isSent = isSent
    self.fileProtocol = fileProtocol
    self.name = name
    self.size = size
    self.chunkSize = chunkSize
    self.source = source
    self.status = status
  }
}

extension ChatTransaction {
  /// Stores a file, and returns its database id. An item takes it with ``NewItem/fileId``.
  public func createFile(_ new: NewFile, of user: User) throws(StoreError) -> Int64 {
    try insert(
      """
      INSERT INTO files (user_id, sent, protocol, name, size, chunk_size, path, crypto_key, crypto_nonce, status, \
      agent_id, inline_mode, redirect_for, step, member_id, created_at, updated_at) \
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?16)
      """, user.userId, new.isSent, new.fileProtocol.rawValue, new.name, new.size, new.chunkSize,
      new.source?.filePath, new.source?.cryptoArgs?.fileKey, new.source?.cryptoArgs?.fileNonce, new.status.column,
      new.agentId, new.inlineMode?.rawValue, new.redirectFor, new.step.rawValue, new.memberId, nowMicroseconds)
  }
}
