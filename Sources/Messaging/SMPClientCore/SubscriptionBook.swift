import SMPProtocol

/// The subscriptions of a client, over all connections to a relay.
///
/// Governs: what has to be subscribed again after a connection was lost. Does not govern: sending the commands.
/// Invariant: a queue is in at most one of the states.
public struct SubscriptionBook: Sendable {
  /// The state of a subscription.
  public enum State: Hashable, Sendable {
    /// To be sent when there is a connection.
    case waiting
    /// The command was sent.
    case requested
    /// The relay confirmed it.
    case active
  }

  private struct Entry {
    var key: AuthorizationPrivateKey
    var state: State
  }

  private var entries: [EntityID: Entry] = [:]

  /// No subscriptions.
  public init() {}

  /// The number of queues.
  public var count: Int { entries.count }

  /// The state of a queue's subscription; nil if there is none.
  public func state(of queue: EntityID) -> State? { entries[queue]?.state }

  /// Adds a queue that is to be subscribed.
  public mutating func add(_ queue: EntityID, key: AuthorizationPrivateKey, state: State = .waiting) {
    entries[queue] = Entry(key: key, state: state)
  }

  /// Removes a queue: it was deleted, or another client subscribed to it.
  public mutating func remove(_ queue: EntityID) { entries[queue] = nil }

  /// The relay confirmed the subscription.
  public mutating func confirm(_ queue: EntityID) { entries[queue]?.state = .active }

  /// Subscribing failed. Permanent errors remove the queue; returns whether it was removed.
  public mutating func fail(_ queue: EntityID, _ error: SMPClientError) -> Bool {
    switch error {
    case .relay(.INTERNAL), .relay(.STORE): break
    case .relay:
      entries[queue] = nil
      return true
    default: break
    }
    if entries[queue]?.state == .requested { entries[queue]?.state = .waiting }
    return false
  }

  /// The connection was lost: everything has to be subscribed again.
  public mutating func connectionLost() {
    for queue in entries.keys { entries[queue]?.state = .waiting }
  }

  /// Up to `limit` queues to subscribe now, which are then requested.
  public mutating func takeWaiting(limit: Int) -> [(queue: EntityID, key: AuthorizationPrivateKey)] {
    let waiting = entries.lazy.filter { $0.value.state == .waiting }.prefix(limit).map { ($0.key, $0.value.key) }
    let taken = Array(waiting)
    for (queue, _) in taken { entries[queue]?.state = .requested }
    return taken.map { (queue: $0.0, key: $0.1) }
  }
}
