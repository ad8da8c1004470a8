import SNTRUP761
import SimplexCrypto

/// The key derivation functions of the ratchet: HKDF-SHA512 to 96 bytes (pqdr.md, "KDF_RK_HE" and "KDF_CK").
enum KeyDerivation {
  static let keySize = 32
  private static let outputSize = 96

  /// The keys that result from an X3DH agreement.
  struct Agreement {
    let headerKey: SecretBytes
    let nextHeaderKey: SecretBytes
    let rootKey: SecretBytes
  }

  /// Derives the first keys from the Diffie–Hellman secrets and the secret of the KEM, if there is one.
  static func agreement(_ secrets: [SecretBytes]) -> Agreement {
    let output = HKDF.derive(from: SecretBytes(joining: secrets).bytes, info: "SimpleXX3DH", count: outputSize)
    return Agreement(
      headerKey: output.slice(0..<32), nextHeaderKey: output.slice(32..<64), rootKey: output.slice(64..<96))
  }

  /// The keys that result from one half of a ratchet step.
  struct RootStep {
    let rootKey: SecretBytes
    let chainKey: SecretBytes
    let nextHeaderKey: SecretBytes
  }

  /// KDF_RK_HE: mixes a Diffie–Hellman secret, and that of the KEM if there is one, into the root key.
  static func root(
    _ rootKey: SecretBytes, own: X448.PrivateKey, peer: X448.PublicKey, kemSecret: KEMSharedSecret?
  ) throws(RatchetError) -> RootStep {
    let shared = try secret(own, peer)
    let material = kemSecret.map { SecretBytes(joining: [shared, $0.secret]) } ?? shared
    let output = HKDF.derive(
      from: material.bytes, salt: rootKey.bytes, info: "SimpleXRootRatchet", count: outputSize)
    return RootStep(
      rootKey: output.slice(0..<32), chainKey: output.slice(32..<64), nextHeaderKey: output.slice(64..<96))
  }

  /// The keys of one message, and the chain key that follows.
  struct ChainStep {
    let chainKey: SecretBytes
    let messageKey: MessageKey
    fileprivate let output: SecretBytes

    /// The initialisation vector of the header.
    var headerIV: RawSpan {
      @_lifetime(borrow self)
      get { output.bytes.extracting(80..<96) }
    }
  }

  /// KDF_CK: the chain key ‖ message key ‖ vector of the body ‖ vector of the header.
  static func chain(_ chainKey: SecretBytes) -> ChainStep {
    let output = HKDF.derive(from: chainKey.bytes, info: "SimpleXChainRatchet", count: outputSize)
    return ChainStep(
      chainKey: output.slice(0..<32), messageKey: MessageKey(unchecked: output.slice(32..<80)),
      output: output)
  }

  /// The Diffie–Hellman secret of two keys.
  static func secret(_ own: X448.PrivateKey, _ peer: X448.PublicKey) throws(RatchetError) -> SecretBytes {
    do throws(CryptoError) {
      return try own.sharedSecret(with: peer)
    } catch {
      throw RatchetError(error)
    }
  }
}
