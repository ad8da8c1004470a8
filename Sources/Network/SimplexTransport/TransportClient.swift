import NIOCore
import NIOPosix

/// Establishes TLS connections that carry blocks. Connections of one client share their TLS context.
public struct TransportClient: Sendable {
  /// The options of a connection.
  public struct Options: Hashable, Sendable {
    /// The proxy to use; nil to connect directly.
    public var proxy: SOCKS5Proxy?
    /// The deadline of all steps together: name resolution, connecting, the proxy and TLS.
    public var timeout = Duration.seconds(25)
    /// The deadline for a server that does not take what it is sent.
    public var stallTimeout = Duration.seconds(60)
    /// Keep-alive probes; nil for none.
    public var keepAlive: KeepAlive? = .client
    /// The addresses that are connected to, after names are resolved; that of the SOCKS proxy is always allowed.
    public var addresses = AddressRule.all
    /// The size of a block in bytes, where blocks are carried.
    public var blockSize: Int
    /// Whether the server is named in the clear (SNI). Relays then present a web certificate, if they have one.
    public var sendsServerName = false

    /// A connection with the default deadlines.
    public init(proxy: SOCKS5Proxy? = nil, blockSize: Int = transportBlockSize) {
      self.proxy = proxy
      self.blockSize = blockSize
    }
  }

  private let context: TLSContext
  private let group: any EventLoopGroup

  /// A client with the application protocols and the credential of its TLS.
  public init(
    _ configuration: TLSClientConfiguration, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
  ) throws(TransportError) {
    do { context = try TLSContext(configuration) } catch { throw .tls(error) }
    self.group = group
  }

  /// Connects. `makeHandler` is called when the TLS handshake is finished, on the connection's event loop.
  public func connect(
    host: String, port: Int, policy: ChainPolicy, options: Options = Options(),
    makeHandler: @escaping @Sendable (BlockConnection) -> any BlockHandler
  ) async throws(TransportError) -> BlockConnection {
    try await connect(host: host, port: port, policy: policy, options: options) { session, channel, tls in
      let connection = BlockConnection(
        session: session, channel: channel, tls: tls, blockSize: options.blockSize, makeHandler: makeHandler)
      return (connection, connection)
    }
  }

  /// Connects with any layer above TLS: `establish` is called on the connection's event loop when the handshake is
  /// finished, and returns the connection and the receiver of its bytes.
  package func connect<Connection: Sendable>(
    host: String, port: Int, policy: ChainPolicy, options: Options = Options(),
    establish: @escaping ConnectAttempt<Connection>.Establish
  ) async throws(TransportError) -> Connection {
    guard let portNumber = UInt16(exactly: port), portNumber > 0, !host.isEmpty else {
      throw .invalidAddress("\(host):\(port)")
    }
    let attempt = ConnectAttempt(
      host: host, port: portNumber, policy: policy, options: options, context: context, loop: group.next(),
      establish: establish)
    do {
      return try await withTaskCancellationHandler {
        attempt.start()
        return try await attempt.result.get()
      } onCancel: {
        attempt.cancel()
      }
    } catch {
      throw TransportError(error)
    }
  }
}
