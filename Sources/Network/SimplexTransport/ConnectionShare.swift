import NIOCore

/// The share of a server's connections that one address may have, so that one client cannot take all of them.
///
/// Addresses of onion services and reverse proxies stand for all of their clients and have to be exempt: those of this
/// machine, and those that the operator lists.
public struct ConnectionShare: Hashable, Sendable {
  /// The number of connections from an address, or from a network of IPv6 with a prefix of 64 bits, which is what one
  /// subscriber gets; 0 for any number, nil for an eighth of all connections, and at least 64.
  public var limit: Int?
  /// The addresses without a limit.
  public var exempt: [AddressRange]

  /// A share with the default limit.
  public init(limit: Int? = nil, exempt: [AddressRange] = []) {
    self.limit = limit
    self.exempt = AddressRange.loopback + exempt
  }

  /// The holder to whose share a connection counts, by its address in text; nil for an exempt or unknown address.
  public func holder(of address: String?) -> Holder? {
    guard let address, let bits = AddressRange.bits(of: address) else { return nil }
    guard !exempt.contains(where: { $0.contains(bits) }) else { return nil }
    let isIPv4 = bits >> 32 == AddressRange.mapped >> 32
    return Holder(bits: isIPv4 ? bits : (bits >> 64) << 64)
  }

  /// The holder of a share: an address of IPv4, or a network of IPv6.
  public struct Holder: Hashable, Sendable {
    fileprivate let bits: UInt128

    /// A number for the holder, other than 0.
    public var number: UInt64 { max(1, UInt64(truncatingIfNeeded: bits >> 64) ^ UInt64(truncatingIfNeeded: bits)) }
  }

  /// The number of connections of one holder where a server has `connections`.
  func limit(of connections: Int) -> Int {
    guard let limit else { return max(64, connections / 8) }
    return limit > 0 ? limit : .max
  }
}

extension ConnectionShare {
  /// A line for the log of a relay about connections that were refused.
  public static func warning(refused count: Int) -> String {
    "Warning: connections refused because too many came from one address: \(count). If that is a proxy or a gateway of"
      + " many clients, list it in [TRANSPORT] trusted_proxies, or change connections_per_address"
  }
}

/// Addresses with the same first bits, such as `192.0.2.0/24`.
public struct AddressRange: Hashable, Sendable {
  private let bits: UInt128
  /// The number of bits that are the same, of 128; addresses of IPv4 are mapped to IPv6.
  private let length: Int

  /// An address, with the length of the prefix after a slash; without one, the address alone. Nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "/" as Character, maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let bits = Self.bits(of: parts[0]) else { return nil }
    let start = parts[0].utf8.contains(UInt8(ascii: ":")) ? 0 : 96
    guard parts.count > 1 else {
      (self.bits, length) = (bits, 128)
      return
    }
    guard let length = Int(parts[1]), (0...128 - start).contains(length) else { return nil }
    self.length = start + length
    self.bits = Self.prefix(bits, start + length)
  }

  /// The addresses of this machine.
  public static let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }

  /// The prefix of IPv4 addresses in IPv6.
  fileprivate static let mapped: UInt128 = 0xffff << 32

  fileprivate func contains(_ address: UInt128) -> Bool { Self.prefix(address, length) == bits }

  private static func prefix(_ bits: UInt128, _ length: Int) -> UInt128 {
    length == 0 ? 0 : (bits >> (128 - length)) << (128 - length)
  }

  /// The bits of an address; nil for what is none.
  fileprivate static func bits(of text: String) -> UInt128? {
    switch try? SocketAddress(ipAddress: text, port: 0) {
    case .v4(let address):
      mapped | withUnsafeBytes(of: address.address.sin_addr) { $0.reduce(0) { $0 << 8 | UInt128($1) } }
    case .v6(let address):
      withUnsafeBytes(of: address.address.sin6_addr) { $0.reduce(0) { $0 << 8 | UInt128($1) } }
    default: nil
    }
  }
}
