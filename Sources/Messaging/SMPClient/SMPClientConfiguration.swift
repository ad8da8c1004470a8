import SMPClientCore
import SMPProtocol
import SimplexTransport
import WireCodec

/// The configuration of a client of relays.
public struct SMPClientConfiguration: Sendable {
  /// The supported versions.
  public var versions = SMPVersion.supported
  /// The hosts of a relay that are used.
  public var hosts = HostPolicy()
  /// The proxy to use; nil to connect directly.
  public var socksProxy: SOCKS5Proxy?
  /// The hosts that are reached through the proxy.
  public var socksMode = SOCKSMode.always
  /// The addresses that are connected to, after names are resolved.
  public var addresses = AddressRule.all
  /// The relays that are reached on the port of the web, where their address names none.
  public var webPort = WebPort.never
  /// Whether the client is itself a relay that forwards commands.
  public var isProxy = false
  /// The service that the client is; nil for a user's client.
  public var service: SMPService?
  /// The deadline for connecting, up to the end of TLS, and again for the handshake that follows.
  public var connectTimeout = Duration.seconds(25)
  /// The deadline for connecting to any of the hosts of a relay, with the handshake.
  public var connectDeadline = Duration.seconds(60)
  /// The deadline for the response to a command.
  public var requestTimeout = Duration.seconds(15)
  /// A connection that is idle for this long is probed with PING.
  public var pingInterval = Duration.seconds(600)
  /// The number of unanswered PINGs after which the connection is closed; 0 for never.
  public var pingCount = 3
  /// TCP keep-alive probes; nil for none.
  public var keepAlive: KeepAlive? = .client
  /// The delays between attempts to connect.
  public var backoff = Backoff.Policy.standard
  /// A connection that lasted for this long resets these delays; a handshake alone does not.
  public var stableTime = Duration.seconds(30)
  /// The maximum time that commands wait before the next attempt, after a connection that did not last.
  public var commandPause = Duration.seconds(15)
  /// The size in bytes of the events of a connection that may be unread, and again of those of a client. Beyond it
  /// nothing is received, also no responses: what reads events must not wait for responses.
  public var unreadLimit = 512 << 10
  /// The executor of the client's tasks; nil for Swift's pool, and for the tasks of a connection its own thread.
  /// Callers that handle results on one thread receive them there without a thread switch.
  public var executor: (any TaskExecutor)?
  /// The command that subscribes to a queue: SUB of recipients, NSUB of notifiers.
  public var subscription = Command.sub
  /// The number of queues that are subscribed in one batch.
  public var subscriptionBatch = 1_350
  /// Connects to a relay in place of TCP and TLS; nil for a real network. For simulations.
  public var makeLink: (@Sendable (SMPServerAddress) async throws(SMPClientError) -> any BlockLink)?

  /// The default deadlines and limits.
  public init() {}

  /// Whether a relay with these hosts, of whatever kind it is, does not learn the address of this device. Any host that
  /// is tried may be the one that answers, so each has to be reached through the proxy.
  public func hidesAddress(from hosts: [TransportHost]) -> Bool {
    let tried = self.hosts.hosts(among: hosts, hasProxy: socksProxy != nil)
    // No host would be tried; onion hosts are not reached without a proxy.
    guard !tried.isEmpty else { return self.hosts.preference == .onion && hosts.contains(where: \.isOnion) }
    return socksProxy != nil && (socksMode == .always || tried.allSatisfy(\.isOnion))
  }
}

/// The hosts that are reached through a SOCKS proxy.
public enum SOCKSMode: Hashable, Sendable {
  /// All.
  case always
  /// Onion hosts only.
  case onion
}

/// The relays that are reached on port 443, which firewalls admit, where their address names no port.
public enum WebPort: Hashable, Sendable {
  /// None.
  case never
  /// Those whose first host has a name that ends in one of these suffixes.
  case domains([String])
  /// All.
  case always

  /// The port to reach a relay on.
  public func port(of server: SMPServerAddress) -> UInt16 {
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

/// A client with a certificate of its own, by which relays recognize it: it subscribes for many queues at once.
public struct SMPService: Sendable {
  /// Its role.
  public var role: ServiceRole
  /// The credential for TLS: a self-signed certificate, or a chain.
  public var credential: TLSCredential

  /// A service with this certificate.
  public init(role: ServiceRole, credential: TLSCredential) {
    self.role = role
    self.credential = credential
  }

  /// What the handshake needs of it; nil for a credential without certificates.
  var handshake: ServiceCredential? {
    guard let identity = credential.chain.identity else { return nil }
    let key = credential.key
    return ServiceCredential(
      role: role, certificates: credential.chain.certificates.map(\.der), certificateHash: identity.fingerprint,
      sign: { try? key.sign($0) })
  }
}
