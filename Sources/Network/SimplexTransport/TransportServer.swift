import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// Accepts TLS connections that carry blocks.
public final class TransportServer: Sendable {
  /// The address, TLS and limits of a server.
  public struct Configuration: Sendable {
    /// The address to bind to; nil for all of IPv4 and IPv6.
    public var host: String?
    /// The port; 0 lets the system choose one.
    public var port: Int
    /// The TLS credentials and protocols.
    public var tls: TLSServerConfiguration
    /// Connections beyond this number are closed as soon as they are accepted.
    public var connectionLimit = 100_000
    /// The share of the connections that one address may have; further ones are closed as soon as they are accepted.
    public var share = ConnectionShare()
    /// Connections are closed as soon as they are accepted while this number of others is in the handshake.
    public var handshakeLimit = Int.max
    /// The deadline for the handshake of a client.
    public var handshakeTimeout = Duration.seconds(60)
    /// The deadline for a client that does not take what it is sent.
    public var stallTimeout = Duration.seconds(60)
    /// The size of a block in bytes, where blocks are carried.
    public var blockSize = transportBlockSize
    /// The deadline for the rest of a block that has arrived in part.
    public var blockTimeout = Duration.seconds(60)
    /// Keep-alive probes; nil for none.
    public var keepAlive: KeepAlive? = .server
    /// Called when the handshake of a client fails, with the client's address; for the log.
    public var handshakeFailed: (@Sendable (TransportError, String?) -> Void)?
    /// Called with the number of connections that were refused above the share of their address, when it is 1, 10,
    /// 100 and so on; for the log.
    public var refusedAboveShare: (@Sendable (Int) -> Void)?
    /// The number of connections that the system queues until they are accepted.
    public var backlog: Int32 = 1024

    /// A configuration with the default limits.
    public init(host: String?, port: Int, tls: TLSServerConfiguration) {
      self.host = host
      self.port = port
      self.tls = tls
    }
  }

  /// The numbers of connections since the start.
  public struct Counts: Hashable, Sendable {
    /// Accepted, including those that were refused.
    public var accepted = 0
    /// Closed at once because of a limit.
    public var refused = 0
    /// Connections among ``refused`` that were above the share of their address.
    public var aboveShare = 0
    /// Closed because their handshake failed.
    public var handshakeFailures = 0
    /// Open now, including those in their handshake.
    public var open = 0
  }

  private struct State {
    var counts = Counts()
    var channels: [ObjectIdentifier: any Channel] = [:]
    /// The numbers of open connections by their address, of those that have a share.
    var shares: [ConnectionShare.Holder: Int] = [:]
    /// The connections that are in the handshake.
    var handshakes: Set<ObjectIdentifier> = []
    var isClosing = false
  }

  /// The credentials and handler for the next connections.
  private struct Service: Sendable {
    var context: TLSContext
    var makeReceiver: MakeReceiver
  }

  /// Called for each connection whose handshake is finished, on the connection's event loop, with what it has to add to
  /// the channel; nil closes the connection.
  package typealias MakeReceiver =
    @Sendable (TLSSession, any Channel, TLSHandler) -> (any PlaintextReceiver)?

  private let listener: any Channel
  private let state: NIOLockedValueBox<State>
  private let service: NIOLockedValueBox<Service>
  private let blockSize: Int
  private let blockTimeout: Duration

  private init(
    listener: any Channel, state: NIOLockedValueBox<State>, service: NIOLockedValueBox<Service>,
    configuration: Configuration
  ) {
    self.listener = listener
    self.state = state
    self.service = service
    blockSize = configuration.blockSize
    blockTimeout = configuration.blockTimeout
  }

  /// Binds and starts accepting. `makeHandler` is called for each connection whose handshake is finished, on the
  /// connection's event loop.
  public static func start(
    _ configuration: Configuration, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    makeHandler: @escaping @Sendable (BlockConnection) -> any BlockHandler
  ) async throws(TransportError) -> TransportServer {
    let receiver = receiver(
      blockSize: configuration.blockSize, blockTimeout: configuration.blockTimeout, makeHandler)
    return try await start(configuration, group: group, makeReceiver: receiver)
  }

  /// Binds and starts accepting connections of any layer above TLS.
  package static func start(
    _ configuration: Configuration, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    makeReceiver: @escaping MakeReceiver
  ) async throws(TransportError) -> TransportServer {
    let service = NIOLockedValueBox(try service(configuration.tls, makeReceiver))
    let state = NIOLockedValueBox(State())
    let turns = Dictionary(
      uniqueKeysWithValues: group.makeIterator().map { (ObjectIdentifier($0), HandshakeTurns($0)) })
    let bootstrap = Connections.listener(group, backlog: configuration.backlog) { channel in
      guard admit(channel, by: configuration, state: state) else { throw TransportError.closed }
      try accept(
        channel, configuration: configuration, service: service.withLockedValue { $0 }, state: state,
        turns: turns[ObjectIdentifier(channel.eventLoop)])
    }
    do {
      let listener = try await bind(bootstrap, configuration)
      return TransportServer(
        listener: listener, state: state, service: service, configuration: configuration)
    } catch {
      throw TransportError(error)
    }
  }

  /// Serves the connections that are accepted from now on with other credentials. Open connections, and those in their
  /// handshake, keep theirs. Nothing is changed where the credentials cannot be used.
  public func update(
    _ tls: TLSServerConfiguration, makeHandler: @escaping @Sendable (BlockConnection) -> any BlockHandler
  ) throws(TransportError) {
    try update(tls, makeReceiver: Self.receiver(blockSize: blockSize, blockTimeout: blockTimeout, makeHandler))
  }

  /// As ``update(_:makeHandler:)``, for any layer above TLS.
  package func update(
    _ tls: TLSServerConfiguration, makeReceiver: @escaping MakeReceiver
  ) throws(TransportError) {
    try prepareUpdate(tls, makeReceiver: makeReceiver)()
  }

  /// Does the part of ``update(_:makeReceiver:)`` that may fail, and returns the rest, which changes this server.
  /// So the credentials of several servers change together or not at all.
  package func prepareUpdate(
    _ tls: TLSServerConfiguration, makeReceiver: @escaping MakeReceiver
  ) throws(TransportError) -> () -> Void {
    let new = try Self.service(tls, makeReceiver)
    return { self.service.withLockedValue { $0 = new } }
  }

  private static func service(
    _ tls: TLSServerConfiguration, _ makeReceiver: @escaping MakeReceiver
  ) throws(TransportError) -> Service {
    do { return Service(context: try TLSContext(tls), makeReceiver: makeReceiver) } catch { throw .tls(error) }
  }

  /// What carries blocks, for servers whose connections may carry something else.
  package static func receiver(
    blockSize: Int = transportBlockSize, blockTimeout: Duration,
    _ makeHandler: @escaping @Sendable (BlockConnection) -> any BlockHandler
  ) -> MakeReceiver {
    {
      BlockConnection(
        session: $0, channel: $1, tls: $2, blockSize: blockSize, blockTimeout: blockTimeout, makeHandler: makeHandler)
    }
  }

  /// The port that is bound.
  public var port: Int { listener.localAddress?.port ?? 0 }

  /// The numbers of connections so far.
  public var counts: Counts { state.withLockedValue { $0.counts } }

  /// Stops accepting. Open connections are kept.
  public func stopAccepting() async { try? await listener.close() }

  /// Stops accepting and closes all connections gracefully; returns when they are closed.
  public func close() async {
    await stopAccepting()
    let channels = state.withLockedValue { state in
      state.isClosing = true
      return Array(state.channels.values)
    }
    for channel in channels { channel.close(promise: nil) }
    for channel in channels { try? await channel.closeFuture.get() }
  }

  private static func bind(_ bootstrap: ServerBootstrap, _ configuration: Configuration) async throws -> any Channel {
    if let host = configuration.host { return try await bootstrap.bind(host: host, port: configuration.port).get() }
    // One IPv6 socket takes both, where the system has IPv6.
    do { return try await bootstrap.bind(host: "::", port: configuration.port).get() } catch let error as IOError {
      guard error.errnoCode == EAFNOSUPPORT || error.errnoCode == EADDRNOTAVAIL else { throw error }
      return try await bootstrap.bind(host: "0.0.0.0", port: configuration.port).get()
    }
  }

  private static func admit(
    _ channel: any Channel, by configuration: Configuration, state: NIOLockedValueBox<State>
  ) -> Bool {
    let identifier = ObjectIdentifier(channel)
    let limit = configuration.connectionLimit
    let holder = configuration.share.holder(of: channel.remoteAddress?.ipAddress)
    let (isAdmitted, aboveShare) = state.withLockedValue { state -> (Bool, Int) in
      state.counts.accepted += 1
      let share = holder.map { state.shares[$0, default: 0] } ?? 0
      let isAboveShare = share >= configuration.share.limit(of: limit)
      let isFull = state.channels.count >= limit || state.handshakes.count >= configuration.handshakeLimit
      guard !isFull, !state.isClosing, !isAboveShare else {
        state.counts.refused += 1
        guard isAboveShare else { return (false, 0) }
        state.counts.aboveShare += 1
        return (false, state.counts.aboveShare)
      }
      state.channels[identifier] = channel
      state.handshakes.insert(identifier)
      state.counts.open += 1
      if let holder { state.shares[holder] = share + 1 }
      return (true, 0)
    }
    if aboveShare.isPowerOfTen { configuration.refusedAboveShare?(aboveShare) }
    guard isAdmitted else { return false }
    channel.closeFuture.whenComplete { _ in
      state.withLockedValue { state in
        state.channels[identifier] = nil
        state.handshakes.remove(identifier)
        state.counts.open -= 1
        guard let holder, let share = state.shares[holder] else { return }
        state.shares[holder] = share > 1 ? share - 1 : nil
      }
    }
    return true
  }

  private static func accept(
    _ channel: any Channel, configuration: Configuration, service: Service, state: NIOLockedValueBox<State>,
    turns: HandshakeTurns?
  ) throws {
    try setSocketOptions(channel, keepAlive: configuration.keepAlive)
    let policy: ChainPolicy = service.context.acceptsAuthority == nil ? .service : .pair(authority: nil)
    let engine = try TLSEngine(service.context, policy: policy)
    let deadlines = TLSDeadlines(
      handshake: TimeAmount(configuration.handshakeTimeout), stall: TimeAmount(configuration.stallTimeout))
    let handler = TLSHandler(engine: engine, deadlines: deadlines, readsOnlyWhileWritable: true, turns: turns) {
      tls, result in
      state.withLockedValue { _ = $0.handshakes.remove(ObjectIdentifier(channel)) }
      switch result {
      case .success(let session):
        return service.makeReceiver(session, channel, tls)
      case .failure(let error):
        state.withLockedValue { $0.counts.handshakeFailures += 1 }
        configuration.handshakeFailed?(error, channel.remoteAddress?.ipAddress)
        return nil
      }
    }
    try channel.pipeline.syncOperations.addHandler(handler)
  }
}

extension Int {
  /// Whether the number is 1, 10, 100 and so on.
  fileprivate var isPowerOfTen: Bool {
    var rest = self
    while rest > 1, rest % 10 == 0 { rest /= 10 }
    return rest == 1
  }
}
