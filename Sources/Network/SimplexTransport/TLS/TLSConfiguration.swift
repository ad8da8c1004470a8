/// The TLS credentials and protocols of a server.
///
/// Always TLS 1.3 only, without resumption. Between relays and their clients: ChaCha20-Poly1305 with SHA-256, groups
/// X448 and X25519, signatures Ed448 and Ed25519. Source: simplex-messaging.md, "TLS transport encryption".
public struct TLSServerConfiguration: Sendable {
  /// The credential that the server presents.
  public var credential: TLSCredential
  /// The credential presented instead to clients that name the server (SNI), as browsers do; with it, the algorithms of
  /// browsers are accepted too.
  public var webCredential: TLSCredential?
  /// The application protocols that are accepted, such as `smp/1`. A client that offers only others is refused; one
  /// that offers none is accepted.
  public var applicationProtocols: [String]
  /// Whether clients are asked for a certificate, which they need not present.
  public var asksClientCertificate: Bool
  /// Decides by the SHA-256 fingerprint of a client's authority (32 bytes) whether the client is accepted; nil for
  /// servers whose clients need no certificate. With it, clients have to present two certificates
  /// (``ChainPolicy/pair(authority:)``); a client that is not accepted gets the alert `unknown_ca` (48) within the
  /// handshake. Called on the thread of the connection.
  public var acceptsAuthority: (@Sendable (_ fingerprint: [UInt8]) -> Bool)?

  /// A configuration without web credential.
  public init(credential: TLSCredential, applicationProtocols: [String], asksClientCertificate: Bool = false) {
    self.credential = credential
    self.applicationProtocols = applicationProtocols
    self.asksClientCertificate = asksClientCertificate
  }
}

/// The TLS credentials and protocols of a client; see ``TLSServerConfiguration`` for the algorithms.
public struct TLSClientConfiguration: Sendable {
  /// The application protocols that are offered, the preferred one first.
  public var applicationProtocols: [String]
  /// The credential presented if the server asks for a certificate.
  public var credential: TLSCredential?
  /// The authorities of web servers; nil for a client of relays and other peers whose identity is known.
  public var webTrust: WebTrust?

  /// The authorities that a client of web servers trusts. With it the algorithms of browsers are offered, and TLS 1.2
  /// where the server has nothing newer.
  public enum WebTrust: Hashable, Sendable {
    /// Those of the system (`SSL_CERT_FILE` and `SSL_CERT_DIR` name others).
    case system
    /// The certificates in a PEM file.
    case file(String)
  }

  /// A configuration that offers these protocols.
  public init(applicationProtocols: [String], credential: TLSCredential? = nil) {
    self.applicationProtocols = applicationProtocols
    self.credential = credential
  }
}

/// The result of a TLS handshake.
public struct TLSSession: Hashable, Sendable {
  /// The channel binding: the Finished message of the client (`tls-unique`), 32 bytes. The same on both sides.
  public let identifier: [UInt8]
  /// The negotiated application protocol; nil if none was offered.
  public let applicationProtocol: String?
  /// The peer's certificates; empty for a client without any.
  public let peerCertificates: CertificateChain
  /// Whether this side presented certificates: always for a server, for a client if it has some and was asked.
  public let presentedCertificates: Bool
  /// Whether the client named the server, which therefore presented its web credential. Known to the server only.
  public let usedWebCredential: Bool
}
