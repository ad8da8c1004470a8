import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import Testing

@Suite("A connection over TLS", .timeLimit(.minutes(1)))
struct TLSTests {
  @Test func commandsAndTheIdentityOfTheRelay() async throws {
    let authorityKey = try CertificateKey.generate()
    let authority = try Certificate.issue(.authority(), for: authorityKey)
    let key = try CertificateKey.generate()
    let leaf = try Certificate.issue(.server(commonName: "127.0.0.1"), for: key, by: (authority, authorityKey))
    let credential = try TLSCredential(chain: CertificateChain([leaf, authority]), key: key)
    let server = try await TransportServer.start(
      TransportServer.Configuration(
        host: "127.0.0.1", port: 0, tls: TLSServerConfiguration(credential: credential, applicationProtocols: ["smp/1"])
      )
    ) { connection in RelayHandler(connection, key) }

    let host = try TransportHost.textCodec.decode(text: "127.0.0.1")
    let address = SMPServerAddress(host, port: UInt16(server.port), keyHash: authority.fingerprint)
    let connection = try await SMPConnection.connect(to: address)
    #expect(await connection.session?.context.version == SMPVersion.supported.highest)
    #expect(await connection.session?.sealing.isEncrypting == true)
    #expect(try await connection.perform(RequestPipeline.Request(.ping)) == .pong)
    let body = [UInt8](repeating: 7, count: 16_000)
    let send = RequestPipeline.Request(.send(SendRequest(body: body)), entity: EntityID([1]))
    try await withThrowingDiscardingTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          let answer = try await connection.perform(send)
          #expect(answer == .ok)
        }
      }
    }
    await connection.close()

    // The first host that answers is used.
    let several = try #require(
      SMPServerAddress(
        hosts: [.domain("relay.invalid"), host], port: UInt16(server.port), keyHash: authority.fingerprint))
    var anyHost = SMPClientConfiguration()
    anyHost.hosts = HostPolicy(preference: .publicHosts, isRequired: false)
    let second = try await SMPConnection.connect(to: several, anyHost)
    #expect(try await second.perform(RequestPipeline.Request(.ping)) == .pong)
    await second.close()

    let other = SMPServerAddress(host, port: UInt16(server.port), keyHash: [UInt8](repeating: 1, count: 32))
    await #expect(throws: SMPClientError.self) { try await SMPConnection.connect(to: other) }
    await server.close()
    await #expect(throws: SMPClientError.self) { try await SMPConnection.connect(to: address) }
  }
}

/// Answers PONG to PING and OK to everything else. Used on the event loop of its connection only.
private final class RelayHandler: BlockHandler {
  private unowned let connection: BlockConnection
  private let key: CertificateKey
  private var relay: FakeRelay?

  init(_ connection: BlockConnection, _ key: CertificateKey) {
    self.connection = connection
    self.key = key
    relay = try? FakeRelay(sessionID: SessionID(connection.session.identifier)) { try key.sign($0) }
    var padding = BlockSealing()
    if let hello = try? relay?.hello(), let block = try? padding.seal(hello) { send(block) }
  }

  func blockReceived(_ block: inout MutableRawSpan) {
    let bytes = block.withUnsafeBytes { [UInt8]($0) }
    guard relay?.context != nil else {
      if let content = try? Padding.unpad(bytes) { try? relay?.accept(content) }
      return
    }
    let commands = (try? relay?.commands(in: bytes)) ?? []
    let answers = commands.map { command in
      (command.correlationID, command.entityID, command.message == .success(.ping) ? BrokerMessage.pong : .ok)
    }
    if let answer = try? relay?.block(answers) { send(answer) }
  }

  func connectionClosed(_ error: TransportError?) {}

  private func send(_ block: [UInt8]) {
    connection.perform { [weak connection] in
      try? connection?.write(block.span.bytes)
      connection?.flush()
    }
  }
}
