import NIOCore
import NIOPosix

/// Makes TLS connections that carry blocks. Connections of one client share what does not differ between them.
public struct TransportClient: Sendable {
  /// How connections are made.
  public struct Options: Hashable, Sendable {
    /// The proxy to go through; nil to connect directly.
    public var proxy: SOCKS5Proxy?
    /// For all steps together: looking up, connecting, the proxy and TLS.
    public var timeout = Duration.seconds(25)
    /// For a server that does not take what it is sent.
    public var stallTimeout = Duration.seconds(60)
    /// Probing of a silent server; nil for none.
    public var keepAlive: KeepAlive? = .client
    /// Whether the server is named in the clear (SNI). Relays then present a web certificate, if they have one.
    public var sendsServerName = false

    /// A direct connection with the usual times.
    public init(proxy: SOCKS5Proxy? = nil) { self.proxy = proxy }
  }

  private let context: TLSContext
  private let group: any EventLoopGroup

  /// A client that offers and presents this in TLS.
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
    guard let portNumber = UInt16(exactly: port), portNumber > 0, !host.isEmpty else {
      throw .invalidAddress("\(host):\(port)")
    }
    let attempt = ConnectAttempt(
      host: host, port: portNumber, policy: policy, options: options, context: context, loop: group.next(),
      makeHandler: makeHandler)
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
