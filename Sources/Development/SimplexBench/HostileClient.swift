import SMPProtocol
import SimplexCrypto
import SimplexTransport
import WireCodec

/// A client of a relay that follows no rules: it sends anything, and reads only what its kind reads.
///
/// Unchecked: one task at a time uses it.
final class HostileClient: @unchecked Sendable {
  /// What it does.
  enum Kind: CaseIterable {
    /// Nothing after the handshake.
    case silent
    /// Sends commands without reading the responses.
    case pings
    /// Asks for the same message without reading it.
    case getsMessages
    /// Asks for the same link data without reading it.
    case getsLinkData
    /// Sends to a full queue without asking for responses.
    case sendsUnanswered
    /// Sends blocks of commands with wrong signatures.
    case forgesBlocks
    /// Sends commands as another relay forwards them.
    case forwards
    /// Creates queues that nobody uses.
    case createsQueues
    /// Subscribes to the same queue again and again.
    case subscribes
    /// Asks to be connected to other relays, which cannot be reached.
    case asksForRelays
    /// Closes its connection, and connects again.
    case reconnects
  }

  let kind: Kind
  private let server: SMPServerAddress
  let forged: AuthorizationPrivateKey
  private let connection: AsyncBlockConnection
  private var blocks: AsyncBlockConnection.Blocks.AsyncIterator
  private var session: EstablishedSession
  private var random = SystemRandom()

  /// Connects, and does the handshake of the protocol.
  init(_ server: SMPServerAddress, _ kind: Kind) async throws {
    self.kind = kind
    self.server = server
    var random = SystemRandom()
    forged = .ed25519(Ed25519.PrivateKey(using: &random))
    let transport = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"]))
    let connection = try await AsyncBlockConnection.connect(
      transport, host: "127.0.0.1", port: server.port.map(Int.init) ?? 5223,
      policy: .relay(fingerprint: server.keyHash), window: 2)
    var blocks = connection.blocks.makeAsyncIterator()
    guard let block = try await blocks.next(), let leaf = connection.session.peerCertificates.leaf else {
      throw BenchError.program("the relay says nothing")
    }
    let handshake = ClientHandshake(
      sessionID: SessionID(connection.session.identifier), relayKey: try AnyPublicKey(der: leaf.publicKeyDER()))
    let offer = ClientHandshake.Offer(keyHash: server.keyHash, isProxy: kind == .forwards)
    let (hello, session) = try handshake.answer(block: block, offer, random: &random)
    var plain = BlockSealing()
    try await connection.send(plain.seal(hello))
    self.connection = connection
    self.blocks = blocks
    self.session = session
  }

  /// Sends a command several times, in as few blocks as possible.
  func send(
    _ command: Command, _ entity: EntityID, key: AuthorizationPrivateKey? = nil, isAnswered: Bool = true, times: Int
  ) async throws {
    let context = session.context
    let signer = try key.map { try CommandSigner($0, serverKey: session.serverKey) }
    var batch = BlockBatch(context)
    for _ in 0..<times {
      let correlation = isAnswered ? CorrelationID(using: &random) : .none
      try batch.add { (writer) throws(WireError) in
        if let signer {
          try context.write(command, entity: entity, correlation: correlation, signer: signer, to: &writer)
        } else {
          try context.write(command, entity: entity, correlation: correlation, to: &writer)
        }
      }
    }
    try await connection.send(blocks: try batch.takeBlocks(sealing: &session.sealing))
  }

  /// Forwards a command as a proxy does.
  func forward(_ command: Command, _ entity: EntityID) async throws {
    guard let serverKey = session.serverKey, let secret = session.secret else { return }
    let context = session.context
    let own = X25519.PrivateKey(using: &random)
    let inner = CorrelationID(using: &random)
    var batch = BlockBatch(context)
    try batch.add { (writer) throws(WireError) in
      try context.write(command, entity: entity, correlation: inner, to: &writer)
    }
    let block = ProxiedBlock(key: try own.boxKey(with: serverKey), correlationID: CorrelationID(using: &random))
    let box = try block.sealCommand(batch.take().first ?? [])
    let request = ForwardRequest(version: context.version, key: own.publicKey, transmission: box)
    let outer = CorrelationID(using: &random)
    let sealed = try ForwardedTransmission(correlationID: block.correlationID, request: request)
      .seal(secret: secret, correlation: outer)
    var outside = BlockBatch(context)
    try outside.add { (writer) throws(WireError) in
      try context.write(Command.rfwd(sealed), entity: .none, correlation: outer, to: &writer)
    }
    try await connection.send(blocks: try outside.takeBlocks(sealing: &session.sealing))
  }

  /// Creates a queue.
  func createQueue() async throws {
    let request = NewQueueRequest(
      recipientKey: forged.publicKey, recipientDHKey: X25519.PrivateKey(using: &random).publicKey,
      subscription: .onlyCreate, purpose: .messaging(nil))
    try await send(.new(request), .none, key: forged, times: 1)
  }

  /// Asks the relay to connect to another one.
  func askForRelay() async throws {
    let name = "\(Base64URL.string(random.bytes(8)).lowercased().filter(\.isLetter)).invalid"
    let relay = SMPServerAddress(.domain(name), keyHash: server.keyHash)
    try await send(.prxy(ProxyRequest(relay: relay)), .none, times: 1)
  }

  /// Closes the connection.
  func close() { connection.close() }

  /// Reads blocks, and ignores what they contain.
  func receive(_ count: Int) async throws {
    for _ in 0..<count { guard try await blocks.next() != nil else { throw BenchError.program("closed") } }
  }
}

/// A connection that has sent the first half of a block; the rest never follows.
final class HalfBlock: PlaintextReceiver, Sendable {
  static func send(to server: SMPServerAddress) async throws -> HalfBlock {
    let transport = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"]))
    return try await transport.connect(
      host: "127.0.0.1", port: server.port.map(Int.init) ?? 5223, policy: .relay(fingerprint: server.keyHash)
    ) { _, _, tls in
      try tls.write([UInt8](repeating: 1, count: 8_000).span.bytes)
      tls.flush()
      let receiver = HalfBlock()
      return (receiver, receiver)
    }
  }

  func read(from engine: TLSEngine) throws(TLSError) -> Bool { try engine.readAll { _ in } }
  func readComplete() {}
  func writabilityChanged(_ isWritable: Bool) {}
  func connectionClosed(_ error: TransportError?) {}
}
