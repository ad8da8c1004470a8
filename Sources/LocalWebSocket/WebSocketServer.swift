import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// Why the server cannot run.
public enum WebSocketError: Error, Hashable, Sendable {
  /// The address cannot be listened on; the text is the system's.
  case listening(String)
  /// The connection is closed.
  case closed
}

extension WebSocketError: CustomStringConvertible {
  /// One line for a person.
  public var description: String {
    switch self {
    case .listening(let reason): reason
    case .closed: "the connection is closed"
    }
  }
}

/// Accepts WebSocket connections (RFC 6455) that carry texts. It listens on the loopback address: whoever may connect decides
/// what the program does.
public final class WebSocketServer: Sendable {
  /// Where and whom to listen to.
  public struct Configuration: Sendable {
    /// The address; of this machine only, unless somebody knows better.
    public var host = "127.0.0.1"
    /// The port; 0 for one that the system chooses.
    public var port: Int
    /// What clients must present, as `Authorization: Bearer …` or as `?token=…`; nil if nothing.
    public var token: String?
    /// The most bytes of one text.
    public var messageLimit = 1 << 24

    /// Listening on this port.
    public init(port: Int, token: String? = nil) {
      self.port = port
      self.token = token
    }
  }

  typealias Upgraded = EventLoopFuture<NIOAsyncChannel<WebSocketFrame, WebSocketFrame>?>

  private let listener: NIOAsyncChannel<Upgraded, Never>
  private let accepting: Task<Void, Never>

  private init(_ listener: NIOAsyncChannel<Upgraded, Never>, accepting: Task<Void, Never>) {
    self.listener = listener
    self.accepting = accepting
  }

  /// Binds and begins to accept. `serve` is called for each client; the connection is closed when it returns.
  public static func start(
    _ configuration: Configuration, serve: @escaping @Sendable (WebSocketConnection) async -> Void
  ) async throws(WebSocketError) -> WebSocketServer {
    let listener: NIOAsyncChannel<Upgraded, Never>
    do {
      listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .bind(host: configuration.host, port: configuration.port) { channel in
          channel.eventLoop.makeCompletedFuture { try upgradable(channel, configuration) }
        }
    } catch {
      throw .listening("\(error)")
    }
    let accepting: Task<Void, Never> = Task {
      _ = try? await listener.executeThenClose { connections in
        try await withThrowingDiscardingTaskGroup { group in
          for try await connection in connections {
            group.addTask { await handle(connection, configuration.messageLimit, serve) }
          }
        }
      }
    }
    return WebSocketServer(listener, accepting: accepting)
  }

  /// The port that is listened on.
  public var port: Int { listener.channel.localAddress?.port ?? 0 }

  /// Stops accepting and closes all connections.
  public func close() async {
    accepting.cancel()
    try? await listener.channel.close()
    await accepting.value
  }

  private static func upgradable(_ channel: any Channel, _ configuration: Configuration) throws -> Upgraded {
    let upgrader = NIOTypedWebSocketServerUpgrader<NIOAsyncChannel<WebSocketFrame, WebSocketFrame>?>(
      maxFrameSize: configuration.messageLimit,
      shouldUpgrade: { channel, request in
        let admitted = Admission(token: configuration.token).admits(request)
        return channel.eventLoop.makeSucceededFuture(admitted ? HTTPHeaders() : nil)
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel(wrappingChannelSynchronously: channel)
        }
      })
    return try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
      configuration: .init(
        upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
          upgraders: [upgrader],
          notUpgradingCompletionHandler: { channel in
            channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandler(Refusal())
              return nil
            }
          })))
  }

  private static func handle(
    _ connection: Upgraded, _ limit: Int, _ serve: @Sendable (WebSocketConnection) async -> Void
  ) async {
    guard let channel = try? await connection.get() else { return }
    try? await channel.executeThenClose { frames, outbound in
      await serve(WebSocketConnection(frames, outbound, messageLimit: limit))
    }
  }
}

/// Answers requests that are no upgrade, or that were not admitted.
private final class Refusal: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .end = unwrapInboundIn(data) else { return }
    let head = HTTPResponseHead(
      version: .http1_1, status: .forbidden, headers: ["content-length": "0", "connection": "close"])
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
      context.close(promise: nil)
    }
  }
}
