import SimplexCrypto

/// The keys of one encrypted database file, derived from a passphrase and the file's salt as SQLCipher 4 does.
///
/// The keys are in guarded memory. Deriving takes about 0.1 s of one core by design: derive once per file and keep the
/// value.
public struct DatabaseKey: Sendable {
  /// The size in bytes of the salt that the file begins with.
  public static let saltSize = 16

  /// Bytes 0 to 15 of the file.
  public let salt: [UInt8]
  let encryptionKey: SecretBytes
  let authenticationKey: SecretBytes

  /// Derives the keys.
  /// - Throws: `invalidLength` where the salt is not 16 bytes.
  public init(passphrase: SecretBytes, salt: [UInt8]) throws(CryptoError) {
    guard salt.count == Self.saltSize else {
      throw .invalidLength(of: .nonce, expected: Self.saltSize, actual: salt.count)
    }
    self.salt = salt
    let encryptionKey = PBKDF2.derive(
      from: passphrase.bytes, salt: salt.span.bytes, iterations: 256_000, count: 32)
    let authenticationSalt = salt.map { $0 ^ 0x3A }
    self.encryptionKey = encryptionKey.guarded
    authenticationKey =
      PBKDF2.derive(
        from: encryptionKey.bytes, salt: authenticationSalt.span.bytes, iterations: 2, count: 32
      ).guarded
  }
}
