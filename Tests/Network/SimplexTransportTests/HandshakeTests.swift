import SimplexTransport
import Testing

@Suite("TLS handshake")
struct HandshakeTests {
  @Test("Both sides agree on session and protocol", arguments: CertificateKey.Algorithm.allCases, 2...4)
  func session(algorithm: CertificateKey.Algorithm, certificates: Int) async throws {
    let server = try await EchoServer(TestIdentity(algorithm, certificates: certificates))
    let client = try await server.connect()
    #expect(client.session.identifier.count == 32)
    #expect(client.session.identifier != [UInt8](repeating: 0, count: 32))
    #expect(client.session.applicationProtocol == "smp/1")
    #expect(client.session.peerCertificates == server.identity.credential.chain)
    #expect(!client.session.presentedCertificates)

    try await client.send(block(1))
    var blocks = client.blocks.makeAsyncIterator()
    #expect(try await blocks.next() == block(1))
    let seen = try #require(server.log.sessions.first)
    #expect(seen.identifier == client.session.identifier)
    #expect(seen.applicationProtocol == "smp/1")
    #expect(seen.peerCertificates.isEmpty)
    #expect(seen.presentedCertificates)
    await server.server.close()
  }

  @Test("Each connection has a session of its own")
  func distinctSessions() async throws {
    let server = try await EchoServer()
    let first = try await server.connect()
    let second = try await server.connect()
    #expect(first.session.identifier != second.session.identifier)
    await server.server.close()
  }

  @Test("A relay of another identity is refused")
  func wrongFingerprint() async throws {
    let server = try await EchoServer()
    var wrong = server.identity.fingerprint
    wrong[31] ^= 1
    for fingerprint in [wrong, [], server.identity.credential.chain.certificates[0].fingerprint] {
      await #expect(throws: TransportError.tls(.certificate(.identityMismatch))) {
        try await server.connect(policy: .relay(fingerprint: fingerprint))
      }
    }
    try await eventually("the server noticed") { server.server.counts.handshakeFailures == 3 }
    #expect(server.log.sessions.isEmpty)
    await server.server.close()
  }

  @Test("A relay with too few certificates is refused")
  func shortChain() async throws {
    let server = try await EchoServer(TestIdentity(certificates: 1))
    await #expect(throws: TransportError.tls(.certificate(.chainLength(1)))) { try await server.connect() }
    await server.server.close()
  }

  @Test("No common application protocol is refused, none offered is accepted")
  func applicationProtocols() async throws {
    let server = try await EchoServer(protocols: ["smp/1", "h2"])
    await #expect(throws: TransportError.tls(.alert(120))) { try await server.connect(protocols: ["xftp/1"]) }
    #expect(try await server.connect(protocols: []).session.applicationProtocol == nil)
    #expect(try await server.connect(protocols: ["xftp/1", "h2"]).session.applicationProtocol == "h2")
    await server.server.close()
  }

  @Test("A service presents its certificates, one alone or a chain", arguments: 1...4)
  func clientCertificates(count: Int) async throws {
    let server = try await EchoServer(TestIdentity(.ed448))
    let service =
      try count == 1 ? TLSCredential.selfSigned(commonName: "service") : TestIdentity(certificates: count).credential
    let client = try await server.connect(credential: service)
    #expect(client.session.presentedCertificates)
    try await eventually("the server accepted") { !server.log.sessions.isEmpty }
    #expect(server.log.sessions.first?.peerCertificates == service.chain)
    await server.server.close()
  }

  @Test("A server that does not ask sees no client certificate")
  func unaskedClientCertificate() async throws {
    let server = try await EchoServer { $0.tls.asksClientCertificate = false }
    let client = try await server.connect(credential: .selfSigned(commonName: "service"))
    #expect(!client.session.presentedCertificates)
    try await eventually("the server accepted") { !server.log.sessions.isEmpty }
    #expect(server.log.sessions.first?.peerCertificates.isEmpty == true)
    await server.server.close()
  }

  @Test("A service with a chain that proves nothing is refused")
  func badClientCertificate() async throws {
    let server = try await EchoServer()
    let honest = try TestIdentity()
    let stranger = try TestIdentity()
    let chain = [honest.credential.chain.certificates[0], stranger.credential.chain.certificates[1]]
    let forged = try TLSCredential(chain: CertificateChain(chain), key: honest.credential.key)
    // In TLS 1.3 a client is done before the server has looked at its certificates.
    do {
      let client = try await server.connect(credential: forged)
      for try await _ in client.blocks { Issue.record("a block from a server that refused us") }
    } catch {
      guard case TransportError.tls(.alert) = error else { throw error }
    }
    try await eventually("the server refused") { server.server.counts.handshakeFailures == 1 }
    #expect(server.log.sessions.isEmpty)
    await server.server.close()
  }

  @Test("Clients that name the server get its web credential")
  func serverName() async throws {
    let relay = try TestIdentity(.ed448)
    let web = try TestIdentity(.ed25519)
    let server = try await EchoServer(relay) { $0.tls.webCredential = web.credential }
    let unnamed = try await server.connect(policy: .relay(fingerprint: relay.fingerprint))
    #expect(unnamed.session.peerCertificates == relay.credential.chain)

    let client = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"]))
    var options = TransportClient.Options()
    options.sendsServerName = true
    let named = try await AsyncBlockConnection.connect(
      client, host: "localhost", port: server.server.port, policy: .relay(fingerprint: web.fingerprint),
      options: options)
    #expect(named.session.peerCertificates == web.credential.chain)
    try await eventually("both arrived") { server.log.sessions.count == 2 }
    #expect(server.log.sessions.map(\.usedWebCredential) == [false, true])
    // The channel binding holds for both.
    #expect(server.log.sessions.map(\.identifier) == [unnamed.session.identifier, named.session.identifier])
    await server.server.close()
  }
}
