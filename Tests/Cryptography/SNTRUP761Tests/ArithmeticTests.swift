import CSNTRUP761
import SimplexCrypto
import SimplexTesting
import Testing

@testable import SNTRUP761

@Suite("Arithmetic in R/q and R/3")
struct ArithmeticTests {
  @Test("Products agree with multiplication by the definition", arguments: propertySeeds(6))
  func products(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let a = (0..<761).map { _ in Int16.random(in: -2295...2295, using: &generator) }
    let b = (0..<761).map { _ in Int8.random(in: -1...1, using: &generator) }
    #expect(product(a, b) == definition(a, b, modulus: 4591), "seed \(seed)")
  }

  @Test(
    "Products of the largest coefficients do not overflow", arguments: [-2295, 2295] as [Int16], [-1, 1, 2] as [Int8])
  func extremeProducts(_ a: Int16, _ b: Int8) {
    let constant = [Int16](repeating: a, count: 761)
    let alternating = (0..<761).map { $0.isMultiple(of: 2) ? a : -a }
    let small = [Int8](repeating: b, count: 761)
    for a in [constant, alternating] { #expect(product(a, small) == definition(a, small, modulus: 4591)) }
  }

  @Test("The product with 1 and with x, and the reduction of x^760 * x")
  func monomials() {
    let a = (0..<761).map { Int16($0) }
    var (one, x) = ([Int8](repeating: 0, count: 761), [Int8](repeating: 0, count: 761))
    (one[0], x[1]) = (1, 1)
    #expect(product(a, one) == a)
    // x * (0 + 1x + ... + 760 x^760) = 760 + (0 + 760) x + 1 x^2 + ...
    #expect(product(a, x) == [760, 760] + (1..<760).map { Int16($0) })
  }

  @Test("3a times its reciprocal is 1 in R/q", arguments: propertySeeds(6))
  func fieldReciprocal(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let a = (0..<761).map { _ in Int8.random(in: -1...1, using: &generator) }
    var reciprocal = [Int16](repeating: 0, count: 761)
    sntrup761_rq_reciprocal_of_triple(&reciprocal, a)
    #expect(
      definition(reciprocal, a, modulus: 4591).map { centered(3 * Int($0), modulus: 4591) } == unit, "seed \(seed)")
  }

  @Test("a times its reciprocal is 1 in R/3", arguments: propertySeeds(6))
  func smallReciprocal(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let a = (0..<761).map { _ in Int8.random(in: -1...1, using: &generator) }
    var reciprocal = [Int8](repeating: 0, count: 761)
    #expect(sntrup761_r3_reciprocal(&reciprocal, a) == 0, "seed \(seed)")
    #expect(definition(reciprocal.map { Int16($0) }, a, modulus: 3) == unit, "seed \(seed)")
  }

  @Test("Zero and the multiples of a factor of x^761 - x - 1 have no reciprocal in R/3", arguments: propertySeeds(3))
  func noReciprocal(seed: UInt64) {
    // The factor of least degree modulo 3: a random polynomial is a multiple of it with probability 3^-19.
    let factor: [Int8] = [-1, -1, 0, -1, -1, -1, 1, -1, 1, -1, 0, -1, 1, 1, 1, 1, -1, 0, 1, 1]
    var generator = SeededGenerator(seed: seed)
    let random = (0..<761).map { _ in Int16.random(in: -1...1, using: &generator) }
    let padded = factor + [Int8](repeating: 0, count: 741)
    let multiple = definition(random, padded, modulus: 3).map { Int8($0) }
    var reciprocal = [Int8](repeating: 0, count: 761)
    for a in [[Int8](repeating: 0, count: 761), padded, multiple] {
      #expect(sntrup761_r3_reciprocal(&reciprocal, a) == -1, "seed \(seed)")
    }
  }

  @Test("The reciprocal of small constants and of x", arguments: [1, -1] as [Int8])
  func simpleReciprocals(_ value: Int8) {
    var constant = [Int8](repeating: 0, count: 761)
    constant[0] = value
    var (field, small) = ([Int16](repeating: 0, count: 761), [Int8](repeating: 0, count: 761))
    sntrup761_rq_reciprocal_of_triple(&field, constant)
    #expect(field == [-1530 * Int16(value)] + [Int16](repeating: 0, count: 760))
    #expect(sntrup761_r3_reciprocal(&small, constant) == 0)
    #expect(small == constant)
    // 1/x = x^760 - 1
    (constant[0], constant[1]) = (0, value)
    #expect(sntrup761_r3_reciprocal(&small, constant) == 0)
    #expect(small == [-value] + [Int8](repeating: 0, count: 759) + [value])
  }

  @Test("A public key is g/(3f), and the secret key holds f and 1/g", arguments: propertySeeds(4))
  func keyStructure(seed: UInt64) {
    var random = InsecureSeededRandom(seed: seed)
    let pair = KEMKeyPair(using: &random)
    let secret = pair.secretKey.secret.array
    let f = secret[KEMSecretKey.Layout.f].withUnsafeBytes { SmallPolynomial(decoding: $0).array }
    let reciprocal = secret[KEMSecretKey.Layout.reciprocalOfG].withUnsafeBytes { SmallPolynomial(decoding: $0).array }
    let h = pair.publicKey.rawBytes.withUnsafeBytes { FieldPolynomial(decoding: $0).array }
    #expect(f.count { $0 != 0 } == 286)
    #expect(f.allSatisfy { abs($0) <= 1 })
    let g = definition(h, f, modulus: 4591).map { centered(3 * Int($0), modulus: 4591) }
    #expect(g.allSatisfy { abs($0) <= 1 }, "seed \(seed)")
    #expect(definition(g, reciprocal, modulus: 3) == unit, "seed \(seed)")
  }

  @Test("Sorting", arguments: propertySeeds(5))
  func sorting(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let wide = (0..<761).map { _ in UInt32.random(in: 0 ... .max, using: &generator) }
    let narrow = (0..<761).map { _ in UInt32.random(in: 0...3, using: &generator) &- 2 }
    let binary = (0..<761).map { _ in UInt32.random(in: 0...1, using: &generator) }
    for keys in [wide, narrow, binary, wide.sorted(), wide.sorted().reversed()] {
      var sorted = keys
      sntrup761_sort(&sorted)
      #expect(sorted == keys.sorted(), "seed \(seed)")
    }
  }

  @Test("Random polynomials have the right shape, and their coefficients are spread evenly")
  func randomPolynomials() {
    var random = InsecureSeededRandom(seed: 1)
    var (sums, counts) = ([Int](repeating: 0, count: 761), [Int](repeating: 0, count: 3))
    for _ in 0..<100 {
      let short = SmallPolynomial(shortUsing: &random).array
      #expect(short.allSatisfy { abs($0) <= 1 } && short.count { $0 != 0 } == 286)
      for (i, value) in short.enumerated() { sums[i] += abs(Int(value)) }
      for value in SmallPolynomial(using: &random).array { counts[Int(value) + 1] += 1 }
    }
    // Means 37.6 and 25367, standard deviations 4.8 and 130. The seed is fixed, so this cannot fail by chance.
    #expect(sums.allSatisfy { abs($0 - 38) < 30 })
    #expect(counts.allSatisfy { abs($0 - 25367) < 780 })
  }

  @Test("Scaling, rounding and remainders of every coefficient")
  func coefficients() {
    for first in stride(from: -2295, through: 2295, by: 761) {
      let values = (0..<761).map { Int16(min(first + $0, 2295)) }
      let tripled = FieldPolynomial(values)
      tripled.triple()
      let rounded = FieldPolynomial(values)
      rounded.round()
      let reduced = FieldPolynomial(values)
      reduced.reduceModulo3()
      #expect(tripled.array == values.map { centered(3 * Int($0), modulus: 4591) })
      #expect(rounded.array == values.map { $0 - centered(Int($0), modulus: 3) })
      #expect(reduced.array == values.map { centered(Int($0), modulus: 3) })
    }
  }

  @Test("The weight of a short polynomial", arguments: [0, 1, 285, 286, 287, 761])
  func weight(_ weight: Int) {
    let polynomial = SmallPolynomial((0..<761).map { $0 < weight ? ($0.isMultiple(of: 2) ? 1 : -1) : 0 })
    #expect(polynomial.shortMask == (weight == 286 ? -1 : 0))
  }
}

private let unit: [Int16] = [1] + [Int16](repeating: 0, count: 760)

private func centered(_ x: Int, modulus: Int) -> Int16 {
  let remainder = ((x % modulus) + modulus) % modulus
  return Int16(remainder > modulus / 2 ? remainder - modulus : remainder)
}

private func product(_ a: [Int16], _ b: [Int8]) -> [Int16] {
  var out = [Int16](repeating: 0, count: 761)
  sntrup761_rq_multiply(&out, a, b)
  return out
}

/// Multiplies coefficient by coefficient, and reduces by x^761 = x + 1.
private func definition(_ a: [Int16], _ b: [Int8], modulus: Int) -> [Int16] {
  var long = [Int](repeating: 0, count: 2 * 761)
  for (i, x) in a.enumerated() where x != 0 {
    for (j, y) in b.enumerated() { long[i + j] += Int(x) * Int(y) }
  }
  for i in (761..<long.count).reversed() {
    long[i - 761] += long[i]
    long[i - 760] += long[i]
  }
  return long[..<761].map { centered($0, modulus: modulus) }
}
