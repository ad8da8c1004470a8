import CEd25519
import COpenSSL
import SimplexCrypto
import SimplexTesting
import Testing

/// Inverses modulo 2^255 - 19 of public numbers, against OpenSSL's.
@Suite struct FieldInverseTests {
  @Test(arguments: propertySeeds(2)) func invertsRandomNumbers(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let field = try #require(Field())
    for _ in 0..<10_000 { try field.check(random.bytes(32)) }
  }

  /// Those with long runs of equal bits, at both ends.
  @Test(arguments: propertySeeds(2)) func invertsNumbersAtTheEdges(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let field = try #require(Field())
    let zero = [UInt8](repeating: 0, count: 32)
    for bit in 0..<256 {
      // 2^bit, all bits below, all bits from there on.
      var power = zero
      power[bit / 8] = 1 << (bit % 8)
      let below = (0..<256).reduce(into: zero) { if $1 < bit { $0[$1 / 8] |= 1 << ($1 % 8) } }
      let above = below.map { ~$0 }
      let noise = random.bytes(32)
      try field.check(power)
      try field.check(below)
      try field.check(above)
      try field.check(zip(noise, below).map { $0 & $1 })
      try field.check(zip(noise, above).map { $0 & $1 })
      try field.check(zip(noise, below).map { $0 | $1 })
    }
    // Around p, which is 0 here, and its double.
    for low in UInt8(0xd0)...0xff {
      for high in [0x7f, 0xff] as [UInt8] { try field.check([low] + [UInt8](repeating: 0xff, count: 30) + [high]) }
    }
  }
}

private final class Field {
  private let context: OpaquePointer
  private let p: OpaquePointer
  private let number: OpaquePointer

  init?() {
    let bytes = [0xed] + [UInt8](repeating: 0xff, count: 30) + [0x7f]
    guard let context = BN_CTX_new(), let number = BN_new(), let p = BN_lebin2bn(bytes, 32, nil) else { return nil }
    (self.context, self.number, self.p) = (context, number, p)
  }

  deinit {
    BN_free(p)
    BN_free(number)
    BN_CTX_free(context)
  }

  func check(_ bytes: [UInt8]) throws {
    // The highest bit does not count.
    let limited = bytes.dropLast() + [(bytes.last ?? 0) & 0x7f]
    try #require(BN_lebin2bn(Array(limited), 32, number) != nil)
    try #require(BN_nnmod(number, number, p, context) == 1)
    if BN_is_zero(number) == 0 { try #require(BN_mod_inverse(number, number, p, context) != nil) }
    var expected = [UInt8](repeating: 0, count: 32)
    try #require(BN_bn2lebinpad(number, &expected, 32) == 32)
    var inverse = expected.map { ~$0 }
    simplex_ed25519_invert(&inverse, bytes)
    #expect(inverse == expected, "\(bytes)")
  }
}
