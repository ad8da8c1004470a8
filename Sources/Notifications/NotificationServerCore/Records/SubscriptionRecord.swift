import NotificationProtocol
import SMPProtocol
import SimplexCrypto
import WireCodec

/// A subscription of a token to the notifications of a queue.
public struct SubscriptionRecord: Equatable, Sendable {
  /// The identifier that the client knows.
  public var id: EntityID
  /// The token.
  public var token: TokenNumber
  /// The queue.
  public var queue: NotifierQueue
  /// The key that authorizes the notifier's commands at the relay.
  public var notifierKey: AuthorizationPrivateKey
  /// Its status, as far as it is stored: ``NotificationProtocol/NotifierStatus/new`` for one that is subscribed, whose
  /// status follows from the connection to the relay.
  public var status: NotifierStatus

  public init(
    id: EntityID, token: TokenNumber, queue: NotifierQueue, notifierKey: AuthorizationPrivateKey, status: NotifierStatus
  ) {
    self.id = id
    self.token = token
    self.queue = queue
    self.notifierKey = notifierKey
    self.status = status
  }
}

/// A subscription that is to be made at a relay.
public struct WantedSubscription: Equatable, Sendable {
  /// The queue.
  public var queue: NotifierQueue
  /// The key that authorizes the notifier's commands.
  public var key: AuthorizationPrivateKey

  public init(queue: NotifierQueue, key: AuthorizationPrivateKey) {
    self.queue = queue
    self.key = key
  }
}

/// The last notification of a subscription.
public struct StoredNotification: Equatable, Sendable {
  /// The entry for the device.
  public var message: PushedMessage
  /// Its number, which grows with each notification of any token.
  public var number: Int64
  /// Whether the push service has accepted it.
  public var isSent: Bool

  public init(message: PushedMessage, number: Int64, isSent: Bool) {
    self.message = message
    self.number = number
    self.isSent = isSent
  }
}

/// What is stored, in numbers.
public struct NotificationUsage: Hashable, Sendable {
  /// Tokens.
  public var tokens = 0
  /// Tokens with the status ACTIVE.
  public var activeTokens = 0
  /// Subscriptions.
  public var subscriptions = 0
  /// Subscriptions that are subscribed at their relays.
  public var subscribed = 0
  /// The last notifications of subscriptions.
  public var notifications = 0

  public init() {}
}
