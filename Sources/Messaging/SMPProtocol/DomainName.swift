import WireCodec

/// A registered name that relays resolve: all its labels with the top-level one, in lower case (`alice.simplex`).
/// Source: simplex-messaging.md, "Resolve name command".
///
/// At most 253 bytes in two or more labels of at most 63; a label has Latin letters and digits with single hyphens
/// between them. Other letters are refused, since they are too easily confused with these.
public struct DomainName: Hashable, Sendable, CustomStringConvertible {
  /// The name.
  public let text: String

  /// A name in any case; nil where it is malformed.
  public init?(_ text: some StringProtocol) {
    let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard text.utf8.count <= Self.limit, labels.count > 1, labels.allSatisfy({ Self.isLabel($0) }) else { return nil }
    self.text = text.lowercased()
  }

  /// The name.
  public var description: String { text }

  /// The longest name, in bytes.
  static let limit = 253
  private static let labelLimit = 63

  private static func isLabel(_ label: some Collection<UInt8>) -> Bool {
    label.count <= labelLimit
      && label.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).allSatisfy { part in
        !part.isEmpty && part.allSatisfy(isLetterOrDigit)
      }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  /// The name up to white space or the end.
  static let codec = Codec<DomainName>(
    decode: { (reader) throws(WireError) -> DomainName in
      let start = reader.offset
      let bytes = reader.span { $0 != UInt8(ascii: " ") && !(9...13).contains($0) }
      guard let text = String(validating: bytes), let name = DomainName(text) else {
        throw WireError(.expected("a domain name"), offset: start)
      }
      return name
    },
    encode: { (name, writer) throws(WireError) in writer.append(name.text) })
}
