import SMPClient
import SMPClientCore
import SMPProtocol

/// How a relay forwards commands of its clients to other relays.
public struct ProxyConfiguration: Sendable {
  /// How it connects to them: SOCKS proxy, hosts, times.
  public var client = SMPClientConfiguration()
  /// Domains of the operator's own relays, which statistics count apart.
  public var ownDomains: [String] = []
  /// How many commands of one client are under way to other relays at once; no more are read from it meanwhile.
  public var clientConcurrency = 32
  /// Seconds in which a relay that could not be reached is not tried again.
  public var retryInterval: Int64 = 30
  /// How many relays it is connected to at once. Beyond, the connection that was not used for the longest time is
  /// closed; clients then ask for a new session.
  public var connectionLimit = 10_000

  /// Public hosts first, SOCKS for onion hosts alone, as the reference relay.
  public init() {
    client.isProxy = true
    client.hosts = HostPolicy(preference: .publicHosts)
    client.socksMode = .onion
  }

  /// Whether the relay is one of the operator's own: its first host is one of the domains, or below it.
  func isOwn(_ relay: ProtocolServer<SMPScheme>) -> Bool {
    guard let host = relay.hosts.first?.description else { return false }
    return ownDomains.contains { host == $0 || host.hasSuffix("." + $0) }
  }
}
