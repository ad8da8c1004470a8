import SMPProtocol
import SimplexCrypto
import WireCodec

/// The requests and responses of one connection after its handshake.
///
/// Governs: correlation of responses with requests, packing requests into blocks, authorizing them, deadlines, and
/// which transmissions are events. Does not govern: the connection, the clock, and retries. Invariant: each request
/// completes exactly once.
public struct RequestPipeline: Sendable {
  /// A command to send.
  public struct Request: Sendable {
    /// The entity that the command is about.
    public var entity: EntityID
    /// The command.
    public var command: Command
    /// The key that authorizes it, where one is needed; SUBS and NSUBS are signed by the service of the session.
    public var key: AuthorizationPrivateKey?
    /// The correlation identifier, where the command depends on it; otherwise a random one is used.
    public var correlation: CorrelationID?

    /// A command about an entity.
    public init(
      _ command: Command, entity: EntityID = .none, key: AuthorizationPrivateKey? = nil,
      correlation: CorrelationID? = nil
    ) {
      self.command = command
      self.entity = entity
      self.key = key
      self.correlation = correlation
    }
  }

  /// The outcome of a request.
  public struct Completion: Sendable {
    /// The number that the caller assigned to it.
    public var id: UInt64
    /// The relay's response, or why there is none.
    public var result: Result<BrokerMessage, SMPClientError>
  }

  /// A transmission of the relay that is not a response.
  public struct Event: Hashable, Sendable {
    /// The entity that it is about.
    public var entity: EntityID
    /// The message: MSG, END, DELD and so on.
    public var message: BrokerMessage

    /// An event about an entity.
    public init(entity: EntityID, message: BrokerMessage) {
      self.entity = entity
      self.message = message
    }
  }

  /// The results of a block.
  public struct Received: Sendable {
    /// Requests that completed.
    public var completions: [Completion] = []
    /// Events, in order.
    public var events: [Event] = []
  }

  private struct Pending {
    var id: UInt64
    var entity: EntityID
    var deliversMessages: Bool
    var deadline: Int64
  }

  private struct CachedSigner {
    var key: AuthorizationPrivateKey
    var signer: CommandSigner
  }

  /// The session.
  public private(set) var session: EstablishedSession
  private var pending: [CorrelationID: Pending] = [:]
  private var signers: [EntityID: CachedSigner] = [:]
  private var batch: BlockBatch

  /// Agreed X25519 keys are kept for at most this many queues.
  private static let signerLimit = 10_000

  /// A pipeline of a session without requests.
  public init(_ session: EstablishedSession) {
    self.session = session
    batch = BlockBatch(session.context)
  }

  /// Whether requests wait for their responses.
  public var isIdle: Bool { pending.isEmpty }

  /// Adds a request to the next blocks. `deadline` is in milliseconds of the caller's clock.
  public mutating func add(
    _ request: Request, id: UInt64, deadline: Int64, random: inout some RandomSource
  ) throws(SMPClientError) {
    let correlation = request.correlation ?? CorrelationID(using: &random)
    var signer = try request.key.map { (key) throws(SMPClientError) in try self.signer(key, for: request.entity) }
    var service: ServiceSigner?
    if let own = session.serviceSigner {
      switch request.command {
      case .subs, .nsubs: signer = .ed25519(own.sessionKey)
      default: service = request.command.needsServiceSignature ? own : nil
      }
    }
    let context = session.context
    do throws(WireError) {
      try batch.add { (writer) throws(WireError) in
        guard let signer else {
          return try context.write(
            request.command, entity: request.entity, correlation: correlation, to: &writer)
        }
        try context.write(
          request.command, entity: request.entity, correlation: correlation, signer: signer, service: service,
          to: &writer)
      }
    } catch {
      if case .unsupportedVersion = error.kind { throw .transport(.version) }
      throw .transport(.largeMsg)
    }
    let deliversMessages =
      switch request.command {
      case .sub, .ack: true
      default: false
      }
    pending[correlation] = Pending(
      id: id, entity: request.entity, deliversMessages: deliversMessages, deadline: deadline)
  }

  /// The blocks with all requests that were added since the last call.
  public mutating func takeBlocks() throws(SMPClientError) -> [[UInt8]] {
    do { return try batch.takeBlocks(sealing: &session.sealing) } catch { throw .transport(.largeMsg) }
  }

  /// Reads a block.
  /// - Throws: `transport` where the block cannot be opened; the connection is unusable then.
  public mutating func receive(_ block: consuming [UInt8]) throws(SMPClientError) -> Received {
    let content: Range<Int>
    do throws(CryptoError) {
      var bytes = block.mutableBytes
      content = try session.sealing.open(&bytes)
    } catch {
      throw .transport(.badBlock)
    }
    var received = Received()
    let transmissions = session.context.transmissions(
      of: BrokerMessage.self, in: block.span.bytes.extracting(content))
    for transmission in transmissions { handle(transmission, &received) }
    return received
  }

  private mutating func handle(_ transmission: ReceivedTransmission<BrokerMessage>, _ received: inout Received) {
    guard let request = pending.removeValue(forKey: transmission.correlationID) else {
      // A late response is dropped, unless it is a message, which the relay would not send again.
      guard case .success(let message) = transmission.message else { return }
      var isMessage = false
      if case .msg = message { isMessage = true }
      if transmission.correlationID.isNone || isMessage {
        received.events.append(Event(entity: transmission.entityID, message: message))
      }
      return
    }
    let result: Result<BrokerMessage, SMPClientError>
    switch transmission.message {
    case .failure(let error): result = .failure(.response(error))
    case .success(.err(let error)): result = .failure(.relay(error))
    case .success(let message) where transmission.entityID != request.entity:
      result = .failure(.unexpectedResponse(message.form.keyword))
    case .success(.msg(let message)) where request.deliversMessages:
      // The next message may be the response; for the caller it means that the command succeeded.
      received.events.append(Event(entity: request.entity, message: .msg(message)))
      result = .success(.ok)
    case .success(let message): result = .success(message)
    }
    received.completions.append(Completion(id: request.id, result: result))
  }

  /// Completes the requests whose deadline has passed.
  public mutating func expire(at now: Int64) -> [Completion] {
    let expired = pending.filter { $0.value.deadline <= now }
    for correlation in expired.keys { pending[correlation] = nil }
    return expired.values.map { Completion(id: $0.id, result: .failure(.timeout)) }
  }

  /// Completes all requests, because the connection was closed.
  public mutating func close(_ error: SMPClientError) -> [Completion] {
    defer { pending = [:] }
    return pending.values.map { Completion(id: $0.id, result: .failure(error)) }
  }

  private mutating func signer(
    _ key: AuthorizationPrivateKey, for entity: EntityID
  ) throws(SMPClientError) -> CommandSigner {
    if let cached = signers[entity], cached.key == key { return cached.signer }
    let signer: CommandSigner
    do { signer = try CommandSigner(key, serverKey: session.serverKey) } catch { throw .transport(error) }
    // Others are free to create again, and there is one for each subscribed queue.
    guard case .authenticator = signer else { return signer }
    if signers.count >= Self.signerLimit { signers = [:] }
    signers[entity] = CachedSigner(key: key, signer: signer)
    return signer
  }
}
