import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec
import XFTPProtocol

@Suite("Handshakes have the bytes of the reference implementation")
struct HandshakeTests {
  let golden: Golden

  init() throws { golden = try #require(xftpVectors).member("handshake") }

  @Test func clientHello() throws {
    let empty = XFTPClientHello(challenge: nil)
    #expect(try XFTPClientHello.codec.encode(empty) == golden.hex("clientHello"))
    let hello = XFTPClientHello(challenge: try golden.hex("webChallenge"))
    let bytes = try golden.hex("clientHelloWebChallenge")
    #expect(try XFTPClientHello.codec.encode(hello) == bytes)
    #expect(try XFTPClientHello.codec.decode(bytes + [1, 2]) == hello)
    #expect(throws: WireError.self) { try XFTPClientHello.codec.decode([0x31, 1, 7]) }
  }

  @Test(arguments: ["serverHandshake", "serverHandshakeWithProof"])
  func serverHandshake(_ name: String) throws {
    let bytes = try golden.hex(name)
    let handshake = try XFTPServerHandshake.codec.decode(bytes)
    #expect(try XFTPServerHandshake.codec.encode(handshake) == bytes)
    #expect(handshake.versions == XFTPVersion.supported)
    #expect(try handshake.sessionKey.certificates == golden.elements("certChain").map { try $0.hex() })
    #expect(try handshake.sessionKey.key.der == golden.hex("signedServerKeyDer"))
    #expect((handshake.identityProof == nil) == (name == "serverHandshake"))
    #expect(try XFTPServerHandshake.codec.decode(bytes + [1]) == handshake)
    let block = try XFTPBlock.encode(handshake, XFTPServerHandshake.codec)
    #expect(try block.count == golden.int("paddedTo"))
    #expect(XFTPBlock.decode(block, XFTPServerHandshake.codec) == handshake)
    #expect(XFTPBlock.decode(block.dropLast() + [], XFTPServerHandshake.codec) == nil)
  }

  @Test func clientHandshake() throws {
    let handshake = XFTPClientHandshake(version: 3, keyHash: try golden.hex("caFingerprintSha256"))
    let bytes = try golden.hex("clientHandshake")
    #expect(try XFTPClientHandshake.codec.encode(handshake) == bytes)
    #expect(try XFTPClientHandshake.codec.decode(bytes + [9]) == handshake)
  }
}
