import NIOCore
import SMPProtocol

/// An IPv4 address of this device, at which hosts in the same network may reach it.
public struct LocalAddress: Hashable, Sendable {
  /// The address.
  public var address: IPv4Address
  /// The name of the interface, such as `eth0`.
  public var interface: String

  /// An address of an interface.
  public init(address: IPv4Address, interface: String) {
    self.address = address
    self.interface = interface
  }

  /// The prefixes of the names of interfaces that phones in the same network rarely reach: tunnels, containers and
  /// virtual machines.
  private static let virtualPrefixes = [
    "br-", "cni", "docker", "flannel", "ipsec", "lxc", "lxdbr", "podman", "ppp", "tailscale", "tap", "tun", "utun",
    "vboxnet", "veth", "virbr", "vmnet", "wg", "zt",
  ]

  /// Whether the address is 127.0.0.0/8.
  public var isLoopback: Bool { address.bytes.first == 127 }
  private var isVirtual: Bool { Self.virtualPrefixes.contains { interface.hasPrefix($0) } }
  /// Whether hosts could connect to it: not unspecified, broadcast or link-local.
  private var isUsable: Bool {
    let bytes = address.bytes
    return bytes != [0, 0, 0, 0] && bytes != [255, 255, 255, 255] && bytes.prefix(2) != [169, 254]
  }

  private var rank: Int { isLoopback ? 2 : isVirtual ? 1 : 0 }

  /// The addresses of this device, the most likely first: physical interfaces, then virtual ones, then loopback; a
  /// preferred address, or another of its interface, before all. Link-local addresses (169.254.0.0/16) are excluded.
  public static func all(preferred: LocalAddress? = nil) -> [LocalAddress] {
    let devices = (try? System.enumerateDevices()) ?? []
    let found = devices.compactMap { device in
      device.address?.ipAddress.flatMap { IPv4Address($0) }.map { LocalAddress(address: $0, interface: device.name) }
    }
    return ordered(found, preferred: preferred)
  }

  /// The usable ones of these addresses in the order of ``all(preferred:)``.
  static func ordered(_ addresses: [LocalAddress], preferred: LocalAddress?) -> [LocalAddress] {
    let usable = addresses.filter(\.isUsable)
    var ordered = (0...2).flatMap { rank in usable.filter { $0.rank == rank } }
    guard let preferred else { return ordered }
    let index =
      ordered.firstIndex(of: preferred) ?? ordered.firstIndex { $0.address == preferred.address }
      ?? ordered.firstIndex { $0.interface == preferred.interface }
    if let index { ordered.insert(ordered.remove(at: index), at: 0) }
    return ordered
  }
}
