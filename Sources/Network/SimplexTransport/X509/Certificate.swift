import COpenSSL

/// An X.509 certificate, known to be well-formed. Whether it may be trusted is decided by verifying its chain.
public struct Certificate: Hashable, Sendable {
  /// The certificate as DER.
  public let der: [UInt8]

  /// Accepts the DER of one certificate with nothing after it.
  public init(der: [UInt8]) throws(CertificateError) {
    X509_free(try parseX509(der))
    self.der = der
  }

  init(object: OpaquePointer) { der = certificateDER(object) }

  /// All certificates of a PEM text, in its order. Other PEM sections are skipped.
  public static func list(pem: [UInt8]) throws(CertificateError) -> [Certificate] {
    var certificates: [Certificate] = []
    let found: Bool? = withInput(pem) { bio in
      while let object = PEM_read_bio_X509(bio, nil, { _, _, _, _ in -1 }, nil) {
        certificates.append(Certificate(object: object))
        X509_free(object)
      }
      return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
    }
    ERR_clear_error()
    guard found == true, !certificates.isEmpty else { throw .malformedCertificate }
    return certificates
  }

  /// The certificate in PEM form.
  public func pem() throws(CertificateError) -> [UInt8] {
    try withX509(der) { (object) throws(CertificateError) in
      guard let text = collectOutput({ PEM_write_bio_X509($0, object) == 1 }) else {
        throw .library(takeOpenSSLError())
      }
      return text
    }
  }

  /// SHA-256 of the DER: the fingerprint in a relay's address (32 bytes).
  public var fingerprint: [UInt8] { sha256(der) }

  /// The public key as DER of SubjectPublicKeyInfo.
  public func publicKeyDER() throws(CertificateError) -> [UInt8] {
    try withX509(der) { object in encodedDER { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(object), $0) } }
  }

  /// The first common name of the subject; nil where it has none.
  public func commonName() throws(CertificateError) -> String? {
    try withX509(der, firstCommonName)
  }

  /// Whether `signature` of `message` was made with the key of this certificate (Ed448 or Ed25519).
  public func verify(_ signature: [UInt8], of message: [UInt8]) throws(CertificateError) -> Bool {
    try withX509(der) { (object) throws(CertificateError) in
      guard let key = X509_get0_pubkey(object),
        CertificateKey.Algorithm.allCases.contains(where: { $0.identifier == EVP_PKEY_get_base_id(key) })
      else { throw .unsupportedKey }
      guard let context = EVP_MD_CTX_new() else { throw .library(takeOpenSSLError()) }
      defer { EVP_MD_CTX_free(context) }
      let valid =
        EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
        && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
      ERR_clear_error()
      return valid
    }
  }
}

private func firstCommonName(_ certificate: OpaquePointer) -> String? {
  guard let name = X509_get_subject_name(certificate) else { return nil }
  let index = X509_NAME_get_index_by_NID(name, NID_commonName, -1)
  guard index >= 0, let entry = X509_NAME_get_entry(name, index) else { return nil }
  var text: UnsafeMutablePointer<UInt8>?
  let length = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
  guard length >= 0, let text else { return nil }
  defer { CRYPTO_free(text, #file, #line) }
  return String(validating: UnsafeBufferPointer(start: text, count: Int(length)), as: UTF8.self)
}

func sha256(_ bytes: [UInt8]) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { buffer, initialized in
    SHA256(bytes, bytes.count, buffer.baseAddress)
    initialized = Int(SHA256_DIGEST_LENGTH)
  }
}
