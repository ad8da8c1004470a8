import CSodium

/// A signature scheme (RFC 8032). Signatures are deterministic.
public protocol SignatureAlgorithm: KeyAlgorithm {
  /// The size of a signature in bytes.
  static var signatureSize: Int { get }
  /// Signs `message`. All buffers have the algorithm's sizes.
  static func sign(
    _ message: UnsafeRawBufferPointer, privateKey: UnsafeRawBufferPointer, publicKey: [UInt8],
    into signature: UnsafeMutableRawBufferPointer)
  /// Whether `signature`, which has the right size, is the key's signature of `message`.
  static func isValid(
    _ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer, publicKey: UnsafeRawBufferPointer
  ) -> Bool
}

extension PrivateKey where Algorithm: SignatureAlgorithm {
  /// Signs a message.
  public func signature(of message: RawSpan) -> [UInt8] {
    let publicKey = publicKey.rawBytes
    return [UInt8](filling: Algorithm.signatureSize) { signature in
      secret.withUnsafeBytes { privateKey in
        message.withUnsafeBytes {
          Algorithm.sign($0, privateKey: privateKey, publicKey: publicKey, into: signature)
        }
      }
    }
  }
}

extension PublicKey where Algorithm: SignatureAlgorithm {
  /// Whether `signature` is this key's signature of `message`; false for a wrong size.
  public func isValid(_ signature: RawSpan, of message: RawSpan) -> Bool {
    guard signature.byteCount == Algorithm.signatureSize else { return false }
    return rawBytes.withUnsafeBytes { publicKey in
      signature.withUnsafeBytes { signature in
        message.withUnsafeBytes { Algorithm.isValid(signature, of: $0, publicKey: publicKey) }
      }
    }
  }
}

/// Edwards-curve signatures over Curve25519 (RFC 8032): queue commands, certificates, links.
public enum Ed25519: SignatureAlgorithm {
  /// Name, object identifier and sizes.
  public static var identifier: KeyAlgorithmIdentifier { .ed25519 }
  /// 64 bytes.
  public static var signatureSize: Int { 64 }

  /// Computes the public key of a seed.
  public static func derivePublicKey(
    privateKey: UnsafeRawBufferPointer, into publicKey: UnsafeMutableRawBufferPointer
  ) {
    prepareSodium()
    withWipedScratch(count: 64) { expanded in
      _ = crypto_sign_ed25519_seed_keypair(publicKey.octets, expanded.octets, privateKey.octets)
    }
  }

  /// Signs a message.
  public static func sign(
    _ message: UnsafeRawBufferPointer, privateKey: UnsafeRawBufferPointer, publicKey: [UInt8],
    into signature: UnsafeMutableRawBufferPointer
  ) {
    // RFC 8032, 5.1.6.
    prepareSodium()
    withWipedScratch(count: 224) { scratch in
      let (scalar, prefix) = (scratch.slice(0..<32), scratch.slice(32..<64))
      let (digest, nonce) = (scratch.slice(64..<128), scratch.slice(128..<160))
      let (challenge, product) = (scratch.slice(160..<192), scratch.slice(192..<224))
      HashFunction.sha512.digest(of: privateKey, into: scratch.slice(0..<64))
      scalar[0] &= 248
      scalar[31] = scalar[31] & 127 | 64

      var hash = IncrementalHash(.sha512)
      hash.update(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(prefix)))
      hash.update(RawSpan(_unsafeBytes: message))
      hash.finish(into: digest)
      crypto_core_ed25519_scalar_reduce(nonce.octets, digest.octets)
      let point = signature.slice(0..<32)
      BasePoint.multiply(by: UnsafeRawBufferPointer(nonce), into: point)

      hash = IncrementalHash(.sha512)
      hash.update(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(point)))
      hash.update(publicKey.span.bytes)
      hash.update(RawSpan(_unsafeBytes: message))
      hash.finish(into: digest)
      crypto_core_ed25519_scalar_reduce(challenge.octets, digest.octets)
      crypto_core_ed25519_scalar_mul(product.octets, challenge.octets, scalar.octets)
      crypto_core_ed25519_scalar_add(signature.slice(32..<64).octets, product.octets, nonce.octets)
    }
  }

  /// Checks a signature: `sB = R + hA`, without the cofactor. Non-canonical and small-order points are rejected.
  ///
  /// With our own code on every processor: what a library accepts depends on its version (decision 0003).
  public static func isValid(
    _ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer, publicKey: UnsafeRawBufferPointer
  ) -> Bool {
    isValidByTable(signature, of: message, publicKey: publicKey)
  }
}

/// Edwards-curve signatures over Curve448 (RFC 8032, pure, empty context): the certificates of relays.
public enum Ed448: SignatureAlgorithm {
  /// Name, object identifier and sizes.
  public static var identifier: KeyAlgorithmIdentifier { .ed448 }
  /// 114 bytes.
  public static var signatureSize: Int { 114 }

  /// Computes the public key of a seed.
  public static func derivePublicKey(
    privateKey: UnsafeRawBufferPointer, into publicKey: UnsafeMutableRawBufferPointer
  ) {
    EVPKey(.ed448, privateKey: privateKey).copyPublicKey(into: publicKey)
  }

  /// Signs a message.
  public static func sign(
    _ message: UnsafeRawBufferPointer, privateKey: UnsafeRawBufferPointer, publicKey: [UInt8],
    into signature: UnsafeMutableRawBufferPointer
  ) {
    EVPKey(.ed448, privateKey: privateKey, knownPublicKey: publicKey).sign(message, into: signature)
  }

  /// Checks a signature.
  public static func isValid(
    _ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer, publicKey: UnsafeRawBufferPointer
  ) -> Bool {
    EVPKey(.ed448, publicKey: publicKey).isValid(signature, of: message)
  }
}
