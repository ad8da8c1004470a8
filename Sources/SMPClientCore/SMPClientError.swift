import SMPProtocol
import SimplexCrypto

/// Why a relay did not do what it was asked, seen from the client.
public enum SMPClientError: Error, Hashable, Sendable {
  /// The relay answered with this error.
  case relay(ProtocolErrorType)
  /// The relay's response cannot be read.
  case response(TransmissionError)
  /// The response is none to this command; its keyword.
  case unexpectedResponse(String)
  /// The handshake failed, or the command cannot be sent in this session.
  case transport(ProtocolTransportError)
  /// There is no connection; the text says why.
  case network(String)
  /// The relay did not answer in time. Whether it did what it was asked is not known.
  case timeout
  /// None of the relay's hosts may be used.
  case noHost
  /// The connection closed before the answer came. Whether the relay did what it was asked is not known.
  case closed
  /// Messages were not taken fast enough, so that the connection was closed. The relay sends them again.
  case overflow
  /// The caller was cancelled.
  case cancelled
  /// The relay that forwards could not, or would not, pass the command on.
  case proxy(ProtocolErrorType)
  /// A box of a forwarded command cannot be made or opened.
  case crypto(CryptoError)
}
