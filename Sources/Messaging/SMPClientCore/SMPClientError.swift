import SMPProtocol
import SimplexCrypto

/// Why a command failed, from the client's point of view.
public enum SMPClientError: Error, Hashable, Sendable {
  /// The relay answered with this error.
  case relay(ProtocolErrorType)
  /// The relay's response is malformed.
  case response(TransmissionError)
  /// The response does not belong to this command; its keyword.
  case unexpectedResponse(String)
  /// The handshake failed, or the command cannot be sent in this session.
  case transport(ProtocolTransportError)
  /// There is no connection.
  case network(NetworkError)
  /// The relay did not respond before the deadline. The command may or may not have been executed.
  case timeout
  /// None of the relay's hosts may be used.
  case noHost
  /// The connection was closed before the response. The command may or may not have been executed.
  case closed
  /// Messages were not read fast enough, so that the connection was closed. The relay sends them again.
  case overflow
  /// The caller was cancelled.
  case cancelled
  /// The proxy could not, or refused to, forward the command.
  case proxy(ProtocolErrorType)
  /// A box of a forwarded command cannot be sealed or opened.
  case crypto(CryptoError)
}
