import SMPProtocol

// Services of recipients and of notifiers. Their subscriptions are not listed: a queue of a service without a
// subscriber of its own belongs to the service's connection. Only queues with messages in flight have an entry.

extension QueueShard {
  /// Makes a connection the subscriber of a service, in every shard; ends the subscriptions of the previous one, which
  /// is told after the effects.
  /// Delivers the service's waiting notifications.
  public mutating func subscribe(
    _ session: Session, for service: EntityID, insteadOf previous: Session?
  ) -> [Effect] {
    if let previous = services[service] { servicesBySession[previous] = nil }
    services[service] = session
    servicesBySession[session] = service
    var effects: [Effect] = []
    if let previous {
      for queue in queues[previous] ?? [] where subscriptions[queue]?.service == service {
        guard subscriptions[queue]?.session == previous, let ended = endSubscription(of: queue) else { continue }
        effects += ended.effects
        forget(queue, of: previous)
      }
    }
    let waiting = notifications.filter { $0.value.notifier.serviceID == service.bytes }.sorted { $0.key < $1.key }
    return effects + waiting.flatMap { deliverNotifications(of: $0.key, to: session, $0.value.notifier) }
  }

  /// Reads the first message of a queue, for a connection that subscribed to all queues of its service; a no-op where
  /// that was done, or the queue belongs to another.
  public mutating func deliverFirst(of queue: ServiceQueue, for service: EntityID, to session: Session) -> [Effect] {
    guard services[service] == session, subscriptions[queue.number] == nil else { return [] }
    subscriptions[queue.number] = Subscription(
      session: session, recipientID: EntityID(queue.id), secret: queue.secret, service: service)
    queues[session, default: []].insert(queue.number)
    return [readFirst(queue.number)]
  }

  /// The subscription of a queue through its service, from now on with an entry.
  mutating func serviceSubscription(_ queue: QueueRecord) -> Subscription? {
    guard let service = queue.serviceID.map(EntityID.init), let session = services[service] else { return nil }
    let subscription = Subscription(
      session: session, recipientID: EntityID(queue.recipientID), secret: queue.deliverySecret, service: service)
    subscriptions[queue.number] = subscription
    queues[session, default: []].insert(queue.number)
    return subscription
  }

  /// Removes a queue from the service, which is notified, unless its own connection is the cause.
  func leave(
    _ service: EntityID, queue: EntityID, telling response: Response, unless session: Session? = nil
  ) -> [Effect] {
    var effects: [Effect] = [.leaveService(service, queue: queue)]
    if let subscribed = services[service], subscribed != session { effects.append(.send(subscribed, response)) }
    return effects
  }
}
