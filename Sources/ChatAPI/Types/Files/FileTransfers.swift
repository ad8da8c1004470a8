import SimplexJSON

/// A transfer in one of the directions.
public indirect enum FileTransfer: JSONCodable, Hashable, Sendable {
  case snd(fileTransferMeta: FileTransferMeta, sndFileTransfers: [SndFileTransfer])
  case rcv(rcvFileTransfer: RcvFileTransfer)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "snd":
      self = try .snd(
        fileTransferMeta: fields.get("fileTransferMeta"), sndFileTransfers: fields.get("sndFileTransfers"))
    case "rcv": self = try .rcv(rcvFileTransfer: fields.get("rcvFileTransfer"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .snd(let fileTransferMeta, let sndFileTransfers):
      json.sum("snd", "fileTransferMeta", fileTransferMeta, "sndFileTransfers", sndFileTransfers)
    case .rcv(let rcvFileTransfer): json.sum("rcv", "rcvFileTransfer", rcvFileTransfer)
    }
  }
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

  /// A value of its members.
  public init(
    fileId: Int64, xftpSndFile: XFTPSndFile? = nil, xftpRedirectFor: Int64? = nil, fileName: String, filePath: String,
    fileSize: Int64, fileInline: InlineFileMode? = nil, chunkSize: Int64, cancelled: Bool
  ) {
    self.fileId = fileId
    self.xftpSndFile = xftpSndFile
    self.xftpRedirectFor = xftpRedirectFor
    self.fileName = fileName
    self.filePath = filePath
    self.fileSize = fileSize
    self.fileInline = fileInline
    self.chunkSize = chunkSize
    self.cancelled = cancelled
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    fileId = try fields.get("fileId")
    xftpSndFile = try fields.get("xftpSndFile")
    xftpRedirectFor = try fields.get("xftpRedirectFor")
    fileName = try fields.get("fileName")
    filePath = try fields.get("filePath")
    fileSize = try fields.get("fileSize")
    fileInline = try fields.get("fileInline")
    chunkSize = try fields.get("chunkSize")
    cancelled = try fields.get("cancelled")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("fileId", fileId)
    json.field("xftpSndFile", xftpSndFile)
    json.field("xftpRedirectFor", xftpRedirectFor)
    json.field("fileName", fileName)
    json.field("filePath", filePath)
    json.field("fileSize", fileSize)
    json.field("fileInline", fileInline)
    json.field("chunkSize", chunkSize)
    json.field("cancelled", cancelled)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    agentSndFileId: String, privateSndFileDescr: String? = nil, agentSndFileDeleted: Bool,
    cryptoArgs: CryptoFileArgs? = nil
  ) {
    self.agentSndFileId = agentSndFileId
    self.privateSndFileDescr = privateSndFileDescr
    self.agentSndFileDeleted = agentSndFileDeleted
    self.cryptoArgs = cryptoArgs
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    agentSndFileId = try fields.get("agentSndFileId")
    privateSndFileDescr = try fields.get("privateSndFileDescr")
    agentSndFileDeleted = try fields.get("agentSndFileDeleted")
    cryptoArgs = try fields.get("cryptoArgs")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("agentSndFileId", agentSndFileId)
    json.field("privateSndFileDescr", privateSndFileDescr)
    json.field("agentSndFileDeleted", agentSndFileDeleted)
    json.field("cryptoArgs", cryptoArgs)
    json.endObject()
  }
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
  /// How far the transfer is.
  public var fileStatus: FileStatus
  /// Database id of the description.
  public var fileDescrId: Int64?
  /// Whether the file is sent in messages.
  public var fileInline: InlineFileMode?

  /// A value of its members.
  public init(
    fileId: Int64, fileName: String, filePath: String, fileSize: Int64, chunkSize: Int64, recipientDisplayName: String,
    connId: Int64, agentConnId: String, groupMemberId: Int64? = nil, fileStatus: FileStatus, fileDescrId: Int64? = nil,
    fileInline: InlineFileMode? = nil
  ) {
    self.fileId = fileId
    self.fileName = fileName
    self.filePath = filePath
    self.fileSize = fileSize
    self.chunkSize = chunkSize
    self.recipientDisplayName = recipientDisplayName
    self.connId = connId
    self.agentConnId = agentConnId
    self.groupMemberId = groupMemberId
    self.fileStatus = fileStatus
    self.fileDescrId = fileDescrId
    self.fileInline = fileInline
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    fileId = try fields.get("fileId")
    fileName = try fields.get("fileName")
    filePath = try fields.get("filePath")
    fileSize = try fields.get("fileSize")
    chunkSize = try fields.get("chunkSize")
    recipientDisplayName = try fields.get("recipientDisplayName")
    connId = try fields.get("connId")
    agentConnId = try fields.get("agentConnId")
    groupMemberId = try fields.get("groupMemberId")
    fileStatus = try fields.get("fileStatus")
    fileDescrId = try fields.get("fileDescrId")
    fileInline = try fields.get("fileInline")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("fileId", fileId)
    json.field("fileName", fileName)
    json.field("filePath", filePath)
    json.field("fileSize", fileSize)
    json.field("chunkSize", chunkSize)
    json.field("recipientDisplayName", recipientDisplayName)
    json.field("connId", connId)
    json.field("agentConnId", agentConnId)
    json.field("groupMemberId", groupMemberId)
    json.field("fileStatus", fileStatus)
    json.field("fileDescrId", fileDescrId)
    json.field("fileInline", fileInline)
    json.endObject()
  }
}

/// How far a transfer in messages is.
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
