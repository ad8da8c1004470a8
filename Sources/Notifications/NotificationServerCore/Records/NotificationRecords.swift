import NotificationProtocol
import SMPProtocol

/// What a notification server stores, within a transaction. What was changed is durable when the transaction has
/// ended; where it fails, nothing has changed.
public protocol NotificationRecords: AnyObject {
  // MARK: Tokens

  /// The token with an identifier.
  func token(_ id: EntityID) throws(NotificationStoreError) -> StoredToken?
  /// The token with a number.
  func token(_ number: TokenNumber) throws(NotificationStoreError) -> StoredToken?
  /// The token of a device with a key.
  func token(of device: PushDevice, verifyKey: AuthorizationKey) throws(NotificationStoreError) -> StoredToken?
  /// Adds a token.
  func insert(_ token: TokenRecord) throws(NotificationStoreError) -> TokenNumber
  /// Stores a changed token; identifier and keys are unchanged.
  func update(_ token: StoredToken) throws(NotificationStoreError)
  /// Deletes a token with all that belongs to it; returns the queues of its subscriptions.
  func deleteToken(_ number: TokenNumber) throws(NotificationStoreError) -> [NotifierQueue]
  /// The numbers of all tokens of a device.
  func tokens(of device: PushDevice) throws(NotificationStoreError) -> [TokenNumber]
  /// Up to `limit` tokens that were never verified, and registered before a time.
  func unverifiedTokens(registeredBefore time: Int64, limit: Int) throws(NotificationStoreError) -> [TokenNumber]
  /// The number of tokens with a command on this day or later, in days since 1970.
  func usedTokens(since day: Int64) throws(NotificationStoreError) -> Int
  /// Up to `limit` active tokens whose next periodic push is due.
  func tokensToCheck(at time: Int64, limit: Int) throws(NotificationStoreError) -> [StoredToken]
  /// The tokens with a push that was not accepted yet, after `number`: a code that is due, or, if they are active, a
  /// notification that was not sent.
  func tokensWithPushes(after number: TokenNumber, limit: Int) throws(NotificationStoreError) -> [StoredToken]

  // MARK: Subscriptions

  /// The subscription with an identifier.
  func subscription(_ id: EntityID) throws(NotificationStoreError) -> SubscriptionRecord?
  /// The subscription of a queue.
  func subscription(of queue: NotifierQueue) throws(NotificationStoreError) -> SubscriptionRecord?
  /// Adds a subscription.
  func insert(_ subscription: SubscriptionRecord) throws(NotificationStoreError)
  /// Sets the stored status of a subscription. No-op where there is none.
  func setStatus(_ status: NotifierStatus, of queue: NotifierQueue) throws(NotificationStoreError)
  /// Deletes a subscription.
  func deleteSubscription(_ id: EntityID) throws(NotificationStoreError)
  /// The number of subscriptions of a token.
  func subscriptionCount(of token: TokenNumber) throws(NotificationStoreError) -> Int
  /// Whether a token may have a subscription at a relay: it has one there, or subscriptions at fewer than `limit`
  /// relays.
  func isRelayAllowed(
    _ relay: SMPServerAddress, of token: TokenNumber, limit: Int
  ) throws(NotificationStoreError) -> Bool

  // MARK: Notifications

  /// Stores a notification as the last one of the subscription of a queue, and deletes those of its token beyond the
  /// `kept` newest. Returns the token; nil where there is no such subscription or the token is not active.
  func addNotification(_ message: PushedMessage, keeping kept: Int) throws(NotificationStoreError) -> StoredToken?
  /// The newest notifications of a token, the oldest first.
  func notifications(of token: TokenNumber, limit: Int) throws(NotificationStoreError) -> [StoredNotification]
  /// Notes that the push service has accepted the notifications of a token up to a number.
  func markSent(upTo number: Int64, of token: TokenNumber) throws(NotificationStoreError)

  /// Notes a time at which the server ran, in seconds since 1970; nil to only read the noted one.
  /// - Returns: the time that was noted before; nil where none was, in a new store.
  func noteTime(_ time: Int64?) throws(NotificationStoreError) -> Int64?
  /// What is stored, in numbers.
  func usage() throws(NotificationStoreError) -> NotificationUsage
}

/// Why a store fails.
public enum NotificationStoreError: Error, Hashable, Sendable {
  /// The disk is full.
  case full
  /// The store is closed.
  case closed
  /// Another process uses the store.
  case inUse
  /// An identifier is in use.
  case duplicate
  /// Any other failure; the text is for the log.
  case failed(String)
}

extension NotificationStoreError: CustomStringConvertible {
  /// What is wrong, for the operator.
  public var description: String {
    switch self {
    case .full: "no space is left on the disk"
    case .closed: "the store is closed"
    case .inUse: "another process uses it; a server may be running already"
    case .duplicate: "an identifier is in use"
    case .failed(let text): text
    }
  }
}
