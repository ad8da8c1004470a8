import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexTransport

/// Receives the one block of the handshake that each side gets. Reading pauses behind it, so that the connection can be
/// handed over to HTTP/2.
final class HandshakeLink: BlockHandler {
  private weak var connection: BlockConnection?
  private let block: @Sendable ([UInt8]) -> Void
  private let closed: @Sendable (ConnectionFailure) -> Void

  /// The handler of a connection. The functions are called on its thread, in order.
  init(
    _ connection: BlockConnection, block: @escaping @Sendable ([UInt8]) -> Void,
    closed: @escaping @Sendable (ConnectionFailure) -> Void
  ) {
    self.connection = connection
    self.block = block
    self.closed = closed
  }

  func blockReceived(_ block: inout MutableRawSpan) {
    connection?.setReading(false)
    self.block(block.withUnsafeBytes { [UInt8]($0) })
  }

  func connectionClosed(_ error: TransportError?) { closed(error.map { ConnectionFailure($0) } ?? .ended) }
}

extension ConnectionFailure {
  /// The failure for an error of the transport. The alert `unknown_ca` and a controller of another authority mean the
  /// same: this is not the device that the other side knows.
  init(_ error: TransportError) {
    switch error {
    case .tls(.alert(48)), .tls(.certificate(.identityMismatch)): self = .unknownAuthority
    case .closed: self = .ended
    default: self = .failed(error.description)
    }
  }
}

extension BlockConnection {
  /// Sends a block of the handshake.
  func send(_ block: [UInt8]) {
    perform { [self] in
      // An error closes the connection, which is reported.
      try? write(block.span.bytes)
      flush()
    }
  }

  /// The fingerprint of the peer's authority.
  var authority: CertificateFingerprint? {
    session.peerCertificates.identity.map { CertificateFingerprint(ofCertificate: $0.der) }
  }

  /// The identifier of the session.
  var sessionID: SessionID { SessionID(session.identifier) }
}
