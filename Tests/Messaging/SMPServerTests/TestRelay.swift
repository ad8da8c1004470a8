import Foundation
import QueueStore
import SMPClient
import SMPProtocol
import SMPServer
import SMPServerCore
import SimplexCrypto
import SimplexTransport
import Testing
import WireCodec

/// A relay on the loopback interface, with a real database in a folder of its own.
final class TestRelay: Sendable {
  let server: RelayServer
  let store: any RelayStore
  let folder: URL

  static func start(
    store: (any RelayStore)? = nil, _ change: (inout SMPServerConfiguration) -> Void = { _ in }
  ) async throws -> TestRelay {
    let folder = FileManager.default.temporaryDirectory.appending(path: "relay-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let certificates = RelayCertificates(folder: folder.path)
    try certificates.create(commonName: "localhost", algorithm: .ed25519)
    var configuration = SMPServerConfiguration(host: "127.0.0.1", ports: [0], credential: try certificates.credential())
    configuration.threads = 2
    configuration.proxy?.allowsPrivateAddresses = true
    change(&configuration)
    let queues = try store ?? SQLiteQueueStore(path: folder.appending(path: "queues.db").path)
    return TestRelay(try await RelayServer.start(configuration, store: queues), queues, folder)
  }

  private init(_ server: RelayServer, _ store: any RelayStore, _ folder: URL) {
    self.server = server
    self.store = store
    self.folder = folder
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var port: Int { server.ports[0] }

  /// Runs the test, then stops the relay, also where the test failed.
  static func with(
    store: (any RelayStore)? = nil, _ change: (inout SMPServerConfiguration) -> Void = { _ in },
    _ body: (TestRelay) async throws -> Void
  ) async throws {
    let relay = try await start(store: store, change)
    do { try await body(relay) } catch {
      await relay.server.stop()
      throw error
    }
    await relay.server.stop()
  }

  /// Its address, as clients and proxies use it.
  var address: SMPProtocol.SMPServerAddress {
    SMPServerAddress(.domain("127.0.0.1"), port: UInt16(port), keyHash: server.fingerprint)
  }

  /// Its credential, for another relay that replaces it.
  func credential() throws -> TLSCredential { try RelayCertificates(folder: folder.path).credential() }

  /// A connection of the real client.
  func connection(
    _ configuration: SMPClientConfiguration = SMPClientConfiguration()
  ) async throws -> SMPConnection {
    try await SMPConnection.connect(to: address, configuration)
  }

  func client(_ version: UInt16 = 18) async throws -> TestClient {
    try await TestClient.connect(port: port, fingerprint: server.fingerprint, version: version)
  }
}

/// A minimal client: one connection, commands one after the other or in batches.
final class TestClient {
  struct Closed: Error {}
  struct NoAnswer: Error {}

  /// A response or an event.
  struct Received {
    var correlation: CorrelationID
    var entity: EntityID
    var message: BrokerMessage
  }

  let connection: AsyncBlockConnection
  let context: SessionContext
  let serverKey: X25519.PublicKey?
  let proxySecret: BoxKey?
  private var sealing: BlockSealing
  private var blocks: AsyncBlockConnection.Blocks.AsyncIterator
  private var waiting: [Received] = []
  private var random = SystemRandom()

  private init(
    _ connection: AsyncBlockConnection, _ blocks: AsyncBlockConnection.Blocks.AsyncIterator, _ context: SessionContext,
    _ serverKey: X25519.PublicKey?, _ sealing: BlockSealing, _ proxySecret: BoxKey?
  ) {
    self.connection = connection
    self.blocks = blocks
    self.context = context
    self.serverKey = serverKey
    self.sealing = sealing
    self.proxySecret = proxySecret
  }

  static func connect(
    port: Int, fingerprint: [UInt8], version: UInt16 = 18, isProxy: Bool = false
  ) async throws -> TestClient {
    let connection = try await open(port: port, fingerprint: fingerprint)
    var blocks = connection.blocks.makeAsyncIterator()
    var sealing = BlockSealing()
    guard var block = try await blocks.next() else { throw Closed() }
    let hello = try ServerHello.codec.decode(unsealed(&block, &sealing))
    var random = SystemRandom()
    let key = X25519.PrivateKey(using: &random)
    let client = ClientHello(
      version: version, keyHash: fingerprint, sessionKey: version >= 7 ? key.publicKey : nil, isProxy: isProxy)
    try await connection.send(sealing.seal(ClientHello.codec.encode(client)))
    let context = SessionContext(version: version, sessionID: SessionID(connection.session.identifier))
    #expect(hello.sessionID == context.sessionID)
    guard case .x25519(let serverKey)? = hello.sessionKey?.key.key, version >= 7 else {
      return TestClient(connection, blocks, context, nil, sealing, nil)
    }
    let leaf = try #require(connection.session.peerCertificates.leaf).publicKeyDER()
    let signer = try AnyPublicKey(der: leaf.span.bytes)
    #expect(hello.sessionKey?.key.isSigned(by: signer) == true, "the relay did not sign its session key")
    let secret = try key.sharedSecret(with: serverKey)
    if version >= 11, !isProxy { sealing = BlockSealing(sessionID: context.sessionID, secret: secret, isServer: false) }
    return TestClient(connection, blocks, context, serverKey, sealing, try BoxKey(secret))
  }

  static func open(port: Int, fingerprint: [UInt8]) async throws -> AsyncBlockConnection {
    let transport = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"]))
    return try await .connect(
      transport, host: "127.0.0.1", port: port, policy: .relay(fingerprint: fingerprint), window: 64)
  }

  private static func unsealed(_ block: inout [UInt8], _ sealing: inout BlockSealing) throws -> [UInt8] {
    var span = block.mutableSpan
    var bytes = span.mutableBytes
    let range = try sealing.open(&bytes)
    return Array(block[range])
  }

  func close() { connection.close() }

  /// One command to send.
  struct Request {
    var command: Command
    var entity = EntityID.none
    var key: AuthorizationPrivateKey?
    var correlation: CorrelationID?
  }

  /// Sends commands in as few blocks as they fit, and returns their correlation identifiers.
  func send(_ requests: [Request]) async throws -> [CorrelationID] {
    var batch = BlockBatch(context)
    var correlations: [CorrelationID] = []
    for request in requests {
      let correlation = request.correlation ?? CorrelationID(using: &random)
      correlations.append(correlation)
      let signer = try request.key.map { try CommandSigner($0, serverKey: serverKey) }
      try batch.add { (writer) throws(WireError) in
        if let signer {
          try context.write(
            request.command, entity: request.entity, correlation: correlation, signer: signer, to: &writer)
        } else {
          try context.write(request.command, entity: request.entity, correlation: correlation, to: &writer)
        }
      }
    }
    for content in batch.take() { try await connection.send(sealing.seal(content)) }
    return correlations
  }

  /// Sends the content of a block unchanged.
  func send(content: [UInt8]) async throws { try await connection.send(sealing.seal(content)) }

  /// Sends a command and waits for its response; events that arrive before are kept for ``event()``.
  @discardableResult
  func ask(
    _ command: Command, _ entity: EntityID = .none, key: AuthorizationPrivateKey? = nil,
    correlation: CorrelationID? = nil
  ) async throws -> BrokerMessage {
    let sent = try await send([Request(command: command, entity: entity, key: key, correlation: correlation)])
    return try await response(to: sent[0])
  }

  /// The response with this correlation identifier.
  func response(to correlation: CorrelationID) async throws -> BrokerMessage {
    while true {
      if let index = waiting.firstIndex(where: { $0.correlation == correlation }) {
        return waiting.remove(at: index).message
      }
      waiting += try await receive()
    }
  }

  /// What the relay sends next, in the order of its arrival.
  func received(_ count: Int) async throws -> [Received] {
    while waiting.count < count { waiting += try await receive() }
    defer { waiting.removeFirst(count) }
    return Array(waiting.prefix(count))
  }

  /// The next event of the relay.
  func event() async throws -> Received {
    while true {
      if let index = waiting.firstIndex(where: { $0.correlation.isNone }) { return waiting.remove(at: index) }
      waiting += try await receive()
    }
  }

  /// Whether the relay sends an event before it answers PING.
  func hasEvent() async throws -> Bool {
    #expect(try await ask(.ping) == .pong)
    return waiting.contains { $0.correlation.isNone }
  }

  private func receive() async throws -> [Received] {
    guard var block = try await blocks.next() else { throw Closed() }
    let content = try Self.unsealed(&block, &sealing)
    return try context.transmissions(of: BrokerMessage.self, in: content.span.bytes).map {
      Received(correlation: $0.correlationID, entity: $0.entityID, message: try $0.message.get())
    }
  }
}

/// A queue as its recipient knows it.
struct TestQueue {
  var ids: QueueIDs
  var key: AuthorizationPrivateKey
  var box: BoxKey
  var sender: AuthorizationPrivateKey?

  var recipient: EntityID { ids.recipientID }

  /// Opens a delivered message.
  func open(_ message: BrokerMessage) throws -> (id: MessageID, content: DeliveredMessage) {
    guard case .msg(let received) = message else { throw Unexpected(message: message) }
    return (received.id, try DeliveredMessage(opening: received, key: box))
  }

  /// The body of a delivered message.
  func body(_ message: BrokerMessage) throws -> (id: MessageID, body: [UInt8]) {
    guard case (let id, .message(_, _, let body)) = try open(message) else { throw Unexpected(message: message) }
    return (id, body)
  }
}

struct Unexpected: Error {
  let message: BrokerMessage
}

enum KeyKind: CaseIterable {
  case ed25519, ed448, x25519

  var random: AuthorizationPrivateKey {
    var random = SystemRandom()
    return switch self {
    case .ed25519: .ed25519(Ed25519.PrivateKey(using: &random))
    case .ed448: .ed448(Ed448.PrivateKey(using: &random))
    case .x25519: .x25519(X25519.PrivateKey(using: &random))
    }
  }
}

extension TestClient {
  func newQueue(
    _ purpose: QueuePurpose? = .messaging(nil), subscription: SubscriptionMode = .subscribe, kind: KeyKind = .ed25519,
    auth: BasicAuth? = nil, correlation: CorrelationID? = nil, notifier: NotifierKeys? = nil
  ) async throws -> TestQueue {
    var random = SystemRandom()
    let key = kind.random
    let dh = X25519.PrivateKey(using: &random)
    let request = NewQueueRequest(
      recipientKey: key.publicKey, recipientDHKey: dh.publicKey, basicAuth: auth, subscription: subscription,
      purpose: purpose, notifier: notifier)
    let response = try await ask(.new(request), key: key, correlation: correlation)
    guard case .ids(let ids) = response else { throw Unexpected(message: response) }
    return TestQueue(ids: ids, key: key, box: try dh.boxKey(with: ids.serverDHKey))
  }

  /// Secures the queue as its sender.
  func secure(_ queue: inout TestQueue, kind: KeyKind = .x25519) async throws {
    let key = kind.random
    #expect(try await ask(.skey(key.publicKey), queue.ids.senderID, key: key) == .ok)
    queue.sender = key
  }

  func sendMessage(_ body: [UInt8], to queue: TestQueue, notify: Bool = false) async throws -> BrokerMessage {
    try await ask(
      .send(SendRequest(flags: MessageFlags(notification: notify), body: body)), queue.ids.senderID, key: queue.sender)
  }

  func acknowledge(_ id: MessageID, _ queue: TestQueue) async throws -> BrokerMessage {
    try await ask(.ack(id), queue.recipient, key: queue.key)
  }
}
