import SimplexCrypto
import WireCodec

/// The content of the box of an NMSG: the identity of the waiting message. Source: simplex-messaging.md, "Message
/// notification".
public struct NotificationMetadata: Hashable, Sendable {
  /// The message.
  public var messageID: MessageID
  /// When the relay received it.
  public var time: UTCTime

  public init(messageID: MessageID, time: UTCTime) {
    self.messageID = messageID
    self.time = time
  }

  /// The size of the text in the box.
  public static let paddedSize = 128

  /// Both members. Bytes after them are skipped, for later versions.
  public static let codec = Codec<NotificationMetadata>(
    decode: { (reader) throws(WireError) -> NotificationMetadata in
      let messageID = try MessageID.codec.decode(&reader)
      let time = try UTCTime.secondsCodec.decode(&reader)
      _ = reader.restSpan()
      return NotificationMetadata(messageID: messageID, time: time)
    },
    encode: { (metadata, writer) throws(WireError) in
      try MessageID.codec.encode(metadata.messageID, &writer)
      try UTCTime.secondsCodec.encode(metadata.time, &writer)
    })

  /// The notification that a relay sends; `key` is that between recipient and relay.
  public func seal(key: BoxKey, nonce: BoxNonce) throws(MessageBoxError) -> NotificationMessage {
    NotificationMessage(
      nonce: nonce, box: try Self.codec.encode(self, intoBox: Self.paddedSize, key: key, nonce: nonce))
  }

  /// Opens the box of a notification.
  public init(opening message: NotificationMessage, key: BoxKey) throws(MessageBoxError) {
    self = try Self.codec.decode(box: message.box, key: key, nonce: message.nonce)
  }
}
