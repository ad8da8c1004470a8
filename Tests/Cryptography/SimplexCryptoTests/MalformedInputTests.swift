import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@Suite("Malformed keys")
struct MalformedKeyTests {
  /// Points whose multiples are few: every secret key gives zero with them.
  @Test(arguments: [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  ])
  func lowOrderPointsOfX25519(point: String) throws {
    var random = InsecureSeededRandom(seed: 3)
    let key = X25519.PrivateKey(using: &random)
    let peer = try X25519.PublicKey(rawBytes: hex(point))
    #expect(throws: CryptoError.lowOrderPoint) { try key.sharedSecret(with: peer) }
    #expect(throws: CryptoError.lowOrderPoint) { try key.boxKey(with: peer) }
  }

  // The prime of Curve448 is 2^448 - 2^224 - 1.
  private static let ff = String(repeating: "ff", count: 27)

  @Test(arguments: [
    String(repeating: "00", count: 56), "01" + String(repeating: "00", count: 55),
    "fe" + ff + "feffffff" + String(repeating: "ff", count: 24),  // p - 1
    "ff" + ff + "feffffff" + String(repeating: "ff", count: 24),  // p
    String(repeating: "00", count: 28) + String(repeating: "ff", count: 28),  // p + 1
  ])
  func lowOrderPointsOfX448(point: String) throws {
    var random = InsecureSeededRandom(seed: 4)
    let generated = X448.PrivateKey(using: &random)
    let peer = try X448.PublicKey(rawBytes: hex(point))
    #expect(throws: CryptoError.lowOrderPoint) { try generated.sharedSecret(with: peer) }
    let read = try X448.PrivateKey(secret: generated.secret)
    #expect(throws: CryptoError.lowOrderPoint) { try read.sharedSecret(with: peer) }
  }

  /// Coordinates above the prime, and the unused top bit, are reduced as RFC 7748 says.
  @Test func nonCanonicalPointsAreReduced() throws {
    var random = InsecureSeededRandom(seed: 5)
    let key25519 = X25519.PrivateKey(using: &random)
    let two = [2] + [UInt8](repeating: 0, count: 31)
    let above = [0xef] + [UInt8](repeating: 0xff, count: 30) + [0x7f]  // p + 2
    let expected = try key25519.sharedSecret(with: X25519.PublicKey(rawBytes: two))
    #expect(try key25519.sharedSecret(with: X25519.PublicKey(rawBytes: above)) == expected)
    #expect(try key25519.sharedSecret(with: X25519.PublicKey(rawBytes: two.flippingBit(255))) == expected)

    let key448 = X448.PrivateKey(using: &random)
    let two448 = [2] + [UInt8](repeating: 0, count: 55)
    let above448 = [1] + [UInt8](repeating: 0, count: 27) + [UInt8](repeating: 0xff, count: 28)  // p + 2
    #expect(
      try key448.sharedSecret(with: X448.PublicKey(rawBytes: above448))
        == key448.sharedSecret(with: X448.PublicKey(rawBytes: two448)))
  }

  @Test(arguments: KeyAlgorithmIdentifier.allCases)
  func rawSizes(algorithm: KeyAlgorithmIdentifier) {
    switch algorithm {
    case .x25519: checkSizes(X25519.self)
    case .x448: checkSizes(X448.self)
    case .ed25519: checkSizes(Ed25519.self)
    case .ed448: checkSizes(Ed448.self)
    }
  }

  private func checkSizes<A: KeyAlgorithm>(_ algorithm: A.Type) {
    let size = A.identifier.publicKeySize
    for wrong in [0, 1, size - 1, size + 1, 2 * size] {
      let bytes = [UInt8](repeating: 7, count: wrong)
      let error = CryptoError.invalidLength(of: .key, expected: size, actual: wrong)
      #expect(throws: error) { try PublicKey<A>(rawBytes: bytes) }
      #expect(throws: error) { try PrivateKey<A>(secret: SecretBytes(bytes)) }
    }
  }

  @Test(arguments: KeyAlgorithmIdentifier.allCases)
  func damagedDER(algorithm: KeyAlgorithmIdentifier) throws {
    switch algorithm {
    case .x25519: try checkDER(X25519.self)
    case .x448: try checkDER(X448.self)
    case .ed25519: try checkDER(Ed25519.self)
    case .ed448: try checkDER(Ed448.self)
    }
  }

  private func checkDER<A: KeyAlgorithm>(_ algorithm: A.Type) throws {
    var random = InsecureSeededRandom(seed: 6)
    let key = PrivateKey<A>(using: &random)
    let publicDER = key.publicKey.der
    let privateDER = [UInt8](copying: key.der.bytes)
    #expect(try PublicKey<A>(der: publicDER) == key.publicKey)
    #expect(try PrivateKey<A>(der: privateDER) == key)

    for (der, prefix) in [(publicDER, 12), (privateDER, 16)] {
      var damaged: [[UInt8]] = [[], der + [0], der + der, Array(der.dropFirst())]
      damaged += (0..<der.count).map { Array(der.prefix($0)) }
      damaged += (0..<prefix * 8).map { der.flippingBit($0) }
      for input in damaged {
        #expect(throws: CryptoError.invalidKeyEncoding) { try PublicKey<A>(der: input) }
        #expect(throws: CryptoError.invalidKeyEncoding) { try PrivateKey<A>(der: input) }
      }
    }
    // Another algorithm's object identifier is refused here, and accepted only where any algorithm is.
    if case .x25519 = A.identifier {
      var ed25519 = publicDER
      ed25519[8] = 112
      #expect(throws: CryptoError.invalidKeyEncoding) { try PublicKey<A>(der: ed25519) }
      #expect(try AnyPublicKey(der: ed25519).der == ed25519)
      #expect(throws: CryptoError.invalidKeyEncoding) { try AnyPublicKey(der: ed25519 + [0]) }
      ed25519[8] = 113
      #expect(throws: CryptoError.invalidKeyEncoding) { try AnyPublicKey(der: ed25519) }
      ed25519[8] = 114
      #expect(throws: CryptoError.invalidKeyEncoding) { try AnyPublicKey(der: ed25519) }
    }
    #expect(throws: CryptoError.invalidKeyEncoding) { try AnyPublicKey(der: []) }
  }

  /// Wycheproof's favourites: longer length forms and other spellings that DER forbids.
  @Test(arguments: [
    "30812a300506032b656e032100",  // length in two bytes
    "302c300706032b656e0500032100",  // NULL parameters
    "302a300506032b656e032101",  // unused bits
    "3080300506032b656e032100",  // indefinite length
    "302a300506032b656e042100",  // octet string
  ])
  func otherSpellingsAreRefused(prefix: String) {
    let der = hex(prefix) + [UInt8](repeating: 9, count: 32)
    #expect(throws: CryptoError.invalidKeyEncoding) { try X25519.PublicKey(der: der) }
    #expect(throws: CryptoError.invalidKeyEncoding) { try X25519.PublicKey(der: der + [0, 0]) }
  }
}

@Suite("Malformed signatures and boxes")
struct MalformedMessageTests {
  @Test func everyBitOfASignatureCounts() throws {
    var random = InsecureSeededRandom(seed: 7)
    try check(Ed25519.PrivateKey(using: &random))
    try check(Ed448.PrivateKey(using: &random))
  }

  private func check<A: SignatureAlgorithm>(_ key: PrivateKey<A>) throws {
    let message = Array("message".utf8)
    let signature = key.signature(of: message)
    let publicKey = key.publicKey
    #expect(publicKey.isValid(signature, of: message))
    for bit in 0..<signature.count * 8 { #expect(!publicKey.isValid(signature.flippingBit(bit), of: message)) }
    for size in [0, 1, 63, 65, 113, 115] {
      #expect(!publicKey.isValid(Array((signature + signature).prefix(size)), of: message))
    }
    #expect(!publicKey.isValid(signature, of: []))
    var other = SystemRandom()
    #expect(!PrivateKey<A>(using: &other).publicKey.isValid(signature, of: message))
    let zeros = [UInt8](repeating: 0, count: A.identifier.publicKeySize)
    #expect(!(try PublicKey<A>(rawBytes: zeros)).isValid(signature, of: message))
    let ones = [UInt8](repeating: 0xff, count: A.identifier.publicKeySize)
    #expect(!(try PublicKey<A>(rawBytes: ones)).isValid(signature, of: message))
  }

  /// A second signature made by adding the group order to the scalar must not be accepted.
  @Test func signaturesOfEd25519AreNotMalleable() {
    var random = InsecureSeededRandom(seed: 8)
    let key = Ed25519.PrivateKey(using: &random)
    let signature = key.signature(of: [1])
    let order = hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
    var carry = 0
    var malleated = signature
    for index in 0..<32 {
      let sum = Int(signature[32 + index]) + Int(order[index]) + carry
      malleated[32 + index] = UInt8(sum & 0xff)
      carry = sum >> 8
    }
    #expect(carry == 0)
    #expect(malleated != signature)
    #expect(!key.publicKey.isValid(malleated, of: [1]))
  }

  /// With the identity as key, and as the first half of the signature, a zero scalar "signs" every message.
  @Test func smallOrderKeysOfEd25519SignNothing() throws {
    let identity = [1] + [UInt8](repeating: 0, count: 31)
    let signature = identity + [UInt8](repeating: 0, count: 32)
    #expect(!(try Ed25519.PublicKey(rawBytes: identity)).isValid(signature, of: [1, 2, 3]))
  }

  @Test func everyBitOfABoxCounts() throws {
    var random = InsecureSeededRandom(seed: 9)
    let key = BoxKey(using: &random)
    let nonce = BoxNonce(using: &random)
    let box = key.seal(random.bytes(70), nonce: nonce)
    for bit in 0..<box.count * 8 {
      var changed = box.flippingBit(bit)
      #expect(throws: CryptoError.authenticationFailed) { try key.open(changed, nonce: nonce) }
      let before = changed
      #expect(throws: CryptoError.authenticationFailed) {
        try changed.inPlace { try key.openInPlace(&$0, nonce: nonce) }
      }
      #expect(changed == before)
    }
    for count in 0..<box.count {
      #expect(throws: CryptoError.authenticationFailed) { try key.open(Array(box.prefix(count)), nonce: nonce) }
    }
    #expect(throws: CryptoError.authenticationFailed) { try key.open(box, nonce: nonce.reversed) }
    #expect(throws: CryptoError.authenticationFailed) { try BoxKey(using: &random).open(box, nonce: nonce) }
  }

  @Test func sizesOfNoncesTagsAndKeys() {
    for size in [0, 1, 23, 25, 48] {
      let bytes = [UInt8](repeating: 1, count: size)
      #expect(throws: CryptoError.invalidLength(of: .nonce, expected: 24, actual: size)) { try BoxNonce(bytes) }
      #expect(throws: CryptoError.invalidLength(of: .tag, expected: 16, actual: size)) { try AuthTag(bytes) }
      #expect(throws: CryptoError.invalidLength(of: .key, expected: 32, actual: size)) {
        try BoxKey(SecretBytes(bytes))
      }
      #expect(throws: CryptoError.invalidLength(of: .key, expected: 32, actual: size)) {
        try BoxKeyChain(chainKey: SecretBytes(bytes))
      }
    }
    var short = [UInt8](repeating: 0, count: 15)
    var random = InsecureSeededRandom(seed: 10)
    let key = BoxKey(using: &random)
    #expect(throws: CryptoError.invalidLength(of: .output, expected: 16, actual: 15)) {
      try short.inPlace { try key.sealInPlace(&$0, nonce: BoxNonce(fitting: [])) }
    }
  }

  @Test func authTagsAreCompared() throws {
    let tag = try AuthTag(Array(UInt8(0)..<16))
    for bit in 0..<128 { #expect(try AuthTag(tag.bytes.flippingBit(bit)) != tag) }
    #expect(try AuthTag(tag.bytes) == tag)
  }

  /// Boxes of any size, sealed whole and in parts cut at random, are the same and open in both ways.
  @Test(arguments: propertySeeds(8))
  func streamsAndWholeBoxesAgree(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var random = InsecureSeededRandom(seed: seed)
    for _ in 0..<20 {
      let text = generator.bytes(upTo: 3000)
      let key = BoxKey(using: &random)
      let nonce = BoxNonce(using: &random)
      let whole = key.seal(text, nonce: nonce, tag: .last)

      var sealing = BoxStream(.seal, key: key, nonce: nonce)
      var opening = BoxStream(.open, key: key, nonce: nonce)
      var ciphertext: [UInt8] = []
      var opened: [UInt8] = []
      var rest = text[...]
      while !rest.isEmpty {
        var part = Array(rest.prefix(Int.random(in: 0...200, using: &generator)))
        rest = rest.dropFirst(part.count)
        part.inPlace { sealing.process(inPlace: &$0) }
        ciphertext += part
        opened += opening.process(part.span.bytes)
      }
      let tag = sealing.finish()
      #expect(ciphertext + tag.bytes == whole, "seed \(seed)")
      #expect(opened == text, "seed \(seed)")
      try opening.finish(verifying: tag)
    }
  }
}
