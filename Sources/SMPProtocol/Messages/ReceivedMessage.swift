import WireCodec

/// The parameters of MSG: a message as it is delivered. Source: simplex-messaging.md, "Deliver queue message".
public struct ReceivedMessage: Hashable, Sendable {
  /// The message, for acknowledging it; also the nonce of the box.
  public var id: MessageID
  /// The box of a ``DeliveredMessage``, with the key between recipient and relay.
  public var box: [UInt8]

  /// A value of its members.
  public init(id: MessageID, box: [UInt8]) {
    self.id = id
    self.box = box
  }

  static let codec = Codec<ReceivedMessage>(
    decode: { (reader) throws(WireError) -> ReceivedMessage in
      let id = try messageID.decode(&reader)
      return ReceivedMessage(id: id, box: [UInt8](copying: reader.restSpan()))
    },
    encode: { (message, writer) throws(WireError) in
      try messageID.encode(message.id, &writer)
      writer.append(message.box)
    })

  private static let messageID = MessageID.codec
}

extension BrokerMessage {
  static let msgForm = MessageForm<BrokerMessage>(
    "MSG", (), .response, ReceivedMessage.codec, { .msg($0) },
    { if case .msg(let message) = $0 { message } else { nil } })
}
