import NIOCore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import SimplexTransport
import Synchronization
import WireCodec

/// One connection of a client: handshake, commands, responses, and back-pressure.
///
/// Unchecked: everything but `outbox` is used on the connection's event loop alone.
final class ClientSession: BlockHandler, ResponseTarget, @unchecked Sendable {
  /// The state after the handshake.
  final class Established: Sendable {
    let context: SessionContext
    let gate: CommandGate
    /// The secret with the client's session key, if it sent one; for forwarded commands.
    let secret: SecretBytes?

    init(context: SessionContext, gate: CommandGate, secret: SecretBytes?) {
      self.context = context
      self.gate = gate
      self.secret = secret
    }
  }

  private enum Phase {
    case hello(X25519.PrivateKey)
    case registering
    case open(Established)
    case closed
  }

  /// The proof of the relay's identity in the handshake: the credential that the connection's TLS uses.
  struct Credential: Sendable {
    /// The key of the certificate.
    let key: CertificateKey
    /// The certificates in the form of the handshake.
    let certificates: [[UInt8]]

    init(_ credential: TLSCredential) {
      key = credential.key
      certificates = credential.chain.certificates.map(\.der)
    }
  }

  let connection: BlockConnection
  let relay: Relay
  private let credential: Credential
  let identifier: SessionID
  let createdAt = currentSeconds()
  /// When the last block was received or sent.
  let activeAt: Atomic<Int64>
  private var phase: Phase
  private var sealing = BlockSealing()
  private let outbox = Mutex(Outbox())
  private var isReadingPaused = false
  /// The same for other threads.
  private let isHeld = Atomic<Bool>(false)
  /// Commands that are forwarded to other relays.
  var forwarding: ForwardingQueue
  private var helloTimeout: Scheduled<Void>?
  /// The bytes of commands that wait for the store.
  private let waitingBytes = Atomic<Int>(0)
  /// Reading pauses when more wait of one connection, or of all; each may always have one block.
  private static let waitingLimit = 1 << 20
  private static let waitingLimitOfAll = 64 << 20

  init(_ connection: BlockConnection, of relay: Relay, credential: Credential) {
    self.connection = connection
    self.relay = relay
    self.credential = credential
    identifier = SessionID(connection.session.identifier)
    activeAt = Atomic(createdAt)
    forwarding = ForwardingQueue(limit: relay.configuration.proxy?.clientConcurrency ?? 1)
    var random = SystemRandom()
    let key = X25519.PrivateKey(using: &random)
    phase = .hello(key)
    relay.add(self)
    helloTimeout = connection.eventLoop.scheduleTask(in: .seconds(relay.configuration.handshakeTimeout)) {
      [weak self] in self?.helloTimedOut()
    }
    // Nothing can be written before this call.
    connection.perform { self.sendHello(key.publicKey) }
  }

  // MARK: Handshake

  private var versions: VersionRange {
    connection.session.applicationProtocol == nil ? SMPVersion.legacy : relay.configuration.versions
  }

  private func sendHello(_ key: X25519.PublicKey) {
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

  private func helloTimedOut() {
    if case .open = phase { return }
    connection.close()
  }

  private func received(hello content: RawSpan, _ key: X25519.PrivateKey) {
    guard let hello = try? ClientHello.codec.decodeAll(content), hello.keyHash == relay.fingerprint,
      versions.contains(hello.version)
    else { return connection.close() }
    let secret = hello.sessionKey.flatMap { try? key.sharedSecret(with: $0) }
    guard let service = hello.service, hello.version >= SMPVersion.services else {
      return established(hello, verifier: verifier(key), service: nil, secret: secret)
    }
    phase = .registering
    register(service) { result in
      switch result {
      case .failure(let error):
        self.write(handshake: .refused(.handshake(handshakeErr: error)))
        self.connection.close()
      case .success(let (identity, session)):
        self.write(handshake: .registered(session.id))
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

  // MARK: Blocks

  func blockReceived(_ block: inout MutableRawSpan) {
    activeAt.store(currentSeconds(), ordering: .relaxed)
    guard let range = try? sealing.open(&block) else { return connection.close() }
    let content = block.bytes.extracting(range)
    switch phase {
    case .hello(let key): received(hello: content, key)
    case .registering, .closed: connection.close()
    case .open(let established):
      let transmissions = established.context.transmissions(of: Command.self, in: content)
      let expected = transmissions.count { !$0.correlationID.isNone }
      outbox.withLock { $0.expected += expected }
      relay.statistics.countBatch(transmissions)
      for transmission in transmissions { receive(transmission, established) }
      pauseReadingIfBusy()
    }
  }

  func blocksComplete() { flush() }

  func writabilityChanged(_ isWritable: Bool) { if isWritable { flush() } }

  func connectionClosed(_ error: TransportError?) {
    phase = .closed
    helloTimeout?.cancel()
    helloTimeout = nil
    outbox.withLock { $0 = Outbox(isClosed: true) }
    forwarding = ForwardingQueue(limit: 1)
    relay.remove(self)
  }

  private func write(_ content: [UInt8]) {
    do {
      let block = try sealing.seal(content)
      try connection.write(block.span.bytes)
    } catch {
      connection.close()
    }
  }

  // MARK: Responses

  func send(_ response: Response) {
    let starts = outbox.withLock { $0.add(response) }
    if starts { relay.flushing.add(self) }
  }

  var isClosed: Bool { outbox.withLock { $0.isClosed } }

  /// Writes waiting responses, as far as the client takes them.
  func flush() {
    guard case .open(let established) = phase else { return }
    var hasWritten = false
    while connection.isWritable {
      let items = outbox.withLock { $0.take() }
      if items.isEmpty { break }
      write(items, established.context)
      hasWritten = true
    }
    if hasWritten {
      activeAt.store(currentSeconds(), ordering: .relaxed)
      connection.flush()
    }
    resumeReadingIfIdle()
  }

  private func write(_ items: [Outbox.Item], _ context: SessionContext) {
    var random = SystemRandom()
    var batch = BlockBatch(context)
    relay.statistics.countEvents(items)
    for item in items {
      guard let response = item.response(from: relay.store) else { continue }
      do throws(WireError) {
        try batch.add { (writer) throws(WireError) in try response.write(in: context, to: &writer, using: &random) }
      } catch {
        try? batch.add { (writer) throws(WireError) in
          try context.write(
            .err(.LARGE_MSG), entity: response.entity, correlation: response.correlation, to: &writer)
        }
      }
    }
    do {
      for block in try batch.takeBlocks(sealing: &sealing) { try connection.write(block.span.bytes) }
    } catch {
      connection.close()
    }
  }

  /// Reading pauses while many commands are unanswered.
  private func pauseReadingIfBusy() {
    guard !isReadingPaused, isForwardingBusy || isStoreBusy || outbox.withLock({ $0.isBusy }) else { return }
    isReadingPaused = true
    connection.setReading(false)
    isHeld.store(true, ordering: .sequentiallyConsistent)
    // The last of what it waits for may be done since.
    resumeReadingIfIdle()
  }

  func resumeReadingIfIdle() {
    guard isReadingPaused, !isForwardingBusy, isStoreIdle, outbox.withLock({ $0.isIdle }) else { return }
    isReadingPaused = false
    isHeld.store(false, ordering: .relaxed)
    connection.setReading(true)
  }

  func addWaiting(bytes: Int) {
    waitingBytes.add(bytes, ordering: .sequentiallyConsistent)
    relay.waitingBytes.add(bytes, ordering: .relaxed)
    // Not everything that is stored is answered, which would end the pause.
    guard bytes < 0, isHeld.load(ordering: .sequentiallyConsistent), isStoreIdle else { return }
    connection.perform { self.resumeReadingIfIdle() }
  }

  private var isStoreBusy: Bool {
    let own = waitingBytes.load(ordering: .relaxed)
    return own > Self.waitingLimit || own > 0 && relay.waitingBytes.load(ordering: .relaxed) > Self.waitingLimitOfAll
  }

  private var isStoreIdle: Bool {
    let own = waitingBytes.load(ordering: .sequentiallyConsistent)
    guard own > 0 else { return true }
    return own < Self.waitingLimit / 2 && relay.waitingBytes.load(ordering: .relaxed) <= Self.waitingLimitOfAll
  }

  // MARK: For the operator

  /// Whether the connection has been idle since a time, and has no subscriptions.
  func isInactive(since time: Int64) -> Bool {
    guard activeAt.load(ordering: .relaxed) < time else { return false }
    let client = Client(self)
    return !relay.withShards { $0.hasSubscriptions(client) }.contains(true)
  }

  func close() { connection.close() }
}
