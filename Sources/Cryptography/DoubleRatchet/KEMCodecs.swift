import SNTRUP761
import SimplexCrypto
import WireCodec

extension KEMPublicKey {
  /// 1158 bytes after a 2-byte length.
  public static let codec = form(.large)
  /// The same bytes as base64url text.
  public static let textCodec = form(.base64url)

  private static func form(_ bytes: Codec<[UInt8]>) -> Codec<KEMPublicKey> {
    bytes.compactMap("an sntrup761 public key", { try? KEMPublicKey(rawBytes: $0) }, \.rawBytes)
  }
}

extension KEMCiphertext {
  /// 1039 bytes after a 2-byte length.
  public static let codec = form(.large)
  /// The same bytes as base64url text.
  public static let textCodec = form(.base64url)

  private static func form(_ bytes: Codec<[UInt8]>) -> Codec<KEMCiphertext> {
    bytes.compactMap("an sntrup761 ciphertext", { try? KEMCiphertext(rawBytes: $0) }, \.rawBytes)
  }
}

extension KEMSharedSecret {
  /// 32 bytes after a 1-byte length.
  static let codec = Codec<SecretBytes>.secret(byteCount, after: UInt8.self).compactMap(
    "an sntrup761 shared secret", { try? KEMSharedSecret(secret: $0) }, \.secret)
}

extension KEMSecretKey {
  /// The public key and the secret key, each after a 2-byte length.
  static let pairCodec = KEMPublicKey.codec.pair(.secret(byteCount, after: UInt16.self), separator: "").compactMap(
    "an sntrup761 key pair",
    { publicKey, secret in (try? KEMSecretKey(secret: secret)).flatMap { $0.publicKey == publicKey ? $0 : nil } },
    { ($0.publicKey, $0.secret) })
}

extension PrivateKEMParameters {
  /// The form that the reference implementation also stores: `P` and the key pair, or `A`, the ciphertext, the secret
  /// (after a 1-byte length) and the key pair. Secret throughout.
  static let codec = Codec<PrivateKEMParameters>.tagged(
    "private KEM parameters",
    Alternative(
      "P", KEMSecretKey.pairCodec, { .proposed($0) }, { if case .proposed(let key) = $0 { key } else { nil } }),
    Alternative(
      "A",
      KEMCiphertext.codec.pair(KEMSharedSecret.codec, separator: "").pair(KEMSecretKey.pairCodec, separator: ""),
      { .accepted($0.0, $0.1, $1) },
      { if case .accepted(let ciphertext, let secret, let key) = $0 { ((ciphertext, secret), key) } else { nil } }))
}
