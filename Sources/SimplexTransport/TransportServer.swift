import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// Accepts TLS connections that carry blocks.
public final class TransportServer: Sendable {
  /// Where and how to listen.
  public struct Configuration: Sendable {
    /// The address to bind to; nil for all of IPv4 and IPv6.
    public var host: String?
    /// The port; 0 for one that the system chooses.
    public var port: Int
    /// What TLS presents and accepts.
    public var tls: TLSServerConfiguration
    /// Connections beyond this number are closed as soon as they are accepted.
    public var connectionLimit = 100_000
    /// For the handshake of a client.
    public var handshakeTimeout = Duration.seconds(60)
    /// For a client that does not take what it is sent.
    public var stallTimeout = Duration.seconds(60)
    /// Probing of silent clients; nil for none.
    public var keepAlive: KeepAlive? = .server
    /// Called when the handshake of a client fails, with the client's address; for the log.
    public var handshakeFailed: (@Sendable (TransportError, String?) -> Void)?
    /// Connections that the system holds until they are accepted.
    public var backlog: Int32 = 1024

    /// Listening with the usual limits.
    public init(host: String?, port: Int, tls: TLSServerConfiguration) {
      self.host = host
      self.port = port
      self.tls = tls
    }
  }

  /// Connections since the start.
  public struct Counts: Hashable, Sendable {
    /// Accepted, including those that were refused.
    public var accepted = 0
    /// Closed at once because of the limit.
    public var refused = 0
    /// Whose handshake failed.
    public var handshakeFailures = 0
    /// Open now, including those in their handshake.
    public var open = 0
  }

  private struct State {
    var counts = Counts()
    var channels: [ObjectIdentifier: any Channel] = [:]
    var isClosing = false
  }

  private let listener: any Channel
  private let state: NIOLockedValueBox<State>

  private init(listener: any Channel, state: NIOLockedValueBox<State>) {
    self.listener = listener
    self.state = state
  }

  /// Binds and begins to accept. `makeHandler` is called for each connection whose handshake is finished, on the
  /// connection's event loop.
  public static func start(
    _ configuration: Configuration, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    makeHandler: @escaping @Sendable (BlockConnection) -> any BlockHandler
  ) async throws(TransportError) -> TransportServer {
    let context: TLSContext
    do { context = try TLSContext(configuration.tls) } catch { throw .tls(error) }
    let state = NIOLockedValueBox(State())
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: configuration.backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          guard admit(channel, configuration.connectionLimit, state) else { throw TransportError.closed }
          try accept(channel, configuration, context, state, makeHandler)
        }
      }
    do {
      let listener = try await bind(bootstrap, configuration)
      return TransportServer(listener: listener, state: state)
    } catch {
      throw TransportError(error)
    }
  }

  /// The port that is listened on.
  public var port: Int { listener.localAddress?.port ?? 0 }

  /// What happened so far.
  public var counts: Counts { state.withLockedValue { $0.counts } }

  /// Stops accepting. Open connections stay.
  public func stopAccepting() async { try? await listener.close() }

  /// Stops accepting and closes all connections in order; returns when they are closed.
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

  private static func admit(_ channel: any Channel, _ limit: Int, _ state: NIOLockedValueBox<State>) -> Bool {
    let identifier = ObjectIdentifier(channel)
    let admitted = state.withLockedValue { state in
      state.counts.accepted += 1
      guard state.channels.count < limit, !state.isClosing else {
        state.counts.refused += 1
        return false
      }
      state.channels[identifier] = channel
      state.counts.open += 1
      return true
    }
    guard admitted else { return false }
    channel.closeFuture.whenComplete { _ in
      state.withLockedValue { state in
        state.channels[identifier] = nil
        state.counts.open -= 1
      }
    }
    return true
  }

  private static func accept(
    _ channel: any Channel, _ configuration: Configuration, _ context: TLSContext, _ state: NIOLockedValueBox<State>,
    _ makeHandler: @escaping @Sendable (BlockConnection) -> any BlockHandler
  ) throws {
    try setSocketOptions(channel, keepAlive: configuration.keepAlive)
    let engine = try TLSEngine(context, policy: .service)
    let deadlines = TLSDeadlines(
      handshake: TimeAmount(configuration.handshakeTimeout), stall: TimeAmount(configuration.stallTimeout))
    let handler = TLSHandler(engine: engine, deadlines: deadlines, readsOnlyWhileWritable: true) { tls, result in
      switch result {
      case .success(let session):
        return BlockConnection(session: session, channel: channel, tls: tls, makeHandler: makeHandler)
      case .failure(let error):
        state.withLockedValue { $0.counts.handshakeFailures += 1 }
        configuration.handshakeFailed?(error, channel.remoteAddress?.ipAddress)
        return nil
      }
    }
    try channel.pipeline.syncOperations.addHandler(handler)
  }
}
