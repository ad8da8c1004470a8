import SMPProtocol
import SimplexCrypto
import WireCodec

/// The command that a response belongs to.
public struct Origin<Session: Hashable & Sendable>: Sendable {
  /// The connection that sent it.
  public var session: Session
  /// What the response repeats.
  public var correlation: CorrelationID
  /// What the command was about.
  public var entity: EntityID

  /// A value of its members.
  public init(session: Session, correlation: CorrelationID, entity: EntityID) {
    self.session = session
    self.correlation = correlation
    self.entity = entity
  }
}

/// What a relay sends to a client. Messages and notifications are encrypted only when they are written, by whoever
/// writes to the connection.
public struct Response: Sendable {
  /// What is said.
  public enum Body: Sendable {
    /// A message that is complete.
    case plain(BrokerMessage)
    /// A message of a queue, for its recipient; `secret` is the one between recipient and relay.
    case delivery(StoredMessage, of: QueueNumber, secret: [UInt8])
    /// That a message arrived, for the notifier; `secret` is the one between recipient and relay for notifications.
    case notification(PendingNotification, secret: [UInt8])
  }

  /// Connects it with its command; none for what the relay sends on its own.
  public var correlation: CorrelationID
  /// What it is about.
  public var entity: EntityID
  /// What is said.
  public var body: Body

  /// A value of its members.
  public init(_ correlation: CorrelationID, _ entity: EntityID, _ body: Body) {
    self.correlation = correlation
    self.entity = entity
    self.body = body
  }
}

/// A message that the notifier of its queue is to hear of.
public struct PendingNotification: Hashable, Sendable {
  /// The message.
  public var messageID: [UInt8]
  /// When it arrived, in seconds since 1970.
  public var timestamp: Int64

  /// A value of its members.
  public init(messageID: [UInt8], timestamp: Int64) {
    self.messageID = messageID
    self.timestamp = timestamp
  }
}

extension Response {
  /// Writes the response as a transmission of a session.
  @_specialize(where Random == SystemRandom)
  public func write<Random: RandomSource>(
    in context: SessionContext, to writer: inout Writer, using random: inout Random
  ) throws(WireError) {
    guard case .delivery(let message, _, let secret) = body, let key = try? BoxKey(SecretBytes(secret)),
      let delivered = message.delivered
    else {
      return try context.write(
        self.message(using: &random), entity: entity, correlation: correlation, to: &writer)
    }
    try context.write(
      delivered, id: MessageID(message.id), key: key, entity: entity, correlation: correlation, to: &writer)
  }

  /// The message as it goes over the wire.
  @_specialize(where Random == SystemRandom)
  public func message<Random: RandomSource>(using random: inout Random) -> BrokerMessage {
    switch body {
    case .plain(let message): return message
    case .delivery(let message, _, let secret):
      guard let key = try? BoxKey(SecretBytes(secret)),
        let delivered = try? message.delivered?.seal(id: MessageID(message.id), key: key)
      else { return .err(.INTERNAL) }
      return .msg(delivered)
    case .notification(let notification, let secret):
      guard let key = try? BoxKey(SecretBytes(secret)), let time = UTCTime(seconds: notification.timestamp),
        let sealed = try? NotificationMetadata(messageID: MessageID(notification.messageID), time: time)
          .seal(key: key, nonce: BoxNonce(using: &random))
      else { return .err(.INTERNAL) }
      return .nmsg(sealed)
    }
  }
}

extension StoredMessage {
  /// What the recipient finds in the box; nil for a time that only a damaged store can have.
  fileprivate var delivered: DeliveredMessage? {
    guard let time = UTCTime(seconds: timestamp) else { return nil }
    return switch content {
    case .message(let notify, let body): .message(time: time, flags: MessageFlags(notification: notify), body: body)
    case .quotaExceeded: .quota(time: time)
    }
  }
}
