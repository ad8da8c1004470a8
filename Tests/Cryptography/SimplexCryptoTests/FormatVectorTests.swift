import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@Suite("Constructions over boxes agree with the reference implementation")
struct FormatVectorTests {
  @Test(arguments: cases("cbAuthenticator"))
  func commandAuthenticator(_ golden: Golden) throws {
    let queueKey = try X25519.PrivateKey(secret: golden.secret("queuePrivateKey"))
    let sessionKey = try X25519.PrivateKey(secret: golden.secret("serverSessionPrivateKey"))
    let command = try golden.hex("authorized")
    let nonce = try BoxNonce(golden.hex("nonce"))
    let key = try queueKey.boxKey(with: sessionKey.publicKey)
    let authenticator = key.authenticator(of: command, nonce: nonce)
    #expect(authenticator == (try golden.hex("authenticator")))
    #expect(authenticator.count == BoxKey.authenticatorSize)

    let serverKey = try sessionKey.boxKey(with: queueKey.publicKey)
    #expect(serverKey.isValid(authenticator, of: command, nonce: nonce))
    #expect(!serverKey.isValid(authenticator, of: command + [0], nonce: nonce))
    #expect(!serverKey.isValid(authenticator.flippingBit(639), of: command, nonce: nonce))
    #expect(!serverKey.isValid(Array(authenticator.dropLast()), of: command, nonce: nonce))
    #expect(!serverKey.isValid(authenticator, of: command, nonce: BoxNonce(fitting: [])))
  }

  @Test(arguments: cases("kemHybridBox"))
  func hybridBox(_ golden: Golden) throws {
    let dhSecret = try X25519.PrivateKey(secret: golden.secret("privateKey"))
      .sharedSecret(with: X25519.PublicKey(rawBytes: golden.hex("peerPublicKey")))
    let key = BoxKey(hybridOf: dhSecret, try golden.secret("kemSharedSecret"))
    #expect(key.secret == (try golden.secret("hybridSecret")))
    let nonce = try BoxNonce(golden.hex("nonce"))
    let box = try key.seal(golden.hex("message"), paddedTo: golden.int("paddedLen"), nonce: nonce)
    #expect(box == (try golden.hex("encrypted")))
    #expect(try key.openPadded(box, nonce: nonce) == (try golden.hex("message")))
  }

  @Test(arguments: cases("transportChain"))
  func transportBlocks(_ golden: Golden) throws {
    let client = try X25519.PrivateKey(secret: golden.secret("clientPrivateKey"))
    let server = try X25519.PublicKey(rawBytes: golden.hex("serverPublicKey"))
    let sharedSecret = try client.sharedSecret(with: server)
    #expect(sharedSecret == (try golden.secret("sharedSecret")))
    let sessionID = try golden.hex("sessionId")
    let chains = BoxKeyChain.pair(salt: sessionID.span.bytes, secret: sharedSecret.bytes)
    #expect(chains.first.chainKey == (try golden.secret("serverSndClientRcvChainKey0")))
    #expect(chains.second.chainKey == (try golden.secret("clientSndServerRcvChainKey0")))
    try checkBlocks(chains.first, golden.elements("serverToClient"))
    try checkBlocks(chains.second, golden.elements("clientToServer"))
  }

  private func checkBlocks(_ chain: BoxKeyChain, _ blocks: [Golden]) throws {
    var sending = chain
    var receiving = chain
    var stepping = chain
    for golden in blocks {
      #expect(stepping.chainKey == (try golden.secret("chainKey")))
      let (key, nonce) = stepping.next()
      #expect(key.secret == (try golden.secret("key")))
      #expect(nonce.bytes == (try golden.hex("nonce")))
      #expect(stepping.chainKey == (try golden.secret("nextChainKey")))

      let message = try golden.hex("message")
      var block = [UInt8](repeating: 0, count: 16384)
      try block.inPlace { try sending.seal(message.span.bytes, intoBlock: &$0) }
      try golden.expect(block, "block")

      var tampered = block.flippingBit(77_777)
      #expect(throws: CryptoError.authenticationFailed) {
        try tampered.inPlace { _ = try receiving.open(inPlace: &$0) }
      }
      let content = try block.inPlace { try receiving.open(inPlace: &$0) }
      #expect(Array(block[content]) == message)
    }
    #expect(sending == stepping && receiving == stepping)
  }

  @Test func blocksHaveALimit() throws {
    var chain = BoxKeyChain.pair(salt: RawSpan(), secret: RawSpan()).first
    let before = chain
    let longest = [UInt8](repeating: 1, count: 46)
    var block = [UInt8](repeating: 0, count: 64)
    #expect(throws: CryptoError.messageTooLong(limit: 46)) {
      try block.inPlace { try chain.seal((longest + [1]).span.bytes, intoBlock: &$0) }
    }
    #expect(chain == before)
    try block.inPlace { try chain.seal(longest.span.bytes, intoBlock: &$0) }
    #expect(chain != before)
    var short: [UInt8] = [1, 2, 3]
    #expect(throws: CryptoError.authenticationFailed) { try short.inPlace { _ = try chain.open(inPlace: &$0) } }
    #expect(throws: CryptoError.messageTooLong(limit: -15)) {
      try short.inPlace { try chain.seal(RawSpan(), intoBlock: &$0) }
    }
  }

  @Test(arguments: cases("lazyPad"))
  func longPad(_ golden: Golden) throws {
    let text = Array(try golden.hex("message").prefix(golden.int("len")))
    let count = try golden.int("paddedLen")
    guard golden["result"]?["error"] == nil else {
      #expect(throws: CryptoError.messageTooLong(limit: count - 8)) { try LongPadding.pad(text.span.bytes, to: count) }
      return
    }
    let padded = try LongPadding.pad(text.span.bytes, to: count)
    #expect(padded == (try golden.hex("result")))
    #expect(try LongPadding.unpad(padded) == text)
  }

  @Test(arguments: cases("lazyUnPad"))
  func longUnpad(_ golden: Golden) throws {
    let padded = try golden.hex("padded")
    guard golden["result"]?["error"] == nil else {
      #expect(throws: CryptoError.invalidPadding) { try LongPadding.unpad(padded) }
      return
    }
    #expect(try LongPadding.unpad(padded) == (try golden.hex("result")))
  }

  @Test(arguments: cases("lazySecretBox"))
  func longBox(_ golden: Golden) throws {
    let key = try BoxKey(golden.secret("key"))
    let nonce = try BoxNonce(golden.hex("nonce"))
    let message = try golden.message()
    let padded = try LongPadding.pad(message.span.bytes, to: golden.int("paddedLen"))
    let tagFirst = key.seal(padded, nonce: nonce)
    try golden.expect(tagFirst, "encryptedTagFirst")
    #expect(try key.open(tagFirst, nonce: nonce) == padded)
    let tagLast = key.seal(padded, nonce: nonce, tag: .last)
    try golden.expect(tagLast, "encryptedTagLast")
    #expect(tagLast.suffix(16) == (try golden.hex("tag"))[...])
    #expect(try key.open(tagLast, nonce: nonce, tag: .last) == padded)
    #expect(throws: CryptoError.authenticationFailed) {
      try key.open(tagLast.flippingBit(tagLast.count * 8 - 1), nonce: nonce, tag: .last)
    }
    #expect(throws: CryptoError.authenticationFailed) { try key.open(tagLast, nonce: nonce, tag: .first) }
    let bare = key.seal(message, nonce: nonce, tag: .last)
    try golden.expect(bare, "encryptedTagLastNoPad")

    for partSize in [1000, 64, 4096, 100_000] {
      var stream = BoxStream(.seal, key: key, nonce: nonce)
      let parts = stride(from: 0, to: message.count, by: partSize).map { message[$0...].prefix(partSize) }
      let ciphertext = parts.flatMap { stream.process(Array($0).span.bytes) }
      #expect(ciphertext + stream.finish().bytes == bare)
    }
  }

  @Test(arguments: cases("x25519") + cases("x448"))
  func keyCodecs(_ golden: Golden) throws {
    let binary = try golden.hex("alicePublicKeySmp")
    let key = try AnyPublicKey.codec.decode(binary)
    #expect(key.der == (try golden.hex("alicePublicKeyDer")))
    #expect(try AnyPublicKey.codec.encode(key) == binary)
    let text = try golden.string("alicePublicKeyStr")
    #expect(try AnyPublicKey.textCodec.decode(text: text) == key)
    #expect(try AnyPublicKey.textCodec.text(key) == text)
  }

  @Test(arguments: cases("ed25519"))
  func typedKeyCodecs(_ golden: Golden) throws {
    let binary = try golden.hex("publicKeySmp")
    let key = try Ed25519.PublicKey.codec.decode(binary)
    #expect(try Ed25519.PublicKey.codec.encode(key) == binary)
    #expect(try Ed25519.PublicKey.textCodec.text(key) == (try golden.string("publicKeyStr")))
    #expect(throws: WireError.self) { try Ed448.PublicKey.codec.decode(binary) }
    #expect(throws: WireError.self) { try X25519.PublicKey.textCodec.decode(text: golden.string("publicKeyStr")) }
  }
}
