import SimplexCrypto
import WireCodec

/// The hash that the password of a hidden profile is compared by.
public enum ProfilePassword {
  /// base64url of SHA-512 over the password and the salt; nil where the salt is not base64url.
  public static func hash(_ password: String, salt: String) -> String? {
    guard let salt = Base64URL.decode(salt) else { return nil }
    var salted = Array(password.utf8) + salt
    defer { salted.withUnsafeMutableBytes { $0.initializeMemory(as: UInt8.self, repeating: 0) } }
    return Base64URL.string(HashFunction.sha512.digest(of: salted.span.bytes))
  }
}
