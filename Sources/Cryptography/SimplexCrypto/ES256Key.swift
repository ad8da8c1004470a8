import COpenSSL

/// A private key for signatures by ECDSA with P-256 and SHA-256, as JSON web tokens have them (ES256; RFC 7518, section
/// 3.4). The secret stays inside of OpenSSL, which zeroes it when it is released.
///
/// Unchecked: the library's key objects are reference-counted atomically and are not changed after creation.
public final class ES256Key: @unchecked Sendable {
  /// The size of a signature in bytes: two numbers of 32 bytes.
  public static let signatureSize = 64

  private let key: OpaquePointer

  /// Reads a key in PEM form (PKCS#8 or SEC 1, not encrypted).
  /// - Throws: `invalidKeyEncoding` for anything else, and for keys of other curves.
  public init(pem: [UInt8]) throws(CryptoError) {
    let key: OpaquePointer? = pem.withUnsafeBytes { bytes in
      guard let count = Int32(exactly: bytes.count), let bio = BIO_new_mem_buf(bytes.baseAddress, count) else {
        return nil
      }
      defer { BIO_free(bio) }
      // The callback provides no password; without it the library would ask on the terminal.
      return PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
    }
    guard let key else {
      ERR_clear_error()
      throw .invalidKeyEncoding
    }
    guard Self.isP256(key) else {
      EVP_PKEY_free(key)
      throw .invalidKeyEncoding
    }
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  private static func isP256(_ key: OpaquePointer) -> Bool {
    guard EVP_PKEY_is_a(key, "EC") == 1 else { return false }
    var name = [CChar](repeating: 0, count: 64)
    var count = 0
    guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return false }
    return String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) == "prime256v1"
  }

  /// The signature of a message: r and s, each with 32 bytes. Signatures of one message differ.
  public func signature(of message: [UInt8]) -> [UInt8] {
    let context = required(EVP_MD_CTX_new())
    defer { EVP_MD_CTX_free(context) }
    required(EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1)
    var count = 128
    let der = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      required(EVP_DigestSign(context, buffer.baseAddress, &count, message, message.count) == 1)
      initialized = count
    }
    return Self.numbers(of: der)
  }

  /// The numbers in the DER of a signature.
  private static func numbers(of der: [UInt8]) -> [UInt8] {
    let signature: OpaquePointer? = der.withUnsafeBufferPointer { bytes in
      var cursor = bytes.baseAddress
      return d2i_ECDSA_SIG(nil, &cursor, bytes.count)
    }
    let parsed = required(signature)
    defer { ECDSA_SIG_free(parsed) }
    return [UInt8](unsafeUninitializedCapacity: signatureSize) { buffer, initialized in
      let half = Int32(signatureSize / 2)
      required(BN_bn2binpad(ECDSA_SIG_get0_r(parsed), buffer.baseAddress, half) == half)
      required(BN_bn2binpad(ECDSA_SIG_get0_s(parsed), buffer.baseAddress.map { $0 + Int(half) }, half) == half)
      initialized = signatureSize
    }
  }
}
