import NIOCore
import NotificationProtocol
import NotificationServerCore
import RelayChassis
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import WireCodec

/// One connection of a client: handshake, commands, responses.
///
/// Commands are authorized in order, a few at a time, and then executed in order; many may wait for the store.
///
/// Unchecked: all state is used on the connection's event loop alone.
final class NotificationSession: BlockHandler, @unchecked Sendable {
  private enum Phase {
    case hello(X25519.PrivateKey)
    case open(SessionContext, AuthorizationVerifier)
    case closed
  }

  private typealias Received = ReceivedTransmission<NotificationCommand>

  private let connection: BlockConnection
  private let hub: ServerHub
  private let credential: TLSCredential
  private let identifier: SessionID
  private var phase: Phase
  private var helloTimeout: Scheduled<Void>?
  /// Commands that wait to be authorized.
  private var received: [Received] = []
  private var isAuthorizing = false
  /// The number of commands that are being authorized or executed.
  private var unanswered = 0
  private var isReadingPaused = false
  private var responses: BlockBatch?
  private var isFlushScheduled = false
  private var activeAt = NIODeadline.now()
  private var inactivityCheck: RepeatedTask?

  init(_ connection: BlockConnection, of hub: ServerHub, credential: TLSCredential) {
    self.connection = connection
    self.hub = hub
    self.credential = credential
    identifier = SessionID(connection.session.identifier)
    var random = SystemRandom()
    let key = X25519.PrivateKey(using: &random)
    phase = .hello(key)
    helloTimeout = connection.eventLoop.scheduleTask(in: .seconds(hub.configuration.handshakeTimeout)) {
      [weak self] in self?.helloTimedOut()
    }
    if let (ttl, interval) = hub.configuration.inactivity {
      let (ttl, interval) = (TimeAmount(ttl), TimeAmount(interval))
      inactivityCheck = connection.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) {
        [weak self] _ in
        guard let self, activeAt + ttl < .now() else { return }
        self.connection.close()
      }
    }
    // Nothing can be written before this call.
    connection.perform { self.sendHello(key.publicKey) }
  }

  // MARK: Handshake

  private var versions: VersionRange {
    connection.session.applicationProtocol == nil ? NotificationVersion.legacy : hub.configuration.versions
  }

  private func sendHello(_ key: X25519.PublicKey) {
    let signed = try? SignedKey(signing: .x25519(key), { try credential.key.sign($0) })
    let hello = NotificationServerHello(versions: versions, sessionID: identifier, sessionKey: signed)
    guard let block = try? NotificationHello.block(hello, NotificationServerHello.codec) else {
      return connection.close()
    }
    write([block])
  }

  private func helloTimedOut() {
    if case .hello = phase { connection.close() }
  }

  private func receive(hello block: RawSpan, _ key: X25519.PrivateKey) {
    guard let content = try? Padding.unpad(block), let hello = try? NotificationClientHello.codec.decodeAll(content),
      hello.keyHash == hub.fingerprint, versions.contains(hello.version)
    else { return connection.close() }
    helloTimeout?.cancel()
    helloTimeout = nil
    let context = SessionContext.notifications(version: hello.version, sessionID: identifier)
    phase = .open(context, AuthorizationVerifier(sessionKey: key))
    responses = BlockBatch(context)
  }

  // MARK: Blocks

  func blockReceived(_ block: inout MutableRawSpan) {
    activeAt = .now()
    switch phase {
    case .hello(let key): receive(hello: block.bytes, key)
    case .open(let context, _):
      guard let content = try? Padding.unpad(block.bytes) else { return connection.close() }
      received += context.transmissions(of: NotificationCommand.self, in: content)
      authorizeNext()
      changeReading()
    case .closed: break
    }
  }

  func writabilityChanged(_ isWritable: Bool) { changeReading() }

  func connectionClosed(_ error: TransportError?) {
    phase = .closed
    helloTimeout?.cancel()
    helloTimeout = nil
    inactivityCheck?.cancel()
    received = []
    responses = nil
  }

  /// Reading pauses while many commands are unanswered, or answers are not taken.
  private func changeReading() {
    let pauses = received.count + unanswered >= hub.configuration.commandLimit || !connection.isWritable
    guard pauses != isReadingPaused else { return }
    isReadingPaused = pauses
    connection.setReading(!pauses)
  }

  // MARK: Commands

  /// Authorizes the commands that were received, with the keys that are stored.
  private func authorizeNext() {
    guard !isAuthorizing, !received.isEmpty, case .open(_, let verifier) = phase else { return }
    let batch = received
    received = []
    isAuthorizing = true
    unanswered += batch.count
    let keys = batch.map { transmission -> CommandKey in
      guard case .success(let command) = transmission.message else { return .none }
      return CommandKey(command, entity: transmission.entityID)
    }
    Task { [hub, connection] in
      do {
        let stored = try await hub.store.keys(of: keys)
        let isAuthorized = zip(batch, stored).map { Self.isAuthorized($0, by: $1, verifier) }
        connection.perform { self.authorized(batch, isAuthorized) }
      } catch {
        hub.storeHealth.failed("\(error)")
        connection.perform { self.authorized(batch, nil) }
      }
    }
  }

  /// Whether a command was authorized by a key. Without a key it takes as long, so that the time reveals nothing.
  private static func isAuthorized(
    _ transmission: Received, by key: AuthorizationKey?, _ verifier: AuthorizationVerifier
  ) -> Bool {
    guard let authorization = transmission.authorization else { return false }
    let correlation = transmission.correlationID
    guard let key else { return verifier.checkWithDummyKey(authorization, correlation: correlation) }
    return verifier.isValid(authorization, by: key, correlation: correlation)
  }

  /// Executes commands; all of them fail where their keys could not be read.
  private func authorized(_ batch: [Received], _ isAuthorized: [Bool]?) {
    isAuthorizing = false
    guard case .open = phase else { return }
    for (index, transmission) in batch.enumerated() {
      guard let isAuthorized else {
        respond(.err(.INTERNAL), to: transmission)
        continue
      }
      execute(transmission, isAuthorized: isAuthorized[index])
    }
    authorizeNext()
  }

  private func execute(_ transmission: Received, isAuthorized: Bool) {
    switch transmission.message {
    case .failure(let error): respond(.err(ProtocolErrorType(error)), to: transmission)
    case .success(.ping): respond(.pong, to: transmission)
    case .success where !isAuthorized: respond(.err(.AUTH), to: transmission)
    case .success(let command):
      hub.execute(command, entity: transmission.entityID) { [connection] response in
        connection.perform { self.respond(response, to: transmission) }
      }
    }
  }

  // MARK: Responses

  private func respond(_ response: NotificationResponse, to transmission: Received) {
    unanswered -= 1
    guard case .open(let context, _) = phase else { return }
    let entity = response.form.credentials.entity == .forbidden ? EntityID.none : transmission.entityID
    do {
      try responses?.add { (writer) throws(WireError) in
        try context.write(response, entity: entity, correlation: transmission.correlationID, to: &writer)
      }
    } catch {
      return connection.close()
    }
    guard !isFlushScheduled else { return }
    isFlushScheduled = true
    connection.perform { self.flush() }
  }

  private func flush() {
    isFlushScheduled = false
    guard case .open = phase else { return }
    var sealing = BlockSealing()
    guard let blocks = try? responses?.takeBlocks(sealing: &sealing) else { return connection.close() }
    write(blocks)
    changeReading()
  }

  private func write(_ blocks: [[UInt8]]) {
    do {
      for block in blocks { try connection.write(block.span.bytes) }
      connection.flush()
    } catch {
      connection.close()
    }
  }
}
