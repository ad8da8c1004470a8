import NIOCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The addresses that a client connects to.
public enum AddressRule: Hashable, Sendable {
  /// All.
  case all
  /// Those of hosts on the internet: not of this machine, of private and local networks, of groups (multicast), nor
  /// any other that is reserved (IANA special-purpose registries; RFC 6890).
  case publicOnly

  /// Whether connections to an address are allowed.
  package func allows(_ address: SocketAddress) -> Bool {
    switch (self, address) {
    case (.all, _): true
    case (.publicOnly, .v4(let address)):
      Self.isPublic(ipv4: UInt32(bigEndian: withUnsafeBytes(of: address.address.sin_addr) { $0.load(as: UInt32.self) }))
    case (.publicOnly, .v6(let address)):
      Self.isPublic(ipv6: withUnsafeBytes(of: address.address.sin6_addr) { Array($0) })
    case (.publicOnly, .unixDomainSocket): false
    }
  }

  /// Whether a SOCKS proxy is asked for a host. It resolves names itself and has to have rules of its own for them;
  /// what names its own machine in every case, or is an address in any notation, is decided here.
  func allows(host: String) -> Bool {
    if self == .all { return true }
    if let address = try? SocketAddress(ipAddress: host, port: 0) { return allows(address) }
    // Notations such as 127.1 and 0x7f000001, which resolvers accept.
    var address = in_addr()
    if inet_aton(host, &address) != 0 { return Self.isPublic(ipv4: UInt32(bigEndian: address.s_addr)) }
    // The last label; a name may end with a dot.
    let last = host.split(separator: ".").last?.lowercased()
    return !host.utf8.contains(UInt8(ascii: ":")) && last != nil && last != "localhost"
  }

  private static let reserved: [(prefix: UInt32, length: UInt32)] = [
    (0x0000_0000, 8), (0x0a00_0000, 8), (0x6440_0000, 10), (0x7f00_0000, 8), (0xa9fe_0000, 16), (0xac10_0000, 12),
    (0xc000_0000, 24), (0xc000_0200, 24), (0xc058_6300, 24), (0xc0a8_0000, 16), (0xc612_0000, 15), (0xc633_6400, 24),
    (0xcb00_7100, 24), (0xe000_0000, 4), (0xf000_0000, 4),
  ]

  private static func isPublic(ipv4 address: UInt32) -> Bool {
    !reserved.contains { address >> (32 - $0.length) == $0.prefix >> (32 - $0.length) }
  }

  private static func isPublic(ipv6 bytes: [UInt8]) -> Bool {
    guard bytes.count == 16 else { return false }
    func starts(_ prefix: UInt8...) -> Bool { bytes.starts(with: prefix) }
    func embedded(at offset: Int) -> Bool {
      isPublic(ipv4: bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    // An IPv4 address in one of IPv6: mapped, translated (NAT64), 6to4.
    if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff { return embedded(at: 12) }
    if starts(0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0) { return embedded(at: 12) }
    if starts(0x20, 0x02) { return embedded(at: 2) }
    // Protocol assignments and Teredo (2001::/23), documentation.
    if starts(0x20, 0x01), bytes[2] < 2 { return false }
    if starts(0x20, 0x01, 0x0d, 0xb8) || starts(0x3f, 0xff) && bytes[2] < 0x10 { return false }
    return bytes[0] & 0xe0 == 0x20
  }
}

/// Refuses to connect to addresses that a rule does not allow. It sees each address that a name was resolved to right
/// before the connection to it is made, so that it does not matter what the name is resolved to next time.
final class AddressGuard: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  private struct Refused: Error, CustomStringConvertible {
    var description: String { "its address is not public" }
  }

  private let rule: AddressRule

  init(_ rule: AddressRule) { self.rule = rule }

  func connect(context: ChannelHandlerContext, to address: SocketAddress, promise: EventLoopPromise<Void>?) {
    guard rule.allows(address) else {
      promise?.fail(Refused())
      return
    }
    context.connect(to: address, promise: promise)
  }
}
