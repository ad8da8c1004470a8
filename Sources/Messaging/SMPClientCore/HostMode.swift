import SMPProtocol

/// Selects and orders the hosts of a relay.
public struct HostPolicy: Hashable, Sendable {
  /// Which hosts are preferred.
  public enum Preference: Hashable, Sendable {
    /// Onion hosts, if there is a proxy to reach them; otherwise public ones.
    case onionThroughProxy
    /// Onion hosts.
    case onion
    /// Public hosts.
    case publicHosts
  }

  /// The maximum number of hosts of a relay that are tried. An address of a peer may name 255.
  public static let maximumHosts = 4

  /// The preferred hosts.
  public var preference: Preference
  /// Whether other hosts are excluded.
  public var isRequired: Bool

  /// The default policy: onion hosts through a proxy, others where there are none.
  public init(preference: Preference = .onionThroughProxy, isRequired: Bool = false) {
    self.preference = preference
    self.isRequired = isRequired
  }

  /// The hosts to try, the preferred ones first. Onion hosts need a proxy.
  /// - Throws: `noHost` if there is none.
  public func hosts<Scheme>(
    of server: ProtocolServer<Scheme>, hasProxy: Bool
  ) throws(SMPClientError) -> [TransportHost] {
    let hosts = hosts(among: server.hosts, hasProxy: hasProxy)
    if hosts.isEmpty { throw .noHost }
    return hosts
  }

  /// The hosts of a relay to try, the preferred ones first; none where no host can be used. At most
  /// ``maximumHosts``, with an onion host and another one among them where the relay has both.
  public func hosts(among all: [TransportHost], hasProxy: Bool) -> [TransportHost] {
    let usable = all.filter { hasProxy || !$0.isOnion }
    let prefersOnion =
      switch preference {
      case .onionThroughProxy: hasProxy
      case .onion: true
      case .publicHosts: false
      }
    let preferred = usable.filter { $0.isOnion == prefersOnion }
    if isRequired { return Array(preferred.prefix(Self.maximumHosts)) }
    let others = usable.filter { $0.isOnion != prefersOnion }
    let tried = Array(preferred.prefix(Self.maximumHosts - (others.isEmpty ? 0 : 1)))
    return tried + others.prefix(Self.maximumHosts - tried.count)
  }
}
