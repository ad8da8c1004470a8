import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import SimplexTransport
import Synchronization

/// Why the server cannot run.
public enum WebSocketError: Error, Hashable, Sendable {
  /// The address cannot be bound; the text is the system's.
  case listening(String)
  /// The connection is closed.
  case closed
}

extension WebSocketError: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    switch self {
    case .listening(let reason): reason
    case .closed: "the connection is closed"
    }
  }
}

/// Accepts WebSocket connections (RFC 6455) that carry texts. It binds to the loopback address by default: whoever may
/// connect controls the program.
public final class WebSocketServer: Sendable {
  /// Where to listen, and which clients to accept.
  public struct Configuration: Sendable {
    /// The address to bind to; by default only this machine can connect.
    public var host = "127.0.0.1"
    /// The port; 0 lets the system choose one.
    public var port: Int
    /// What clients must present, as `Authorization: Bearer …` or as `?token=…`; nil if nothing.
    public var token: String?
    /// Whether programs of the user who runs this one need no token, where ``WebSocketServer/recognizesOwner``.
    public var admitsOwner = false
    /// The maximum size of one text in bytes.
    public var messageLimit = 1 << 24
    /// The time in which a client has to have sent the head of its request.
    public var requestTimeout = Duration.seconds(10)
    /// A client that sends nothing for one to two of these times is sent a ping, and again after each of them.
    public var pingInterval = Duration.seconds(30)
    /// A client that answers no ping, or takes nothing that is sent to it, for this time is disconnected; nil: never.
    /// Bots that do one thing after the other may be busy for minutes. What waits for them is bounded by the caller.
    public var idleTimeout: Duration? = .seconds(900)
    /// The number of connections at once; further ones are closed when they are accepted.
    public var connectionLimit = 256

    /// A configuration for this port.
    public init(port: Int, token: String? = nil) {
      self.port = port
      self.token = token
    }
  }

  /// Frames may be as long as messages, so few wait for the program; what is read at once may have more small ones.
  private static let unreadFrames = NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark(
    lowWatermark: 1, highWatermark: 2)

  /// A connection that was upgraded, with the query of its request.
  struct Client {
    let channel: NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
    let query: URLQuery
  }

  typealias Upgraded = EventLoopFuture<Client?>

  private let listener: NIOAsyncChannel<Upgraded, Never>
  private let accepting: Task<Void, Never>

  private init(_ listener: NIOAsyncChannel<Upgraded, Never>, accepting: Task<Void, Never>) {
    self.listener = listener
    self.accepting = accepting
  }

  /// Whether the system says whose program a client is.
  public static var recognizesOwner: Bool { ConnectionOwner.isKnown }

  /// Binds and starts accepting. `serve` is called for each client; the connection is closed when it returns.
  public static func start(
    _ configuration: Configuration, serve: @escaping @Sendable (WebSocketConnection) async -> Void
  ) async throws(WebSocketError) -> WebSocketServer {
    let listener: NIOAsyncChannel<Upgraded, Never>
    do {
      listener = try await Connections.listener(limit: configuration.connectionLimit)
        .bind(host: configuration.host, port: configuration.port) { channel in
          channel.eventLoop.makeCompletedFuture {
            let upgraded = try upgradable(channel, configuration)
            try channel.pipeline.syncOperations.addHandler(RefusedUpgrades())
            try Connections.end(channel)
            return upgraded
          }
        }
    } catch {
      throw .listening("\(error)")
    }
    let accepting: Task<Void, Never> = Task {
      _ = try? await listener.executeThenClose { connections in
        try await withThrowingDiscardingTaskGroup { group in
          for try await connection in connections {
            group.addTask { await handle(connection, limit: configuration.messageLimit, serve: serve) }
          }
        }
      }
    }
    return WebSocketServer(listener, accepting: accepting)
  }

  /// The port that is bound.
  public var port: Int { listener.channel.localAddress?.port ?? 0 }

  /// Stops accepting and closes all connections.
  public func close() async {
    accepting.cancel()
    try? await listener.channel.close()
    await accepting.value
  }

  private static func upgradable(_ channel: any Channel, _ configuration: Configuration) throws -> Upgraded {
    let refusal = Refusal()
    let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(configuration.requestTimeout)) {
      channel.close(promise: nil)
    }
    channel.closeFuture.whenComplete { _ in deadline.cancel() }
    let upgrader = NIOTypedWebSocketServerUpgrader<Client?>(
      maxFrameSize: configuration.messageLimit,
      shouldUpgrade: { channel, request in
        let admission = Admission(token: configuration.token, admitsOwner: configuration.admitsOwner)
        let (client, server) = (channel.remoteAddress, channel.localAddress)
        // A file of the system is read, which takes no disk. NIO answers nothing where this is decided later.
        let isOwner = admission.dependsOnOwner(request) && ConnectionOwner.isSameUser(client: client, server: server)
        let reason = admission.refusal(of: request, isOwner: isOwner)
        if let reason { refusal.set(reason) }
        return channel.eventLoop.makeSucceededFuture(reason == nil ? HTTPHeaders() : nil)
      },
      upgradePipelineHandler: { channel, request in
        channel.eventLoop.makeCompletedFuture {
          deadline.cancel()
          try channel.pipeline.syncOperations.addHandler(
            IdleHandler(interval: configuration.pingInterval, timeout: configuration.idleTimeout))
          let upgraded = try NIOAsyncChannel<WebSocketFrame, WebSocketFrame>(
            wrappingChannelSynchronously: channel, configuration: .init(backPressureStrategy: unreadFrames))
          try Connections.end(channel)
          return Client(channel: upgraded, query: URLQuery(of: request.uri))
        }
      })
    return try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
      configuration: .init(
        upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
          upgraders: [upgrader],
          notUpgradingCompletionHandler: { channel in
            channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandler(refusal)
              try Connections.end(channel)
              return nil
            }
          })))
  }

  private static func handle(
    _ connection: Upgraded, limit: Int, serve: @Sendable (WebSocketConnection) async -> Void
  ) async {
    guard let client = try? await connection.get() else { return }
    try? await client.channel.executeThenClose { frames, outbound in
      await serve(WebSocketConnection(frames, outbound, query: client.query, messageLimit: limit))
    }
  }
}

/// Keeps refused upgrades from closing the connection as errors: they are answered first.
private final class RefusedUpgrades: ChannelInboundHandler {
  typealias InboundIn = NIOAny

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if !(error is NIOWebSocketUpgradeError) { context.fireErrorCaught(error) }
  }
}

/// Answers requests that are not upgrades, or that were not admitted, with the reason.
private final class Refusal: ChannelInboundHandler, Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let reason = Mutex("This port serves a WebSocket API: connect with a WebSocket client.")

  func set(_ reason: String) { self.reason.withLock { $0 = reason } }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .end = unwrapInboundIn(data) else { return }
    let body = ByteBuffer(string: reason.withLock { $0 } + "\n")
    let head = HTTPResponseHead(
      version: .http1_1, status: .forbidden,
      headers: [
        "content-type": "text/plain; charset=utf-8", "content-length": "\(body.readableBytes)", "connection": "close",
      ])
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
      context.close(promise: nil)
    }
  }
}
