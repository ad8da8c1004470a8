import SimplexCrypto
import WireCodec

/// The password that a relay requires to create queues or files, or to forward commands. Source: simplex-messaging.md,
/// "Router address".
public struct BasicAuth: Hashable, Sendable {
  /// The password: printable characters of Latin-1 without spaces, `@`, `:` and `/`; up to 255 on the wire.
  public let bytes: [UInt8]

  /// A password; nil where it has invalid characters.
  public init?(_ bytes: [UInt8]) {
    guard bytes.allSatisfy(Self.isAllowed) else { return nil }
    self.bytes = bytes
  }

  /// Whether a password that was presented is this one. The time depends on neither, apart from the length of what was
  /// presented.
  public func matches(_ presented: BasicAuth?) -> Bool {
    let own = HashFunction.sha256.digest(of: bytes.span.bytes)
    let text = presented?.bytes ?? []
    let other = HashFunction.sha256.digest(of: text.span.bytes)
    return constantTimeEqual(own.span.bytes, other.span.bytes) && presented != nil
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "@"), UInt8(ascii: ":"), UInt8(ascii: "/"): false
    // Latin-1: 0xA0 is a space, 0xAD the soft hyphen.
    case 0x21...0x7E, 0xA1...0xAC, 0xAE...0xFF: true
    default: false
    }
  }

  /// The password after a 1-byte length.
  public static let codec = Codec<[UInt8]>.short.compactMap("a password", { BasicAuth($0) }, \.bytes)

  /// The password up to the next `@`, at least one character.
  public static let textCodec = Codec<BasicAuth>(
    decode: { (reader) throws(WireError) -> BasicAuth in
      let start = reader.offset
      let bytes = [UInt8](copying: reader.span { $0 != UInt8(ascii: "@") })
      guard !bytes.isEmpty, let password = BasicAuth(bytes) else {
        throw WireError(.expected("a password"), offset: start)
      }
      return password
    },
    encode: { (password, writer) throws(WireError) in
      guard !password.bytes.isEmpty else { throw writer.failure(.expected("a password")) }
      writer.append(password.bytes)
    })
}

extension BasicAuth: CustomStringConvertible, CustomReflectable {
  /// Hides the password.
  public var description: String { "BasicAuth(\(bytes.count) bytes)" }
  /// No children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
