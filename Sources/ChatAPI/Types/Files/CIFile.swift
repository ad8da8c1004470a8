import SimplexJSON

/// A file attached to an item.
public struct CIFile: JSONCodable, Hashable, Sendable {
  /// Database id of the file.
  public var fileId: Int64
  /// Name of the file.
  public var fileName: String
  /// Size in bytes.
  public var fileSize: Int64
  /// The local file.
  public var fileSource: CryptoFile?
  /// How far the transfer is.
  public var fileStatus: CIFileStatus
  /// How the file is transferred.
  public var fileProtocol: FileProtocol

  /// A value of its members.
  public init(
    fileId: Int64, fileName: String, fileSize: Int64, fileSource: CryptoFile? = nil, fileStatus: CIFileStatus,
    fileProtocol: FileProtocol
  ) {
    self.fileId = fileId
    self.fileName = fileName
    self.fileSize = fileSize
    self.fileSource = fileSource
    self.fileStatus = fileStatus
    self.fileProtocol = fileProtocol
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    fileId = try fields.get("fileId")
    fileName = try fields.get("fileName")
    fileSize = try fields.get("fileSize")
    fileSource = try fields.get("fileSource")
    fileStatus = try fields.get("fileStatus")
    fileProtocol = try fields.get("fileProtocol")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("fileId", fileId)
    json.field("fileName", fileName)
    json.field("fileSize", fileSize)
    json.field("fileSource", fileSource)
    json.field("fileStatus", fileStatus)
    json.field("fileProtocol", fileProtocol)
    json.endObject()
  }
}

/// How a file is transferred.
public enum FileProtocol: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case smp
  case xftp
  case local
}

/// A local file, encrypted or not.
public struct CryptoFile: JSONCodable, Hashable, Sendable {
  /// Path, or name in the files folder.
  public var filePath: String
  /// Key and nonce if the local file is encrypted.
  public var cryptoArgs: CryptoFileArgs?

  /// A value of its members.
  public init(
    filePath: String, cryptoArgs: CryptoFileArgs? = nil
  ) {
    self.filePath = filePath
    self.cryptoArgs = cryptoArgs
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    filePath = try fields.get("filePath")
    cryptoArgs = try fields.get("cryptoArgs")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("filePath", filePath)
    json.field("cryptoArgs", cryptoArgs)
    json.endObject()
  }
}

/// Key and nonce of an encrypted local file.
public struct CryptoFileArgs: JSONCodable, Hashable, Sendable {
  /// 32-byte key, base64url.
  public var fileKey: String
  /// 24-byte nonce, base64url.
  public var fileNonce: String

  /// A value of its members.
  public init(
    fileKey: String, fileNonce: String
  ) {
    self.fileKey = fileKey
    self.fileNonce = fileNonce
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    fileKey = try fields.get("fileKey")
    fileNonce = try fields.get("fileNonce")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("fileKey", fileKey)
    json.field("fileNonce", fileNonce)
    json.endObject()
  }
}

/// How far a transfer is.
public indirect enum CIFileStatus: JSONCodable, Hashable, Sendable {
  case sndStored
  case sndTransfer(sndProgress: Int64, sndTotal: Int64)
  case sndCancelled
  case sndComplete
  case sndError(sndFileError: FileError)
  case sndWarning(sndFileError: FileError)
  case rcvInvitation
  case rcvAccepted
  case rcvTransfer(rcvProgress: Int64, rcvTotal: Int64)
  case rcvAborted
  case rcvComplete
  case rcvCancelled
  case rcvError(rcvFileError: FileError)
  case rcvWarning(rcvFileError: FileError)
  case invalid(text: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "sndStored": self = .sndStored
    case "sndTransfer":
      self = try .sndTransfer(
        sndProgress: fields.get("sndProgress"), sndTotal: fields.get("sndTotal"))
    case "sndCancelled": self = .sndCancelled
    case "sndComplete": self = .sndComplete
    case "sndError": self = try .sndError(sndFileError: fields.get("sndFileError"))
    case "sndWarning": self = try .sndWarning(sndFileError: fields.get("sndFileError"))
    case "rcvInvitation": self = .rcvInvitation
    case "rcvAccepted": self = .rcvAccepted
    case "rcvTransfer":
      self = try .rcvTransfer(
        rcvProgress: fields.get("rcvProgress"), rcvTotal: fields.get("rcvTotal"))
    case "rcvAborted": self = .rcvAborted
    case "rcvComplete": self = .rcvComplete
    case "rcvCancelled": self = .rcvCancelled
    case "rcvError": self = try .rcvError(rcvFileError: fields.get("rcvFileError"))
    case "rcvWarning": self = try .rcvWarning(rcvFileError: fields.get("rcvFileError"))
    case "invalid": self = try .invalid(text: fields.get("text"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .sndStored: json.tag("sndStored")
    case .sndTransfer(let sndProgress, let sndTotal):
      json.sum("sndTransfer", "sndProgress", sndProgress, "sndTotal", sndTotal)
    case .sndCancelled: json.tag("sndCancelled")
    case .sndComplete: json.tag("sndComplete")
    case .sndError(let sndFileError): json.sum("sndError", "sndFileError", sndFileError)
    case .sndWarning(let sndFileError): json.sum("sndWarning", "sndFileError", sndFileError)
    case .rcvInvitation: json.tag("rcvInvitation")
    case .rcvAccepted: json.tag("rcvAccepted")
    case .rcvTransfer(let rcvProgress, let rcvTotal):
      json.sum("rcvTransfer", "rcvProgress", rcvProgress, "rcvTotal", rcvTotal)
    case .rcvAborted: json.tag("rcvAborted")
    case .rcvComplete: json.tag("rcvComplete")
    case .rcvCancelled: json.tag("rcvCancelled")
    case .rcvError(let rcvFileError): json.sum("rcvError", "rcvFileError", rcvFileError)
    case .rcvWarning(let rcvFileError): json.sum("rcvWarning", "rcvFileError", rcvFileError)
    case .invalid(let text): json.sum("invalid", "text", text)
    }
  }
}

/// Why a transfer failed.
public indirect enum FileError: JSONCodable, Hashable, Sendable {
  case auth
  case blocked(server: String, blockInfo: BlockingInfo)
  case noFile
  case relay(srvError: SrvError)
  case other(fileError: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "auth": self = .auth
    case "blocked": self = try .blocked(server: fields.get("server"), blockInfo: fields.get("blockInfo"))
    case "noFile": self = .noFile
    case "relay": self = try .relay(srvError: fields.get("srvError"))
    case "other": self = try .other(fileError: fields.get("fileError"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .auth: json.tag("auth")
    case .blocked(let server, let blockInfo):
      json.sum("blocked", "server", server, "blockInfo", blockInfo)
    case .noFile: json.tag("noFile")
    case .relay(let srvError): json.sum("relay", "srvError", srvError)
    case .other(let fileError): json.sum("other", "fileError", fileError)
    }
  }
}
