import CSNTRUP761
import SimplexCrypto

/// p: polynomials have this many coefficients.
let polynomialDegree = 761
/// q: the prime that coefficients are reduced by.
let fieldOrder: Int16 = 4591
/// The largest coefficient modulo q, (q - 1) / 2.
let fieldLimit: Int16 = 2295
/// w: the number of nonzero coefficients of a short polynomial.
let shortWeight = 286

/// An element of R/q: coefficients from -2295 to 2295.
typealias FieldPolynomial = WipedBuffer<Int16>
/// An element of R/3, or a small element of R: coefficients -1, 0 and 1.
typealias SmallPolynomial = WipedBuffer<Int8>

extension FieldPolynomial {
  /// The product in R/q.
  init(multiplying a: borrowing FieldPolynomial, by b: borrowing SmallPolynomial) {
    self.init(count: polynomialDegree)
    sntrup761_rq_multiply(address, a.address, b.address)
  }

  /// 1/(3a) in R/q.
  init(reciprocalOfTriple a: borrowing SmallPolynomial) {
    self.init(count: polynomialDegree)
    sntrup761_rq_reciprocal_of_triple(address, a.address)
  }

  /// Multiplies by 3 modulo q.
  borrowing func triple() {
    for i in 0..<polynomialDegree {
      let triple = self[i] &* 3
      let above = (fieldLimit &- triple) &>> 15
      let below = (triple &+ fieldLimit) &>> 15
      self[i] = triple &- (fieldOrder & above) &+ (fieldOrder & below)
    }
  }

  /// Rounds every coefficient to the nearest multiple of 3.
  borrowing func round() {
    for i in 0..<polynomialDegree { self[i] = self[i] &- remainderModulo3(self[i]) }
  }

  /// Replaces every coefficient by its remainder modulo 3: -1, 0 or 1.
  borrowing func reduceModulo3() {
    for i in 0..<polynomialDegree { self[i] = remainderModulo3(self[i]) }
  }
}

/// The remainder -1, 0 or 1 of a number of at most 16384 in absolute value. 10923 = (2^15 + 1) / 3.
private func remainderModulo3(_ x: Int16) -> Int16 {
  x &- Int16(truncatingIfNeeded: (Int32(x) &* 10923 &+ 16384) &>> 15) &* 3
}

extension SmallPolynomial {
  /// 1/a in R/3, if there is one.
  init?(reciprocalOf a: borrowing SmallPolynomial) {
    self.init(count: polynomialDegree)
    // Whether a random polynomial has an inverse is public: a rejected one is not used for anything.
    if sntrup761_r3_reciprocal(address, a.address) != 0 { return nil }
  }

  /// The product in R/3, of an `a` whose coefficients are reduced.
  init(multiplyingModulo3 a: borrowing FieldPolynomial, by b: borrowing SmallPolynomial) {
    self.init(count: polynomialDegree)
    // The coefficients of the product are at most 2p - 1 = 1521 in absolute value, so R/q loses nothing of them.
    let product = FieldPolynomial(multiplying: a, by: b)
    for i in 0..<polynomialDegree { self[i] = Int8(truncatingIfNeeded: remainderModulo3(product[i])) }
  }

  /// A polynomial with uniformly distributed coefficients.
  init(using random: inout some RandomSource) {
    self.init(count: polynomialDegree)
    let numbers = WipedBuffer<UInt32>(count: polynomialDegree)
    random.fill(numbers.memory)
    for i in 0..<polynomialDegree {
      self[i] = Int8(truncatingIfNeeded: ((numbers[i] & 0x3fff_ffff) &* 3) &>> 30) &- 1
    }
  }

  /// A uniformly distributed short polynomial: 286 coefficients are -1 or 1.
  ///
  /// The two low bits of 761 random numbers become the coefficients, and sorting by the rest shuffles them.
  init(shortUsing random: inout some RandomSource) {
    self.init(count: polynomialDegree)
    let keys = WipedBuffer<UInt32>(count: polynomialDegree)
    random.fill(keys.memory)
    for i in 0..<shortWeight { keys[i] &= ~1 }
    for i in shortWeight..<polynomialDegree { keys[i] = keys[i] & ~3 | 1 }
    sntrup761_sort(keys.address)
    for i in 0..<polynomialDegree { self[i] = Int8(truncatingIfNeeded: keys[i] & 3) &- 1 }
  }

  /// -1 if 286 coefficients are nonzero, as in a short polynomial, else 0.
  var shortMask: Int8 {
    var excess = -Int32(shortWeight)
    for i in 0..<polynomialDegree { excess &+= Int32(self[i] & 1) }
    return Int8(truncatingIfNeeded: sntrup761_opaque(~((excess | (0 &- excess)) &>> 31)))
  }
}
