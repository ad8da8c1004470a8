/// Why a certificate, a key or a chain of certificates cannot be used.
public enum CertificateError: Error, Hashable, Sendable {
  /// The bytes are not an X.509 certificate, or are followed by other bytes.
  case malformedCertificate
  /// The bytes are not a private key in PEM form, or the key is protected by a password.
  case malformedKey
  /// The key is neither Ed448 nor Ed25519.
  case unsupportedKey
  /// The private key does not belong to the certificate.
  case keyMismatch
  /// A chain has to have 2, 3 or 4 certificates (a client's may also be a single self-signed one).
  case chainLength(Int)
  /// The second certificate of the chain does not have the fingerprint that the peer's address names.
  case identityMismatch
  /// The certificate at this index of the chain (0 is the leaf) is not valid yet.
  case notYetValid(at: Int)
  /// The certificate at this index of the chain has expired.
  case expired(at: Int)
  /// The certificate at this index of the chain was not issued by the next one.
  case notIssuedByNext(at: Int)
  /// The certificate at this index of the chain issued another one, but is not a certificate authority.
  case notAuthority(at: Int)
  /// The chain leads to no authority that is trusted, or does not name the host; the library's words.
  case untrusted(String)
  /// The file cannot be read or written; `code` is the system's error number.
  case file(path: String, code: Int32)
  /// The `fingerprint` file does not match the certificate of the authority.
  case fingerprintFileMismatch
  /// The library refused an operation that does not depend on input, for example because memory is exhausted.
  case library(String)
}
