import RemoteControlProtocol
import SNTRUP761
import SimplexCrypto
import SimplexJSON
import SimplexTesting
import Testing
import WireCodec

@Suite("The handshake has the bytes of the reference implementation")
struct HandshakeTests {
  let golden: Golden
  let key: BoxKey

  init() throws {
    golden = try #require(vectors).member("session")
    key = try BoxKey(SecretBytes(golden.hex("dhSecret")))
  }

  @Test func hostHello() throws {
    let json = try golden.string("hostHelloJson")
    let hello = try HostHello(jsonText: json)
    #expect(hello.jsonText() == json)
    #expect(hello.version == 1)
    #expect(try hello.kemKey.rawBytes == golden.hex("kemPublicKey"))
    let host: X25519.PrivateKey = try golden.privateKey("hostDhPrivateKeyDer")
    let controller: X25519.PrivateKey = try golden.privateKey("controllerDhPrivateKeyDer")
    #expect(try host.boxKey(with: controller.publicKey) == key)
    let sealed = try SealedHostHello(
      hello, hostKey: host.publicKey, key: key, nonce: BoxNonce(golden.hex("hostHelloNonce")))
    #expect(try SealedHostHello.codec.encode(sealed) == golden.hex("hostHelloPacket"))
    let block = try HandshakeBlock.encode(sealed, SealedHostHello.codec)
    #expect(try block.count == golden.int("packetBlockSize"))
    let received = try HandshakeBlock.decode(block, SealedHostHello.codec)
    #expect(received == sealed)
    #expect(try received.open(with: controller.boxKey(with: received.hostKey)) == hello)
    #expect(throws: RemoteControlError.decrypt) { try received.open(with: host.boxKey(with: host.publicKey)) }
  }

  @Test func chainsAndControllerHello() throws {
    let secret = try KEMSecretKey(secret: SecretBytes(golden.hex("kemSecretKey")))
    let ciphertext = try KEMCiphertext(rawBytes: golden.hex("kemCiphertext"))
    let kemSecret = secret.decapsulate(ciphertext).secret
    #expect(try kemSecret == SecretBytes(golden.hex("kemSharedSecret")))
    let hybrid = BoxKey(hybridOf: key.secret, kemSecret)
    #expect(try hybrid.secret == SecretBytes(golden.hex("hybridSecret (sha3-256 of dh ‖ kem)")))
    let (fromController, fromHost) = BoxKeyChain.pair(salt: RawSpan(), secret: hybrid.secret.bytes)
    let keys = try golden.member("chainKeys (hkdf salt empty)")
    #expect(try fromController.chainKey == SecretBytes(keys.hex("controllerSndHostRcv")))
    #expect(try fromHost.chainKey == SecretBytes(keys.hex("controllerRcvHostSnd")))

    var sending = fromController
    let hello = try ControllerHello.accepting(ciphertext, chain: &sending)
    #expect(try ControllerHello.codec.encode(hello) == golden.hex("ctrlHelloPacket"))
    let block = try HandshakeBlock.encode(hello, ControllerHello.codec)
    #expect(try HandshakeBlock.decode(block, ControllerHello.codec) == hello)
    guard case .hello(_, let box) = hello else { Issue.record("no HELLO"); return }
    var receiving = fromController
    try ControllerHello.open(box, chain: &receiving)
    #expect(receiving == sending)
    #expect(throws: RemoteControlError.decrypt) { try ControllerHello.open(box, chain: &receiving) }
    #expect(receiving == sending)
  }

  @Test func controllerError() throws {
    let nonce = try BoxNonce(golden.hex("ctrlErrorNonce"))
    let text = try golden.string("ctrlErrorMessage")
    let error = try ControllerHello.refusing(text, key: key, nonce: nonce)
    let bytes = try golden.hex("ctrlErrorPacket")
    #expect(try ControllerHello.codec.encode(error) == bytes)
    guard case .error(nonce, let box) = try ControllerHello.codec.decode(bytes) else {
      Issue.record("no ERROR")
      return
    }
    #expect(try ControllerHello.reason(in: box, key: key, nonce: nonce) == text)
    #expect(throws: RemoteControlError.decrypt) {
      try ControllerHello.reason(in: box, key: key, nonce: BoxNonce(fitting: [1]))
    }
  }

  @Test func blocksHaveOneSize() throws {
    let block = try HandshakeBlock.encode(Array("HELLO".utf8), .tail)
    #expect(try HandshakeBlock.decode(block, .tail) == Array("HELLO".utf8))
    #expect(throws: RemoteControlError.blockSize) { try HandshakeBlock.decode(Array(block.dropLast()), .tail) }
    #expect(throws: RemoteControlError.blockSize) { try HandshakeBlock.decode(block + [0], .tail) }
    #expect(throws: RemoteControlError.blockSize) {
      try HandshakeBlock.decode([0xff, 0xff] + block.dropFirst(2), .tail)
    }
    #expect(throws: RemoteControlError.blockSize) {
      try HandshakeBlock.encode([UInt8](repeating: 0, count: 16_383), .tail)
    }
    #expect(throws: RemoteControlError.self) { try HandshakeBlock.decode(block, ControllerHello.codec) }
  }

  @Test func malformedHellosAreRefused() throws {
    let nonce = BoxNonce(fitting: [1])
    let host: X25519.PrivateKey = try golden.privateKey("hostDhPrivateKeyDer")
    for json in ["", "{}", "[]", "null", #"{"v":1,"ca":"AA==","app":1,"kem":""}"#, "{\"v\":1"] {
      let box = try key.seal(Array(json.utf8), paddedTo: HandshakeBlock.paddedSize, nonce: nonce)
      let sealed = SealedHostHello(hostKey: host.publicKey, nonce: nonce, box: box)
      do throws(RemoteControlError) {
        _ = try sealed.open(with: key)
        Issue.record("accepted \(json)")
      } catch {
        guard case .syntax = error else { Issue.record("\(json): \(error)"); continue }
      }
    }
    var chain = BoxKeyChain.pair(salt: RawSpan(), secret: key.secret.bytes).first
    var copy = chain
    let (boxKey, boxNonce) = copy.next()
    let box = try boxKey.seal(Array("[]".utf8), paddedTo: HandshakeBlock.paddedSize, nonce: boxNonce)
    #expect(throws: RemoteControlError.self) { try ControllerHello.open(box, chain: &chain) }
  }
}
