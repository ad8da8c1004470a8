import WireCodec

/// The certificate files of a relay in its configuration folder, under the usual names.
///
/// `ca.key` signs online certificates and should be moved to a safe place after `create`; `ca.crt` is the identity;
/// `server.crt` and `server.key` are presented in TLS; `fingerprint` holds the identity's SHA-256 in base64url.
public struct RelayCertificates: Hashable, Sendable {
  /// The configuration folder; it has to exist.
  public let folder: String

  /// The files in this folder. Nothing is read yet.
  public init(folder: String) { self.folder = folder }

  /// Path of the authority's certificate.
  public var authorityCertificateFile: String { path("ca.crt") }
  /// Path of the authority's private key.
  public var authorityKeyFile: String { path("ca.key") }
  /// Path of the online certificate.
  public var serverCertificateFile: String { path("server.crt") }
  /// Path of the online private key.
  public var serverKeyFile: String { path("server.key") }
  /// Path of the file with the fingerprint.
  public var fingerprintFile: String { path("fingerprint") }

  /// Creates a new identity and an online certificate for `commonName`. Existing files are replaced.
  ///
  /// Returns the fingerprint of the identity (32 bytes).
  @discardableResult
  public func create(
    commonName: String, algorithm: CertificateKey.Algorithm = .ed448
  ) throws(CertificateError) -> [UInt8] {
    let key = try CertificateKey.generate(algorithm)
    let authority = try Certificate.issue(.authority(), for: key)
    try key.save(to: authorityKeyFile)
    try CertificateFile.write(authority.pem(), to: authorityCertificateFile)
    try writeServerCertificate(commonName, algorithm, authority: authority, authorityKey: key)
    return authority.fingerprint
  }

  /// Replaces the online certificate, keeping the identity. Needs `ca.key`.
  ///
  /// Without arguments the new certificate has the algorithm and the common name of the old one.
  public func rotate(
    commonName: String? = nil, algorithm: CertificateKey.Algorithm? = nil
  ) throws(CertificateError) {
    var commonName = commonName
    if commonName == nil { commonName = try serverCertificate().commonName() }
    guard let commonName else { throw .malformedCertificate }
    let authorityKey = try CertificateKey.load(file: authorityKeyFile)
    // A key that is lost or damaged is replaced by one like the authority's.
    let present = try? CertificateKey.load(file: serverKeyFile)
    guard let algorithm = algorithm ?? present?.algorithm ?? authorityKey.algorithm else { throw .unsupportedKey }
    try writeServerCertificate(commonName, algorithm, authority: authorityCertificate(), authorityKey: authorityKey)
  }

  /// The credential that the relay presents in TLS: the online certificate and the identity.
  public func credential() throws(CertificateError) -> TLSCredential {
    try TLSCredential(chainFiles: [serverCertificateFile, authorityCertificateFile], keyFile: serverKeyFile)
  }

  /// The fingerprint of the identity (32 bytes), checked against the `fingerprint` file.
  public func fingerprint() throws(CertificateError) -> [UInt8] {
    let fingerprint = try authorityCertificate().fingerprint
    let saved = try CertificateFile.read(fingerprintFile).prefix {
      $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r")
    }
    guard saved.elementsEqual(Base64URL.encode(fingerprint)) else { throw .fingerprintFileMismatch }
    return fingerprint
  }

  private func path(_ name: String) -> String { folder + "/" + name }

  private func authorityCertificate() throws(CertificateError) -> Certificate {
    try onlyCertificate(authorityCertificateFile)
  }

  private func serverCertificate() throws(CertificateError) -> Certificate {
    try onlyCertificate(serverCertificateFile)
  }

  private func onlyCertificate(_ path: String) throws(CertificateError) -> Certificate {
    let certificates = try Certificate.list(pem: CertificateFile.read(path))
    guard certificates.count == 1, let certificate = certificates.first else {
      throw .chainLength(certificates.count)
    }
    return certificate
  }

  private func writeServerCertificate(
    _ commonName: String, _ algorithm: CertificateKey.Algorithm, authority: Certificate, authorityKey: CertificateKey
  ) throws(CertificateError) {
    let key = try CertificateKey.generate(algorithm)
    let certificate = try Certificate.issue(
      .server(commonName: commonName), for: key, by: (certificate: authority, key: authorityKey))
    try key.save(to: serverKeyFile)
    try CertificateFile.write(certificate.pem(), to: serverCertificateFile)
    try CertificateFile.write(Base64URL.encode(authority.fingerprint) + [UInt8(ascii: "\n")], to: fingerprintFile)
  }
}
