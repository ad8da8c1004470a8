import SimplexJSON

/// Errors of file servers.
public indirect enum XFTPErrorType: JSONCodable, Hashable, Sendable, Error {
  case BLOCK
  case SESSION
  case HANDSHAKE
  case CMD(cmdErr: ProtocolCommandError)
  case AUTH
  case BLOCKED(blockInfo: BlockingInfo)
  case SIZE
  case QUOTA
  case DIGEST
  case CRYPTO
  case NO_FILE
  case HAS_FILE
  case FILE_IO
  case TIMEOUT
  case INTERNAL
  case DUPLICATE_

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "BLOCK": self = .BLOCK
    case "SESSION": self = .SESSION
    case "HANDSHAKE": self = .HANDSHAKE
    case "CMD": self = try .CMD(cmdErr: fields.get("cmdErr"))
    case "AUTH": self = .AUTH
    case "BLOCKED": self = try .BLOCKED(blockInfo: fields.get("blockInfo"))
    case "SIZE": self = .SIZE
    case "QUOTA": self = .QUOTA
    case "DIGEST": self = .DIGEST
    case "CRYPTO": self = .CRYPTO
    case "NO_FILE": self = .NO_FILE
    case "HAS_FILE": self = .HAS_FILE
    case "FILE_IO": self = .FILE_IO
    case "TIMEOUT": self = .TIMEOUT
    case "INTERNAL": self = .INTERNAL
    case "DUPLICATE_": self = .DUPLICATE_
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .BLOCK: json.tag("BLOCK")
    case .SESSION: json.tag("SESSION")
    case .HANDSHAKE: json.tag("HANDSHAKE")
    case .CMD(let cmdErr): json.sum("CMD", "cmdErr", cmdErr)
    case .AUTH: json.tag("AUTH")
    case .BLOCKED(let blockInfo): json.sum("BLOCKED", "blockInfo", blockInfo)
    case .SIZE: json.tag("SIZE")
    case .QUOTA: json.tag("QUOTA")
    case .DIGEST: json.tag("DIGEST")
    case .CRYPTO: json.tag("CRYPTO")
    case .NO_FILE: json.tag("NO_FILE")
    case .HAS_FILE: json.tag("HAS_FILE")
    case .FILE_IO: json.tag("FILE_IO")
    case .TIMEOUT: json.tag("TIMEOUT")
    case .INTERNAL: json.tag("INTERNAL")
    case .DUPLICATE_: json.tag("DUPLICATE_")
    }
  }
}

/// Errors of files.
public enum FileErrorType: JSONCodable, Hashable, Sendable, Error {
  case NOT_APPROVED
  case SIZE
  case REDIRECT(redirectError: String)
  case FILE_IO(fileIOError: String)
  case NO_FILE

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "NOT_APPROVED": self = .NOT_APPROVED
    case "SIZE": self = .SIZE
    case "REDIRECT": self = try .REDIRECT(redirectError: fields.get("redirectError"))
    case "FILE_IO": self = try .FILE_IO(fileIOError: fields.get("fileIOError"))
    case "NO_FILE": self = .NO_FILE
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .NOT_APPROVED: json.tag("NOT_APPROVED")
    case .SIZE: json.tag("SIZE")
    case .REDIRECT(let redirectError): json.sum("REDIRECT", "redirectError", redirectError)
    case .FILE_IO(let fileIOError): json.sum("FILE_IO", "fileIOError", fileIOError)
    case .NO_FILE: json.tag("NO_FILE")
    }
  }
}
