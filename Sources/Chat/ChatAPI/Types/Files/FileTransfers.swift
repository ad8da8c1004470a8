import SimplexJSON

/// A transfer in one of the directions.
public indirect enum FileTransfer: JSONCodable, Hashable, Sendable {
  case snd(fileTransferMeta: FileTransferMeta, sndFileTransfers: [SndFileTransfer])
  case rcv(rcvFileTransfer: RcvFileTransfer)
}

/// A file being sent.
public struct FileTransferMeta: JSONCodable, Hashable, Sendable {
  /// Database id of the file.
  public var fileId: Int64
  /// The upload.
  public var xftpSndFile: XFTPSndFile?
  /// The file this one only leads to.
  public var xftpRedirectFor: Int64?
  /// Name of the file.
  public var fileName: String
  /// Path, or name in the files folder.
  public var filePath: String
  /// Size in bytes.
  public var fileSize: Int64
  /// Whether the file is sent in messages.
  public var fileInline: InlineFileMode?
  /// Size of a part in bytes.
  public var chunkSize: Int64
  /// Whether the transfer was cancelled.
  public var cancelled: Bool
}

/// An upload.
public struct XFTPSndFile: JSONCodable, Hashable, Sendable {
  /// The agent's id of the upload, base64url.
  public var agentSndFileId: String
  /// The sender's description of the file.
  public var privateSndFileDescr: String?
  /// Whether the agent has deleted its part of the file.
  public var agentSndFileDeleted: Bool
  /// Key and nonce if the local file is encrypted.
  public var cryptoArgs: CryptoFileArgs?
}

/// A file being sent to one recipient in messages.
public struct SndFileTransfer: JSONCodable, Hashable, Sendable {
  /// Database id of the file.
  public var fileId: Int64
  /// Name of the file.
  public var fileName: String
  /// Path, or name in the files folder.
  public var filePath: String
  /// Size in bytes.
  public var fileSize: Int64
  /// Size of a part in bytes.
  public var chunkSize: Int64
  /// Who the file is sent to.
  public var recipientDisplayName: String
  /// Database id of the connection.
  public var connId: Int64
  /// The agent's id of the connection, base64url.
  public var agentConnId: String
  /// Database id of the member.
  public var groupMemberId: Int64?
  /// The state of the transfer.
  public var fileStatus: FileStatus
  /// Database id of the description.
  public var fileDescrId: Int64?
  /// Whether the file is sent in messages.
  public var fileInline: InlineFileMode?
}

/// The state of a transfer in messages.
public enum FileStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case new
  case accepted
  case connected
  case complete
  case cancelled
}

/// Whether a file is offered or sent in messages.
public enum InlineFileMode: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case offer
  case sent
}
