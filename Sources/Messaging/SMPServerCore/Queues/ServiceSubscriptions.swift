import SMPProtocol

/// The subscribed connections of services, and the sets of their queues. One for all shards of a relay, as a service
/// has queues in all of them; a shard knows only the connection (``QueueShard/subscribe(_:for:insteadOf:)``).
///
/// **Invariant.** A service has at most one subscribed connection: the latest that subscribed, to all queues (SUBS,
/// NSUBS) or to one of them.
public struct ServiceSubscriptions<Session: Hashable & Sendable>: Sendable {
  /// One connection of a service.
  public struct Subscription: Sendable {
    /// The connection.
    public let session: Session
    /// The side of its queues.
    public let side: ServiceSide
    /// The set of queues that it is subscribed to, as far as both sides know.
    public var queues = ServiceQueues()
    /// Whether it subscribed to all queues of the service.
    public var hasAll = false
  }

  private var subscriptions: [EntityID: Subscription] = [:]
  /// The services of each subscribed connection, so that closing a connection does not search all subscriptions.
  private var services: [Session: Set<EntityID>] = [:]

  /// No subscriptions.
  public init() {}

  /// The numbers of subscribed services of a kind, and of their queues.
  public func counts(of side: ServiceSide) -> (services: Int, queues: Int64) {
    subscriptions.values.reduce(into: (0, 0)) { counts, subscription in
      guard subscription.side == side else { return }
      counts.0 += 1
      counts.1 &+= max(0, subscription.queues.count)
    }
  }

  /// The subscription of a service.
  public subscript(service: EntityID) -> Subscription? { subscriptions[service] }

  /// Makes a connection the subscriber of the service; returns the previous one, if it is another.
  public mutating func take(_ service: EntityID, side: ServiceSide, session: Session) -> Subscription? {
    let previous = subscriptions[service]
    guard previous?.session != session else { return nil }
    if let previous { forget(service, of: previous.session) }
    subscriptions[service] = Subscription(session: session, side: side)
    services[session, default: []].insert(service)
    return previous
  }

  /// Records that the connection subscribed to all queues of the service, and their set.
  public mutating func subscribeAll(_ service: EntityID, session: Session, queues: ServiceQueues) {
    guard subscriptions[service]?.session == session else { return }
    subscriptions[service]?.queues = queues
    subscriptions[service]?.hasAll = true
  }

  /// Records that the connection subscribed to a single queue. One that belonged to the service before counts only if
  /// the connection has not subscribed to all: it is among them.
  public mutating func add(_ queue: EntityID, to service: EntityID, _ session: Session, isNew: Bool) {
    guard let subscription = subscriptions[service], subscription.session == session,
      isNew || subscription.queues.count == 0
    else { return }
    subscriptions[service]?.queues.add(queue)
  }

  /// Removes a queue from the service's set.
  public mutating func remove(_ queue: EntityID, from service: EntityID) {
    subscriptions[service]?.queues.remove(queue)
  }

  /// Removes a closed connection.
  public mutating func disconnected(_ session: Session) {
    for service in services.removeValue(forKey: session) ?? [] { subscriptions[service] = nil }
  }

  private mutating func forget(_ service: EntityID, of session: Session) {
    services[session]?.remove(service)
    if services[session]?.isEmpty == true { services[session] = nil }
  }
}
