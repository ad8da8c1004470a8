import SimplexCrypto
import WireCodec

/// The versions of the protocol between SMP clients. Source: simplex-messaging.md, "SMP client protocol".
public enum SMPClientVersion {
  /// The versions of this project.
  public static let supported = VersionRange(1...4)
  /// Several hosts of a relay, and versioned addresses of queues.
  public static let hostNames: UInt16 = 2
  /// Queues that the sender may secure.
  public static let senderKey: UInt16 = 3
  /// Short links, and queue modes in addresses.
  public static let shortLinks: UInt16 = 4
}

/// The body of a SEND: a box for the recipient, with the parameters to open it. Source: simplex-messaging.md, "Send
/// message".
public struct SentMessage: Hashable, Sendable {
  /// The version of the client protocol.
  public var version: UInt16
  /// The sender's key, in the first message of a queue; with the recipient's key it makes the key of the boxes.
  public var key: X25519.PublicKey?
  /// The nonce of the box.
  public var nonce: BoxNonce
  /// The box of a ``ClientMessage``.
  public var box: [UInt8]

  public init(version: UInt16, key: X25519.PublicKey?, nonce: BoxNonce, box: [UInt8]) {
    self.version = version
    self.key = key
    self.nonce = nonce
    self.box = box
  }

  /// The members one after another.
  public static let codec = Codec<SentMessage>.record(
    Field("version", \.version, .integer), Field("key", \.key, X25519.PublicKey.codec.optional),
    Field("nonce", \.nonce, BoxNonce.codec), Field("box", \.box, .tail),
    build: { SentMessage(version: $0, key: $1, nonce: $2, box: $3) })
}

/// The content of the box of a ``SentMessage``.
public struct ClientMessage: Hashable, Sendable {
  /// The size of the text in the box of a message that confirms a connection; a bit shorter, because its
  /// ``SentMessage/key`` needs room.
  public static let confirmationPaddedSize = 15904
  /// The size of the text in the box of any other message.
  public static let messagePaddedSize = 16000

  /// The key that authorizes the sender's commands, where the recipient has to secure the queue.
  public var senderKey: AuthorizationKey?
  /// The message of the agent.
  public var body: [UInt8]

  public init(senderKey: AuthorizationKey?, body: [UInt8]) {
    self.senderKey = senderKey
    self.body = body
  }

  /// `K` and the key, or `_`; then the body.
  public static let codec = Codec<ClientMessage>.record(
    Field("senderKey", \.senderKey, headerCodec), Field("body", \.body, .tail),
    build: { ClientMessage(senderKey: $0, body: $1) })

  private static let headerCodec = Codec<AuthorizationKey?>.tagged(
    "a private header",
    Alternative("K", AuthorizationKey.codec, { $0 }, { $0 }),
    Alternative("_", AuthorizationKey?.none))

  /// Boxes the message.
  public func seal(key: BoxKey, nonce: BoxNonce, paddedTo size: Int) throws(MessageBoxError) -> [UInt8] {
    try Self.codec.encode(self, intoBox: size, key: key, nonce: nonce)
  }

  /// Opens the box of a message.
  public init(opening message: SentMessage, key: BoxKey) throws(MessageBoxError) {
    self = try Self.codec.decode(box: message.box, key: key, nonce: message.nonce)
  }
}
