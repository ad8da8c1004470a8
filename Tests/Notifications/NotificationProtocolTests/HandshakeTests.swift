import NotificationProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@Suite("Handshakes have the bytes of the reference implementation")
struct HandshakeTests {
  @Test(arguments: cases("handshakes"))
  func blocks(_ golden: Golden) throws {
    let vectors = try #require(notificationVectors)
    let blocks = try golden.elements("blocks")
    let highest = UInt16(try golden.int("serverMaxVersion"))
    let content = try blocks[0].hex("content")
    let hello = try NotificationServerHello.codec.decode(content)
    #expect(hello.versions == VersionRange(1, highest))
    #expect(hello.sessionID == SessionID(try vectors.member("keys").hex("sessionId")))
    #expect((hello.sessionKey == nil) == (highest == 1))
    if let key = hello.sessionKey {
      #expect(try key.key == .x25519(vectors.member("keys").x25519("serverSessionPublicKeyDer")))
    }
    #expect(try NotificationServerHello.codec.encode(hello) == content)
    #expect(try NotificationServerHello.codec.decode(content + [1, 2]) == hello)
    let answer = NotificationClientHello(version: highest, keyHash: try vectors.hex("caFingerprintSha256"))
    #expect(try NotificationClientHello.codec.encode(answer) == blocks[1].hex("content"))
    #expect(try NotificationClientHello.codec.decode(blocks[1].hex("content") + [7]) == answer)
    for (block, bytes) in [
      (blocks[0], try NotificationHello.block(hello, NotificationServerHello.codec)),
      (blocks[1], try NotificationHello.block(answer, NotificationClientHello.codec)),
    ] {
      #expect(try bytes.count == block.int("blockLen"))
      #expect(try HashFunction.sha256.digest(of: bytes.span.bytes) == block.hex("blockSha256"))
    }
  }

  @Test func clientVerifiesTheSession() throws {
    var random = SystemRandom()
    let certificate = Ed25519.PrivateKey(using: &random)
    let sessionKey = X25519.PrivateKey(using: &random)
    let sessionID = SessionID([1, 2, 3])
    let signed = try #require(
      SignedKey(signing: .x25519(sessionKey.publicKey)) { certificate.signature(of: $0.span.bytes) })
    let hello = NotificationServerHello(versions: VersionRange(1...3), sessionID: sessionID, sessionKey: signed)
    let block = try NotificationHello.block(hello, NotificationServerHello.codec)
    let handshake = NotificationHandshake(sessionID: sessionID, serverKey: .ed25519(certificate.publicKey))
    let (answer, session) = try handshake.answer(block: block, keyHash: [9])
    #expect(answer.count == 512)
    #expect(session.context == .notifications(version: 3, sessionID: sessionID))
    #expect(session.serverKey == sessionKey.publicKey)
    let old = try handshake.answer(block: block, keyHash: [9], versions: VersionRange(1))
    #expect(old.session.context.version == 1 && !old.session.context.form.isBatched)

    let other = NotificationHandshake(sessionID: SessionID([1]), serverKey: .ed25519(certificate.publicKey))
    #expect(throws: ProtocolTransportError.badSession) { _ = try other.answer(block: block, keyHash: [9]) }
    let impostor = Ed25519.PrivateKey(using: &random).publicKey
    let wrong = NotificationHandshake(sessionID: sessionID, serverKey: .ed25519(impostor))
    #expect(throws: ProtocolTransportError.handshake(handshakeErr: .BAD_AUTH)) {
      _ = try wrong.answer(block: block, keyHash: [9])
    }
    #expect(throws: ProtocolTransportError.version) {
      _ = try handshake.answer(block: block, keyHash: [9], versions: VersionRange(4...5))
    }
    #expect(throws: ProtocolTransportError.badBlock) {
      _ = try handshake.answer(block: [UInt8](repeating: 255, count: 512), keyHash: [9])
    }
    #expect(throws: ProtocolTransportError.handshake(handshakeErr: .PARSE)) {
      _ = try handshake.answer(block: [0, 1] + [UInt8](repeating: 9, count: 510), keyHash: [9])
    }
  }
}
