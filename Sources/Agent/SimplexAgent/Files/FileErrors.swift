import AgentCore
import SMPProtocol
import SimplexTransport
import XFTPClient
import XFTPProtocol

extension AgentError {
  /// The error of a command to a file relay.
  init(_ error: FileClientError, at server: XFTPServer) {
    switch error {
    case .network(let error): self = .fileServer(server, FileServerProblem(error))
    case .timeout: self = .fileServer(server, .timeout)
    case .reset: self = .fileServer(server, .network(.failedError))
    case .relay(let error), .received(let error): self = .fileServer(server, .relay(error))
    case .unexpectedResponse(let text), .handshake(let text): self = .fileServer(server, .unexpected(text))
    case .noHost: self = .fileServer(server, .noHost)
    case .version: self = .fileServer(server, .version)
    case .local(let text), .diskFull(let text): self = .file(.local(text))
    }
  }

  /// The error of encrypting or decrypting a file.
  init(_ error: FileTransferError) {
    switch error {
    case .tooLarge: self = .file(.tooLarge)
    case .digest: self = .file(.damaged(.DIGEST))
    case .file(let error): self = .file(.local("\(error)"))
    case .name, .damaged, .stopped, .noServer: self = .file(.local("\(error)"))
    case .relay(let server, let error): self.init(error, at: server)
    }
  }
}

extension AgentError.FileServerProblem {
  init(_ error: TransportError) {
    switch error {
    case .connectTimeout, .stalled: self = .timeout
    case .closed, .cancelled: self = .network(.failedError)
    case .tls(.certificate(.identityMismatch)): self = .network(.unknownCAError)
    case .tls(let error): self = .network(.tLSError(tlsError: "\(error)"))
    case .unreachable(let host, let port, let reason):
      self = .network(.connectError(connectError: "\(host):\(port): \(reason)"))
    case .invalidAddress, .proxy, .truncatedBlock, .blockSize, .system, .other:
      self = .network(.connectError(connectError: "\(error)"))
    }
  }
}

extension FileClientError {
  /// Whether a chunk may be tried again after this number of failures before it: what was damaged on the way only some
  /// times.
  func isTemporary(after attempts: Int64, limit: Int64) -> Bool {
    switch self {
    case .received: attempts + 1 < limit
    case .noHost, .version: true
    default: isTemporary
    }
  }
}
