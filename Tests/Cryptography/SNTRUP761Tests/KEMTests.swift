import SNTRUP761
import SimplexCrypto
import SimplexTesting
import Testing

@Suite("Key pairs, encapsulation and decapsulation")
struct KEMTests {
  @Test("Both sides get the same secret", arguments: propertySeeds(10))
  func roundTrip(seed: UInt64) throws {
    var random = InsecureSeededRandom(seed: seed)
    let pair = KEMKeyPair(using: &random)
    #expect(pair.secretKey.publicKey == pair.publicKey)
    let (ciphertext, secret) = pair.publicKey.encapsulate(using: &random)
    #expect(pair.secretKey.decapsulate(ciphertext) == secret, "seed \(seed)")

    let restored = try KEMSecretKey(secret: pair.secretKey.secret)
    let received = try KEMCiphertext(rawBytes: ciphertext.rawBytes)
    #expect(restored.decapsulate(received) == secret, "seed \(seed)")
  }

  @Test("Equal randomness gives equal keys and ciphertexts, other randomness others")
  func randomness() {
    func run(_ seed: UInt64) -> (KEMKeyPair, KEMCiphertext, KEMSharedSecret) {
      var random = InsecureSeededRandom(seed: seed)
      let pair = KEMKeyPair(using: &random)
      let (ciphertext, secret) = pair.publicKey.encapsulate(using: &random)
      return (pair, ciphertext, secret)
    }
    let (first, again, other) = (run(1), run(1), run(2))
    #expect(first.0.secretKey == again.0.secretKey)
    #expect(first.1 == again.1)
    #expect(first.2 == again.2)
    #expect(first.0.publicKey != other.0.publicKey)
    #expect(first.1 != other.1)
    #expect(first.2 != other.2)
  }

  @Test("Any changed bit of a ciphertext changes the secret, and to the same each time", arguments: propertySeeds(3))
  func tampering(seed: UInt64) throws {
    var random = InsecureSeededRandom(seed: seed)
    let pair = KEMKeyPair(using: &random)
    let (ciphertext, secret) = pair.publicKey.encapsulate(using: &random)
    var generator = SeededGenerator(seed: seed)
    var seen: Set<[UInt8]> = [secret.secret.array]
    for _ in 0..<20 {
      let bit = Int.random(in: 0..<8 * KEMCiphertext.byteCount, using: &generator)
      let tampered = try KEMCiphertext(rawBytes: ciphertext.rawBytes.flippingBit(bit))
      let rejected = pair.secretKey.decapsulate(tampered)
      #expect(rejected == pair.secretKey.decapsulate(tampered))
      seen.insert(rejected.secret.array)
      #expect(rejected != secret, "seed \(seed), bit \(bit)")
    }
    #expect(seen.count > 10)
  }

  @Test("A ciphertext for another key gives an unrelated secret")
  func otherKey() {
    var random = InsecureSeededRandom(seed: 7)
    let (pair, other) = (KEMKeyPair(using: &random), KEMKeyPair(using: &random))
    let (ciphertext, secret) = pair.publicKey.encapsulate(using: &random)
    #expect(other.secretKey.decapsulate(ciphertext) != secret)
  }

  @Test(
    "Keys and ciphertexts of any bytes are accepted, and nothing traps", arguments: [0x00, 0x55, 0xaa, 0xff] as [UInt8])
  func anyBytes(_ byte: UInt8) throws {
    var random = InsecureSeededRandom(seed: 5)
    let publicKey = try KEMPublicKey(rawBytes: [UInt8](repeating: byte, count: 1158))
    let secretKey = try KEMSecretKey(secret: SecretBytes([UInt8](repeating: byte, count: 1763)))
    let ciphertext = try KEMCiphertext(rawBytes: [UInt8](repeating: byte, count: 1039))
    let (made, secret) = publicKey.encapsulate(using: &random)
    #expect(secretKey.decapsulate(made) != secret)
    #expect(secretKey.decapsulate(ciphertext) == secretKey.decapsulate(ciphertext))
  }

  @Test(
    "A size other than the right one is refused", arguments: [0, 1, 31, 33, 1038, 1040, 1157, 1159, 1762, 1764, 65536])
  func wrongLengths(_ count: Int) {
    let bytes = [UInt8](repeating: 1, count: count)
    #expect(throws: SNTRUP761Error.invalidLength(of: .publicKey, expected: 1158, actual: count)) {
      try KEMPublicKey(rawBytes: bytes)
    }
    #expect(throws: SNTRUP761Error.invalidLength(of: .ciphertext, expected: 1039, actual: count)) {
      try KEMCiphertext(rawBytes: bytes)
    }
    #expect(throws: SNTRUP761Error.invalidLength(of: .secretKey, expected: 1763, actual: count)) {
      try KEMSecretKey(secret: SecretBytes(bytes))
    }
    #expect(throws: SNTRUP761Error.invalidLength(of: .sharedSecret, expected: 32, actual: count)) {
      try KEMSharedSecret(secret: SecretBytes(bytes))
    }
  }

  @Test("Secrets are not printed")
  func redaction() throws {
    let secretKey = try KEMSecretKey(secret: SecretBytes([UInt8](repeating: 0xab, count: 1763)))
    let secret = try KEMSharedSecret(secret: SecretBytes([UInt8](repeating: 0xab, count: 32)))
    for value in [secretKey, secret] as [Any] {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        #expect(text.hasPrefix("sntrup761 ") || text.hasPrefix("- sntrup761 "), "\(text)")
        #expect(!text.lowercased().contains("ab") && !text.contains("171"), "\(text)")
      }
    }
  }
}

extension SecretBytes {
  /// A copy for comparisons.
  var array: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}

extension [UInt8] {
  /// A copy with one bit changed.
  func flippingBit(_ bit: Int) -> [UInt8] {
    var copy = self
    copy[bit / 8] ^= 1 << UInt8(bit % 8)
    return copy
  }
}
