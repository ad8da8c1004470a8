import SMPClientCore
import SMPProtocol
import SimplexCrypto
import SimplexTransport

/// A connection to a relay after TLS, which carries blocks. Tests put their own in its place.
public protocol BlockLink: Sendable {
  /// The TLS session.
  var sessionID: SessionID { get }
  /// The key of the relay's certificate; nil where it has none that relays use.
  var relayKey: AnyPublicKey? { get }
  /// Whether the relay asked for the client's certificate and got it.
  var presentedCertificates: Bool { get }
  /// Where tasks use the link at the least cost; nil where it does not matter.
  var tasks: (any TaskExecutor)? { get }
  /// Sends blocks, in order; returns when they were taken.
  func send(_ blocks: [[UInt8]]) async throws(SMPClientError)
  /// Calls `body` with each block that arrives, until it returns false or the connection ends. To be called once.
  func receive(_ body: ([UInt8]) async -> Bool) async throws(SMPClientError)
  /// Closes the connection.
  func close()
}

extension BlockLink {
  /// As if the relay had asked.
  public var presentedCertificates: Bool { true }

  /// Anywhere.
  public var tasks: (any TaskExecutor)? { nil }
}

/// A connection over TLS.
public struct TransportLink: BlockLink {
  private let connection: AsyncBlockConnection

  /// Uses an established connection.
  public init(_ connection: AsyncBlockConnection) { self.connection = connection }

  /// The TLS session.
  public var sessionID: SessionID { SessionID(connection.session.identifier) }

  /// Whether the relay asked for the client's certificate and got it.
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
  /// What an error of the transport means to a client.
  init(_ error: TransportError) {
    switch error {
    case .closed: self = .closed
    case .cancelled: self = .cancelled
    case .connectTimeout, .stalled: self = .timeout
    default: self = .network("\(error)")
    }
  }
}
