import NIOCore
import SimplexTesting
import Testing

@testable import SimplexTransport

@Suite("TLS without a network")
struct TLSEngineTests {
  /// A client and a server, whose ciphertext the test carries.
  private struct Pair {
    let client: TLSEngine
    let server: TLSEngine

    init(_ identity: TestIdentity) throws {
      let serverConfiguration = TLSServerConfiguration(
        credential: identity.credential, applicationProtocols: ["smp/1"], asksClientCertificate: true)
      client = try TLSEngine(
        TLSContext(TLSClientConfiguration(applicationProtocols: ["smp/1"])),
        policy: .relay(fingerprint: identity.fingerprint))
      server = try TLSEngine(TLSContext(serverConfiguration), policy: .service)
    }

    /// A server with another credential for clients that name it, and a client that has a credential too.
    init(_ identity: TestIdentity, web: TestIdentity, namesServer: Bool) throws {
      var configuration = TLSServerConfiguration(
        credential: identity.credential, applicationProtocols: ["smp/1"], asksClientCertificate: true)
      configuration.webCredential = web.credential
      let own = try TLSCredential.selfSigned(commonName: "service")
      client = try TLSEngine(
        TLSContext(TLSClientConfiguration(applicationProtocols: ["smp/1"], credential: own)),
        policy: .relay(fingerprint: (namesServer ? web : identity).fingerprint),
        serverName: namesServer ? "localhost" : nil)
      server = try TLSEngine(TLSContext(configuration), policy: .service)
    }

    /// Runs the handshake, passing at most `step` bytes at once; `spoil` may change what is passed.
    func handshake(
      step: Int, spoil: (inout ByteBuffer) -> Void = { _ in }
    ) throws -> (client: TLSSession, server: TLSSession)? {
      var sessions: (client: TLSSession?, server: TLSSession?) = try (client.handshake(), nil)
      while client.outbound != nil || server.outbound != nil {
        for (source, target) in [(client, server), (server, client)] {
          guard var bytes = source.outbound.take() else { continue }
          spoil(&bytes)
          while let part = bytes.readSlice(length: min(step, bytes.readableBytes)), part.readableBytes > 0 {
            target.receive(part)
            if target === client, sessions.client == nil { sessions.client = try target.handshake() }
            if target === server, sessions.server == nil { sessions.server = try target.handshake() }
          }
        }
      }
      guard let client = sessions.client, let server = sessions.server else { return nil }
      return (client, server)
    }
  }

  @Test("Records may come in any pieces", arguments: [1, 2, 7, 100, 16384])
  func pieces(step: Int) throws {
    let pair = try Pair(TestIdentity())
    let sessions = try #require(try pair.handshake(step: step))
    #expect(sessions.client.identifier == sessions.server.identifier)

    let plaintext = (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }
    try pair.client.write(plaintext.span.bytes)
    var ciphertext = pair.client.outbound.take() ?? ByteBuffer()
    var received: [UInt8] = []
    var space = [UInt8](repeating: 0, count: TLSEngine.recordSize)
    while let part = ciphertext.readSlice(length: min(step, ciphertext.readableBytes)), part.readableBytes > 0 {
      pair.server.receive(part)
      while case .bytes(let count) = try space.withUnsafeMutableBytes({ try pair.server.read(into: $0) }) {
        received += space[..<count]
      }
    }
    #expect(received == plaintext)
    #expect(pair.server.inbound == nil)
  }

  @Test("Browsers are not asked for a certificate, services of a relay are", arguments: [true, false])
  func browsersAreNotAsked(namesServer: Bool) throws {
    let pair = try Pair(TestIdentity(), web: TestIdentity(), namesServer: namesServer)
    let sessions = try #require(try pair.handshake(step: 16384))
    #expect(sessions.server.usedWebCredential == namesServer)
    #expect(sessions.client.presentedCertificates == !namesServer)
    #expect(sessions.server.peerCertificates.certificates.isEmpty == namesServer)
  }

  @Test("A spoiled handshake is an error or does not finish; it never succeeds or traps", arguments: propertySeeds(40))
  func spoiled(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let pair = try Pair(TestIdentity())
    // Far enough for most places to be hit, near enough for most runs to be spoiled.
    var position = Int.random(in: 5..<1200, using: &random)
    var spoiled = false
    do {
      let sessions = try pair.handshake(step: 16384) { bytes in
        guard position >= 0 else { return }
        if position < bytes.readableBytes {
          let index = bytes.readerIndex + position
          let old = bytes.getInteger(at: index) as UInt8? ?? 0
          bytes.setInteger(old ^ UInt8.random(in: 1...255, using: &random), at: index)
          spoiled = true
        }
        position -= bytes.readableBytes
      }
      #expect(sessions == nil || !spoiled, "seed \(seed)")
    } catch {
      #expect(error is TLSError, "seed \(seed)")
      #expect(spoiled, "seed \(seed)")
    }
  }

  @Test("Spoiled certificates are errors or other certificates", arguments: propertySeeds(40))
  func spoiledCertificates(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let identity = try TestIdentity()
    for _ in 0..<50 {
      var der = identity.credential.chain.certificates[0].der
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: 0..<der.count, using: &random)
        der[index] = UInt8.random(in: 0...255, using: &random)
      }
      guard der != identity.credential.chain.certificates[0].der, let spoiled = try? Certificate(der: der) else {
        continue
      }
      #expect(spoiled.der == der, "seed \(seed)")
      _ = try? spoiled.commonName()
      _ = try? spoiled.publicKeyDER()
      _ = try? spoiled.verify([1, 2, 3], of: [4])
      let chain = CertificateChain([spoiled, identity.credential.chain.certificates[1]])
      #expect(throws: CertificateError.self, "seed \(seed)") { try chain.verify(.anyRelay, at: 1_800_000_000) }
    }
  }

  @Test("A proxy that talks nonsense is an error, never a trap", arguments: propertySeeds(20))
  func nonsenseFromProxy(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var negotiation = try SOCKS5Negotiation(
        host: .name("relay"), port: 5223, credentials: SOCKS5Credentials(username: "u", password: "p"))
      do {
        for _ in 0..<6 {
          var bytes = random.bytes(upTo: 24)
          // Often enough plausible to get further than the first byte.
          for index in bytes.indices.prefix(4) where Bool.random(using: &random) { bytes[index] = [5, 0, 1, 2][index] }
          _ = try negotiation.receive(bytes)
        }
      } catch {}
    }
  }
}
