import NIOCore
import NIOPosix

/// Why a connection failed, or ended.
public enum TransportError: Error, Hashable, Sendable {
  /// The address cannot be used: the port is out of range, or the host is malformed.
  case invalidAddress(String)
  /// The host or the proxy cannot be reached; `reason` is the system's text.
  case unreachable(host: String, port: Int, reason: String)
  /// The connection was not ready before the deadline; the phase is where it stopped.
  case connectTimeout(ConnectPhase)
  /// The SOCKS proxy refused or violated its protocol.
  case proxy(SOCKS5Error)
  /// TLS failed, in the handshake or later.
  case tls(TLSError)
  /// The peer closed the connection in the middle of a block, after this many bytes of it.
  case truncatedBlock(received: Int)
  /// The peer did not take data until the deadline, and the connection was closed.
  case stalled
  /// The connection is closed.
  case closed
  /// The caller was cancelled.
  case cancelled
  /// A block to send does not have the size of a block.
  case blockSize(Int)
  /// The system refused the operation, such as binding to an address; `code` is its error number.
  case system(operation: String, code: Int32)
  /// Any other failure; the text is for the log.
  case other(String)
}

/// The steps of connecting.
public enum ConnectPhase: Hashable, Sendable {
  /// Resolving the name and connecting.
  case network
  /// Negotiating with the SOCKS proxy.
  case proxy
  /// The TLS handshake.
  case tls
}

/// Why TLS failed.
public enum TLSError: Error, Hashable, Sendable {
  /// The peer's certificates were refused.
  case certificate(CertificateError)
  /// The peer sent this fatal alert (RFC 8446 section 6): 120, for example, means that it supports none of our
  /// protocols.
  case alert(UInt8)
  /// The peer violated TLS; the text is the library's reason.
  case protocolViolation(String)
  /// The connection ended before the handshake did.
  case handshakeInterrupted
  /// The configuration cannot be used; the text is the library's reason.
  case configuration(String)
}

extension TransportError {
  /// The error that corresponds to one of the network library.
  public init(_ error: any Error) {
    switch error {
    case let error as TransportError: self = error
    case let error as TLSError: self = .tls(error)
    case let error as IOError: self = .system(operation: error.description, code: error.errnoCode)
    case is CancellationError: self = .cancelled
    case is ChannelError: self = .closed
    default: self = .other(String(describing: error))
    }
  }
}
