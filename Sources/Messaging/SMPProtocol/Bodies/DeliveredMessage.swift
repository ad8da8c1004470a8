import SimplexCrypto
import WireCodec

/// The content of the box of a MSG: the sender's message with the relay's metadata, or the notice that the queue was
/// full. Source: simplex-messaging.md, "Deliver queue message".
public enum DeliveredMessage: Hashable, Sendable {
  /// A message.
  case message(time: UTCTime, flags: MessageFlags, body: [UInt8])
  /// A message was refused because the queue was full; it has room again.
  case quota(time: UTCTime)

  /// The size of the text in the box: the longest message of all versions, its metadata, and a 2-byte length.
  public static let paddedSize = 16106

  /// When the relay received the message.
  public var time: UTCTime {
    switch self {
    case .message(let time, _, _), .quota(let time): time
    }
  }

  /// The wire form, up to the end.
  public static let codec = Codec<DeliveredMessage>(
    decode: { (reader) throws(WireError) -> DeliveredMessage in
      if reader.take("QUOTA ") { return .quota(time: try UTCTime.secondsCodec.decode(&reader)) }
      let time = try UTCTime.secondsCodec.decode(&reader)
      let request = try SendRequest.codec.decode(&reader)
      return .message(time: time, flags: request.flags, body: request.body)
    },
    encode: { (message, writer) throws(WireError) in
      switch message {
      case .quota(let time):
        writer.append(literal: "QUOTA ")
        try UTCTime.secondsCodec.encode(time, &writer)
      case .message(let time, let flags, let body):
        try UTCTime.secondsCodec.encode(time, &writer)
        try SendRequest.codec.encode(SendRequest(flags: flags, body: body), &writer)
      }
    })

  /// The box that a relay delivers; `key` is that between recipient and relay.
  public func seal(id: MessageID, key: BoxKey) throws(MessageBoxError) -> SealedMessage {
    SealedMessage(
      id: id, box: try Self.codec.encode(self, intoBox: Self.paddedSize, key: key, nonce: id.nonce))
  }

  /// Writes the box that a relay delivers.
  func seal(id: MessageID, key: BoxKey, to writer: inout Writer) throws(MessageBoxError) {
    try Self.codec.encode(self, intoBox: Self.paddedSize, key: key, nonce: id.nonce, to: &writer)
  }

  /// Opens the box of a delivered message.
  public init(opening message: SealedMessage, key: BoxKey) throws(MessageBoxError) {
    self = try Self.codec.decode(box: message.box, key: key, nonce: message.id.nonce)
  }
}

/// Why a value cannot be taken from a box, or put into one.
public enum MessageBoxError: Error, Hashable, Sendable {
  /// The box cannot be opened, or the text is too long for it.
  case crypto(CryptoError)
  /// The content is malformed.
  case malformed(WireError)
}

extension Codec {
  /// The value in a padded box.
  func decode(box: [UInt8], key: BoxKey, nonce: BoxNonce) throws(MessageBoxError) -> Value {
    let text: [UInt8]
    do { text = try key.openPadded(box.span.bytes, nonce: nonce) } catch { throw .crypto(error) }
    do { return try decode(text) } catch { throw .malformed(error) }
  }

  /// A padded box with the value.
  func encode(
    _ value: Value, intoBox paddedSize: Int, key: BoxKey, nonce: BoxNonce
  ) throws(MessageBoxError) -> [UInt8] {
    var writer = Writer(capacity: BoxKey.overhead + paddedSize)
    try encode(value, intoBox: paddedSize, key: key, nonce: nonce, to: &writer)
    return writer.finish()
  }

  /// Writes a padded box with the value, which is encrypted where it is written.
  func encode(
    _ value: Value, intoBox paddedSize: Int, key: BoxKey, nonce: BoxNonce, to writer: inout Writer
  ) throws(MessageBoxError) {
    let start = writer.count
    writer.append(repeating: 0, count: BoxKey.overhead + Padding.prefixSize)
    do { try encode(value, &writer) } catch { throw .malformed(error) }
    do throws(CryptoError) {
      try writer.pad(from: start + BoxKey.overhead, to: paddedSize)
      try writer.change(from: start) { (box) throws(CryptoError) in try key.sealInPlace(&box, nonce: nonce) }
    } catch {
      throw .crypto(error)
    }
  }
}

extension Writer {
  /// Pads the text that begins at `start`: two bytes reserved for the length, and the message.
  mutating func pad(from start: Int, to paddedSize: Int) throws(CryptoError) {
    let messageCount = count - start - Padding.prefixSize
    try Padding.check(messageCount: messageCount, paddedCount: paddedSize)
    append(repeating: Padding.fill, count: paddedSize - Padding.prefixSize - messageCount)
    change(from: start) { $0.storeBytes(of: UInt16(messageCount).bigEndian, as: UInt16.self) }
  }
}
