import COpenSSL

/// Key derivation from passphrases by PBKDF2 with HMAC-SHA-512 (RFC 8018), for encrypted databases.
public enum PBKDF2 {
  /// Derives `count` bytes. The time is proportional to `iterations`, which makes guessing passphrases expensive.
  /// - Precondition: `iterations` and `count` are at least 1.
  public static func derive(from passphrase: RawSpan, salt: RawSpan, iterations: Int32, count: Int) -> SecretBytes {
    SecretBytes(count: count) { output in
      output.withUnsafeMutableBytes { output in
        passphrase.withUnsafeBytes { passphrase in
          salt.withUnsafeBytes { salt in
            required(
              PKCS5_PBKDF2_HMAC(
                UnsafeRawPointer(passphrase.octets).assumingMemoryBound(to: CChar.self), Int32(passphrase.count),
                salt.octets, Int32(salt.count), iterations, EVP_sha512(), Int32(output.count), output.octets) == 1)
          }
        }
      }
    }
  }
}
