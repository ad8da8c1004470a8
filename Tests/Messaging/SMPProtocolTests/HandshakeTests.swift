import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@Suite("Handshakes have the bytes of the reference implementation, and encrypt blocks as it does")
struct HandshakeTests {
  @Test func thereAreHandshakes() { #expect(cases("handshakes").count == 24) }

  @Test(arguments: cases("handshakes"))
  func hellos(_ golden: Golden) throws {
    let blocks = try golden.elements("handshakeBlocks")
    let serverBytes = try blocks[0].hex("content")
    let server = try ServerHello.codec.decode(serverBytes)
    #expect(try ServerHello.codec.encode(server) == serverBytes)
    #expect(try ServerHello.codec.decode(serverBytes + [1, 2, 3]).sessionID == server.sessionID)
    #expect(try server.sessionID.bytes == golden.hex("sessionId"))

    let clientBytes = try blocks[1].hex("content")
    let client = try ClientHello.codec.decode(clientBytes)
    #expect(try ClientHello.codec.encode(client) == clientBytes)
    #expect(try Int(client.version) == golden.int("agreedVersion"))
    #expect(try client.keyHash == golden.hex("caFingerprintSha256"))
    let mode = try golden.string("clientMode")
    #expect(client.isProxy == (mode == "proxy" && client.version >= SMPVersion.proxyHandshake))
    #expect((client.service != nil) == (mode == "service"))
    if blocks.count > 2 {
      let bytes = try blocks[2].hex("content")
      let response = try ServiceResponse.codec.decode(bytes)
      guard case .registered = response else { throw UnusableVector(reason: "not registered") }
      #expect(try ServiceResponse.codec.encode(response) == bytes)
    }
  }

  @Test(arguments: cases("handshakes"))
  func answerAndKeys(_ golden: Golden) throws {
    let content = try golden.elements("handshakeBlocks")[0].hex("content")
    let signer: AnyPublicKey =
      try golden.string("certificateAlgorithm") == "ed448"
      ? .ed448(golden.privateKey("serverSignPrivateKeyDer", Ed448.self).publicKey)
      : .ed25519(golden.privateKey("serverSignPrivateKeyDer", Ed25519.self).publicKey)
    let versions = try golden.elements("clientVersionRange").map { UInt16(try $0.int()) }
    let offer = ClientHandshake.Offer(
      keyHash: try golden.hex("caFingerprintSha256"), versions: VersionRange(versions[0]...versions[1]),
      isProxy: try golden.string("clientMode") == "proxy")
    let handshake = ClientHandshake(sessionID: SessionID(try golden.hex("sessionId")), relayKey: signer)
    var random = InsecureSeededRandom(seed: 1)
    let (hello, session) = try handshake.answer(content.span.bytes, offer, random: &random)
    #expect(try Int(session.context.version) == golden.int("agreedVersion"))
    #expect(try session.sealing.isEncrypting == golden.bool("blocksEncrypted"))
    #expect(try ClientHello.codec.decode(hello).version == session.context.version)

    let other = ClientHandshake(
      sessionID: handshake.sessionID, relayKey: .ed25519(Ed25519.PrivateKey(using: &random).publicKey))
    if session.context.version >= SMPVersion.authenticators {
      #expect(throws: ProtocolTransportError.handshake(handshakeErr: .BAD_AUTH)) {
        try other.answer(content.span.bytes, offer, random: &random)
      }
    }
    let elsewhere = ClientHandshake(sessionID: SessionID([1]), relayKey: signer)
    #expect(throws: ProtocolTransportError.badSession) {
      try elsewhere.answer(content.span.bytes, offer, random: &random)
    }
  }

  @Test(arguments: cases("handshakes"))
  func blocksAfterwards(_ golden: Golden) throws {
    var server = BlockSealing()
    var client = BlockSealing()
    if try golden.bool("blocksEncrypted") {
      let session = SessionID(try golden.hex("sessionId"))
      let secret = SecretBytes(try golden.hex("sharedSecret"))
      server = BlockSealing(sessionID: session, secret: secret, isServer: true)
      client = BlockSealing(sessionID: session, secret: secret, isServer: false)
    }
    for block in try golden.elements("blocksAfter") {
      let content = Array(try block.string("content").utf8)
      let isServer = try block.string("from") == "server"
      var sealed = isServer ? try server.seal(content) : try client.seal(content)
      #expect(try HashFunction.sha256.digest(of: sealed.span.bytes) == block.hex("blockSha256"))
      let range = try sealed.opened { (bytes) throws(CryptoError) in
        isServer ? try client.open(&bytes) : try server.open(&bytes)
      }
      #expect(Array(sealed[range]) == content)
    }
  }
}

extension [UInt8] {
  fileprivate mutating func opened<Result>(
    _ body: (inout MutableRawSpan) throws(CryptoError) -> Result
  ) throws(CryptoError) -> Result {
    var bytes = mutableBytes
    return try body(&bytes)
  }
}
