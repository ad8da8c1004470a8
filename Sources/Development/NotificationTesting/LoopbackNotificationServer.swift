import AgentCore
import NotificationProtocol
import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import WireCodec

/// A notification server on the loopback interface, over TLS as clients reach it, which subscribes at relays as a
/// notifier. Its devices are in memory: who tests takes their pushes.
public actor LoopbackNotificationServer {
  /// Its address.
  public nonisolated let address: NotificationServer
  private let model: NotificationServerModel
  private var server: TransportServer?
  private var relays: [SMPServerAddress: SMPConnection] = [:]
  private var taken = 0
  private var now: Int64 = 1_700_000_000_000

  private init(_ address: NotificationServer) {
    self.address = address
    model = NotificationServerModel(address)
  }

  /// Starts a server.
  /// - Parameter folder: where its certificates are made.
  public static func start(in folder: String) async throws -> LoopbackNotificationServer {
    let certificates = RelayCertificates(folder: folder)
    try certificates.create(commonName: "localhost", algorithm: .ed25519)
    let credential = try certificates.credential()
    let fingerprint = credential.chain.identity?.fingerprint ?? []
    var configuration = TransportServer.Configuration(
      host: "127.0.0.1", port: 0,
      tls: TLSServerConfiguration(
        credential: credential, applicationProtocols: [NotificationTransport.applicationProtocol]))
    configuration.blockSize = NotificationTransport.blockSize
    let (requests, handler) = AsyncStream.makeStream(of: Request.self)
    let server = try await TransportServer.start(configuration) { connection in
      ClientSession(connection, credential: credential, requests: handler)
    }
    guard
      let address = NotificationServer(
        hosts: [try TransportHost.textCodec.decode(text: "127.0.0.1")], port: UInt16(server.port), keyHash: fingerprint)
    else { throw TransportError.closed }
    let loopback = LoopbackNotificationServer(address)
    await loopback.run(server, requests)
    return loopback
  }

  private func run(_ server: TransportServer, _ requests: AsyncStream<Request>) {
    self.server = server
    Task { for await request in requests { await self.perform(request) } }
  }

  /// Stops it.
  public func stop() async {
    await server?.close()
    for relay in relays.values { await relay.close() }
    relays = [:]
  }

  /// Uses the model, such as to lose everything.
  public func change<Value: Sendable>(_ body: @Sendable (NotificationServerModel) -> Value) -> Value { body(model) }

  /// The next push that a test has not taken yet; waits for it.
  public func nextPush() async throws -> NotificationServerModel.Push {
    while model.pushes.count <= taken { try await Task.sleep(for: .milliseconds(5)) }
    taken += 1
    return model.pushes[taken - 1]
  }

  /// A command of a client, and what takes the response.
  struct Request: Sendable {
    var request: NotificationCommand
    var entity: EntityID
    /// Whether a key authorized the command.
    var isAuthorized: @Sendable (AuthorizationKey) -> Bool
    var respond: @Sendable (NotificationResponse) -> Void
  }

  private func perform(_ request: Request) async {
    let response: NotificationResponse
    switch model.perform(request.request, entity: request.entity, isAuthorized: request.isAuthorized) {
    case .success(let answer): response = answer
    case .failure(.relay(let error)): response = .err(error)
    case .failure: return
    }
    if case .snew(let new) = request.request, case .idsub = response { await subscribe(new) }
    request.respond(response)
  }

  // MARK: Relays

  /// Subscribes to the notifications of a queue.
  private func subscribe(_ new: NewSubscriptionRequest) async {
    guard let relay = await connection(to: new.queue.relay) else { return }
    let request = RequestPipeline.Request(.nsub, entity: new.queue.notifier, key: new.notifierKey)
    _ = try? await relay.perform(request)
  }

  private func connection(to server: SMPServerAddress) async -> SMPConnection? {
    if let known = relays[server] { return known }
    guard let relay = try? await SMPConnection.connect(to: server) else { return nil }
    relays[server] = relay
    Task {
      for await event in relay.events {
        guard case .nmsg(let message) = event.message else { continue }
        self.notified(NotifierQueue(relay: server, notifier: event.entity), message)
      }
    }
    return relay
  }

  private func notified(_ queue: NotifierQueue, _ message: NotificationMessage) {
    now += 1_000
    model.notified(queue, message, at: now)
  }
}

/// A client's connection. All methods are called on its event loop.
private final class ClientSession: BlockHandler, @unchecked Sendable {
  private let connection: BlockConnection
  private let requests: AsyncStream<LoopbackNotificationServer.Request>.Continuation
  private let key: X25519.PrivateKey
  private var context: SessionContext?

  init(
    _ connection: BlockConnection, credential: TLSCredential,
    requests: AsyncStream<LoopbackNotificationServer.Request>.Continuation
  ) {
    self.connection = connection
    self.requests = requests
    var random = SystemRandom()
    key = X25519.PrivateKey(using: &random)
    let key = key
    // Nothing can be written before this call.
    connection.perform {
      let hello = NotificationServerHello(
        versions: NotificationVersion.supported, sessionID: SessionID(connection.session.identifier),
        sessionKey: try? SignedKey(signing: .x25519(key.publicKey)) { try credential.key.sign($0) })
      guard let block = try? NotificationHello.block(hello, NotificationServerHello.codec) else { return }
      try? connection.write(block.span.bytes)
      connection.flush()
    }
  }

  func blockReceived(_ block: inout MutableRawSpan) {
    guard let content = try? Padding.unpad(block.bytes) else { return connection.close() }
    guard let context else {
      guard let hello = try? NotificationClientHello.codec.decodeAll(content) else { return connection.close() }
      self.context = .notifications(version: hello.version, sessionID: SessionID(connection.session.identifier))
      return
    }
    let verifier = AuthorizationVerifier(sessionKey: key)
    for transmission in context.transmissions(of: NotificationCommand.self, in: content) {
      guard case .success(let command) = transmission.message else { continue }
      let connection = connection
      requests.yield(
        LoopbackNotificationServer.Request(
          request: command, entity: transmission.entityID,
          isAuthorized: { key in
            transmission.authorization.map {
              verifier.isValid($0, by: key, correlation: transmission.correlationID)
            } ?? false
          },
          respond: { response in
            connection.perform { Self.send(response, to: transmission, context, over: connection) }
          }))
    }
  }

  private static func send(
    _ response: NotificationResponse, to transmission: ReceivedTransmission<NotificationCommand>,
    _ context: SessionContext, over connection: BlockConnection
  ) {
    let entity = response.form.credentials.entity == .forbidden ? EntityID.none : transmission.entityID
    var batch = BlockBatch(context)
    var sealing = BlockSealing()
    do {
      try batch.add { (writer) throws(WireError) in
        try context.write(response, entity: entity, correlation: transmission.correlationID, to: &writer)
      }
      for block in try batch.takeBlocks(sealing: &sealing) { try connection.write(block.span.bytes) }
      connection.flush()
    } catch {
      connection.close()
    }
  }

  func connectionClosed(_ error: TransportError?) {}
}
