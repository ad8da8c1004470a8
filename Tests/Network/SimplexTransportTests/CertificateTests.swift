import SimplexTransport
import Testing

@Suite("Certificates")
struct CertificateTests {
  @Test("A key survives PEM and signs for its certificate", arguments: CertificateKey.Algorithm.allCases)
  func keys(algorithm: CertificateKey.Algorithm) throws {
    let key = try CertificateKey.generate(algorithm)
    let copy = try CertificateKey(pem: key.pem())
    #expect(copy.algorithm == algorithm)
    #expect(copy.publicKeyDER == key.publicKeyDER)

    let certificate = try Certificate.issue(.plain(commonName: "peer", days: 1), for: key)
    #expect(try certificate.publicKeyDER() == key.publicKeyDER)
    let signature = try copy.sign([1, 2, 3])
    #expect(signature.count == (algorithm == .ed448 ? 114 : 64))
    #expect(try certificate.verify(signature, of: [1, 2, 3]))
    #expect(try !certificate.verify(signature, of: [1, 2, 4]))
    #expect(try !certificate.verify(Array(signature.dropLast()), of: [1, 2, 3]))
  }

  @Test("A certificate survives DER and PEM")
  func forms() throws {
    let certificate = try Certificate.issue(.server(commonName: "smp.example.com"), for: .generate())
    #expect(try Certificate(der: certificate.der) == certificate)
    #expect(try Certificate.list(pem: certificate.pem() + certificate.pem()) == [certificate, certificate])
    #expect(try certificate.commonName() == "smp.example.com")
    #expect(certificate.fingerprint.count == 32)
  }

  @Test("Damaged certificates and keys are errors")
  func damaged() throws {
    let certificate = try Certificate.issue(.authority(), for: .generate(.ed25519))
    for length in 0..<certificate.der.count {
      #expect(throws: CertificateError.malformedCertificate) {
        try Certificate(der: Array(certificate.der.prefix(length)))
      }
    }
    #expect(throws: CertificateError.malformedCertificate) { try Certificate(der: certificate.der + [0]) }
    #expect(throws: CertificateError.malformedCertificate) { try Certificate.list(pem: []) }
    #expect(throws: CertificateError.malformedCertificate) { try Certificate.list(pem: Array("no PEM".utf8)) }
    let broken = try certificate.pem().filter { $0 != UInt8(ascii: "M") }
    #expect(throws: CertificateError.malformedCertificate) { try Certificate.list(pem: certificate.pem() + broken) }
    #expect(throws: CertificateError.malformedKey) { try CertificateKey(pem: certificate.pem()) }
    #expect(throws: CertificateError.malformedKey) { try CertificateKey(pem: []) }
  }

  @Test("A credential needs the key of its leaf")
  func credentials() throws {
    let credential = try TLSCredential.selfSigned(commonName: "service")
    #expect(throws: CertificateError.keyMismatch) {
      try TLSCredential(chain: credential.chain, key: .generate(.ed25519))
    }
    #expect(throws: CertificateError.chainLength(0)) {
      try TLSCredential(chain: CertificateChain([]), key: credential.key)
    }
  }
}

@Suite("Certificate chains")
struct CertificateChainTests {
  /// Leaf, identity, operator, root.
  let chain: [Certificate]
  let now = 1_800_000_000

  init() throws {
    var issuerKey = try CertificateKey.generate(.ed25519)
    var chain = [try Certificate.issue(.authority(commonName: "root"), for: issuerKey)]
    for template in [
      CertificateTemplate.authority(commonName: "operator"), .authority(commonName: "identity"),
      .server(commonName: "leaf"),
    ] {
      let key = try CertificateKey.generate(.ed25519)
      chain.insert(try Certificate.issue(template, for: key, by: (chain[0], issuerKey)), at: 0)
      issuerKey = key
    }
    self.chain = chain
  }

  private func verify(_ certificates: [Certificate], _ policy: ChainPolicy, at time: Int? = nil) throws {
    try CertificateChain(certificates).verify(policy, at: time ?? now)
  }

  @Test("2, 3 and 4 certificates are accepted, by the fingerprint of the second", arguments: 2...4)
  func lengths(count: Int) throws {
    let part = Array(chain.prefix(count))
    try verify(part, .relay(fingerprint: chain[1].fingerprint))
    try verify(part, .anyRelay)
    try verify(part, .service)
    for other in chain.indices where other != 1 {
      #expect(throws: CertificateError.identityMismatch) {
        try verify(part, .relay(fingerprint: chain[other].fingerprint))
      }
    }
  }

  @Test("Other numbers of certificates are refused")
  func otherLengths() throws {
    #expect(throws: CertificateError.chainLength(0)) { try verify([], .anyRelay) }
    #expect(throws: CertificateError.chainLength(1)) { try verify([chain[3]], .anyRelay) }
    #expect(throws: CertificateError.chainLength(5)) { try verify(chain + [chain[3]], .anyRelay) }
    try verify([chain[3]], .service)
    // A single certificate of a service has to be its own issuer.
    #expect(throws: CertificateError.notIssuedByNext(at: 0)) { try verify([chain[0]], .service) }
  }

  @Test("Each certificate has to be issued by the next one")
  func issuers() throws {
    #expect(throws: CertificateError.notIssuedByNext(at: 0)) { try verify([chain[0], chain[2]], .anyRelay) }
    #expect(throws: CertificateError.notIssuedByNext(at: 1)) { try verify([chain[0], chain[1], chain[3]], .anyRelay) }
    // The right name with another key does not help.
    let forger = try CertificateKey.generate(.ed25519)
    let forged = try Certificate.issue(.authority(commonName: "identity"), for: forger)
    #expect(throws: CertificateError.notIssuedByNext(at: 0)) { try verify([chain[0], forged], .anyRelay) }
  }

  @Test("A leaf cannot act as an authority")
  func authorities() throws {
    let rootKey = try CertificateKey.generate(.ed25519)
    let root = try Certificate.issue(.authority(), for: rootKey)
    let middleKey = try CertificateKey.generate(.ed25519)
    let middle = try Certificate.issue(.server(commonName: "middle"), for: middleKey, by: (root, rootKey))
    let leaf = try Certificate.issue(
      .server(commonName: "leaf"), for: .generate(.ed25519), by: (middle, middleKey))
    #expect(throws: CertificateError.notAuthority(at: 1)) { try verify([leaf, middle, root], .anyRelay) }
  }

  @Test("Validity is checked for every certificate")
  func validity() throws {
    #expect(throws: CertificateError.notYetValid(at: 0)) { try verify(Array(chain.prefix(2)), .anyRelay, at: 0) }
    let key = try CertificateKey.generate(.ed25519)
    let shortLived = try Certificate.issue(.plain(commonName: "service", days: 1), for: key)
    #expect(throws: CertificateError.expired(at: 0)) { try verify([shortLived], .service, at: 1 << 33) }
  }
}
