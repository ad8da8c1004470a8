import COpenSSL

/// The private key of a certificate. The secret stays inside the library, which zeroes it when it is released.
///
/// Unchecked: the library's key objects are reference-counted atomically and are not changed after creation.
public final class CertificateKey: @unchecked Sendable {
  /// The signature algorithms of relay certificates; the raw value is the name in command-line options.
  public enum Algorithm: String, CaseIterable, Sendable {
    /// Ed448, the default.
    case ed448 = "ED448"
    /// Ed25519.
    case ed25519 = "ED25519"

    var identifier: Int32 {
      switch self {
      case .ed448: EVP_PKEY_ED448
      case .ed25519: EVP_PKEY_ED25519
      }
    }
  }

  let pointer: OpaquePointer

  private init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { EVP_PKEY_free(pointer) }

  /// Generates a key.
  public static func generate(_ algorithm: Algorithm = .ed448) throws(CertificateError) -> CertificateKey {
    var key: OpaquePointer?
    let context = EVP_PKEY_CTX_new_id(algorithm.identifier, nil)
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_keygen(context, &key) == 1, let key else {
      throw .library(takeOpenSSLError())
    }
    return CertificateKey(owning: key)
  }

  /// Reads a key in PEM form (PKCS#8, not encrypted).
  public convenience init(pem: [UInt8]) throws(CertificateError) {
    // The callback provides no password; without it the library would ask on the terminal.
    let key = withInput(pem) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
    guard let key else {
      ERR_clear_error()
      throw .malformedKey
    }
    self.init(owning: key)
  }

  /// Reads a key in DER of PKCS#8 (not encrypted), with nothing after it.
  public convenience init(der: RawSpan) throws(CertificateError) {
    let key: OpaquePointer? = der.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
      var cursor: UnsafePointer<UInt8>? = start
      guard let key = d2i_AutoPrivateKey(nil, &cursor, bytes.count) else { return nil }
      if cursor == start + bytes.count { return key }
      EVP_PKEY_free(key)
      return nil
    }
    guard let key else {
      ERR_clear_error()
      throw .malformedKey
    }
    self.init(owning: key)
  }

  /// Reads a key file in PEM form.
  public static func load(file: String) throws(CertificateError) -> CertificateKey {
    try CertificateFile.withSecret(file) { (pem) throws(CertificateError) in try CertificateKey(pem: pem) }
  }

  /// Writes the key in PEM form to a file that only its owner can read.
  func save(to file: String) throws(CertificateError) {
    var text = try pem()
    defer { CertificateFile.erase(&text) }
    try CertificateFile.write(text, to: file, isSecret: true)
  }

  /// The key in PEM form (PKCS#8, not encrypted). Secret.
  public func pem() throws(CertificateError) -> [UInt8] {
    guard let text = collectOutput({ PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) == 1 }) else {
      throw .library(takeOpenSSLError())
    }
    return text
  }

  /// The algorithm; nil for one that relays do not use, such as RSA of a web certificate.
  public var algorithm: Algorithm? {
    Algorithm.allCases.first { $0.identifier == EVP_PKEY_get_base_id(pointer) }
  }

  /// The public key as DER of SubjectPublicKeyInfo.
  public var publicKeyDER: [UInt8] { encodedDER { i2d_PUBKEY(pointer, $0) } }

  /// The signature of `message`: 114 bytes with Ed448, 64 with Ed25519.
  public func sign(_ message: [UInt8]) throws(CertificateError) -> [UInt8] {
    guard algorithm != nil else { throw .unsupportedKey }
    guard let context = EVP_MD_CTX_new() else { throw .library(takeOpenSSLError()) }
    defer { EVP_MD_CTX_free(context) }
    var length = EVP_PKEY_get_size(pointer) > 0 ? Int(EVP_PKEY_get_size(pointer)) : 0
    var succeeded = EVP_DigestSignInit(context, nil, nil, nil, pointer) == 1
    let signature = [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
      succeeded =
        succeeded && EVP_DigestSign(context, buffer.baseAddress, &length, message, message.count) == 1
      initialized = succeeded ? length : 0
    }
    guard succeeded else { throw .library(takeOpenSSLError()) }
    return signature
  }
}
