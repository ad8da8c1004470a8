import SimplexCrypto
import WireCodec

/// The client's side of the handshake that follows TLS: reads the relay's hello, and answers it. Source:
/// simplex-messaging.md, "Transport handshake".
///
/// The relay's certificates are verified in TLS; this verifies that the same relay signed the key of the session.
public struct ClientHandshake: Sendable {
  /// The client's parameters of a handshake.
  public struct Offer: Sendable {
    /// The fingerprint of the expected relay.
    public var keyHash: [UInt8]
    /// The supported versions.
    public var versions: VersionRange
    /// Whether the client is a proxy.
    public var isProxy: Bool
    /// The service that the client is, if it is one and presented its certificate in TLS.
    public var service: ServiceCredential?

    /// An offer of a client for a relay.
    public init(
      keyHash: [UInt8], versions: VersionRange = SMPVersion.supported, isProxy: Bool = false,
      service: ServiceCredential? = nil
    ) {
      self.keyHash = keyHash
      self.versions = versions
      self.isProxy = isProxy
      self.service = service
    }
  }

  /// The session that TLS established.
  public let sessionID: SessionID
  /// The key of the relay's TLS certificate.
  public let relayKey: AnyPublicKey

  /// A handshake in a TLS session.
  public init(sessionID: SessionID, relayKey: AnyPublicKey) {
    self.sessionID = sessionID
    self.relayKey = relayKey
  }

  /// Answers the content of the relay's first block: returns the content of the client's, and the established session.
  public func answer(
    _ content: RawSpan, _ offer: Offer, random: inout some RandomSource
  ) throws(ProtocolTransportError) -> (hello: [UInt8], session: EstablishedSession) {
    let hello: ServerHello
    do { hello = try ServerHello.codec.decodeAll(content) } catch { throw .handshake(handshakeErr: .PARSE) }
    guard hello.sessionID == sessionID else { throw .badSession }
    guard let version = offer.version(for: hello.versions) else { throw .version }
    let serverKey = try hello.sessionKey.map { (key) throws(ProtocolTransportError) in try verifiedKey(key) }
    let ownKey = X25519.PrivateKey(using: &random)
    var answer = ClientHello(
      version: version, keyHash: offer.keyHash, sessionKey: serverKey == nil ? nil : ownKey.publicKey,
      isProxy: offer.isProxy)
    var session = EstablishedSession(
      context: SessionContext(version: version, sessionID: sessionID), serverKey: serverKey,
      certifiedKey: hello.sessionKey, serverVersions: hello.versions)
    if let service = offer.service, version >= service.role.since {
      let (serviceHello, signer) = try service.hello(random: &random)
      answer.service = serviceHello
      session.serviceSigner = signer
    }
    if let serverKey {
      guard let secret = try? ownKey.sharedSecret(with: serverKey) else {
        throw .handshake(handshakeErr: .BAD_AUTH)
      }
      session.secret = try? BoxKey(secret)
      if version >= SMPVersion.encryptedBlocks, !offer.isProxy {
        session.sealing = BlockSealing(sessionID: sessionID, secret: secret, isServer: false)
      }
    }
    do { return (try ClientHello.codec.encode(answer), session) } catch { throw .handshake(handshakeErr: .PARSE) }
  }

  /// As ``answer(_:_:random:)``, from the padded block.
  public func answer(
    block: [UInt8], _ offer: Offer, random: inout some RandomSource
  ) throws(ProtocolTransportError) -> (hello: [UInt8], session: EstablishedSession) {
    let content: Range<Int>
    do { content = try Padding.messageRange(in: block.span.bytes) } catch { throw .badBlock }
    return try answer(block.span.bytes.extracting(content), offer, random: &random)
  }

  private func verifiedKey(_ key: CertifiedKey) throws(ProtocolTransportError) -> X25519.PublicKey {
    guard key.key.isSigned(by: relayKey), case .x25519(let sessionKey) = key.key.key else {
      throw .handshake(handshakeErr: .BAD_AUTH)
    }
    return sessionKey
  }
}

extension ClientHandshake.Offer {
  /// The highest version that both support. A proxy does not encrypt blocks, which relays before version 14 cannot
  /// handle: with those it uses the last version without encryption.
  func version(for server: VersionRange) -> UInt16? {
    var own = versions
    if isProxy, server.highest < SMPVersion.proxyHandshake, versions.highest > SMPVersion.deletedEvent {
      own = VersionRange(own.lowest, max(own.lowest, SMPVersion.deletedEvent)) ?? own
    }
    return server.intersection(own)?.highest
  }
}

/// A session after the handshake, on the client's side.
public struct EstablishedSession: Sendable {
  /// Version and identifier.
  public let context: SessionContext
  /// The relay's key, for X25519 authenticators; nil before version 7.
  public let serverKey: X25519.PublicKey?
  /// The same key with its certificates, as PKEY passes it on.
  public let certifiedKey: CertifiedKey?
  /// The versions that the relay supports.
  public let serverVersions: VersionRange
  /// Signs the commands of a client that is a service; nil for other clients.
  public internal(set) var serviceSigner: ServiceSigner?
  /// The identifier that the relay assigned to the service.
  public internal(set) var serviceID: EntityID?
  /// Derived from both keys, for the boxes of forwarded commands; nil before version 7.
  public internal(set) var secret: BoxKey?
  /// Pads blocks, and encrypts them from version 11 on.
  public var sealing = BlockSealing()

  /// A session whose blocks are padded only.
  public init(
    context: SessionContext, serverKey: X25519.PublicKey?, certifiedKey: CertifiedKey? = nil,
    serverVersions: VersionRange
  ) {
    self.context = context
    self.serverKey = serverKey
    self.certifiedKey = certifiedKey
    self.serverVersions = serverVersions
  }
}
