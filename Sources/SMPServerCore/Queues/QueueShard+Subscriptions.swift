import SMPProtocol

extension QueueShard {
  mutating func subscribe(_ origin: Origin<Session>, _ queue: QueueRecord) -> [Effect] {
    let number = queue.number
    if readings[Reading(session: origin.session, queue: number)] != nil {
      return [.count(.subscribedProhibited), Self.refuse(origin, .CMD(cmdErr: .PROHIBITED))]
    }
    let previous = subscriptions[number]
    var effects: [Effect] = [.count(previous?.session == origin.session ? .subscribedAgain : .subscribed)]
    effects += addSubscription(of: origin.session, queue)
    subscriptions[number]?.isReading = true
    effects.append(.readFirst(FirstReading(queue: number, session: origin.session, origin: origin, secret: nil)))
    return effects
  }

  /// Makes the session the only recipient that is subscribed.
  mutating func addSubscription(of session: Session, _ queue: QueueRecord) -> [Effect] {
    let previous = subscriptions[queue.number]
    subscriptions[queue.number] = Subscription(
      session: session, recipientID: EntityID(queue.recipientID), secret: queue.deliverySecret)
    queues[session, default: []].insert(queue.number)
    guard let previous, previous.session != session else { return [] }
    forget(queue.number, of: previous.session)
    return [.count(.subscriptionEnded), .send(previous.session, Response(.none, previous.recipientID, .plain(.end)))]
  }

  /// What the store has as the first message of a queue.
  public mutating func firstRead(
    _ result: Result<StoredMessage?, StoreFailure>, _ reading: FirstReading<Session>
  ) -> [Effect] {
    let (number, session, origin) = (reading.queue, reading.session, reading.origin)
    if let origin, let secret = reading.secret { return messageRead(result, secret, number, origin) }
    guard var subscription = subscriptions[number], subscription.session == session else {
      // Another connection took over while the store was reading; it gets the message.
      return origin.map { [Self.reply($0, .sok(nil))] } ?? []
    }
    subscription.isReading = false
    let wasMissed = subscription.wasMissed
    subscription.wasMissed = false
    var effects: [Effect] = []
    switch result {
    case .failure(let failure):
      if let origin { effects.append(Self.refuse(origin, .init(failure))) }
    case .success(let message):
      if let origin { effects.append(Self.reply(origin, .sok(nil))) }
      if let message {
        subscription.delivered = message.id
        effects.append(Self.delivery(of: message, in: number, to: subscription))
      } else if wasMissed {
        subscription.isReading = true
        effects.append(.readFirst(FirstReading(queue: number, session: session, origin: nil, secret: nil)))
      }
    }
    subscriptions[number] = subscription
    return effects
  }

  private mutating func messageRead(
    _ result: Result<StoredMessage?, StoreFailure>, _ secret: [UInt8], _ queue: QueueNumber, _ origin: Origin<Session>
  ) -> [Effect] {
    switch result {
    case .failure(let failure): return [Self.refuse(origin, .init(failure))]
    case .success(nil): return [.count(.messageReadNone), Self.reply(origin, .ok)]
    case .success(let message?):
      let reading = Reading(session: origin.session, queue: queue)
      // The connection may have been closed meanwhile.
      if readings[reading] != nil { readings[reading] = message.id }
      let delivery = Response.Body.delivery(message, of: queue, secret: secret)
      return [.send(origin.session, Response(origin.correlation, origin.entity, delivery))]
    }
  }

  /// A message became durable: it is delivered where nothing stands before it.
  mutating func messageStored(_ message: StoredMessage, isFirst: Bool, in queue: QueueNumber) -> [Effect] {
    guard var subscription = subscriptions[queue], subscription.delivered == nil else { return [] }
    defer { subscriptions[queue] = subscription }
    if subscription.isReading {
      subscription.wasMissed = true
      return []
    }
    guard isFirst else {
      subscription.isReading = true
      return [.readFirst(FirstReading(queue: queue, session: subscription.session, origin: nil, secret: nil))]
    }
    subscription.delivered = message.id
    return [Self.delivery(of: message, in: queue, to: subscription)]
  }

  static func delivery(
    of message: StoredMessage, in queue: QueueNumber, to subscription: Subscription,
    correlation: CorrelationID = .none
  ) -> Effect {
    let delivery = Response.Body.delivery(message, of: queue, secret: subscription.secret)
    return .send(subscription.session, Response(correlation, subscription.recipientID, delivery))
  }

  /// Removes the queue from those of a session, unless it is there for another reason.
  mutating func forget(_ queue: QueueNumber, of session: Session) {
    let isNeeded =
      subscriptions[queue]?.session == session || notifiers[queue]?.session == session
      || readings[Reading(session: session, queue: queue)] != nil
    guard !isNeeded else { return }
    queues[session]?.remove(queue)
    if queues[session]?.isEmpty == true { queues[session] = nil }
  }
}

// MARK: Notifications

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
    for notification in notifications.removeValue(forKey: queue) ?? [] {
      effects.append(Self.notification(notification, to: origin.session, notifier))
    }
    return effects
  }

  /// Subscribes a service to the notifications of all queues that are associated with it. Every shard is told; the
  /// session that was subscribed before is returned.
  public mutating func subscribeService(_ service: EntityID, _ session: Session) -> Session? {
    notifierServices.updateValue(session, forKey: service)
  }

  mutating func notify(_ message: StoredMessage, of queue: QueueRecord) -> [Effect] {
    guard case .message(notify: true, _) = message.content else { return [] }
    guard let notifier = queue.notifier else { return [.count(.messageSentNotified)] }
    let notification = PendingNotification(messageID: message.id, timestamp: message.timestamp)
    let session =
      notifiers[queue.number]?.session ?? notifier.serviceID.flatMap { notifierServices[EntityID($0)] }
    if let session {
      return [.count(.messageSentNotified), Self.notification(notification, to: session, notifier)]
    }
    guard notifications[queue.number, default: []].count < Self.notificationLimit else {
      return [.count(.messageSentNotified), .count(.notificationLost)]
    }
    notifications[queue.number, default: []].append(notification)
    return [.count(.messageSentNotified)]
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
