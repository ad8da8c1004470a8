import SimplexCrypto
import SimplexJSON
import WireCodec

/// Bytes that name something between clients: base64url in JSON, a short string in binary forms.
public protocol ChatIdentifier: JSONCodable, Hashable, Sendable {
  /// The bytes.
  var bytes: [UInt8] { get }
  /// The identifier with these bytes.
  init(_ bytes: [UInt8])
  /// The most bytes that are read from JSON.
  static var longest: Int { get }
}

extension ChatIdentifier {
  /// The size limit of the binary form: identifiers are stored several times, and nobody sees them.
  public static var longest: Int { 255 }

  /// Reads base64url text of 1 to ``longest`` bytes.
  public init(json: JSONNode) throws(JSONError) {
    guard let bytes = Base64URL.decode(try json.string()), !bytes.isEmpty, bytes.count <= Self.longest else {
      throw JSONError(.invalidText(type: "base64url"))
    }
    self.init(bytes)
  }

  /// Writes base64url text.
  public func encode(to json: inout JSONWriter) { json.string(text) }

  /// The identifier of a base64url text; nil if the text is none.
  public init?(text: String) {
    guard let bytes = Base64URL.decode(text), !bytes.isEmpty else { return nil }
    self.init(bytes)
  }

  /// Base64url.
  public var text: String { Base64URL.string(bytes) }

  /// Up to 255 bytes after their length.
  public static var codec: Codec<Self> { Codec<[UInt8]>.short.map({ Self($0) }, \.bytes) }
}

/// Random bytes that are sent as the text of their base64, with `+` and `/`: what all clients do, so that nobody is
/// known by doing it otherwise. In JSON that text is base64url once more.
private func base64Text(_ random: [UInt8]) -> [UInt8] {
  Base64URL.encode(random).map { byte in
    switch byte {
    case UInt8(ascii: "-"): UInt8(ascii: "+")
    case UInt8(ascii: "_"): UInt8(ascii: "/")
    default: byte
    }
  }
}

/// Names a message to both parties of a conversation.
public struct SharedMsgId: ChatIdentifier {
  /// The bytes.
  public var bytes: [UInt8]
  /// The identifier with these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
  /// The identifier of a new message, of 12 random bytes.
  public init(random: [UInt8]) { bytes = base64Text(random) }
}

/// Names a member to all members of a group.
public struct MemberId: ChatIdentifier {
  /// The bytes.
  public var bytes: [UInt8]
  /// The identifier with these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
  /// The identifier of a new member, of 12 random bytes.
  public init(random: [UInt8]) { bytes = base64Text(random) }
}

/// Names a request to connect by an address, by 16 random bytes, so that sending it again makes no second contact.
public struct XContactId: ChatIdentifier {
  /// The bytes.
  public var bytes: [UInt8]
  /// The identifier with these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// Names the link by which somebody joins a group, by 16 random bytes.
public struct GroupLinkId: ChatIdentifier {
  /// The bytes.
  public var bytes: [UInt8]
  /// The identifier with these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// A secret that shows a contact and a member to be the same person.
public struct Probe: ChatIdentifier {
  /// The bytes.
  public var bytes: [UInt8]
  /// The probe with these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
  /// A new probe, of 32 random bytes.
  public init(random: [UInt8]) { bytes = base64Text(random) }
}

/// SHA-256 of a probe.
public struct ProbeHash: ChatIdentifier {
  /// The bytes.
  public var bytes: [UInt8]
  /// The hash with these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
  /// The hash of a probe.
  public init(of probe: Probe) { bytes = HashFunction.sha256.digest(of: probe.bytes) }
}

/// Names a call to both parties.
public struct CallId: ChatIdentifier {
  /// The bytes.
  public var bytes: [UInt8]
  /// The identifier with these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// Bytes without a meaning of their own.
public struct OpaqueBytes: ChatIdentifier {
  /// As long as a message may be.
  public static var longest: Int { .max }
  /// The bytes.
  public var bytes: [UInt8]
  /// These bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
