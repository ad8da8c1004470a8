import WireCodec

/// The parameters of SEND, which sends a message. Source: simplex-messaging.md, "Send message".
public struct SendRequest: Hashable, Sendable {
  /// The metadata for the relay.
  public var flags: MessageFlags
  /// The message, up to ``SMPVersion/messageLimit(_:)`` bytes; the relay cannot read it.
  public var body: [UInt8]

  public init(flags: MessageFlags = MessageFlags(), body: [UInt8]) {
    self.flags = flags
    self.body = body
  }

  static let codec = Codec<SendRequest>(
    decode: { (reader) throws(WireError) -> SendRequest in
      let flags = try MessageFlags.codec.decode(&reader)
      guard reader.take(" ") else { throw reader.failure(.expected("a space")) }
      return SendRequest(flags: flags, body: [UInt8](copying: reader.restSpan()))
    },
    encode: { (request, writer) throws(WireError) in
      try MessageFlags.codec.encode(request.flags, &writer)
      writer.append(UInt8(ascii: " "))
      writer.append(request.body)
    })
}

/// The metadata of a message for the relay.
public struct MessageFlags: Hashable, Sendable {
  /// Whether the recipient is to be notified.
  public var notification: Bool

  /// Flags, not set by default.
  public init(notification: Bool = false) { self.notification = notification }

  /// `T` or `F`. Up to the next space more flags may follow, which are skipped.
  public static let codec = Codec<MessageFlags>(
    decode: { (reader) throws(WireError) -> MessageFlags in
      let flags = MessageFlags(notification: try bool.decode(&reader))
      _ = reader.span { $0 != UInt8(ascii: " ") }
      return flags
    },
    encode: { (flags, writer) throws(WireError) in try bool.encode(flags.notification, &writer) })

  private static let bool = Codec<Bool>.bool
}

extension Command {
  static let sendForm = MessageForm<Command>(
    "SEND", .sender, CredentialRule(authorization: .optional, entity: .required), SendRequest.codec, { .send($0) },
    { if case .send(let request) = $0 { request } else { nil } })
}
