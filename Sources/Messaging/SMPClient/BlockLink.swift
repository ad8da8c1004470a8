import SMPClientCore
import SMPProtocol
import SimplexCrypto
import SimplexTransport

/// A connection to a relay after TLS, which carries blocks. Tests provide their own.
public protocol BlockLink: Sendable {
  /// The TLS session.
  var sessionID: SessionID { get }
  /// The key of the relay's certificate; nil where it has none that relays use.
  var relayKey: AnyPublicKey? { get }
  /// Whether the relay requested the client's certificate and received it.
  var presentedCertificates: Bool { get }
  /// The executor on which tasks use the link most efficiently; nil where it does not matter.
  var tasks: (any TaskExecutor)? { get }
  /// Sends blocks, in order; returns when they were accepted.
  func send(_ blocks: [[UInt8]]) async throws(SMPClientError)
  /// Calls `body` with each block that arrives, until it returns false or the connection ends. To be called once.
  func receive(_ body: ([UInt8]) async -> Bool) async throws(SMPClientError)
  /// Closes the connection.
  func close()
}

extension BlockLink {
  /// True by default.
  public var presentedCertificates: Bool { true }

  /// Any executor.
  public var tasks: (any TaskExecutor)? { nil }
}

/// A connection over TLS.
public struct TransportLink: BlockLink {
  private let connection: AsyncBlockConnection

  /// Uses an established connection.
  public init(_ connection: AsyncBlockConnection) { self.connection = connection }

  /// The TLS session.
  public var sessionID: SessionID { SessionID(connection.session.identifier) }

  /// Whether the relay requested the client's certificate and received it.
  public var presentedCertificates: Bool { connection.session.presentedCertificates }

  /// The key of the relay's certificate.
  public var relayKey: AnyPublicKey? {
    guard let der = try? connection.session.peerCertificates.leaf?.publicKeyDER() else { return nil }
    return try? AnyPublicKey(der: der)
  }

  /// The connection's thread.
  public var tasks: (any TaskExecutor)? { connection.tasks }

  /// Sends blocks.
  public func send(_ blocks: [[UInt8]]) async throws(SMPClientError) {
    do throws(TransportError) {
      try await connection.send(blocks: blocks)
    } catch {
      throw SMPClientError(error)
    }
  }

  /// Reads blocks.
  public func receive(_ body: ([UInt8]) async -> Bool) async throws(SMPClientError) {
    do {
      for try await block in connection.blocks {
        guard await body(block) else { return }
      }
    } catch {
      throw (error as? TransportError).map { SMPClientError($0) } ?? .closed
    }
  }

  /// Closes the connection.
  public func close() { connection.close() }
}

extension SMPClientError {
  /// The client error that corresponds to an error of the transport.
  package init(_ error: TransportError) {
    switch error {
    case .closed: self = .closed
    case .cancelled: self = .cancelled
    case .stalled: self = .timeout
    case .connectTimeout: self = .network(.timeoutError)
    // The peer is not who the address says, as with an authority that signed its certificate and is not known.
    case .tls(.certificate(.identityMismatch)): self = .network(.unknownCAError)
    case .tls(let error): self = .network(.tLSError(tlsError: "\(error)"))
    case .unreachable(let host, let port, let reason):
      self = .network(.connectError(connectError: "\(host):\(port): \(reason)"))
    case .invalidAddress, .proxy, .truncatedBlock, .blockSize, .system, .other:
      self = .network(.connectError(connectError: "\(error)"))
    }
  }
}
