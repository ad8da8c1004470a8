import WireCodec

/// An IPv4 address.
public struct IPv4Address: Hashable, Sendable {
  /// Its four bytes.
  public let bytes: [UInt8]

  /// The address in the text `1.2.3.4`; nil where the text is malformed.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isPlain = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }
    let bytes = parts.compactMap { UInt8($0) }
    guard isPlain, parts.count == 4, bytes.count == 4 else { return nil }
    self.bytes = bytes
  }
}

extension IPv4Address: CustomStringConvertible {
  /// The four numbers.
  public var description: String { bytes.map(String.init).joined(separator: ".") }
}

/// An IPv6 address.
public struct IPv6Address: Hashable, Sendable {
  /// Its eight groups of 16 bits.
  public let groups: [UInt16]

  /// The address in a text such as `2001:db8::1`; nil where the text is malformed. The last two groups may be written
  /// as an IPv4 address.
  public init?(_ text: some StringProtocol) {
    guard let gap = text.firstRange(ofText: "::") else {
      guard let groups = Self.groups(text[...]), groups.count == 8 else { return nil }
      self.groups = groups
      return
    }
    let before = text[..<gap.lowerBound]
    let after = text[gap.upperBound...]
    guard let head = before.isEmpty ? [] : Self.groups(before), let tail = after.isEmpty ? [] : Self.groups(after),
      head.count + tail.count < 8
    else { return nil }
    groups = head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail
  }

  private static func groups(_ text: some StringProtocol) -> [UInt16]? {
    var groups: [UInt16] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, let address = IPv4Address(String(part)) {
        let bytes = address.bytes.map(UInt16.init)
        groups += [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]]
      } else {
        guard (1...4).contains(part.utf8.count), part.first != "+", part.first != "-",
          let group = UInt16(part, radix: 16)
        else { return nil }
        groups.append(group)
      }
    }
    return groups
  }
}

extension IPv6Address: CustomStringConvertible {
  /// The canonical text of RFC 5952, without brackets: the first longest run of zero groups is omitted.
  public var description: String {
    var best = 0..<0
    var start = 0
    for index in 0...groups.count where index == groups.count || groups[index] != 0 {
      if index - start > max(best.count, 1) { best = start..<index }
      start = index + 1
    }
    func hex(_ part: some Sequence<UInt16>) -> String { part.map { String($0, radix: 16) }.joined(separator: ":") }
    if best.isEmpty { return hex(groups) }
    return hex(groups[..<best.lowerBound]) + "::" + hex(groups[best.upperBound...])
  }
}

extension IPv6Address {
  /// Reads an address with or without brackets, if there is one; otherwise the reader is unchanged.
  @_lifetime(reader: copy reader)
  init?(reading reader: inout Reader) {
    var ahead = reader
    let hasBrackets = ahead.take("[")
    let span = ahead.span { $0 == UInt8(ascii: ":") || Self.isHexDigit($0) || hasBrackets && $0 == UInt8(ascii: ".") }
    guard let text = String(validating: span), text.contains(":"), let address = IPv6Address(text),
      !hasBrackets || ahead.take("]")
    else { return nil }
    reader = ahead
    self = address
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
