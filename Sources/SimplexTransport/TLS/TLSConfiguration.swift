/// What a server presents and accepts in TLS.
///
/// Always TLS 1.3 alone, without resumption. Between relays and their clients: ChaCha20-Poly1305 with SHA-256, groups
/// X448 and X25519, signatures Ed448 and Ed25519. Source: simplex-messaging.md, "TLS transport encryption".
public struct TLSServerConfiguration: Sendable {
  /// What the server presents.
  public var credential: TLSCredential
  /// What is presented instead to clients that name the server (SNI), as browsers do; with it, the algorithms that
  /// browsers know are accepted too.
  public var webCredential: TLSCredential?
  /// The application protocols that are accepted, such as `smp/1`. A client that offers only others is refused; one
  /// that offers none is accepted.
  public var applicationProtocols: [String]
  /// Whether clients are asked for a certificate. They may still present none.
  public var asksClientCertificate: Bool

  /// A configuration without web credential.
  public init(credential: TLSCredential, applicationProtocols: [String], asksClientCertificate: Bool = false) {
    self.credential = credential
    self.applicationProtocols = applicationProtocols
    self.asksClientCertificate = asksClientCertificate
  }
}

/// What a client offers in TLS; see ``TLSServerConfiguration`` for the algorithms.
public struct TLSClientConfiguration: Sendable {
  /// The application protocols that are offered, the preferred one first.
  public var applicationProtocols: [String]
  /// What is presented if the server asks for a certificate.
  public var credential: TLSCredential?

  /// A configuration that offers these protocols.
  public init(applicationProtocols: [String], credential: TLSCredential? = nil) {
    self.applicationProtocols = applicationProtocols
    self.credential = credential
  }
}

/// What a finished TLS handshake established.
public struct TLSSession: Hashable, Sendable {
  /// The channel binding: the Finished message of the client (`tls-unique`), 32 bytes. The same on both sides.
  public let identifier: [UInt8]
  /// The agreed application protocol; nil if none was offered.
  public let applicationProtocol: String?
  /// The peer's certificates; empty for a client without any.
  public let peerCertificates: CertificateChain
  /// Whether this side presented certificates: always for a server, for a client if it has some and was asked.
  public let presentedCertificates: Bool
  /// Whether the client named the server, which therefore presented its web credential. Known to the server only.
  public let usedWebCredential: Bool
}
