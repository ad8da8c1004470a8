extension AgentErrorType {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .CMD(let error, let context): "\(error.text) (\(context))"
    case .CONN(let error, let context): context.isEmpty ? error.text : "\(error.text) (\(context))"
    case .NO_USER: "The agent does not know the profile"
    case .SMP(let serverAddress, let error): "\(serverAddress): \(error.text)"
    case .NTF(let serverAddress, let error): "\(serverAddress): \(error.text)"
    case .XFTP(let serverAddress, let error): "\(serverAddress): \(error.text)"
    case .FILE(let error): error.text
    case .NO_NAME_SERVERS: "No server is configured that resolves names"
    case .PROXY(let proxyServer, let relayServer, let error): "\(relayServer) through \(proxyServer): \(error.text)"
    case .RCP(let error): error.text
    case .BROKER(let brokerAddress, let error): "\(brokerAddress): \(error.text)"
    case .AGENT(let error): error.text
    case .NOTICE(let server, _, let expiresAt):
      "\(server) does not accept this" + (expiresAt.map { " until \($0.iso8601Text)" } ?? "")
    case .INTERNAL(let message): "Internal error of the agent: \(message)"
    case .CRITICAL(_, let message): "Critical error of the agent: \(message)"
    case .INACTIVE: "The agent is suspended"
    }
  }
}

extension CommandErrorType {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .PROHIBITED: "The operation is not possible now"
    case .SYNTAX: "The command is not valid"
    case .NO_CONN: "The command needs a connection"
    case .SIZE: "The size is not that of the message"
    case .LARGE: "The message is too large"
    }
  }
}

extension ConnectionErrorType {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .NOT_FOUND: "There is no such connection"
    case .DUPLICATE: "There is such a connection already"
    case .SIMPLEX: "The connection works in one direction only"
    case .NOT_ACCEPTED: "The connection was not accepted"
    case .NOT_AVAILABLE: "The connection is not available"
    }
  }
}

extension SMPAgentError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .A_MESSAGE: "A message could not be read"
    case .A_PROHIBITED(let message): "An unexpected message was received: \(message)"
    case .A_VERSION: "The other side uses a version that is not supported"
    case .A_LINK(let message): "The link is not valid: \(message)"
    case .A_CRYPTO(let error): error.text
    case .A_DUPLICATE: "A message was received again"
    case .A_QUEUE(let message): "Moving the queue failed: \(message)"
    }
  }
}

extension AgentCryptoError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .DECRYPT_AES: "A message could not be decrypted"
    case .DECRYPT_CB: "The envelope of a message could not be decrypted"
    case .RATCHET_HEADER: "The header of a message could not be decrypted"
    case .RATCHET_EARLIER(let count): "A message is \(count) older than the ones received"
    case .RATCHET_SKIPPED(let count): "\(count) messages were skipped, which is too many"
    case .RATCHET_SYNC: "The encryption has to be renegotiated"
    }
  }
}
