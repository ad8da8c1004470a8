import NIOCore
import NIOPosix
import SimplexTransport
import Synchronization
import Testing

/// A relay's TLS identity made for one test.
struct TestIdentity: Sendable {
  let credential: TLSCredential
  let fingerprint: [UInt8]

  init(_ algorithm: CertificateKey.Algorithm = .ed25519, certificates: Int = 2) throws {
    var key = try CertificateKey.generate(algorithm)
    var chain = [try Certificate.issue(.authority(), for: key)]
    for place in 1..<certificates {
      let isLeaf = place == certificates - 1
      let next = try CertificateKey.generate(algorithm)
      let template: CertificateTemplate =
        isLeaf ? .server(commonName: "localhost") : .authority(commonName: "authority \(place)")
      chain.insert(try Certificate.issue(template, for: next, by: (chain[0], key)), at: 0)
      key = next
    }
    credential = try TLSCredential(chain: CertificateChain(chain), key: key)
    fingerprint = (chain.count > 1 ? chain[1] : chain[0]).fingerprint
  }
}

/// What happened on the connections of a test's server, in order.
final class ServerLog: Sendable {
  private struct State {
    var sessions: [TLSSession] = []
    var connections: [BlockConnection] = []
    var endings: [TransportError?] = []
    var blocks = 0
  }

  private let state = Mutex(State())

  var sessions: [TLSSession] { state.withLock { $0.sessions } }
  var connections: [BlockConnection] { state.withLock { $0.connections } }
  var endings: [TransportError?] { state.withLock { $0.endings } }
  var blocks: Int { state.withLock { $0.blocks } }

  func connected(_ connection: BlockConnection) {
    state.withLock {
      $0.sessions.append(connection.session)
      $0.connections.append(connection)
    }
  }
  func received() { state.withLock { $0.blocks += 1 } }
  func ended(_ error: TransportError?) { state.withLock { $0.endings.append(error) } }
}

/// Echoes every block.
final class EchoHandler: BlockHandler {
  private let log: ServerLog
  private weak var connection: BlockConnection?

  init(_ connection: BlockConnection, _ log: ServerLog) {
    self.log = log
    self.connection = connection
    log.connected(connection)
  }

  func blockReceived(_ block: inout MutableRawSpan) {
    log.received()
    try? connection?.write(block.bytes)
  }

  func blocksComplete() { connection?.flush() }

  func connectionClosed(_ error: TransportError?) { log.ended(error) }
}

/// An echoing server for the duration of a test.
struct EchoServer {
  let identity: TestIdentity
  let log = ServerLog()
  let server: TransportServer

  init(
    _ identity: TestIdentity? = nil, protocols: [String] = ["smp/1"],
    configure: (inout TransportServer.Configuration) -> Void = { _ in }
  ) async throws {
    let identity = try identity ?? TestIdentity()
    self.identity = identity
    var configuration = TransportServer.Configuration(
      host: "127.0.0.1", port: 0,
      tls: TLSServerConfiguration(
        credential: identity.credential, applicationProtocols: protocols, asksClientCertificate: true))
    configure(&configuration)
    let log = log
    server = try await TransportServer.start(configuration) { EchoHandler($0, log) }
  }

  /// Connects to this server.
  func connect(
    protocols: [String] = ["smp/1"], credential: TLSCredential? = nil, policy: ChainPolicy? = nil,
    options: TransportClient.Options = .init()
  ) async throws -> AsyncBlockConnection {
    let client = try TransportClient(TLSClientConfiguration(applicationProtocols: protocols, credential: credential))
    return try await AsyncBlockConnection.connect(
      client, host: "127.0.0.1", port: server.port, policy: policy ?? .relay(fingerprint: identity.fingerprint),
      options: options)
  }
}

/// A block filled with one byte.
func block(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: transportBlockSize) }

/// Waits until the condition holds; the deadline only ends a failing test.
func eventually(_ what: String, _ condition: () -> Bool) async throws {
  for _ in 0..<3000 {
    if condition() { return }
    try await Task.sleep(for: .milliseconds(10))
  }
  Issue.record("never happened: \(what)")
}

/// A plain TCP connection, for violations of the protocol.
final class RawConnection: Sendable {
  private let channel: any Channel

  init(port: Int) async throws {
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port).get()
  }

  func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

  func close() async { try? await channel.close() }

  func waitForClose() async throws { try await channel.closeFuture.get() }
}
