import SMPProtocol

/// The events that a relay counts: each command, message or notification once; those of services whose names end in
/// `Queues` by the number of queues.
public enum ServerEvent: Int, CaseIterable, Sendable {
  case queueCreated, queueSecured, queueDeletedNew, queueDeletedSecured
  case subscribed, subscribedAgain, subscribedProhibited, subscribedUnauthorized, subscriptionEnded
  case messageSent, messageSentUnauthorized, messageSentQuota, messageSentLarge, messageReceived
  case messageRead, messageReadAgain, messageReadNone, messageReadProhibited, messageReadUnauthorized
  case messageReceivedByReading, messageExpired, messageSentNotified, messageReceivedNotified
  case notifierCreated, notifierDeleted, notifierSubscribed, notifierSubscribedAgain, notifierSubscribedUnauthorized
  case notificationSent, notificationLost, notificationExpired
  case forwardedReceived
  case nameRequested, nameWithoutResolver
  case proxyRelayRequests, proxyRelaySuccesses, proxyRelayConnectErrors, proxyRelayCompatErrors, proxyRelayOtherErrors
  case proxyOwnRelayRequests, proxyOwnRelaySuccesses, proxyOwnRelayConnectErrors, proxyOwnRelayCompatErrors
  case proxyOwnRelayOtherErrors
  case proxyForwardRequests, proxyForwardSuccesses, proxyForwardConnectErrors, proxyForwardCompatErrors
  case proxyForwardOtherErrors
  case proxyOwnForwardRequests, proxyOwnForwardSuccesses, proxyOwnForwardConnectErrors, proxyOwnForwardCompatErrors
  case proxyOwnForwardOtherErrors
  /// Blocks with several commands of a kind, and with several events that end subscriptions or notify.
  case queueDeletedBatch, subscribedBatch, notifierDeletedBatch, notifierSubscribedBatch
  case subscriptionEndedBatch, notificationSentBatch
  case recipientServiceJoined, recipientServiceAgain, recipientServiceMoved, recipientServiceLeft
  case recipientServiceSubscribed, recipientServiceQueues, recipientServiceEnded
  case recipientServiceSame, recipientServiceMore, recipientServiceFewer, recipientServiceOthers
  case recipientServiceMoreQueues, recipientServiceFewerQueues
  case notifierServiceJoined, notifierServiceAgain, notifierServiceMoved, notifierServiceLeft
  case notifierServiceSubscribed, notifierServiceQueues, notifierServiceEnded
  case notifierServiceSame, notifierServiceMore, notifierServiceFewer, notifierServiceOthers
  case notifierServiceMoreQueues, notifierServiceFewerQueues
}

/// The counters of one kind of services, and of their queues.
public struct ServiceEvents: Sendable {
  /// A queue without service was associated with the service.
  public let joined: ServerEvent
  /// The service subscribed to a queue of its own.
  public let again: ServerEvent
  /// A queue of another service was associated with the service.
  public let moved: ServerEvent
  /// A client without service removed its queue from the service.
  public let left: ServerEvent
  /// A connection became the subscriber of a service.
  public let subscribed: ServerEvent
  /// Services subscribed to a single queue.
  public let queues: ServerEvent
  /// Another connection became the subscriber.
  public let ended: ServerEvent
  /// A service subscribed to all queues, and expected the right set.
  public let same: ServerEvent
  /// There were more queues than it expected.
  public let more: ServerEvent
  /// There were fewer queues.
  public let fewer: ServerEvent
  /// The number was right, but the queues were others.
  public let others: ServerEvent
  /// The total of additional queues.
  public let moreQueues: ServerEvent
  /// The total of missing queues.
  public let fewerQueues: ServerEvent

  /// The counters of one kind.
  public static func of(_ side: ServiceSide) -> ServiceEvents { side == .recipients ? recipients : notifiers }

  private static let recipients = ServiceEvents(
    joined: .recipientServiceJoined, again: .recipientServiceAgain, moved: .recipientServiceMoved,
    left: .recipientServiceLeft, subscribed: .recipientServiceSubscribed, queues: .recipientServiceQueues,
    ended: .recipientServiceEnded, same: .recipientServiceSame, more: .recipientServiceMore,
    fewer: .recipientServiceFewer, others: .recipientServiceOthers, moreQueues: .recipientServiceMoreQueues,
    fewerQueues: .recipientServiceFewerQueues)

  private static let notifiers = ServiceEvents(
    joined: .notifierServiceJoined, again: .notifierServiceAgain, moved: .notifierServiceMoved,
    left: .notifierServiceLeft, subscribed: .notifierServiceSubscribed, queues: .notifierServiceQueues,
    ended: .notifierServiceEnded, same: .notifierServiceSame, more: .notifierServiceMore,
    fewer: .notifierServiceFewer, others: .notifierServiceOthers, moreQueues: .notifierServiceMoreQueues,
    fewerQueues: .notifierServiceFewerQueues)

  /// The event for a queue that is subscribed for a service, and belonged to `former` before.
  func association(former: EntityID?, with service: EntityID) -> ServerEvent {
    former == nil ? joined : former == service ? again : moved
  }
}
