import NIOCore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import SimplexTransport
import WireCodec

// The handshake, with the registration of services. Source: simplex-messaging.md, "SMP transport protocol".

extension ClientSession {
  private var versions: VersionRange {
    connection.session.applicationProtocol == nil ? SMPVersion.legacy : relay.configuration.versions
  }

  func sendHello(_ key: X25519.PublicKey) {
    guard let signed = try? SignedKey(signing: .x25519(key), { try credential.key.sign($0) }) else {
      return connection.close()
    }
    let hello = ServerHello(
      versions: versions, sessionID: identifier,
      sessionKey: CertifiedKey(certificates: credential.certificates, key: signed))
    guard let content = try? ServerHello.codec.encode(hello) else { return connection.close() }
    write(content)
    connection.flush()
  }

  func helloTimedOut() {
    if case .open = phase { return }
    connection.close()
  }

  func received(hello content: RawSpan, _ key: X25519.PrivateKey) {
    guard let hello = try? ClientHello.codec.decodeAll(content), hello.keyHash == relay.fingerprint,
      versions.contains(hello.version)
    else { return connection.close() }
    let secret = hello.sessionKey.flatMap { try? key.sharedSecret(with: $0) }
    guard let service = hello.service, hello.version >= SMPVersion.services else {
      return established(hello, verifier: verifier(key), service: nil, secret: secret)
    }
    phase = .registering
    register(service) { result in
      // It may have been closed meanwhile.
      guard case .registering = self.phase else { return }
      switch result {
      case .failure(let error):
        self.write(handshake: .refused(.handshake(handshakeErr: error)))
        self.connection.close()
      case .success(let (identity, session)):
        // Before the service knows its identifier: from then on it relies on being kept.
        self.relay.serviceConnected(session.id)
        self.write(handshake: .registered(session.id))
        // Writing closes the connection where it fails.
        guard case .registering = self.phase else { return self.relay.serviceDisconnected(session.id) }
        self.established(hello, verifier: self.verifier(key, identity), service: session, secret: secret)
      }
    }
  }

  private func verifier(_ key: X25519.PrivateKey, _ service: ServiceIdentity? = nil) -> AuthorizationVerifier {
    AuthorizationVerifier(sessionKey: key, service: service, tables: relay.signatureTables)
  }

  private func established(
    _ hello: ClientHello, verifier: AuthorizationVerifier, service: ServiceSession?, secret: SecretBytes?
  ) {
    helloTimeout?.cancel()
    helloTimeout = nil
    let context = SessionContext(version: hello.version, sessionID: identifier)
    if hello.version >= SMPVersion.encryptedBlocks, !hello.isProxy, let secret {
      sealing = BlockSealing(sessionID: identifier, secret: secret, isServer: true)
    }
    phase = .open(
      Established(context: context, gate: CommandGate(verifier: verifier, service: service), secret: secret))
  }

  private func write(handshake response: ServiceResponse) {
    guard let content = try? ServiceResponse.codec.encode(response) else { return connection.close() }
    write(content)
    connection.flush()
  }

  /// Verifies the service and gets its identifier from the store; continues on the event loop.
  private func register(
    _ hello: ServiceHello,
    _ completion: @escaping @Sendable (Result<(ServiceIdentity, ServiceSession), SMPHandshakeError>) -> Void
  ) {
    let chain = connection.session.peerCertificates
    guard relay.configuration.acceptsServices, chain.certificates.map(\.der) == hello.sessionKey.certificates,
      let leaf = try? chain.leaf?.publicKeyDER(), let signer = try? AnyPublicKey(der: leaf.span.bytes),
      hello.sessionKey.key.isSigned(by: signer), case .ed25519(let sessionKey) = hello.sessionKey.key.key,
      let hash = chain.identity?.fingerprint
    else { return completion(.failure(.BAD_AUTH)) }
    var random = SystemRandom()
    let service = ServiceRecord(
      id: EntityID(using: &random).bytes, role: hello.role, certificateHash: hash, createdDay: currentDay())
    relay.store.submit(.registerService(service)) { outcome in
      self.connection.perform {
        guard case .success(.service(let id)) = outcome else { return completion(.failure(.BAD_SERVICE)) }
        let identity = ServiceIdentity(certificateHash: hash, sessionKey: sessionKey)
        completion(.success((identity, ServiceSession(id: EntityID(id), role: hello.role))))
      }
    }
  }
}
