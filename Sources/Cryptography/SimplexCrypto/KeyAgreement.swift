import CSodium

/// A Diffie–Hellman function (RFC 7748).
public protocol KeyAgreementAlgorithm: KeyAlgorithm {
  /// Computes the shared secret, of the size of a key, or returns false if it would be all zeros.
  /// - Parameter knownPublicKey: the public key of `privateKey` when it is known; some implementations are faster with
  ///   it.
  static func computeSharedSecret(
    privateKey: UnsafeRawBufferPointer, knownPublicKey: [UInt8]?, peer: UnsafeRawBufferPointer,
    into sharedSecret: UnsafeMutableRawBufferPointer
  ) throws(CryptoError)
}

extension PrivateKey where Algorithm: KeyAgreementAlgorithm {
  /// The Diffie–Hellman secret with a peer: the raw output of the curve function, not hashed.
  /// - Throws: `lowOrderPoint` if the peer's key would make the secret zero. The reference implementation accepts such
  ///   keys; no honest peer has one, so refusing them costs no interoperability.
  public func sharedSecret(with peer: PublicKey<Algorithm>) throws(CryptoError) -> SecretBytes {
    try SecretBytes(count: Algorithm.identifier.publicKeySize) { (output: inout MutableRawSpan) throws(CryptoError) in
      try output.withUnsafeMutableBytes { (output) throws(CryptoError) in
        try secret.withUnsafeBytes { (privateKey) throws(CryptoError) in
          try peer.rawBytes.span.bytes.withUnsafeBytes { (peer) throws(CryptoError) in
            try Algorithm.computeSharedSecret(
              privateKey: privateKey, knownPublicKey: knownPublicKey?.rawBytes, peer: peer, into: output)
          }
        }
      }
    }
  }
}

/// Diffie–Hellman over Curve25519 (RFC 7748): transport sessions, queues, message boxes.
public enum X25519: KeyAgreementAlgorithm {
  /// Name, object identifier and sizes.
  public static var identifier: KeyAlgorithmIdentifier { .x25519 }

  /// Computes the public key of a private key.
  public static func derivePublicKey(
    privateKey: UnsafeRawBufferPointer, into publicKey: UnsafeMutableRawBufferPointer
  ) {
    prepareSodium()
    _ = crypto_scalarmult_curve25519_base(publicKey.octets, privateKey.octets)
  }

  /// Computes the shared secret.
  public static func computeSharedSecret(
    privateKey: UnsafeRawBufferPointer, knownPublicKey: [UInt8]?, peer: UnsafeRawBufferPointer,
    into sharedSecret: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) {
    prepareSodium()
    if crypto_scalarmult_curve25519(sharedSecret.octets, privateKey.octets, peer.octets) != 0 {
      throw .lowOrderPoint
    }
  }
}

/// Diffie–Hellman over Curve448 (RFC 7748): the keys of the double ratchet.
public enum X448: KeyAgreementAlgorithm {
  /// Name, object identifier and sizes.
  public static var identifier: KeyAlgorithmIdentifier { .x448 }

  /// Computes the public key of a private key.
  public static func derivePublicKey(
    privateKey: UnsafeRawBufferPointer, into publicKey: UnsafeMutableRawBufferPointer
  ) {
    EVPKey(.x448, privateKey: privateKey).copyPublicKey(into: publicKey)
  }

  /// Computes the shared secret.
  public static func computeSharedSecret(
    privateKey: UnsafeRawBufferPointer, knownPublicKey: [UInt8]?, peer: UnsafeRawBufferPointer,
    into sharedSecret: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) {
    let own = EVPKey(.x448, privateKey: privateKey, knownPublicKey: knownPublicKey)
    let peer = EVPKey(.x448, publicKey: peer)
    if !own.derive(with: peer, into: sharedSecret) { throw .lowOrderPoint }
  }
}
