import FoundationTypes
import SimplexJSON

/// Errors of the agent.
public indirect enum AgentErrorType: JSONCodable, Hashable, Sendable, Error {
  case CMD(cmdErr: CommandErrorType, errContext: String)
  case CONN(connErr: ConnectionErrorType, errContext: String)
  case NO_USER
  case SMP(serverAddress: String, smpErr: ProtocolErrorType)
  case NTF(serverAddress: String, ntfErr: ProtocolErrorType)
  case XFTP(serverAddress: String, xftpErr: XFTPErrorType)
  case FILE(fileErr: FileErrorType)
  case NO_NAME_SERVERS
  case PROXY(proxyServer: String, relayServer: String, proxyErr: ProxyClientError)
  case RCP(rcpErr: RCErrorType)
  case BROKER(brokerAddress: String, brokerErr: BrokerErrorType)
  case AGENT(agentErr: SMPAgentError)
  case NOTICE(server: String, preset: Bool, expiresAt: Date?)
  case INTERNAL(internalErr: String)
  case CRITICAL(offerRestart: Bool, criticalErr: String)
  case INACTIVE
}

/// Why the agent refuses a command.
public enum CommandErrorType: JSONCodable, Hashable, Sendable, Error {
  case PROHIBITED
  case SYNTAX
  case NO_CONN
  case SIZE
  case LARGE
}

/// An error of a connection.
public enum ConnectionErrorType: JSONCodable, Hashable, Sendable, Error {
  case NOT_FOUND
  case DUPLICATE
  case SIMPLEX
  case NOT_ACCEPTED
  case NOT_AVAILABLE
}

/// An error in a peer's message.
public indirect enum SMPAgentError: JSONCodable, Hashable, Sendable, Error {
  case A_MESSAGE
  case A_PROHIBITED(prohibitedErr: String)
  case A_VERSION
  case A_LINK(linkErr: String)
  case A_CRYPTO(cryptoErr: AgentCryptoError)
  case A_DUPLICATE(droppedMsg_: DroppedMsg?)
  case A_QUEUE(queueErr: String)
}

/// Errors of decryption.
public enum AgentCryptoError: JSONCodable, Hashable, Sendable, Error {
  case DECRYPT_AES
  case DECRYPT_CB
  case RATCHET_HEADER
  case RATCHET_EARLIER(UInt32)
  case RATCHET_SKIPPED(UInt32)
  case RATCHET_SYNC
}

/// A message that was received again and dropped.
public struct DroppedMsg: JSONCodable, Hashable, Sendable {
  /// When the relay received the message.
  public var brokerTs: Date
  /// How many times it was received.
  public var attempts: Int
}
