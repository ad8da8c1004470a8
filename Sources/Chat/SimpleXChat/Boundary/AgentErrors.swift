import AgentCore
import ChatAPI
import DoubleRatchet
import FoundationTypes
import SMPClientCore
import SMPProtocol
import SQLiteKit
import SimplexJSON
import XFTPProtocol

// Errors of the agent as the API shows them.

extension AgentErrorType {
  /// The error with the words of the API.
  init(_ error: AgentError) {
    switch error {
    case .prohibited(let context): self = .CMD(cmdErr: .PROHIBITED, errContext: context)
    case .tooLarge(let limit): self = .CMD(cmdErr: .LARGE, errContext: "at most \(limit) bytes")
    case .noUser: self = .NO_USER
    case .noServers: self = .INTERNAL(internalErr: "no servers")
    case .connection(let problem): self = .CONN(connErr: ConnectionErrorType(problem), errContext: "")
    case .server(let server, let error): self.init(server: server, error)
    case .fileServer(let server, let problem): self.init(server: server, problem)
    case .notificationServer(let server, let error): self.init(server: server, error)
    case .file(let problem): self.init(problem)
    case .peer(let problem): self = .AGENT(agentErr: SMPAgentError(problem))
    case .notice(let server, let expiry):
      self = .NOTICE(
        server: server.description, preset: false,
        expiresAt: expiry.map { Date(timeIntervalSince1970: Double($0) / 1_000) })
    case .inactive: self = .INACTIVE
    case .store(let problem): self = .CRITICAL(offerRestart: true, criticalErr: problem.text)
    case .internalError(let text): self = .INTERNAL(internalErr: text)
    }
  }

  private init<Scheme>(server: ProtocolServer<Scheme>, _ error: SMPClientError) {
    let address = server.description
    let isNotificationServer = Scheme.self == NotificationScheme.self
    func broker(_ error: ChatAPI.BrokerErrorType) -> AgentErrorType {
      .BROKER(brokerAddress: address, brokerErr: error)
    }
    switch error {
    case .relay(let error):
      self =
        converted(error).map {
          isNotificationServer
            ? .NTF(serverAddress: address, ntfErr: $0) : .SMP(serverAddress: address, smpErr: $0)
        } ?? .INTERNAL(internalErr: "\(error)")
    case .proxy(let error):
      self =
        converted(error)
        .map {
          .PROXY(proxyServer: "", relayServer: address, proxyErr: .protocolError(protocolErr: $0))
        } ?? .INTERNAL(internalErr: "\(error)")
    case .response(let error): self = broker(.RESPONSE(respErr: "\(error)"))
    case .unexpectedResponse(let keyword): self = broker(.UNEXPECTED(respErr: keyword))
    case .transport(let error): self = broker(converted(error).map { .TRANSPORT(transportErr: $0) } ?? .TIMEOUT)
    case .network(let error): self = broker(.NETWORK(networkError: converted(error) ?? .failedError))
    case .timeout: self = broker(.TIMEOUT)
    case .noHost: self = broker(.HOST)
    case .closed, .overflow, .cancelled: self = broker(.NETWORK(networkError: .failedError))
    case .crypto(let error): self = .INTERNAL(internalErr: "\(error)")
    }
  }
}

extension AgentErrorType {
  private init(server: XFTPServer, _ problem: AgentError.FileServerProblem) {
    let address = server.description
    func broker(_ error: ChatAPI.BrokerErrorType) -> AgentErrorType {
      .BROKER(brokerAddress: address, brokerErr: error)
    }
    switch problem {
    case .relay(let error): self = .XFTP(serverAddress: address, xftpErr: ChatAPI.XFTPErrorType(error))
    case .network(let error): self = broker(.NETWORK(networkError: converted(error) ?? .failedError))
    case .timeout: self = broker(.TIMEOUT)
    case .noHost: self = broker(.HOST)
    case .version: self = broker(.TRANSPORT(transportErr: .version))
    case .unexpected(let text): self = broker(.UNEXPECTED(respErr: text))
    }
  }

  private init(_ problem: AgentError.FileProblem) {
    switch problem {
    case .notApproved: self = .FILE(fileErr: .NOT_APPROVED)
    case .tooLarge: self = .FILE(fileErr: .SIZE)
    case .redirect(let text): self = .FILE(fileErr: .REDIRECT(redirectError: text))
    case .local(let text): self = .FILE(fileErr: .FILE_IO(fileIOError: text))
    case .missing: self = .FILE(fileErr: .NO_FILE)
    case .damaged(let error): self = .XFTP(serverAddress: "", xftpErr: ChatAPI.XFTPErrorType(error))
    }
  }
}

extension ChatAPI.XFTPErrorType {
  init(_ error: XFTPProtocol.XFTPErrorType) {
    self =
      switch error {
      case .BLOCK: .BLOCK
      case .SESSION: .SESSION
      case .HANDSHAKE: .HANDSHAKE
      case .CMD(let error): converted(error).map { .CMD(cmdErr: $0) } ?? .INTERNAL
      case .AUTH: .AUTH
      case .BLOCKED(let info): converted(info).map { .BLOCKED(blockInfo: $0) } ?? .AUTH
      case .SIZE: .SIZE
      case .QUOTA: .QUOTA
      case .DIGEST: .DIGEST
      case .CRYPTO: .CRYPTO
      case .NO_FILE: .NO_FILE
      case .HAS_FILE: .HAS_FILE
      case .FILE_IO: .FILE_IO
      case .TIMEOUT: .TIMEOUT
      case .INTERNAL: .INTERNAL
      case .DUPLICATE_: .DUPLICATE_
      }
  }
}

/// The API has errors of the relay protocol of its own; both have the same JSON.
func converted<From: JSONEncodable, To: JSONDecodable>(_ error: From) -> To? {
  try? To(jsonBytes: error.jsonBytes())
}

extension ConnectionErrorType {
  init(_ problem: AgentError.ConnectionProblem) {
    self =
      switch problem {
      case .notFound: .NOT_FOUND
      case .duplicate: .DUPLICATE
      case .simplex: .SIMPLEX
      case .notAccepted: .NOT_ACCEPTED
      case .notAvailable: .NOT_AVAILABLE
      }
  }
}

extension SMPAgentError {
  init(_ problem: AgentError.PeerProblem) {
    switch problem {
    case .malformed: self = .A_MESSAGE
    case .prohibited(let reason): self = .A_PROHIBITED(prohibitedErr: reason)
    case .version: self = .A_VERSION
    case .link(let problem): self = .A_LINK(linkErr: "\(problem)")
    case .crypto(let error):
      self = AgentCryptoError(error).map { .A_CRYPTO(cryptoErr: $0) } ?? .A_DUPLICATE(droppedMsg_: nil)
    case .box: self = .A_CRYPTO(cryptoErr: .DECRYPT_CB)
    case .duplicate(let dropped):
      self = .A_DUPLICATE(
        droppedMsg_: dropped.map {
          DroppedMsg(
            brokerTs: Date(timeIntervalSince1970: Double($0.relayTime)), attempts: Int(clamping: $0.attempts))
        })
    case .queue(let reason): self = .A_QUEUE(queueErr: reason)
    case .ratchetSync: self = .A_CRYPTO(cryptoErr: .RATCHET_SYNC)
    }
  }
}

extension AgentCryptoError {
  /// Nil for a message that was received before, which is no error of the ratchet in the API.
  init?(_ error: RatchetError) {
    switch error {
    case .unknownHeader, .malformed, .unexpectedKEM: self = .RATCHET_HEADER
    case .duplicateMessage: return nil
    case .earlierMessage(let count): self = .RATCHET_EARLIER(count)
    case .tooManySkipped(let count): self = .RATCHET_SKIPPED(count)
    case .bodyNotAuthentic, .messageTooLong, .cannotSendYet, .chainExhausted, .crypto: self = .DECRYPT_AES
    }
  }
}

extension AgentError.StoreProblem {
  var text: String {
    switch self {
    case .damaged: "the database is damaged"
    case .wrongKey: "wrong key of the database"
    case .newerSchema(let found, let known): "the database has version \(found), known is \(known)"
    case .earlierBuild: SchemaFingerprint.earlierBuildText
    case .full: "no space left"
    case .busy: "the database is in use"
    case .unavailable(let text), .other(let text): text
    }
  }
}

extension AgentError {
  /// The error of the C interface if the agent's database cannot be opened.
  func migrationResult(file: String) -> DBMigrationResult {
    guard case .store(let problem) = self else { return .agentError(agentError: AgentErrorType(self)) }
    return switch problem {
    case .wrongKey: .errorNotADatabase(dbFile: file)
    case .newerSchema(let found, let known): .newerSchema(file: file, found: found, known: known)
    default: .errorSQL(dbFile: file, migrationSQLError: problem.text)
    }
  }
}

extension SndError {
  /// Why a message could not be sent, as its status shows it.
  init(_ error: AgentError) {
    guard case .server(let server, let problem) = error else {
      self = .other(sndError: AgentErrorType(error).text)
      return
    }
    switch problem {
    case .relay(.AUTH): self = .auth
    case .relay(.QUOTA): self = .quota
    case .network, .timeout, .closed, .cancelled: self = .expired
    case .noHost: self = .relay(srvError: .host)
    case .transport(.version): self = .relay(srvError: .version)
    case .transport, .response, .unexpectedResponse: self = .relay(srvError: .other(srvError: "\(problem)"))
    case .proxy(.PROXY(.BROKER(let error))), .relay(.PROXY(.BROKER(let error))):
      switch error {
      case .NETWORK, .TIMEOUT: self = .expired
      case .HOST: self = .proxy(proxyServer: server.description, srvError: .host)
      case .TRANSPORT(.version): self = .proxy(proxyServer: server.description, srvError: .version)
      default: self = .proxy(proxyServer: server.description, srvError: .other(srvError: "\(error)"))
      }
    default: self = .other(sndError: AgentErrorType(error).text)
    }
  }
}
