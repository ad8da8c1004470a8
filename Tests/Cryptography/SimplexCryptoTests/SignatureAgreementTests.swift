import CSodium
import SimplexCrypto
import SimplexTesting
import Testing

/// Thousands of right, spoiled and crafted signatures: our paths decide as the library does. The portable path decides
/// about some hundreds.
@Suite struct SignatureAgreementTests {
  /// Those that are compared with the library in a round: the portable path is too slow for thousands, and is compared
  /// in every fifteenth.
  private static func paths(_ round: Int) -> [SignaturePath] {
    SignaturePath.own.filter { $0 != .portable || round % 15 == 0 }
  }

  /// Random messages under random keys; three of four signatures are spoiled in one of the ways below.
  @Test(arguments: propertySeeds(2)) func agreesAboutSpoiledSignatures(_ seed: UInt64) throws {
    var random = InsecureSeededRandom(seed: seed)
    var valid = 0
    for round in 0..<1_500 {
      let key = Ed25519.PrivateKey(using: &random)
      let message = random.bytes(Int(random.bytes(1)[0]))
      var signed = Case(
        key: key.publicKey.rawBytes, message: message, signature: key.signature(of: message.span.bytes))
      if round % 4 != 0 { signed.spoil(using: &random) }
      let expected = SignaturePath.library.isValid(signed.signature, of: signed.message, by: signed.key)
      if expected { valid += 1 }
      for path in Self.paths(round) {
        #expect(path.isValid(signed.signature, of: signed.message, by: signed.key) == expected, "\(path) \(signed)")
      }
      let table = SignatureTable(try Ed25519.PublicKey(rawBytes: signed.key.span.bytes))
      let middle = signed.message.count / 2
      let (head, tail) = (Array(signed.message[..<middle]), Array(signed.message[middle...]))
      let isValid = table.isValid(signed.signature.span.bytes, of: head.span.bytes, tail.span.bytes)
      #expect(isValid == expected, "\(signed)")
    }
    #expect(valid >= 375)
  }

  /// A table is used for many messages of its key.
  @Test(arguments: propertySeeds(2)) func aTableChecksManyMessages(_ seed: UInt64) {
    var random = InsecureSeededRandom(seed: seed)
    let key = Ed25519.PrivateKey(using: &random)
    let table = SignatureTable(key.publicKey)
    for count in [0, 1, 63, 64, 65, 111, 112, 127, 128, 129, 16_000] + Array(repeating: 40, count: 500) {
      let message = random.bytes(count)
      var signature = key.signature(of: message.span.bytes)
      let isValid = table.isValid(signature.span.bytes, of: message.span.bytes)
      let bit = random.index(below: 512)
      signature[bit / 8] ^= 1 << (bit % 8)
      let isSpoiledValid = table.isValid(signature.span.bytes, of: message.span.bytes)
      #expect(isValid && !isSpoiledValid)
    }
  }

  /// The equation itself, with scalars whose digits are at the edges: runs of equal bits, carries through all places.
  @Test(arguments: propertySeeds(2)) func theEquationHoldsForScalarsAtTheEdges(_ seed: UInt64) throws {
    var random = InsecureSeededRandom(seed: seed)
    for round in 0..<600 {
      let secret = Self.scalar(reducing: random.bytes(64))
      var key = [UInt8](repeating: 0, count: 32)
      try #require(crypto_scalarmult_ed25519_base_noclamp(&key, secret) == 0)
      let (scalar, hash) = (Self.edgeScalar(using: &random), Self.edgeScalar(using: &random))
      // R = (s - h a) B
      var (product, difference, point) = (key, key, key)
      crypto_core_ed25519_scalar_mul(&product, hash, secret)
      crypto_core_ed25519_scalar_sub(&difference, scalar, product)
      guard crypto_scalarmult_ed25519_base_noclamp(&point, difference) == 0 else { continue }
      for path in Self.paths(round) {
        #expect(path.isValid(point: point, scalar: scalar, hash: hash, key: key), "\(path) \(scalar) \(hash)")
        var other = hash
        other[random.index(below: 31)] ^= 1 << random.index(below: 8)
        #expect(!path.isValid(point: point, scalar: scalar, hash: other, key: key), "\(path) \(scalar) \(other)")
      }
    }
  }

  private struct Case: CustomStringConvertible {
    var key, message, signature: [UInt8]

    var description: String { "key \(key), message \(message), signature \(signature)" }

    mutating func spoil(using random: inout InsecureSeededRandom) {
      switch random.index(below: 7) {
      case 0: Self.flip(&signature, using: &random)
      case 1: Self.flip(&key, using: &random)
      case 2: message.append(0)
      case 3: signature.replaceSubrange(0..<32, with: random.bytes(32))
      case 4: signature.replaceSubrange(32..<64, with: random.bytes(31) + [random.bytes(1)[0] & 0x1f])
      case 5: key = random.bytes(32)
      default:
        // A point of the curve, but another one.
        var point = [UInt8](repeating: 0, count: 32)
        var seed = random.bytes(32)
        _ = crypto_core_ed25519_from_uniform(&point, &seed)
        signature.replaceSubrange(0..<32, with: point)
      }
    }

    private static func flip(_ bytes: inout [UInt8], using random: inout InsecureSeededRandom) {
      let bit = random.index(below: 8 * bytes.count)
      bytes[bit / 8] ^= 1 << (bit % 8)
    }
  }

  private static func scalar(reducing wide: [UInt8]) -> [UInt8] {
    var scalar = [UInt8](repeating: 0, count: 32)
    crypto_core_ed25519_scalar_reduce(&scalar, wide)
    return scalar
  }

  /// Below the order of the group: random, sparse, or with long runs of equal bits.
  private static func edgeScalar(using random: inout InsecureSeededRandom) -> [UInt8] {
    let pattern: [UInt8] = [0x00, 0xff, 0x55, 0xaa, 0x80, 0x7f, 0x01, 0xfe, 0x88, 0x77]
    var bytes = [UInt8](repeating: pattern[random.index(below: pattern.count)], count: 32)
    switch random.index(below: 4) {
    case 0: bytes = random.bytes(32)
    case 1: break
    case 2:
      let start = random.index(below: 32)
      let other = pattern[random.index(below: pattern.count)]
      bytes.replaceSubrange(start..<32, with: repeatElement(other, count: 32 - start))
    default:
      for _ in 0..<3 { bytes[random.index(below: 32)] = random.bytes(1)[0] }
    }
    // The order is a little more than 2^252.
    bytes[31] &= 0x0f
    return bytes
  }
}

extension InsecureSeededRandom {
  /// A number from zero on, below a limit of at most 65,536.
  fileprivate mutating func index(below limit: Int) -> Int {
    let bytes = bytes(2)
    return (Int(bytes[0]) << 8 | Int(bytes[1])) % limit
  }
}
