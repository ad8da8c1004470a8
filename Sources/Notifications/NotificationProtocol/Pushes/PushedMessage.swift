import SMPProtocol
import SimplexCrypto
import WireCodec

/// An entry of a push: that a queue has a message. Source: push-notifications.md, "Notifications".
public struct PushedMessage: Hashable, Sendable {
  /// The queue.
  public var queue: NotifierQueue
  /// When the notification server received the notification; whole seconds.
  public var time: UTCTime
  /// The relay's notification: the box of a ``SMPProtocol/NotificationMetadata``.
  public var notification: NotificationMessage

  public init(queue: NotifierQueue, time: UTCTime, notification: NotificationMessage) {
    self.queue = queue
    self.time = time
    self.notification = notification
  }

  /// Queue, seconds since 1970, nonce and box, with spaces between them.
  public static let textCodec: Codec<PushedMessage> = {
    let time = Codec<Int64>.decimal.compactMap("a time", { UTCTime(seconds: $0) }, { $0.seconds })
    let nonce = Codec<[UInt8]>.base64url.compactMap(
      "a nonce", { try? BoxNonce($0.span.bytes) }, { $0.bytes })
    let notification = nonce.pair(.base64url).map(
      { NotificationMessage(nonce: $0, box: $1) }, { ($0.nonce, $0.box) })
    return NotifierQueue.textCodec.pair(time).pair(notification).map(
      { PushedMessage(queue: $0.0, time: $0.1, notification: $1) }, { (($0.queue, $0.time), $0.notification) })
  }()
}

/// The entries of a push, the oldest first; the last one is what caused it.
public enum PushedMessages {
  /// At least one entry; semicolons between them.
  public static let codec: Codec<[PushedMessage]> = PushedMessage.textCodec.separated(by: ";")
}

/// The boxes in pushes. Their key is that of the token: the agreed key of its two X25519 keys.
public enum PushBox {
  /// The size of the text in a box of the reference server; clients accept boxes of any size.
  public static let referencePaddedSize = 3072

  /// A box with this text.
  /// - Throws: `messageTooLong`.
  public static func seal(
    _ text: [UInt8], key: BoxKey, nonce: BoxNonce, paddedTo size: Int
  ) throws(CryptoError) -> [UInt8] {
    try key.seal(text.span.bytes, paddedTo: size, nonce: nonce)
  }

  /// The text in a box.
  /// - Throws: `authenticationFailed`, `invalidPadding`.
  public static func open(_ box: [UInt8], key: BoxKey, nonce: BoxNonce) throws(CryptoError) -> [UInt8] {
    try key.openPadded(box.span.bytes, nonce: nonce)
  }

  /// The entries in the box of a push.
  /// - Throws: `crypto` where the box cannot be opened, `malformed` where its text is no list of entries.
  public static func messages(
    in box: [UInt8], key: BoxKey, nonce: BoxNonce
  ) throws(MessageBoxError) -> [PushedMessage] {
    let text: [UInt8]
    do { text = try open(box, key: key, nonce: nonce) } catch { throw .crypto(error) }
    do { return try PushedMessages.codec.decode(text) } catch { throw .malformed(error) }
  }
}
