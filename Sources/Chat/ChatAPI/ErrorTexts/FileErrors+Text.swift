extension XFTPErrorType {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .BLOCK: "The server received a block of a wrong size"
    case .SESSION: "The session does not belong to this connection"
    case .HANDSHAKE: "The handshake with the server failed"
    case .CMD(let error): error.text
    case .AUTH: "Not authorized: the file may be deleted or expired"
    case .BLOCKED(let blockInfo): "Blocked by the server: \(blockInfo.reason.rawValue)"
    case .SIZE: "The size of the file is not allowed"
    case .QUOTA: "The server is full"
    case .DIGEST: "The file is not the one that was announced"
    case .CRYPTO: "The file could not be decrypted"
    case .NO_FILE: "The server does not have the file"
    case .HAS_FILE: "The server has the file already"
    case .FILE_IO: "The file could not be read or written"
    case .TIMEOUT: "The server did not respond in time"
    case .INTERNAL: "Internal error of the server"
    case .DUPLICATE_: "The server responded twice"
    }
  }
}

extension FileErrorType {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .NOT_APPROVED: "The file is on servers you have not approved"
    case .SIZE: "The size of the file is not the announced one"
    case .REDIRECT(let message): "The redirected description of the file is not valid: \(message)"
    case .FILE_IO(let message): "The file could not be read or written: \(message)"
    case .NO_FILE: "The file does not exist"
    }
  }
}

extension FileError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .auth: "The file is deleted or expired"
    case .blocked(let server, let blockInfo): "Blocked by \(server): \(blockInfo.reason.rawValue)"
    case .noFile: "The file does not exist"
    case .relay(let srvError): "Error of the server: \(srvError.text)"
    case .other(let message): "Error: \(message)"
    }
  }
}

extension SndError {
  /// The reason why a message was not sent, described for users.
  public var text: String {
    switch self {
    case .auth: "The recipient has deleted the connection"
    case .quota: "The recipient has not received earlier messages"
    case .expired: "The message expired before it could be sent"
    case .relay(let srvError): "Error of the recipient's server: \(srvError.text)"
    case .proxy(let proxyServer, let srvError): "Error of the forwarding server \(proxyServer): \(srvError.text)"
    case .proxyRelay(let proxyServer, let srvError):
      "Error of the recipient's server behind \(proxyServer): \(srvError.text)"
    case .other(let message): "Error: \(message)"
    }
  }
}

extension SrvError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .host: "its address is not valid for this network"
    case .version: "its version is not supported"
    case .other(let message): message
    }
  }
}

extension ArchiveError {
  /// What was left out, described for users.
  public var text: String {
    switch self {
    case .import(let message): "The archive could not be read: \(message)"
    case .fileError(let file, let message): "\(file): \(message)"
    }
  }
}
