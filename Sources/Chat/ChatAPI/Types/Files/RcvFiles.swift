import SimplexJSON

/// A file being received.
public struct RcvFileTransfer: JSONCodable, Hashable, Sendable {
  /// Database id of the file.
  public var fileId: Int64
  /// The download.
  public var xftpRcvFile: XFTPRcvFile?
  /// What the sender announced.
  public var fileInvitation: FileInvitation
  /// The state of the transfer.
  public var fileStatus: RcvFileStatus
  /// What the file is for.
  public var fileType: FileType = .normal
  /// Whether the file is received in messages.
  public var rcvFileInline: InlineFileMode?
  /// Who sends the file.
  public var senderDisplayName: String
  /// Size of a part in bytes.
  public var chunkSize: Int64
  /// Whether the transfer was cancelled.
  public var cancelled: Bool
  /// The member who sends the file.
  public var grpMemberId: Int64?
  /// Key and nonce if the local file is encrypted.
  public var cryptoArgs: CryptoFileArgs?
}

/// What a file is for.
public enum FileType: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case normal
  case roster
}

/// A file as its sender announced it.
public struct FileInvitation: JSONCodable, Hashable, Sendable {
  /// Name of the file.
  public var fileName: String
  /// Size in bytes.
  public var fileSize: Int64
  /// SHA-512 of the file, base64url.
  public var fileDigest: String?
  /// Link for sending the file over its own connection.
  public var fileConnReq: String?
  /// Whether the file is sent in messages.
  public var fileInline: InlineFileMode?
  /// The first part of the file's description.
  public var fileDescr: FileDescr?
}

/// A part of a file's description, from its sender.
public struct FileDescr: JSONCodable, Hashable, Sendable {
  /// Text of the part.
  public var fileDescrText: String
  /// Number of the part.
  public var fileDescrPartNo: Int
  /// Whether this is the last part.
  public var fileDescrComplete: Bool
}

/// The state of receiving.
public enum RcvFileStatus: JSONCodable, Hashable, Sendable {
  case new
  case accepted(filePath: String)
  case connected(filePath: String)
  case complete(filePath: String)
  case cancelled(filePath_: String?)
}

/// A download.
public struct XFTPRcvFile: JSONCodable, Hashable, Sendable {
  /// The file's description.
  public var rcvFileDescription: RcvFileDescr
  /// The agent's id of the download, base64url.
  public var agentRcvFileId: String?
  /// Whether the agent has deleted its part of the file.
  public var agentRcvFileDeleted: Bool
  /// Whether the user approved unknown file servers.
  public var userApprovedRelays: Bool
}

/// A part of a file's description, as received.
public struct RcvFileDescr: JSONCodable, Hashable, Sendable {
  /// Database id of the description.
  public var fileDescrId: Int64
  /// Text of the part.
  public var fileDescrText: String
  /// Number of the part.
  public var fileDescrPartNo: Int
  /// Whether this is the last part.
  public var fileDescrComplete: Bool
}
