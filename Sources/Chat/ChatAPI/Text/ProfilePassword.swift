import SimplexCrypto
import WireCodec

/// The hash of the password of a hidden profile.
public enum ProfilePassword {
  /// base64url of SHA-512 over the password and the salt; nil where the salt is not base64url.
  public static func hash(_ password: String, salt: String) -> String? {
    guard let salt = Base64URL.decode(salt) else { return nil }
    let password = password.utf8
    let salted = SecretBytes(count: password.count + salt.count) { output in
      for (index, byte) in password.enumerated() { output.storeBytes(of: byte, toByteOffset: index, as: UInt8.self) }
      for (index, byte) in salt.enumerated() {
        output.storeBytes(of: byte, toByteOffset: password.count + index, as: UInt8.self)
      }
    }
    return Base64URL.string(HashFunction.sha512.digest(of: salted.bytes))
  }
}
