import NIOCore
import NIOHTTP2
import NIOPosix
import SimplexTransport

/// A client's connection, as the handler of its requests knows it.
public struct HTTP2Peer: Hashable, Sendable {
  /// The result of the TLS handshake.
  public let session: TLSSession
  /// The address of the client; nil where it is not known.
  public let address: String?
}

/// Handles the requests of one connection, concurrently.
public protocol HTTP2RequestHandler: AnyObject, Sendable {
  /// Handles a request: reads its body and sends the response. When it returns, the rest of the request is discarded,
  /// and a response that has not ended is cancelled.
  func handle(_ request: HTTP2Head, _ stream: HTTP2Stream) async
}

/// Accepts TLS connections that carry HTTP/2.
public final class HTTP2Server: Sendable {
  /// The address, TLS and limits of a server.
  public struct Configuration: Sendable {
    /// Those of connections.
    public var transport: TransportServer.Configuration
    /// Those of HTTP/2.
    public var limits = HTTP2Limits()
    /// Connections from which nothing came for this time are closed; nil for never.
    public var inactivity: Duration?
    /// Connections that do not begin a request within this time are closed; nil for never.
    public var firstRequest: Duration?
    /// How often inactivity is checked.
    public var inactivityCheck = Duration.seconds(60)

    /// A configuration with the default limits.
    public init(_ transport: TransportServer.Configuration) { self.transport = transport }
  }

  private let transport: TransportServer
  private let configuration: Configuration

  private init(transport: TransportServer, configuration: Configuration) {
    self.transport = transport
    self.configuration = configuration
  }

  /// Binds and starts accepting. `makeHandler` is called for each connection whose TLS handshake is finished, on its
  /// thread.
  public static func start(
    _ configuration: Configuration, makeHandler: @escaping @Sendable (HTTP2Peer) -> any HTTP2RequestHandler
  ) async throws(TransportError) -> HTTP2Server {
    let transport = try await TransportServer.start(
      configuration.transport, makeReceiver: receiver(configuration, makeHandler))
    return HTTP2Server(transport: transport, configuration: configuration)
  }

  /// Serves the connections that are accepted from now on with other credentials; open ones keep theirs.
  public func update(
    _ tls: TLSServerConfiguration, makeHandler: @escaping @Sendable (HTTP2Peer) -> any HTTP2RequestHandler
  ) throws(TransportError) {
    try transport.update(tls, makeReceiver: Self.receiver(configuration, makeHandler))
  }

  /// The port that is bound.
  public var port: Int { transport.port }

  /// The numbers of connections so far.
  public var counts: TransportServer.Counts { transport.counts }

  /// Stops accepting. Open connections are kept.
  public func stopAccepting() async { await transport.stopAccepting() }

  /// Stops accepting and closes all connections; returns when they are closed.
  public func close() async { await transport.close() }

  private static func receiver(
    _ configuration: Configuration, _ makeHandler: @escaping @Sendable (HTTP2Peer) -> any HTTP2RequestHandler
  ) -> TransportServer.MakeReceiver {
    return { session, channel, tls in
      let handler = makeHandler(HTTP2Peer(session: session, address: channel.remoteAddress?.ipAddress))
      guard
        let receiver = try? receiver(
          configuration.limits, firstRequest: configuration.firstRequest, channel: channel, tls: tls, handler: handler)
      else { return nil }
      if let limit = configuration.inactivity {
        close(channel, after: limit, interval: configuration.inactivityCheck, receiver)
      }
      return receiver
    }
  }

  /// Adds HTTP/2 to a channel, as its server. On its event loop only.
  private static func receiver(
    _ limits: HTTP2Limits, firstRequest: Duration?, channel: any Channel, tls: TLSHandler,
    handler: any HTTP2RequestHandler
  ) throws -> PlaintextHandler {
    let (connection, stream) = limits.configuration
    let unread = UnreadFrames(limit: limits.unreadFrames, isServer: true)
    let receiver = PlaintextHandler(tls, unread)
    let pipeline = channel.pipeline.syncOperations
    let counted = NIOLoopBound(unread, eventLoop: channel.eventLoop)
    try pipeline.addHandler(receiver)
    let firstRequest = firstRequest.map { limit in
      channel.eventLoop.scheduleTask(in: TimeAmount(limit)) { channel.close(promise: nil) }
    }
    channel.closeFuture.whenComplete { _ in firstRequest?.cancel() }
    _ = try pipeline.configureHTTP2Pipeline(
      mode: .server, connectionConfiguration: connection, streamConfiguration: stream
    ) { channel in
      firstRequest?.cancel()
      return channel.eventLoop.makeCompletedFuture { try accept(channel, requests: handler, unread: counted.value) }
    }
    return receiver
  }

  /// Serves requests over HTTP/2 on a connection whose last block was read, whichever side of TLS this is. Reading has
  /// to be paused from that block on.
  public static func attach(
    to connection: BlockConnection, limits: HTTP2Limits, handler: any HTTP2RequestHandler
  ) async throws(TransportError) {
    do {
      try await connection.eventLoop.submit {
        try connection.handOver { channel, tls in
          try receiver(limits, firstRequest: nil, channel: channel, tls: tls, handler: handler)
        }
      }.get()
    } catch {
      throw TransportError(error)
    }
  }

  private static func accept(
    _ channel: any Channel, requests: any HTTP2RequestHandler, unread: UnreadFrames
  ) throws {
    let isStarted = NIOLoopBoundBox(false, eventLoop: channel.eventLoop)
    let streams = NIOLoopBoundBox<HTTP2Stream?>(nil, eventLoop: channel.eventLoop)
    let progress = StreamProgress()
    let handler = HTTP2StreamHandler(progress, unread) { head in
      // Later heads are trailers.
      guard !isStarted.value, let stream = streams.value else { return }
      isStarted.value = true
      streams.value = nil
      Task { await serve(head, on: stream, by: requests) }
    }
    try channel.syncOptions?.setOption(.autoRead, value: false)
    streams.value = HTTP2Stream(channel: channel, handler: handler, progress: progress)
    try channel.pipeline.syncOperations.addHandler(handler)
  }

  /// The longest rest of a request that is read after the response. The peer may need to send it all before it reads.
  private static let restLimit = 8 << 20

  private static func serve(_ head: HTTP2Head, on stream: HTTP2Stream, by requests: any HTTP2RequestHandler) async {
    await requests.handle(head, stream)
    if (try? await stream.flush()) != nil { _ = try? await stream.discardRest(limit: restLimit) }
    // No-op where both sides have ended.
    stream.reset()
  }

  private static func close(
    _ channel: any Channel, after limit: Duration, interval: Duration, _ receiver: PlaintextHandler
  ) {
    let limit = TimeAmount(limit)
    let bound = NIOLoopBound(receiver, eventLoop: channel.eventLoop)
    let task = channel.eventLoop.scheduleRepeatedTask(
      initialDelay: TimeAmount(interval), delay: TimeAmount(interval)
    ) { task in
      guard channel.isActive else { return task.cancel() }
      if bound.value.lastReceived + limit < .now() { channel.close(promise: nil) }
    }
    channel.closeFuture.whenComplete { _ in task.cancel() }
  }
}
