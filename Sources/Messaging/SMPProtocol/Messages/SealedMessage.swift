import WireCodec

/// The parameters of MSG: a message in the form in which it is delivered. Source: simplex-messaging.md, "Deliver queue
/// message".
public struct SealedMessage: Hashable, Sendable {
  /// The identifier for acknowledging the message; also the nonce of the box.
  public var id: MessageID
  /// The box of a ``DeliveredMessage``, with the key between recipient and relay.
  public var box: [UInt8]

  public init(id: MessageID, box: [UInt8]) {
    self.id = id
    self.box = box
  }

  static let codec = Codec<SealedMessage>(
    decode: { (reader) throws(WireError) -> SealedMessage in
      let id = try messageID.decode(&reader)
      return SealedMessage(id: id, box: [UInt8](copying: reader.restSpan()))
    },
    encode: { (message, writer) throws(WireError) in
      try messageID.encode(message.id, &writer)
      writer.append(message.box)
    })

  private static let messageID = MessageID.codec
}

extension BrokerMessage {
  static let msgForm = MessageForm<BrokerMessage>(
    "MSG", (), .response, SealedMessage.codec, { .msg($0) },
    { if case .msg(let message) = $0 { message } else { nil } })
}
