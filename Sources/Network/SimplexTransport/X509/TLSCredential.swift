/// A private key and the chain of certificates that is presented with it.
public struct TLSCredential: Sendable {
  /// The certificates, the leaf first.
  public let chain: CertificateChain
  /// The key of the leaf.
  public let key: CertificateKey

  /// A credential of a chain, the leaf first, and its key; fails unless the key is the leaf's.
  public init(chain: CertificateChain, key: CertificateKey) throws(CertificateError) {
    guard let leaf = chain.leaf else { throw .chainLength(0) }
    guard try leaf.publicKeyDER() == key.publicKeyDER else { throw .keyMismatch }
    self.chain = chain
    self.key = key
  }

  /// Reads PEM files. The certificates of `chainFiles` are presented in the order of the files.
  public init(chainFiles: [String], keyFile: String) throws(CertificateError) {
    var certificates: [Certificate] = []
    for path in chainFiles { certificates += try Certificate.list(pem: CertificateFile.read(path)) }
    try self.init(chain: CertificateChain(certificates), key: CertificateKey.load(file: keyFile))
  }

  /// A new self-signed credential, as a service or a remote-control peer presents it.
  public static func selfSigned(
    commonName: String, algorithm: CertificateKey.Algorithm = .ed25519, days: Int32 = 3650
  ) throws(CertificateError) -> TLSCredential {
    let key = try CertificateKey.generate(algorithm)
    let template = CertificateTemplate.plain(commonName: commonName, validFrom: -3600, days: days)
    return try TLSCredential(chain: CertificateChain([.issue(template, for: key)]), key: key)
  }
}
