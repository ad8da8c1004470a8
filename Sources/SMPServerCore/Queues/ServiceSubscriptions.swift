import SMPProtocol

/// Which connections are subscribed for services, and for how many queues each. One for all shards of a relay, as a
/// service has queues in all of them; a shard knows only the connection (``QueueShard/subscribe(_:for:insteadOf:)``).
///
/// **Invariant.** A service has at most one connection that is subscribed; the latest that subscribed, to all queues
/// (SUBS, NSUBS) or to one of them.
public struct ServiceSubscriptions<Session: Hashable & Sendable>: Sendable {
  /// One connection of a service.
  public struct Subscription: Sendable {
    /// The connection.
    public let session: Session
    /// What kind of service it is.
    public let side: ServiceSide
    /// What it was told, or said itself, that it is subscribed to.
    public var queues = ServiceQueues()
    /// Whether it asked for all queues of the service.
    public var hasAll = false
  }

  private var subscriptions: [EntityID: Subscription] = [:]

  /// No subscriptions.
  public init() {}

  /// How many services of a kind are subscribed, and to how many queues.
  public func counts(of side: ServiceSide) -> (services: Int, queues: Int64) {
    subscriptions.values.reduce(into: (0, 0)) { counts, subscription in
      guard subscription.side == side else { return }
      counts.0 += 1
      counts.1 &+= max(0, subscription.queues.count)
    }
  }

  /// The subscription of a service.
  public subscript(service: EntityID) -> Subscription? { subscriptions[service] }

  /// Makes a connection the one that is subscribed for the service; returns the one that was, if it is another.
  public mutating func take(_ service: EntityID, _ side: ServiceSide, _ session: Session) -> Subscription? {
    let previous = subscriptions[service]
    guard previous?.session != session else { return nil }
    subscriptions[service] = Subscription(session: session, side: side)
    return previous
  }

  /// Notes that the connection asked for all queues of the service, and which these are.
  public mutating func subscribeAll(_ service: EntityID, _ session: Session, _ queues: ServiceQueues) {
    guard subscriptions[service]?.session == session else { return }
    subscriptions[service]?.queues = queues
    subscriptions[service]?.hasAll = true
  }

  /// Notes that the connection subscribed to a single queue. One that has been the service's counts only where the
  /// connection has not asked for all: it is among them.
  public mutating func add(_ queue: EntityID, to service: EntityID, _ session: Session, isNew: Bool) {
    guard let subscription = subscriptions[service], subscription.session == session,
      isNew || subscription.queues.count == 0
    else { return }
    subscriptions[service]?.queues.add(queue)
  }

  /// Notes that a queue is the service's no longer.
  public mutating func remove(_ queue: EntityID, from service: EntityID) {
    subscriptions[service]?.queues.remove(queue)
  }

  /// Forgets a connection that is closed.
  public mutating func disconnected(_ session: Session) {
    subscriptions = subscriptions.filter { $0.value.session != session }
  }
}
