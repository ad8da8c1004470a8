import WireCodec

/// A host of a relay: an address or a name. Source: simplex-messaging.md, "Router address".
public enum TransportHost: Hashable, Sendable {
  /// Four bytes.
  case ipv4(IPv4Address)
  /// Eight groups of 16 bits.
  case ipv6(IPv6Address)
  /// A Tor onion service: lowercase letters and digits, and `.onion`.
  case onion(String)
  /// Any other name.
  case domain(String)

  /// Whether the host is reachable over Tor only.
  public var isOnion: Bool {
    if case .onion = self { true } else { false }
  }

  /// The text form, up to one of `:#,;/`, white space, or the end. IPv6 addresses may have brackets and are written
  /// without; where a port follows, ``bracketed`` is written.
  public static let textCodec = Codec<TransportHost>(
    decode: { (reader) throws(WireError) -> TransportHost in
      let start = reader.offset
      if let address = IPv6Address(reading: &reader) { return .ipv6(address) }
      let bytes = reader.span { !delimiters.contains($0) }
      guard bytes.byteCount > 0, let name = String(validating: bytes) else {
        throw WireError(.expected("a host"), offset: start)
      }
      if let address = IPv4Address(name) { return .ipv4(address) }
      guard name.hasSuffix(onionSuffix) else { return .domain(name) }
      guard name.dropLast(onionSuffix.count).utf8.allSatisfy(isOnionCharacter) else {
        throw WireError(.expected("an onion host"), offset: start)
      }
      return .onion(name)
    },
    encode: { (host, writer) throws(WireError) in writer.append(host.description) })

  /// The text form after a 1-byte length.
  public static let codec: Codec<TransportHost> = textCodec.inShort

  private static let delimiters = Array(":#,;/ \n\r\t".utf8)
  private static let onionSuffix = ".onion"

  private static func isOnionCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }
}

extension TransportHost: CustomStringConvertible {
  /// The text form.
  public var description: String {
    switch self {
    case .ipv4(let address): address.description
    case .ipv6(let address): address.description
    case .onion(let name), .domain(let name): name
    }
  }

  /// The text form with brackets around an IPv6 address: without them `::1:5223` is read as another address.
  public var bracketed: String { if case .ipv6 = self { "[\(self)]" } else { description } }
}
