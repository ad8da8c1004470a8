import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

/// Frames that the reference's two sides exchanged are opened, and made again to the byte.
@Suite struct RecordedSessionTests {
  private let session: Golden
  private let frames: [Golden]

  init() throws {
    let recorded = try Vectors.load("xrcp-session.json")
    session = try recorded.member("keys")
    frames = try recorded.elements("frames")
  }

  /// The ciphers of both sides at the beginning of the session.
  private func ciphers(compressing: Bool) throws -> (controller: FrameCipher, host: FrameCipher) {
    let secret = try session.hex("hybridSecret")
    var (fromController, fromHost) = BoxKeyChain.pair(salt: RawSpan(), secret: secret.span.bytes)
    // The controller's HELLO was the first body.
    _ = fromController.next()
    let sessionKey = try Ed25519.PrivateKey(der: session.hex("controllerSessionPrivateKey"))
    let identityKey = try Ed25519.PrivateKey(der: session.hex("controllerIdentityPrivateKey"))
    let id = SessionID(try session.hex("sessionIdentifier"))
    return (
      FrameCipher(
        session: id, side: .controller(sessionKey: sessionKey, identityKey: identityKey),
        keys: FrameKeys(sending: fromController, receiving: fromHost), isCompressing: compressing),
      FrameCipher(
        session: id, side: .host(sessionKey: sessionKey.publicKey, identityKey: identityKey.publicKey),
        keys: FrameKeys(sending: fromHost, receiving: fromController), isCompressing: compressing)
    )
  }

  @Test func framesAreOpenedAndMadeAgain() throws {
    var (controller, host) = try ciphers(compressing: false)
    let plain = try frames.filter { try !$0.bool("compressed") }
    #expect(plain.count == 7)
    for golden in plain {
      let bytes = try golden.hex("frame")
      let json = Array(try golden.string("json").utf8)
      let isRequest = try golden.string("direction") == "request"
      var reader = isRequest ? host.reader : controller.reader
      let received = try #require(try reader.append(bytes))
      #expect(received.rest.isEmpty)
      #expect(try Int(received.frame.head.counter) == golden.int("counter"))
      // Sealing is deterministic, signatures included.
      let sealed = isRequest ? try controller.seal(json) : try host.seal(json)
      #expect(sealed.bytes == bytes)
      let opened = isRequest ? try host.open(received.frame) : try controller.open(received.frame)
      #expect(opened.json == json)
      let key = SecretBytes(try golden.hex("fileKey"))
      #expect(try opened.fileKey.key == BoxKey(key))
      let nonce = try golden.hex("fileNonce")
      #expect(try opened.fileKey.nonce == BoxNonce(nonce))
    }
  }
}
