// Streamlined NTRU Prime 761 as a key encapsulation mechanism with implicit rejection.
//
// Notation of the specification (Bernstein et al., "NTRU Prime: round 3", 2020): a public key is h = g/(3f) in R/q for
// a short f and a small g; f and 1/g in R/3 are secret. A ciphertext is h * r, rounded to multiples of 3, for a short r
// (the "input"), followed by a hash that confirms r. Decryption computes r = (3 f c in R/q, then modulo 3) / g.
// Decapsulation encrypts this r again; if the ciphertext differs, the shared secret is a hash of the ciphertext and of
// a random string in the secret key.
//
// Constant time: no branch, address, division or trapping operation in this target, or in CSNTRUP761, depends on a
// secret; secret are the random bytes and everything computed from them or from a secret key, up to what is published.
// There is one exception: the time of key generation reveals how many polynomials without an inverse were discarded.
// scripts/check-constant-time checks this on the compiled code.
import CSNTRUP761
import SimplexCrypto

/// A fresh key pair of sntrup761.
public struct KEMKeyPair: Sendable {
  /// The public key, which is sent to the peer.
  public let publicKey: KEMPublicKey
  /// The secret key, which is kept.
  public let secretKey: KEMSecretKey

  /// Generates a key pair.
  public init(using random: inout some RandomSource) {
    let g = InvertiblePolynomial(using: &random)
    let f = SmallPolynomial(shortUsing: &random)
    let h = FieldPolynomial(multiplying: FieldPolynomial(reciprocalOfTriple: f), by: g.polynomial)
    let publicBytes = [UInt8](filling: KEMPublicKey.byteCount) { h.encode(into: $0) }
    let secret = SecretBytes(count: KEMSecretKey.byteCount) { span in
      span.withUnsafeMutableBytes { memory in
        f.encode(into: memory.slice(KEMSecretKey.Layout.f))
        g.reciprocal.encode(into: memory.slice(KEMSecretKey.Layout.reciprocalOfG))
        memory.slice(KEMSecretKey.Layout.publicKey).copyBytes(from: publicBytes)
        random.fill(memory.slice(KEMSecretKey.Layout.rejectionSeed))
        publicBytes.withUnsafeBytes {
          DomainHash.publicKey.hash($0, into: memory.slice(KEMSecretKey.Layout.publicKeyHash))
        }
      }
    }
    publicKey = KEMPublicKey(unchecked: publicBytes)
    secretKey = KEMSecretKey(unchecked: secret)
  }
}

/// A small polynomial that has a reciprocal in R/3. All but one in about 10^9 have: x^p - x - 1 has no factor of degree
/// below 19.
private struct InvertiblePolynomial: ~Copyable {
  let polynomial: SmallPolynomial
  let reciprocal: SmallPolynomial

  init(using random: inout some RandomSource) {
    while true {
      let candidate = SmallPolynomial(using: &random)
      if let reciprocal = SmallPolynomial(reciprocalOf: candidate) {
        polynomial = candidate
        self.reciprocal = reciprocal
        return
      }
    }
  }
}

extension KEMSecretKey {
  /// The layout of a secret key.
  enum Layout {
    static let f = 0..<191
    static let reciprocalOfG = 191..<382
    static let publicKey = 382..<1540
    static let rejectionSeed = 1540..<1731
    static let publicKeyHash = 1731..<1763
  }

  /// The public key of this key pair, which the secret key contains.
  public var publicKey: KEMPublicKey {
    secret.withUnsafeBytes { KEMPublicKey(unchecked: [UInt8]($0.slice(Layout.publicKey))) }
  }
}

extension KEMPublicKey {
  /// Generates a new shared secret and its ciphertext, from which only the holder of the secret key can recover it.
  public func encapsulate(using random: inout some RandomSource) -> (ciphertext: KEMCiphertext, secret: KEMSharedSecret)
  {
    let r = SmallPolynomial(shortUsing: &random)
    let input = WipedBuffer<UInt8>(count: smallPolynomialByteCount)
    r.encode(into: input.memory)
    let publicKeyHash = WipedBuffer<UInt8>(count: DomainHash.byteCount)
    return rawBytes.withUnsafeBytes { publicKey in
      DomainHash.publicKey.hash(publicKey, into: publicKeyHash.memory)
      let bytes = [UInt8](filling: KEMCiphertext.byteCount) { ciphertext in
        encrypt(r, input: input, publicKey: publicKey, publicKeyHash: publicKeyHash.bytes, into: ciphertext)
      }
      let secret = bytes.withUnsafeBytes { sharedSecret(.session, input: input, ciphertext: $0) }
      return (KEMCiphertext(unchecked: bytes), secret)
    }
  }
}

extension KEMSecretKey {
  /// The shared secret in a ciphertext. A ciphertext that was not made for this key yields a secret that nobody else
  /// knows.
  public func decapsulate(_ ciphertext: KEMCiphertext) -> KEMSharedSecret {
    secret.withUnsafeBytes { key in
      ciphertext.rawBytes.withUnsafeBytes { ciphertext in
        let r = decrypt(ciphertext, key: key)
        let input = WipedBuffer<UInt8>(count: smallPolynomialByteCount)
        r.encode(into: input.memory)
        let again = WipedBuffer<UInt8>(count: KEMCiphertext.byteCount)
        encrypt(
          r, input: input, publicKey: key.slice(Layout.publicKey), publicKeyHash: key.slice(Layout.publicKeyHash),
          into: again.memory)

        let rejected = differenceMask(again.bytes, ciphertext)
        let rejectionSeed = key.slice(Layout.rejectionSeed)
        for i in 0..<smallPolynomialByteCount { input[i] ^= rejected & (input[i] ^ rejectionSeed[i]) }
        let domain = DomainHash(prefix: DomainHash.session.prefix &+ rejected)
        return sharedSecret(domain, input: input, ciphertext: ciphertext)
      }
    }
  }
}

/// r = (3 f c in R/q, then modulo 3) / g; a fixed short polynomial if that is not short.
private func decrypt(_ ciphertext: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) -> SmallPolynomial {
  let f = SmallPolynomial(decoding: key.slice(KEMSecretKey.Layout.f))
  let reciprocalOfG = SmallPolynomial(decoding: key.slice(KEMSecretKey.Layout.reciprocalOfG))
  let product = FieldPolynomial(multiplying: FieldPolynomial(decodingRounded: ciphertext), by: f)
  product.triple()
  product.reduceModulo3()
  let r = SmallPolynomial(multiplyingModulo3: product, by: reciprocalOfG)
  let short = r.shortMask
  for i in 0..<shortWeight { r[i] = (r[i] & short) | (1 & ~short) }
  for i in shortWeight..<polynomialDegree { r[i] &= short }
  return r
}

/// Writes the ciphertext of `r`, whose encoding is `input`: h * r, rounded; then the hash that confirms it.
private func encrypt(
  _ r: borrowing SmallPolynomial, input: borrowing WipedBuffer<UInt8>, publicKey: UnsafeRawBufferPointer,
  publicKeyHash: UnsafeRawBufferPointer, into ciphertext: UnsafeMutableRawBufferPointer
) {
  let product = FieldPolynomial(multiplying: FieldPolynomial(decoding: publicKey), by: r)
  product.round()
  product.encodeRounded(into: ciphertext)
  let inputHash = WipedBuffer<UInt8>(count: DomainHash.byteCount)
  DomainHash.input.hash(input.bytes, into: inputHash.memory)
  DomainHash.confirmation.hash(
    inputHash.bytes, publicKeyHash, into: ciphertext.slice(RadixCode.rounded.byteCount..<ciphertext.count))
}

private func sharedSecret(
  _ domain: DomainHash, input: borrowing WipedBuffer<UInt8>, ciphertext: UnsafeRawBufferPointer
) -> KEMSharedSecret {
  let inputHash = WipedBuffer<UInt8>(count: DomainHash.byteCount)
  DomainHash.input.hash(input.bytes, into: inputHash.memory)
  let secret = SecretBytes(count: KEMSharedSecret.byteCount) { span in
    span.withUnsafeMutableBytes { domain.hash(inputHash.bytes, ciphertext, into: $0) }
  }
  return KEMSharedSecret(unchecked: secret)
}

/// 0 if both are equal, else 255. They have the same size.
private func differenceMask(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> UInt8 {
  var difference: UInt8 = 0
  for i in 0..<a.count { difference |= a[i] ^ b[i] }
  return UInt8(truncatingIfNeeded: sntrup761_opaque((0 &- Int32(difference)) &>> 8))
}
