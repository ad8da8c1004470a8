import SimplexJSON

/// A file being received.
public struct RcvFileTransfer: JSONCodable, Hashable, Sendable {
  /// Database id of the file.
  public var fileId: Int64
  /// The download.
  public var xftpRcvFile: XFTPRcvFile?
  /// What the sender announced.
  public var fileInvitation: FileInvitation
  /// How far the transfer is.
  public var fileStatus: RcvFileStatus
  /// What the file is for.
  public var fileType: FileType
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

  /// A value of its members.
  public init(
    fileId: Int64, xftpRcvFile: XFTPRcvFile? = nil, fileInvitation: FileInvitation, fileStatus: RcvFileStatus,
    fileType: FileType = .normal, rcvFileInline: InlineFileMode? = nil, senderDisplayName: String, chunkSize: Int64,
    cancelled: Bool, grpMemberId: Int64? = nil, cryptoArgs: CryptoFileArgs? = nil
  ) {
    self.fileId = fileId
    self.xftpRcvFile = xftpRcvFile
    self.fileInvitation = fileInvitation
    self.fileStatus = fileStatus
    self.fileType = fileType
    self.rcvFileInline = rcvFileInline
    self.senderDisplayName = senderDisplayName
    self.chunkSize = chunkSize
    self.cancelled = cancelled
    self.grpMemberId = grpMemberId
    self.cryptoArgs = cryptoArgs
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    fileId = try fields.get("fileId")
    xftpRcvFile = try fields.get("xftpRcvFile")
    fileInvitation = try fields.get("fileInvitation")
    fileStatus = try fields.get("fileStatus")
    fileType = try fields.get("fileType", default: .normal)
    rcvFileInline = try fields.get("rcvFileInline")
    senderDisplayName = try fields.get("senderDisplayName")
    chunkSize = try fields.get("chunkSize")
    cancelled = try fields.get("cancelled")
    grpMemberId = try fields.get("grpMemberId")
    cryptoArgs = try fields.get("cryptoArgs")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("fileId", fileId)
    json.field("xftpRcvFile", xftpRcvFile)
    json.field("fileInvitation", fileInvitation)
    json.field("fileStatus", fileStatus)
    json.field("fileType", fileType)
    json.field("rcvFileInline", rcvFileInline)
    json.field("senderDisplayName", senderDisplayName)
    json.field("chunkSize", chunkSize)
    json.field("cancelled", cancelled)
    json.field("grpMemberId", grpMemberId)
    json.field("cryptoArgs", cryptoArgs)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    fileName: String, fileSize: Int64, fileDigest: String? = nil, fileConnReq: String? = nil,
    fileInline: InlineFileMode? = nil, fileDescr: FileDescr? = nil
  ) {
    self.fileName = fileName
    self.fileSize = fileSize
    self.fileDigest = fileDigest
    self.fileConnReq = fileConnReq
    self.fileInline = fileInline
    self.fileDescr = fileDescr
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    fileName = try fields.get("fileName")
    fileSize = try fields.get("fileSize")
    fileDigest = try fields.get("fileDigest")
    fileConnReq = try fields.get("fileConnReq")
    fileInline = try fields.get("fileInline")
    fileDescr = try fields.get("fileDescr")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("fileName", fileName)
    json.field("fileSize", fileSize)
    json.field("fileDigest", fileDigest)
    json.field("fileConnReq", fileConnReq)
    json.field("fileInline", fileInline)
    json.field("fileDescr", fileDescr)
    json.endObject()
  }
}

/// A part of a file's description, from its sender.
public struct FileDescr: JSONCodable, Hashable, Sendable {
  /// Text of the part.
  public var fileDescrText: String
  /// Number of the part.
  public var fileDescrPartNo: Int
  /// Whether this is the last part.
  public var fileDescrComplete: Bool

  /// A value of its members.
  public init(
    fileDescrText: String, fileDescrPartNo: Int, fileDescrComplete: Bool
  ) {
    self.fileDescrText = fileDescrText
    self.fileDescrPartNo = fileDescrPartNo
    self.fileDescrComplete = fileDescrComplete
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    fileDescrText = try fields.get("fileDescrText")
    fileDescrPartNo = try fields.get("fileDescrPartNo")
    fileDescrComplete = try fields.get("fileDescrComplete")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("fileDescrText", fileDescrText)
    json.field("fileDescrPartNo", fileDescrPartNo)
    json.field("fileDescrComplete", fileDescrComplete)
    json.endObject()
  }
}

/// How far receiving is.
public enum RcvFileStatus: JSONCodable, Hashable, Sendable {
  case new
  case accepted(filePath: String)
  case connected(filePath: String)
  case complete(filePath: String)
  case cancelled(filePath_: String?)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "new": self = .new
    case "accepted": self = try .accepted(filePath: fields.get("filePath"))
    case "connected": self = try .connected(filePath: fields.get("filePath"))
    case "complete": self = try .complete(filePath: fields.get("filePath"))
    case "cancelled": self = try .cancelled(filePath_: fields.get("filePath_"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .new: json.tag("new")
    case .accepted(let filePath): json.sum("accepted", "filePath", filePath)
    case .connected(let filePath): json.sum("connected", "filePath", filePath)
    case .complete(let filePath): json.sum("complete", "filePath", filePath)
    case .cancelled(let filePath_): json.sum("cancelled", "filePath_", filePath_)
    }
  }
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

  /// A value of its members.
  public init(
    rcvFileDescription: RcvFileDescr, agentRcvFileId: String? = nil, agentRcvFileDeleted: Bool, userApprovedRelays: Bool
  ) {
    self.rcvFileDescription = rcvFileDescription
    self.agentRcvFileId = agentRcvFileId
    self.agentRcvFileDeleted = agentRcvFileDeleted
    self.userApprovedRelays = userApprovedRelays
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    rcvFileDescription = try fields.get("rcvFileDescription")
    agentRcvFileId = try fields.get("agentRcvFileId")
    agentRcvFileDeleted = try fields.get("agentRcvFileDeleted")
    userApprovedRelays = try fields.get("userApprovedRelays")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("rcvFileDescription", rcvFileDescription)
    json.field("agentRcvFileId", agentRcvFileId)
    json.field("agentRcvFileDeleted", agentRcvFileDeleted)
    json.field("userApprovedRelays", userApprovedRelays)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    fileDescrId: Int64, fileDescrText: String, fileDescrPartNo: Int, fileDescrComplete: Bool
  ) {
    self.fileDescrId = fileDescrId
    self.fileDescrText = fileDescrText
    self.fileDescrPartNo = fileDescrPartNo
    self.fileDescrComplete = fileDescrComplete
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    fileDescrId = try fields.get("fileDescrId")
    fileDescrText = try fields.get("fileDescrText")
    fileDescrPartNo = try fields.get("fileDescrPartNo")
    fileDescrComplete = try fields.get("fileDescrComplete")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("fileDescrId", fileDescrId)
    json.field("fileDescrText", fileDescrText)
    json.field("fileDescrPartNo", fileDescrPartNo)
    json.field("fileDescrComplete", fileDescrComplete)
    json.endObject()
  }
}
