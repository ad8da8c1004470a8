import SimplexJSON
import WireCodec

/// Bytes that name something between clients: base64url in JSON, a short string in binary forms.
public protocol ChatIdentifier: JSONCodable, Hashable, Sendable {
  /// The bytes.
  var bytes: [UInt8] { get }
  /// The identifier with these bytes.
  init(_ bytes: [UInt8])
}

extension ChatIdentifier {
  /// Reads base64url text of at least one byte.
  public init(json: JSONNode) throws(JSONError) {
    guard let bytes = Base64URL.decode(try json.string()), !bytes.isEmpty else {
      throw JSONError(.invalidText(type: "base64url"))
    }
    self.init(bytes)
  }

  /// Writes base64url text.
  public func encode(to json: inout JSONWriter) { json.string(text) }

  /// The identifier that base64url text stands for; nil where it is not.
  public init?(text: String) {
    guard let bytes = Base64URL.decode(text), !bytes.isEmpty else { return nil }
    self.init(bytes)
  }

  /// Base64url.
  public var text: String { Base64URL.string(bytes) }

  /// Up to 255 bytes after their length.
  public static var codec: Codec<Self> { Codec<[UInt8]>.short.map({ Self($0) }, \.bytes) }
}

/// Names a message to both parties of a conversation. Made of 12 random bytes, as the text of their base64.
public struct SharedMsgId: ChatIdentifier {
  /// The bytes.
  public var bytes: [UInt8]
  /// The identifier with these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
  /// The identifier of a new message: the base64url text of 12 random bytes, which is what peers expect of its size.
  public init(random: [UInt8]) { bytes = Base64URL.encode(random) }
}

/// Names a member to all members of a group; 12 random bytes.
public struct MemberId: ChatIdentifier {
  /// The bytes.
  public var bytes: [UInt8]
  /// The identifier with these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// Names a request to connect by an address, so that sending it again makes no second contact.
public struct XContactId: ChatIdentifier {
  /// The bytes.
  public var bytes: [UInt8]
  /// The identifier with these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// Names the link by which somebody joins a group.
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
}

/// SHA-256 of a probe.
public struct ProbeHash: ChatIdentifier {
  /// The bytes.
  public var bytes: [UInt8]
  /// The hash with these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
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
  /// The bytes.
  public var bytes: [UInt8]
  /// These bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
