import SimplexTransport

/// The first byte of a block selects the server's action.
private enum Request {
  static let swallow: UInt8 = 0
  static let sendBack: UInt8 = 1
}

private final class BenchServerHandler: BlockHandler {
  private weak var connection: BlockConnection?

  init(_ connection: BlockConnection) { self.connection = connection }

  func blockReceived(_ block: inout MutableRawSpan) {
    if block.unsafeLoad(as: UInt8.self) == Request.sendBack { try? connection?.write(block.bytes) }
  }

  func blocksComplete() { connection?.flush() }

  func connectionClosed(_ error: TransportError?) {}
}

/// The server of the transport suite; runs until the parent process exits.
func serveTransport() async throws {
  raiseFileLimit()
  let authorityKey = try CertificateKey.generate()
  let authority = try Certificate.issue(.authority(), for: authorityKey)
  let key = try CertificateKey.generate()
  let leaf = try Certificate.issue(.server(commonName: "localhost"), for: key, by: (authority, authorityKey))
  let credential = try TLSCredential(chain: CertificateChain([leaf, authority]), key: key)
  let configuration = TransportServer.Configuration(
    host: "127.0.0.1", port: 0,
    tls: TLSServerConfiguration(credential: credential, applicationProtocols: ["smp/1"], asksClientCertificate: true))
  let server = try await TransportServer.start(configuration) { BenchServerHandler($0) }
  ServerProcess.announce("\(server.port)")
  await ServerProcess.waitForParent()
  await server.close()
}

/// The client's side of one connection.
///
/// Unchecked: all state is used on the connection's event loop alone.
final class BenchClient: BlockHandler, @unchecked Sendable {
  private let echoed = [UInt8](repeating: Request.sendBack, count: transportBlockSize)
  private let swallowed = [UInt8](repeating: Request.swallow, count: transportBlockSize)
  private var connection: BlockConnection?
  private var toSend = 0
  private var toReceive = 0
  private var isPushing = false
  private var finished: CheckedContinuation<Void, any Error>?

  /// Connects to the suite's server on this machine.
  static func connect(_ client: TransportClient, port: Int) async throws -> BenchClient {
    let handler = BenchClient()
    _ = try await client.connect(host: "127.0.0.1", port: port, policy: .anyRelay) { connection in
      handler.connection = connection
      return handler
    }
    return handler
  }

  /// Sends blocks that are echoed, `window` of them in flight, until `count` have returned.
  func echo(_ count: Int, window: Int) async throws {
    try await perform { [self] in
      (toSend, toReceive, isPushing) = (count - window, count, false)
      for _ in 0..<window { write(echoed) }
    }
  }

  /// Sends blocks that the server discards, as fast as it takes them; the last one is echoed.
  func push(_ count: Int) async throws {
    try await perform { [self] in
      (toSend, toReceive, isPushing) = (count, 1, true)
      pushMore()
    }
  }

  func close() { connection?.close() }

  private func perform(_ start: @escaping @Sendable () -> Void) async throws {
    guard let connection else { throw TransportError.closed }
    try await withCheckedThrowingContinuation { continuation in
      connection.perform {
        self.finished = continuation
        start()
        connection.flush()
      }
    }
  }

  private func pushMore() {
    while toSend > 0, connection?.isWritable == true {
      toSend -= 1
      write(toSend == 0 ? echoed : swallowed)
      connection?.flush()
    }
  }

  private func write(_ block: [UInt8]) { try? connection?.write(block.span.bytes) }

  func blockReceived(_ block: inout MutableRawSpan) {
    toReceive -= 1
    if toReceive == 0 {
      finished?.resume()
      finished = nil
    } else if toSend > 0, !isPushing {
      toSend -= 1
      write(echoed)
    }
  }

  func blocksComplete() { connection?.flush() }

  func writabilityChanged(_ isWritable: Bool) {
    if isWritable, isPushing { pushMore() }
  }

  func connectionClosed(_ error: TransportError?) {
    finished?.resume(throwing: error ?? .closed)
    finished = nil
    connection = nil
  }
}
