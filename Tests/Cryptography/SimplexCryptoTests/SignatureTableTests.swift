import CEd25519
import CSodium
import SimplexCrypto
import SimplexTesting
import Testing

/// Checks of signatures with tables and without, on every path. What is expected follows from how each signature was
/// made.
@Suite struct SignatureTableTests {
  private struct Signed {
    var key: [UInt8]
    var message: [UInt8]
    var signature: [UInt8]

    init(using random: inout InsecureSeededRandom) {
      let key = Ed25519.PrivateKey(using: &random)
      let message = random.bytes(Int(random.bytes(1)[0]))
      self.key = key.publicKey.rawBytes
      self.message = message
      signature = key.signature(of: message.span.bytes)
    }

    func isValid() throws -> Bool {
      try Ed25519.PublicKey(rawBytes: key.span.bytes).isValid(signature.span.bytes, of: message.span.bytes)
    }

    func isValidByTable() throws -> Bool {
      let table = SignatureTable(try Ed25519.PublicKey(rawBytes: key.span.bytes))
      let first = table.isValid(signature.span.bytes, of: message.span.bytes)
      #expect(table.isValid(signature.span.bytes, of: message.span.bytes) == first)
      return first
    }

    /// `isDisputed`: about which versions of the library differ.
    func check(_ comment: Comment, isValid expected: Bool, isDisputed: Bool = false) throws {
      for path in isDisputed ? SignaturePath.own : SignaturePath.available {
        #expect(path.isValid(signature, of: message, by: key) == expected, comment)
      }
      #expect(try isValid() == expected, comment)
      #expect(try isValidByTable() == expected, comment)
    }
  }

  @Test(arguments: propertySeeds(2)) func acceptsWhatWasSigned(_ seed: UInt64) throws {
    var random = InsecureSeededRandom(seed: seed)
    for _ in 0..<50 {
      let signed = Signed(using: &random)
      try signed.check("a right signature", isValid: true)
    }
  }

  /// Only the multiplication of the base point is ours.
  @Test(arguments: propertySeeds(2)) func signaturesAreTheLibrarys(_ seed: UInt64) {
    var random = InsecureSeededRandom(seed: seed)
    for count in [0, 1, 2_047, 2_048, 2_049, 16_000, 40_000] + Array(repeating: 40, count: 200) {
      let (seed, message) = (random.bytes(32), random.bytes(count))
      var publicKey = [UInt8](repeating: 0, count: 32)
      var secretKey = [UInt8](repeating: 0, count: 64)
      var expected = secretKey
      _ = crypto_sign_ed25519_seed_keypair(&publicKey, &secretKey, seed)
      _ = crypto_sign_ed25519_detached(&expected, nil, message, UInt64(count), secretKey)
      let key = try? Ed25519.PrivateKey(secret: SecretBytes(seed))
      #expect(key?.signature(of: message.span.bytes) == expected)
    }
  }

  @Test(arguments: propertySeeds(2)) func refusesWhatIsChanged(_ seed: UInt64) throws {
    var random = InsecureSeededRandom(seed: seed)
    for bit in stride(from: 0, to: 64 * 8, by: 3) {
      var signed = Signed(using: &random)
      signed.signature[bit / 8] ^= 1 << (bit % 8)
      try signed.check("bit \(bit) of the signature", isValid: false)
    }
    for bit in stride(from: 0, to: 32 * 8, by: 3) {
      var signed = Signed(using: &random)
      signed.key[bit / 8] ^= 1 << (bit % 8)
      try signed.check("bit \(bit) of the key", isValid: false)
    }
    var signed = Signed(using: &random)
    signed.message.append(0)
    try signed.check("a longer message", isValid: false)
  }

  /// The order of the group added to the scalar gives the same point.
  @Test(arguments: propertySeeds(2)) func refusesScalarsBeyondTheOrder(_ seed: UInt64) throws {
    let order: [UInt8] = [
      0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ]
    var random = InsecureSeededRandom(seed: seed)
    var signed = Signed(using: &random)
    var carry = 0
    for index in 0..<32 {
      carry += Int(signed.signature[32 + index]) + Int(order[index])
      signed.signature[32 + index] = UInt8(carry & 0xff)
      carry >>= 8
    }
    try signed.check("a scalar beyond the order", isValid: false)
  }

  /// Points of small order in all their encodings, as keys and in signatures; with them zero is a right scalar.
  @Test(arguments: propertySeeds(2)) func refusesPointsOfSmallOrder(_ seed: UInt64) throws {
    var encodings = Self.allTorsion
    #expect(Set(encodings).count == 8)
    for encoding in encodings {
      #expect(crypto_core_ed25519_is_valid_point(encoding) == 0)
      let width = Int32(SIMPLEX_ED25519_KEY_WIDTH)
      withUnsafeTemporaryAllocation(byteCount: simplex_ed25519_table_size(width), alignment: 32) {
        let table = $0.baseAddress.map { OpaquePointer($0) }
        for path in SignaturePath.available { #expect(path.fill(table, width, encoding) == 0) }
      }
    }
    encodings += encodings.map { point in point.dropLast() + [(point.last ?? 0) ^ 0x80] }
    // p, p + 1 and so on: longer encodings of 0 and 1.
    for low in [0xec, 0xed, 0xee, 0xef, 0xff] as [UInt8] {
      encodings.append([low] + [UInt8](repeating: 0xff, count: 30) + [0x7f])
      encodings.append([low] + [UInt8](repeating: 0xff, count: 30) + [0xff])
    }
    var random = InsecureSeededRandom(seed: seed)
    for encoding in encodings {
      var signed = Signed(using: &random)
      signed.key = encoding
      signed.signature = encoding + [UInt8](repeating: 0, count: 32)
      try signed.check("key and point \(encoding)", isValid: false)
      signed.signature = Self.torsion[0] + [UInt8](repeating: 0, count: 32)
      try signed.check("key \(encoding)", isValid: false)
      signed = Signed(using: &random)
      signed.signature.replaceSubrange(0..<32, with: encoding)
      try signed.check("point \(encoding)", isValid: false)
    }
  }

  /// A key with a part of small order accepts some signatures: those whose hash is a multiple of the part's order.
  @Test(arguments: propertySeeds(2)) func agreesAboutKeysWithAPartOfSmallOrder(_ seed: UInt64) throws {
    var random = InsecureSeededRandom(seed: seed)
    for (torsion, order) in zip(Self.torsion.dropFirst(), [2, 4, 8] as [UInt8]) {
      for _ in 0..<24 {
        // Signed by hand, so that the hash is of the mixed key.
        var signed = Signed(using: &random)
        let (secret, nonce) = (scalar(using: &random), scalar(using: &random))
        var key = [UInt8](repeating: 0, count: 32)
        var point = key
        _ = crypto_scalarmult_ed25519_base_noclamp(&key, secret)
        _ = crypto_scalarmult_ed25519_base_noclamp(&point, nonce)
        #expect(crypto_core_ed25519_add(&signed.key, key, torsion) == 0)
        var digest = HashFunction.sha512.digest(of: (point + signed.key + signed.message).span.bytes)
        var hash = key
        crypto_core_ed25519_scalar_reduce(&hash, &digest)
        var product = key
        var sum = key
        crypto_core_ed25519_scalar_mul(&product, hash, secret)
        crypto_core_ed25519_scalar_add(&sum, product, nonce)
        signed.signature = point + sum
        try signed.check("a key with a part of order \(order)", isValid: hash[0] % order == 0, isDisputed: true)
      }
    }
  }

  /// With a scalar that leaves the small part of the key alone, the equation holds for points of small order too.
  @Test(arguments: propertySeeds(2)) func refusesSignaturesWithPointsOfSmallOrder(_ seed: UInt64) throws {
    var random = InsecureSeededRandom(seed: seed)
    let torsion = Self.allTorsion
    for index in 0..<8 {
      var tried = 0
      while tried < 4 {
        var signed = Signed(using: &random)
        let secret = scalar(using: &random)
        var key = [UInt8](repeating: 0, count: 32)
        _ = crypto_scalarmult_ed25519_base_noclamp(&key, secret)
        #expect(crypto_core_ed25519_add(&signed.key, key, torsion[1]) == 0)
        var digest = HashFunction.sha512.digest(of: (torsion[index] + signed.key + signed.message).span.bytes)
        var hash = key
        crypto_core_ed25519_scalar_reduce(&hash, &digest)
        // The point has to be minus the hash times the key's small part.
        guard (Int(hash[0]) + index) % 8 == 0 else { continue }
        var product = key
        crypto_core_ed25519_scalar_mul(&product, hash, secret)
        signed.signature = torsion[index] + product
        try signed.check("point \(index) of small order", isValid: false)
        tried += 1
      }
    }
  }

  private func scalar(using random: inout InsecureSeededRandom) -> [UInt8] {
    var wide = random.bytes(64)
    var scalar = [UInt8](repeating: 0, count: 32)
    crypto_core_ed25519_scalar_reduce(&scalar, &wide)
    return scalar
  }

  /// All points of small order: the multiples of one of order 8.
  private static var allTorsion: [[UInt8]] {
    var points = [torsion[0]]
    for _ in 1..<8 {
      var next = [UInt8](repeating: 0, count: 32)
      _ = crypto_core_ed25519_add(&next, points[points.count - 1], torsion[3])
      points.append(next)
    }
    return points
  }

  /// The points of order 1, 2, 4 and 8, one of each.
  private static let torsion: [[UInt8]] = [
    [1] + [UInt8](repeating: 0, count: 31),
    [0xec] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
    [UInt8](repeating: 0, count: 32),
    [
      0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20,
      0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
  ]
}
