import SMPClientCore
import SMPProtocol
import SimplexTransport
import WireCodec

/// How a client connects to relays and talks to them.
public struct SMPClientConfiguration: Sendable {
  /// The versions that are supported.
  public var versions = SMPVersion.supported
  /// Which hosts of a relay are used.
  public var hosts = HostPolicy()
  /// The proxy to go through; nil to connect directly.
  public var socksProxy: SOCKS5Proxy?
  /// Which hosts are reached through the proxy.
  public var socksMode = SOCKSMode.always
  /// Which relays are reached on the port of the web, where their address names none.
  public var webPort = WebPort.never
  /// Whether the client is itself a relay that forwards commands.
  public var isProxy = false
  /// The service that the client is; nil for a user's client.
  public var service: SMPService?
  /// For connecting: all steps to the end of TLS, and again for the handshake that follows.
  public var connectTimeout = Duration.seconds(25)
  /// For the answer to a command.
  public var requestTimeout = Duration.seconds(15)
  /// A connection that is silent for so long is asked for a sign of life.
  public var pingInterval = Duration.seconds(600)
  /// A connection is closed when so many questions were not answered; 0 for never.
  public var pingCount = 3
  /// When the system asks a silent relay whether it is still there; nil for never.
  public var keepAlive: KeepAlive? = .client
  /// How long to wait before connecting again.
  public var backoff = Backoff.Policy.standard
  /// Events that may wait to be taken. When there are more, the connection is closed; nothing is lost, because the
  /// relay sends again what was not acknowledged.
  public var eventLimit = 16_384
  /// Where the client's tasks run; nil for Swift's pool, and for those of a connection its own thread. Who handles
  /// results on one thread gets them there without waking others.
  public var executor: (any TaskExecutor)?
  /// Queues that are subscribed at once, before the next ones are.
  public var subscriptionBatch = 1_350
  /// Connects to a relay in place of TCP and TLS; nil for a real network. For simulated ones.
  public var makeLink: (@Sendable (SMPServer) async throws(SMPClientError) -> any BlockLink)?

  /// The usual times and limits.
  public init() {}
}

/// Which hosts are reached through a SOCKS proxy.
public enum SOCKSMode: Hashable, Sendable {
  /// All.
  case always
  /// Onion hosts alone.
  case onion
}

/// Which relays are reached on port 443, which firewalls let through, where their address names no port.
public enum WebPort: Hashable, Sendable {
  /// None.
  case never
  /// Those whose first host has a name that ends in one of these.
  case domains([String])
  /// All.
  case always

  /// The port to reach a relay on.
  public func port(of server: SMPServer) -> UInt16 {
    let usesWebPort =
      switch self {
      case .never: false
      case .domains(let domains):
        server.hosts.first.map { host in domains.contains { host.description.hasSuffix($0) } } ?? false
      case .always: true
      }
    return server.port ?? (usesWebPort ? 443 : server.effectivePort)
  }
}

/// A client with a certificate of its own, which relays know again: it subscribes for many queues at once.
public struct SMPService: Sendable {
  /// What it is for.
  public var role: ServiceRole
  /// What it presents in TLS: a certificate that it issued itself, or several.
  public var credential: TLSCredential

  /// A service with this certificate.
  public init(role: ServiceRole, credential: TLSCredential) {
    self.role = role
    self.credential = credential
  }

  /// What the handshake needs; nil for a credential without certificates.
  var handshake: ServiceCredential? {
    guard let identity = credential.chain.identity else { return nil }
    let key = credential.key
    return ServiceCredential(
      role: role, certificates: credential.chain.certificates.map(\.der), certificateHash: identity.fingerprint,
      sign: { try? key.sign($0) })
  }
}
