import SimplexCrypto
import WireCodec

/// An opaque identifier of up to 255 bytes: those that relays generate have 24 random bytes.
public protocol ByteIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// The bytes of the identifier.
  var bytes: [UInt8] { get }
  init(_ bytes: [UInt8])
}

extension ByteIdentifier {
  /// The size of the identifiers that relays and clients generate.
  public static var randomSize: Int { 24 }

  /// Draws an identifier of 24 bytes.
  public init(using random: inout some RandomSource) { self.init(random.bytes(Self.randomSize)) }

  /// The bytes after a 1-byte length.
  public static var codec: Codec<Self> {
    Codec(
      decode: { (reader) throws(WireError) -> Self in
        let count = Int(try reader.byte())
        return Self(try reader.bytes(count))
      },
      encode: { (identifier, writer) throws(WireError) in try identifier.write(&writer) })
  }

  /// Writes the bytes after a 1-byte length.
  func write(_ writer: inout Writer) throws(WireError) {
    guard let count = UInt8(exactly: bytes.count) else { throw writer.failure(.tooLong(limit: 255)) }
    writer.append(count)
    writer.append(bytes)
  }

  /// The bytes in base64url.
  public static var textCodec: Codec<Self> { Codec<[UInt8]>.base64url.map({ Self($0) }, \.bytes) }

  /// The bytes in base64url.
  public var description: String { Base64URL.string(bytes) }
}

/// The entity that a transmission is about: a queue as one of its parties knows it (recipient, sender, notifier or link
/// identifier), a service, or a session with a relay behind a proxy.
public struct EntityID: ByteIdentifier {
  /// The bytes of the identifier.
  public let bytes: [UInt8]
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// No entity: the empty identifier.
  public static let none = EntityID([])
  /// Whether this is no entity.
  public var isNone: Bool { bytes.isEmpty }

  /// The sender's identifier that a NEW command with link data has to carry: the first 24 bytes of SHA3-384 of its
  /// correlation identifier, so that a client cannot probe which identifiers exist.
  public static func sender(for correlationID: CorrelationID) -> EntityID {
    EntityID(Array(HashFunction.sha3_384.digest(of: correlationID.bytes.span.bytes).prefix(randomSize)))
  }
}

/// Correlates a response with its command; also the nonce of its X25519 authenticator.
public struct CorrelationID: ByteIdentifier {
  /// The bytes of the identifier.
  public let bytes: [UInt8]
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// No correlation: transmissions of a relay that are not responses.
  public static let none = CorrelationID([])
  /// Whether this is no correlation.
  public var isNone: Bool { bytes.isEmpty }
  /// The nonce for the authenticator of the command.
  public var nonce: BoxNonce { BoxNonce(fitting: bytes.span.bytes) }
}

/// A message in a queue; also the nonce of the box it is delivered in.
public struct MessageID: ByteIdentifier {
  /// The bytes of the identifier.
  public let bytes: [UInt8]
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The nonce of the box that the message is delivered in.
  public var nonce: BoxNonce { BoxNonce(fitting: bytes.span.bytes) }
}

/// The TLS session that transmissions are bound to: the first Finished message of its handshake.
public struct SessionID: ByteIdentifier {
  /// The bytes of the identifier.
  public let bytes: [UInt8]
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
