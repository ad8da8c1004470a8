import NIOCore
import NIOPosix

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// One attempt to connect: network, the proxy if there is one, and TLS, within one deadline.
///
/// Unchecked: all mutable state is used on the event loop alone.
package final class ConnectAttempt<Connection: Sendable>: @unchecked Sendable {
  /// Creates the connection and the receiver of its bytes.
  package typealias Establish =
    @Sendable (TLSSession, any Channel, TLSHandler) throws -> (Connection, any PlaintextReceiver)

  private let host: String
  private let port: UInt16
  private let policy: ChainPolicy
  private let options: TransportClient.Options
  private let context: TLSContext
  private let loop: any EventLoop
  private let establish: Establish
  private let promise: EventLoopPromise<Connection>

  private var phase = ConnectPhase.network
  private var deadline: Scheduled<Void>?
  private var channel: (any Channel)?
  private var isFinished = false

  init(
    host: String, port: UInt16, policy: ChainPolicy, options: TransportClient.Options, context: TLSContext,
    loop: any EventLoop, establish: @escaping Establish
  ) {
    self.host = host
    self.port = port
    self.policy = policy
    self.options = options
    self.context = context
    self.loop = loop
    self.establish = establish
    promise = loop.makePromise()
  }

  /// The connection, or a ``TransportError``.
  var result: EventLoopFuture<Connection> { promise.futureResult }

  /// Starts the attempt; called once.
  func start() {
    let target = (host: options.proxy?.host ?? host, port: options.proxy?.port ?? Int(port))
    let timeout = TimeAmount(options.timeout)
    loop.execute { [self] in
      guard !isFinished else { return }
      deadline = loop.scheduleTask(in: timeout) { [self] in finish(.failure(.connectTimeout(phase))) }
      let rule = options.proxy == nil ? options.addresses : .all
      Connections.client(loop) { channel in
        if rule != .all { try channel.pipeline.syncOperations.addHandler(AddressGuard(rule)) }
      }
      .connectTimeout(timeout)
      .connect(host: target.host, port: target.port)
      .whenComplete { [self] result in
        switch result {
        case .success(let channel): connected(channel)
        case .failure(let error): finish(.failure(unreachable(target.host, port: target.port, error: error)))
        }
      }
    }
  }

  /// Cancels the attempt.
  func cancel() {
    loop.execute { [self] in finish(.failure(.cancelled)) }
  }

  private func connected(_ channel: any Channel) {
    guard !isFinished else { return channel.close(promise: nil) }
    self.channel = channel
    do {
      try setSocketOptions(channel, keepAlive: options.keepAlive)
      if let proxy = options.proxy { try askProxy(proxy, channel) } else { try startTLS(channel) }
    } catch {
      finish(.failure(TransportError(error)))
    }
  }

  private func askProxy(_ proxy: SOCKS5Proxy, _ channel: any Channel) throws {
    phase = .proxy
    guard options.addresses.allows(host: host) else {
      throw TransportError.unreachable(host: host, port: Int(port), reason: "its address is not public")
    }
    let negotiation: SOCKS5Negotiation
    do {
      negotiation = try SOCKS5Negotiation(host: proxyTarget(), port: port, credentials: proxy.credentials)
    } catch { throw TransportError.proxy(error) }
    let handler = SOCKS5Handler(negotiation) { [self] result in
      do {
        try result.get()
        try startTLS(channel)
      } catch let error as SOCKS5Error {
        finish(.failure(.proxy(error)))
      } catch {
        finish(.failure(TransportError(error)))
      }
    }
    try channel.pipeline.syncOperations.addHandler(handler)
    try Connections.end(channel)
  }

  private func startTLS(_ channel: any Channel) throws {
    phase = .tls
    let serverName = options.sendsServerName && isName(host) ? host : nil
    let engine = try TLSEngine(context, policy: policy, serverName: serverName)
    let deadlines = TLSDeadlines(handshake: nil, stall: TimeAmount(options.stallTimeout))
    let handler = TLSHandler(engine: engine, deadlines: deadlines, readsOnlyWhileWritable: false) {
      [self] tls, result in
      switch result {
      case .success(let session):
        guard !isFinished else { return nil }
        do {
          let (connection, receiver) = try establish(session, channel, tls)
          finish(.success(connection))
          return receiver
        } catch {
          finish(.failure(TransportError(error)))
          return nil
        }
      case .failure(let error):
        finish(.failure(error))
        return nil
      }
    }
    try channel.pipeline.syncOperations.addHandler(handler)
    // It may have been closed before the handler was installed.
    if !channel.isActive { finish(.failure(.tls(.handshakeInterrupted))) }
  }

  private func finish(_ result: Result<Connection, TransportError>) {
    guard !isFinished else { return }
    isFinished = true
    deadline?.cancel()
    switch result {
    case .success(let connection): promise.succeed(connection)
    case .failure(let error):
      promise.fail(error)
      channel?.close(promise: nil)
    }
    channel = nil
  }

  private func unreachable(_ host: String, port: Int, error: any Error) -> TransportError {
    switch error {
    case ChannelError.connectTimeout: .connectTimeout(.network)
    case let error as NIOConnectionError:
      .unreachable(
        host: host, port: port, reason: error.connectionErrors.first.map { reason($0.error) } ?? "the name is not known"
      )
    default: .unreachable(host: host, port: port, reason: reason(error))
    }
  }

  /// The system's words, where the error is the system's.
  private func reason(_ error: any Error) -> String {
    (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? String(describing: error)
  }

  private func proxyTarget() -> SOCKS5Host {
    switch try? SocketAddress(ipAddress: host, port: 0) {
    case .v4(let address): .ipv4(withUnsafeBytes(of: address.address.sin_addr) { Array($0) })
    case .v6(let address): .ipv6(withUnsafeBytes(of: address.address.sin6_addr) { Array($0) })
    default: .name(host)
    }
  }
}

/// Server names in TLS are host names, not addresses (RFC 6066 section 3).
private func isName(_ host: String) -> Bool { (try? SocketAddress(ipAddress: host, port: 0)) == nil }
