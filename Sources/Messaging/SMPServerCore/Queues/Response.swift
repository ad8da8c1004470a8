import SMPProtocol
import SimplexCrypto
import WireCodec

/// The origin of a command, which its response repeats.
public struct Origin<Session: Hashable & Sendable>: Sendable {
  /// The connection that sent it.
  public var session: Session
  /// The correlation identifier.
  public var correlation: CorrelationID
  /// The entity of the command.
  public var entity: EntityID

  public init(session: Session, correlation: CorrelationID, entity: EntityID) {
    self.session = session
    self.correlation = correlation
    self.entity = entity
  }
}

/// A transmission of a relay to a client. Messages and notifications are encrypted only when they are written, by the
/// writer of the connection.
public struct Response: Sendable {
  /// The content.
  public enum Body: Sendable {
    /// A complete message.
    case plain(BrokerMessage)
    /// A message of a queue, for its recipient; `secret` is the one between recipient and relay.
    case delivery(QueuedMessage, of: QueueNumber, secret: [UInt8])
    /// The link data of a queue, for LGET and LKEY.
    case link(LinkData, of: QueueNumber, sender: EntityID)
    /// The notification of a message, for the notifier; `secret` is the one between recipient and relay for
    /// notifications.
    case notification(PendingNotification, secret: [UInt8])
    /// A response to a command that was forwarded, in boxes that are made when it is written.
    case forwarded(any ForwardedSealing)
  }

  /// The correlation with its command; none for events.
  public var correlation: CorrelationID
  /// The entity that it is about.
  public var entity: EntityID
  /// The content.
  public var body: Body

  public init(_ correlation: CorrelationID, about entity: EntityID, _ body: Body) {
    self.correlation = correlation
    self.entity = entity
    self.body = body
  }
}

/// A response to a client whose command was forwarded by a proxy.
public protocol ForwardedSealing: Sendable {
  /// The response.
  var response: Response { get }

  /// The message to the proxy, with the response in two boxes.
  func seal() -> BrokerMessage
}

/// A message of which its notifier is notified.
public struct PendingNotification: Hashable, Sendable {
  /// The message.
  public var messageID: [UInt8]
  /// When it was received, in seconds since 1970.
  public var timestamp: Int64

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

  /// The message in its wire form.
  @_specialize(where Random == SystemRandom)
  public func message<Random: RandomSource>(using random: inout Random) -> BrokerMessage {
    switch body {
    case .plain(let message): return message
    case .delivery(let message, _, let secret):
      guard let key = try? BoxKey(SecretBytes(secret)),
        let delivered = try? message.delivered?.seal(id: MessageID(message.id), key: key)
      else { return .err(.INTERNAL) }
      return .msg(delivered)
    case .link(let data, _, let sender): return .lnk(LinkResponse(senderID: sender, data: QueueLinkData(data)))
    case .notification(let notification, let secret):
      guard let key = try? BoxKey(SecretBytes(secret)), let time = UTCTime(seconds: notification.timestamp),
        let sealed = try? NotificationMetadata(messageID: MessageID(notification.messageID), time: time)
          .seal(key: key, nonce: BoxNonce(using: &random))
      else { return .err(.INTERNAL) }
      return .nmsg(sealed)
    case .forwarded(let response): return response.seal()
    }
  }
}

extension QueuedMessage {
  /// The content of the recipient's box; nil for a time that only a damaged store can contain.
  fileprivate var delivered: DeliveredMessage? {
    guard let time = UTCTime(seconds: timestamp) else { return nil }
    return switch content {
    case .message(let notify, let body): .message(time: time, flags: MessageFlags(notification: notify), body: body)
    case .quotaExceeded: .quota(time: time)
    }
  }
}
