import COpenSSL

/// The chains of certificates that a peer may present.
///
/// A relay sends 2, 3 or 4 certificates, each issued by the next: leaf, identity, then up to two of its operator. The
/// address of the relay contains the SHA-256 fingerprint of the second one. The last certificate is trusted because the
/// identity is pinned, so it need not be marked as an authority. A service that connects to a relay may also present a
/// single self-signed certificate. Source: simplex-messaging.md, "Server certificate".
public enum ChainPolicy: Hashable, Sendable {
  /// A relay whose identity certificate has this SHA-256 fingerprint (32 bytes).
  case relay(fingerprint: [UInt8])
  /// A relay of any identity: the caller compares the identity later, or does not need it.
  case anyRelay
  /// A client of a relay.
  case service
  /// A peer with exactly two certificates: a leaf, and the authority that issued it, with this SHA-256 fingerprint (32
  /// bytes); nil for any authority, which the caller checks.
  case pair(authority: [UInt8]?)
  /// A web server of this name: the library verifies the chain up to a trusted authority
  /// (``TLSClientConfiguration/WebTrust``), and the name. Only in the handshake of a client with web trust.
  case web(host: String)
}

/// A peer's certificates, the leaf first.
public struct CertificateChain: Hashable, Sendable {
  /// The certificates in the order in which they were sent.
  public let certificates: [Certificate]

  public init(_ certificates: [Certificate]) { self.certificates = certificates }

  /// Whether the peer presented none.
  public var isEmpty: Bool { certificates.isEmpty }

  /// The certificate whose key signs the TLS handshake; nil for an empty chain.
  public var leaf: Certificate? { certificates.first }

  /// The long-term certificate that identifies the peer: the second, or the only one; nil for an empty chain.
  public var identity: Certificate? { certificates.count > 1 ? certificates[1] : certificates.first }

  /// Verifies number, identity, validity at `time` (Unix seconds) and signatures.
  public func verify(_ policy: ChainPolicy, at time: Int) throws(CertificateError) {
    var objects: [OpaquePointer] = []
    defer { objects.forEach(X509_free) }
    for certificate in certificates { objects.append(try parseX509(certificate.der)) }
    try verifyChain(objects, policy, at: time)
  }
}

/// Verifies a chain of X.509 objects, the leaf first.
func verifyChain(_ chain: [OpaquePointer], _ policy: ChainPolicy, at time: Int) throws(CertificateError) {
  switch (policy, chain.count) {
  case (.service, 1), (.pair, 2): break
  case (.relay, 2...4), (.anyRelay, 2...4), (.service, 2...4): break
  case (.web, _): throw .untrusted("a web server is verified in the handshake")
  default: throw .chainLength(chain.count)
  }
  let pinned: [UInt8]? =
    switch policy {
    case .relay(let fingerprint): fingerprint
    case .pair(let authority): authority
    case .anyRelay, .service, .web: nil
    }
  if let pinned, sha256(certificateDER(chain[1])) != pinned { throw .identityMismatch }
  let last = chain.count - 1
  for (index, certificate) in chain.enumerated() {
    try verifyValidity(of: certificate, index, at: time)
    if index > 0, index < last, X509_check_ca(certificate) != 1 { throw .notAuthority(at: index) }
    let issuer = index < last ? chain[index + 1] : certificate
    // The last certificate of a chain is the anchor; only a single one has to prove that its key signed it.
    guard index < last || last == 0 else { continue }
    let issued =
      X509_NAME_cmp(X509_get_issuer_name(certificate), X509_get_subject_name(issuer)) == 0
      && X509_verify(certificate, X509_get0_pubkey(issuer)) == 1
    ERR_clear_error()
    guard issued else { throw .notIssuedByNext(at: index) }
  }
}

private func verifyValidity(of certificate: OpaquePointer, _ index: Int, at time: Int) throws(CertificateError) {
  var time = time_t(time)
  // The comparison returns 0 for a time that it cannot parse.
  guard X509_cmp_time(X509_get0_notBefore(certificate), &time) < 0 else { throw .notYetValid(at: index) }
  guard X509_cmp_time(X509_get0_notAfter(certificate), &time) > 0 else { throw .expired(at: index) }
}
