import NIOCore
import NIOHTTP2
import NIOPosix
import SimplexTransport

/// Establishes TLS connections that carry HTTP/2. Connections of one client share their TLS context.
public struct HTTP2Client: Sendable {
  private let transport: TransportClient
  private let limits: HTTP2Limits

  /// A client with the application protocols and the credential of its TLS.
  public init(_ configuration: TLSClientConfiguration, limits: HTTP2Limits = .client) throws(TransportError) {
    transport = try TransportClient(configuration)
    self.limits = limits
  }

  /// Connects.
  public func connect(
    host: String, port: Int, policy: ChainPolicy, options: TransportClient.Options = .init()
  ) async throws(TransportError) -> HTTP2Connection {
    let authority = port == 443 ? host : "\(host):\(port)"
    return try await transport.connect(host: host, port: port, policy: policy, options: options) {
      [limits] session, channel, tls in
      try HTTP2Connection.make(session: session, authority: authority, limits: limits, channel: channel, tls: tls)
    }
  }
}

/// A client's connection. Closed when it is released.
public final class HTTP2Connection: Sendable {
  /// The result of the TLS handshake.
  public let session: TLSSession
  /// The host and port that requests name.
  public let authority: String
  private let channel: any Channel
  private let streams: NIOHTTP2Handler.StreamMultiplexer
  private let unread: NIOLoopBound<UnreadFrames>

  init(
    session: TLSSession, authority: String, channel: any Channel, streams: NIOHTTP2Handler.StreamMultiplexer,
    unread: UnreadFrames
  ) {
    self.session = session
    self.authority = authority
    self.channel = channel
    self.streams = streams
    self.unread = NIOLoopBound(unread, eventLoop: channel.eventLoop)
  }

  /// Adds HTTP/2 to a channel, as its client. On its event loop only.
  fileprivate static func make(
    session: TLSSession, authority: String, limits: HTTP2Limits, channel: any Channel, tls: TLSHandler
  ) throws -> (HTTP2Connection, any PlaintextReceiver) {
    let (connection, stream) = limits.configuration
    let unread = UnreadFrames(limit: limits.unreadFrames, isServer: false)
    let receiver = PlaintextHandler(tls, unread)
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(receiver)
    let streams = try pipeline.configureHTTP2Pipeline(
      mode: .client, connectionConfiguration: connection, streamConfiguration: stream
    ) { channel in
      // Servers do not open streams.
      channel.close()
    }
    let result = HTTP2Connection(
      session: session, authority: authority, channel: channel, streams: streams, unread: unread)
    return (result, receiver)
  }

  /// Runs HTTP/2 on a connection whose last block was read, as its client, whichever side of TLS this is. Reading has
  /// to be paused from that block on.
  public static func attach(
    to connection: BlockConnection, authority: String, limits: HTTP2Limits = .client
  ) async throws(TransportError) -> HTTP2Connection {
    do {
      return try await connection.eventLoop.submit {
        var made: HTTP2Connection?
        try connection.handOver { channel, tls in
          let (result, receiver) = try make(
            session: connection.session, authority: authority, limits: limits, channel: channel, tls: tls)
          made = result
          return receiver
        }
        guard let made else { throw TransportError.closed }
        return made
      }.get()
    } catch {
      throw TransportError(error)
    }
  }

  deinit { channel.close(promise: nil) }

  /// Whether requests can be sent.
  public var isOpen: Bool { channel.isActive }

  /// Sends the head of a request, and returns its stream. `isWhole` for a request without a body.
  public func request(
    method: String, path: String = "/", fields: [HTTP2Head.Field] = [], isWhole: Bool = false
  ) async throws(HTTP2Error) -> HTTP2Stream {
    guard channel.isActive else { throw .connection(.closed) }
    let stream: HTTP2Stream
    let promise = channel.eventLoop.makePromise(of: (any Channel).self)
    let result = channel.eventLoop.makePromise(of: HTTP2Stream.self)
    streams.createStreamChannel(promise: promise) { [unread] channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.syncOptions?.setOption(.autoRead, value: false)
        let progress = StreamProgress()
        let handler = HTTP2StreamHandler(progress, unread.value)
        try channel.pipeline.syncOperations.addHandler(handler)
        result.succeed(HTTP2Stream(channel: channel, handler: handler, progress: progress))
      }
    }
    promise.futureResult.whenFailure { result.fail($0) }
    do {
      _ = try await promise.futureResult.get()
      stream = try await result.futureResult.get()
    } catch {
      throw HTTP2Error(error)
    }
    let head = HTTP2Head(method: method, path: path, authority: authority, fields: fields)
    try await stream.send(head, isWhole: isWhole)
    return stream
  }

  /// Closes the connection; requests in flight fail.
  public func close() { channel.close(promise: nil) }

  /// Returns when the connection is closed.
  public func closed() async { try? await channel.closeFuture.get() }
}
