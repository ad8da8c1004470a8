import SMPProtocol

extension QueueShard {
  mutating func subscribeNotifier(
    _ origin: Origin<Session>, to queue: QueueRecord, _ context: CommandContext
  ) -> [Effect] {
    guard let notifier = queue.notifier else { return [Self.refuse(origin, .AUTH)] }
    guard notifier.serviceID == context.service?.id.bytes else {
      let service = context.service?.id
      return [
        .store(
          .setNotifierService(queue.number, serviceID: service?.bytes, notifier: notifier.id),
          Continuation(step: .setNotifierService(queue.number, notifier, service), origin: origin))
      ]
    }
    return notifierSubscribed(origin, to: queue.number, notifier: notifier, service: context.service?.id)
  }

  /// Continues when the notifier belongs to the service; `notifier` has its previous service.
  mutating func notifierSubscribed(
    _ origin: Origin<Session>, to queue: QueueNumber, notifier: QueueRecord.Notifier, service: EntityID?
  ) -> [Effect] {
    let notifierID = EntityID(notifier.id)
    let former = notifier.serviceID.map(EntityID.init)
    let previous = notifiers.removeValue(forKey: queue)
    let isAgain = previous?.session == origin.session || service.map { services[$0] == origin.session } == true
    var effects: [Effect] = [
      .count(isAgain ? .notifierSubscribedAgain : .notifierSubscribed), Self.reply(origin, .sok(service)),
    ]
    let end = Response(.none, about: notifierID, .plain(.end))
    if let previous, previous.session != origin.session {
      forget(queue, of: previous.session)
      effects.append(.send(previous.session, end))
    }
    if let former, former != service {
      effects += leave(former, queue: notifierID, telling: end, unless: origin.session)
      if service == nil { effects.append(.count(.notifierServiceLeft)) }
    }
    if let service {
      effects.append(.count(ServiceEvents.of(.notifiers).association(former: former, with: service)))
      effects.append(.joinService(service, .notifiers, origin.session, queue: notifierID, isNew: former != service))
    } else {
      notifiers[queue] = NotifierSubscription(session: origin.session, notifierID: notifierID)
      queues[origin.session, default: []].insert(queue)
    }
    return effects + deliverNotifications(of: queue, to: origin.session, notifier)
  }

  mutating func deliverNotifications(
    of queue: QueueNumber, to session: Session, _ notifier: QueueRecord.Notifier
  ) -> [Effect] {
    let kept = notifications[queue]?.waiting ?? []
    setNotifications(nil, of: queue)
    return kept.map { Self.notification($0, to: session, notifier) }
  }

  mutating func notify(_ message: QueuedMessage, of queue: QueueRecord) -> [Effect] {
    guard let notifier = queue.notifier else { return [.count(.messageSentNotified)] }
    let notification = PendingNotification(messageID: message.id, timestamp: message.timestamp)
    let session =
      notifiers[queue.number]?.session ?? notifier.serviceID.flatMap { services[EntityID($0)] }
    if let session {
      return [.count(.messageSentNotified), Self.notification(notification, to: session, notifier)]
    }
    let lost = keep(notification, of: queue.number, notifier)
    return [.count(.messageSentNotified)] + Array(repeating: .count(.notificationLost), count: lost)
  }

  /// Keeps a notification until its notifier subscribes, and returns how many were lost by that. Where the memory for
  /// them is full, the notifiers with the most lose their oldest ones: whoever fills it keeps nobody else out.
  private mutating func keep(
    _ notification: PendingNotification, of queue: QueueNumber, _ notifier: QueueRecord.Notifier
  ) -> Int {
    var kept = notifications[queue] ?? WaitingNotifications(notifier: notifier)
    guard kept.waiting.count < Self.notificationLimit else { return 1 }
    var lost = 0
    while notificationBytes >= notificationBytesLimit {
      guard let fullest = queueWithMostNotifications, var others = notifications[fullest],
        others.waiting.count > kept.waiting.count
      else { return lost + 1 }
      others.waiting.removeFirst()
      setNotifications(others.waiting.isEmpty ? nil : others, of: fullest)
      lost += 1
    }
    // The service of the notifier may have changed.
    kept.notifier = notifier
    kept.waiting.append(notification)
    setNotifications(kept, of: queue)
    return lost
  }

  /// The waiting notifications by notifier, to be saved while the relay is stopped.
  public var savedNotifications: [(notifierID: [UInt8], notification: PendingNotification)] {
    notifications.values.flatMap { kept in kept.waiting.map { (kept.notifier.id, $0) } }
  }

  /// Restores a notification that was saved while the relay was stopped.
  public mutating func restore(_ notification: PendingNotification, of queue: QueueRecord) {
    guard let notifier = queue.notifier else { return }
    _ = keep(notification, of: queue.number, notifier)
  }

  private static func notification(
    _ notification: PendingNotification, to session: Session, _ notifier: QueueRecord.Notifier
  ) -> Effect {
    .send(
      session, Response(.none, about: EntityID(notifier.id), .notification(notification, secret: notifier.secret)))
  }

  /// Notifies a subscribed notifier, or its service, that its credentials were deleted.
  mutating func notifierDeleted(_ queue: QueueNumber, _ notifier: QueueRecord.Notifier?) -> [Effect] {
    setNotifications(nil, of: queue)
    guard let notifier else { return [] }
    let gone = Response(.none, about: EntityID(notifier.id), .plain(.deld))
    if let subscription = notifiers.removeValue(forKey: queue) {
      forget(queue, of: subscription.session)
      return [.send(subscription.session, gone)]
    }
    return notifier.serviceID.map { leave(EntityID($0), queue: gone.entity, telling: gone) } ?? []
  }
}

/// Notifications of a queue that nobody is subscribed to.
struct WaitingNotifications {
  var notifier: QueueRecord.Notifier
  var waiting: [PendingNotification] = []

  /// About the memory in bytes that they take.
  var size: Int { 400 + 100 * waiting.count }
}
