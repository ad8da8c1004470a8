import SMPProtocol

extension QueueShard {
  mutating func subscribeNotifier(
    _ origin: Origin<Session>, _ queue: QueueRecord, _ context: CommandContext
  ) -> [Effect] {
    guard let notifier = queue.notifier else { return [Self.refuse(origin, .AUTH)] }
    guard notifier.serviceID == context.service?.id.bytes else {
      let service = context.service?.id
      return [
        .store(
          .setNotifierService(queue.number, serviceID: service?.bytes),
          Continuation(step: .setNotifierService(queue.number, notifier, service), origin: origin))
      ]
    }
    return notifierSubscribed(origin, queue.number, notifier, service: context.service?.id)
  }

  mutating func notifierSubscribed(
    _ origin: Origin<Session>, _ queue: QueueNumber, _ notifier: QueueRecord.Notifier, service: EntityID?
  ) -> [Effect] {
    let previous = notifiers[queue]
    let isAgain = previous?.session == origin.session
    notifiers[queue] = NotifierSubscription(session: origin.session, notifierID: EntityID(notifier.id))
    queues[origin.session, default: []].insert(queue)
    var effects: [Effect] = [
      .count(isAgain ? .notifierSubscribedAgain : .notifierSubscribed), Self.reply(origin, .sok(service)),
    ]
    if let previous, !isAgain {
      forget(queue, of: previous.session)
      effects.append(.send(previous.session, Response(.none, previous.notifierID, .plain(.end))))
    }
    return effects + deliverNotifications(of: queue, to: origin.session, notifier)
  }

  /// Subscribes a service to the notifications of all queues that are associated with it, and gives it what waits for
  /// them. Every shard is told; the session that was subscribed before is returned.
  public mutating func subscribeService(
    _ service: EntityID, _ session: Session
  ) -> (previous: Session?, effects: [Effect]) {
    let previous = notifierServices.updateValue(session, forKey: service)
    let waiting = notifications.filter { $0.value.notifier.serviceID == service.bytes }.sorted { $0.key < $1.key }
    let effects = waiting.flatMap { deliverNotifications(of: $0.key, to: session, $0.value.notifier) }
    return (previous, effects)
  }

  private mutating func deliverNotifications(
    of queue: QueueNumber, to session: Session, _ notifier: QueueRecord.Notifier
  ) -> [Effect] {
    (notifications.removeValue(forKey: queue)?.waiting ?? []).flatMap {
      [.count(.notificationSent), Self.notification($0, to: session, notifier)]
    }
  }

  mutating func notify(_ message: StoredMessage, of queue: QueueRecord) -> [Effect] {
    guard case .message(notify: true, _) = message.content else { return [] }
    guard let notifier = queue.notifier else { return [.count(.messageSentNotified)] }
    let notification = PendingNotification(messageID: message.id, timestamp: message.timestamp)
    let session =
      notifiers[queue.number]?.session ?? notifier.serviceID.flatMap { notifierServices[EntityID($0)] }
    if let session {
      return [
        .count(.messageSentNotified), .count(.notificationSent), Self.notification(notification, to: session, notifier),
      ]
    }
    return [.count(.messageSentNotified)]
      + (keep(notification, of: queue.number, notifier) ? [] : [.count(.notificationLost)])
  }

  /// Keeps a notification until somebody subscribes to it; false where too many wait.
  private mutating func keep(
    _ notification: PendingNotification, of queue: QueueNumber, _ notifier: QueueRecord.Notifier
  ) -> Bool {
    var kept = notifications[queue] ?? WaitingNotifications(notifier: notifier)
    guard kept.waiting.count < Self.notificationLimit else { return false }
    // The service of the notifier may be another one now.
    kept.notifier = notifier
    kept.waiting.append(notification)
    notifications[queue] = kept
    return true
  }

  /// What waits for notifiers, by their identifiers, to be kept while the relay is stopped.
  public var savedNotifications: [(notifierID: [UInt8], notification: PendingNotification)] {
    notifications.values.flatMap { kept in kept.waiting.map { (kept.notifier.id, $0) } }
  }

  /// Puts back what waited before the relay was stopped.
  public mutating func restore(_ notification: PendingNotification, of queue: QueueRecord) {
    guard let notifier = queue.notifier else { return }
    _ = keep(notification, of: queue.number, notifier)
  }

  private static func notification(
    _ notification: PendingNotification, to session: Session, _ notifier: QueueRecord.Notifier
  ) -> Effect {
    .send(
      session, Response(.none, EntityID(notifier.id), .notification(notification, secret: notifier.secret)))
  }

  /// Tells a subscribed notifier that its credentials are gone.
  mutating func notifierDeleted(_ queue: QueueNumber) -> [Effect] {
    notifications[queue] = nil
    guard let subscription = notifiers.removeValue(forKey: queue) else { return [] }
    forget(queue, of: subscription.session)
    return [.send(subscription.session, Response(.none, subscription.notifierID, .plain(.deld)))]
  }
}

/// Notifications of a queue that nobody is subscribed to.
struct WaitingNotifications {
  var notifier: QueueRecord.Notifier
  var waiting: [PendingNotification] = []
}
