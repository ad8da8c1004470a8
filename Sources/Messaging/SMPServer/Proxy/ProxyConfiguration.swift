import SMPClient
import SMPClientCore
import SMPProtocol

/// The settings for forwarding commands of clients to other relays.
public struct ProxyConfiguration: Sendable {
  /// The connections to them: SOCKS proxy, hosts, deadlines.
  public var client = SMPClientConfiguration()
  /// Domains of the operator's own relays, which statistics count separately.
  public var ownDomains: [String] = []
  /// The number of commands of one client that are in flight to other relays; beyond it, reading from the client
  /// pauses.
  public var clientConcurrency = 32
  /// The size in bytes of the commands of all clients in flight; beyond it, each client may have one that was read.
  public var waitingLimit = 64 << 20
  /// The time in seconds during which an unreachable relay is not tried again.
  public var retryInterval: Int64 = 30
  /// The maximum number of connected relays. Beyond it, the least recently used connection is closed; its clients then
  /// request a new session.
  public var connectionLimit = 10_000
  /// The maximum number of connections that are being opened: clients can name relays that never answer, and each
  /// attempt takes a file. Beyond it, the request fails as if the network did.
  var attemptLimit: Int { max(1, connectionLimit / 2) }

  /// Whether relays at addresses of this machine and of private networks are connected to. Otherwise clients could make
  /// this relay connect to what only it can reach.
  public var allowsPrivateAddresses: Bool {
    get { client.addresses == .all }
    set { client.addresses = newValue ? .all : .publicOnly }
  }

  /// Public hosts first, public addresses only, SOCKS for onion hosts only, as in the reference relay.
  public init() {
    client.isProxy = true
    client.addresses = .publicOnly
    client.hosts = HostPolicy(preference: .publicHosts)
    client.socksMode = .onion
  }

  /// Whether the relay is one of the operator's own: its first host is one of the domains, or a subdomain.
  func isOwn(_ relay: ProtocolServer<SMPScheme>) -> Bool {
    guard let host = relay.hosts.first?.description else { return false }
    return ownDomains.contains { host == $0 || host.hasSuffix("." + $0) }
  }
}
