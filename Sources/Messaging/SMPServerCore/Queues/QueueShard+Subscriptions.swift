import SMPProtocol

extension QueueShard {
  mutating func subscribe(_ origin: Origin<Session>, _ queue: QueueRecord, service: EntityID?) -> [Effect] {
    if readings[Reading(session: origin.session, queue: queue.number)] != nil {
      return [.count(.subscribedProhibited), Self.refuse(origin, .CMD(cmdErr: .PROHIBITED))]
    }
    guard queue.serviceID == service?.bytes else {
      return [
        .store(
          .setService(queue.number, serviceID: service?.bytes),
          Continuation(step: .setService(queue, service), origin: origin))
      ]
    }
    return subscribed(origin, queue, service: service)
  }

  /// Continues when the queue belongs to the service; `queue` has its previous service.
  mutating func subscribed(_ origin: Origin<Session>, _ queue: QueueRecord, service: EntityID?) -> [Effect] {
    let number = queue.number
    let isAgain = subscriptions[number]?.session == origin.session
    let lookup = isAgain ? subscriptions[number]?.lookup : nil
    var effects: [Effect] = [.count(isAgain ? .subscribedAgain : .subscribed)]
    if let former = queue.serviceID.map(EntityID.init), former != service {
      let end = Response(.none, about: EntityID(queue.recipientID), .plain(.end))
      effects += leave(former, queue: end.entity, telling: end, unless: origin.session)
      if service == nil { effects.append(.count(.recipientServiceLeft)) }
    }
    effects += addSubscription(of: origin.session, queue, service: service)
    subscribing[number] = origin
    if case .acknowledgement? = lookup {
      // The first message is read after that: otherwise the acknowledged one could come again.
      subscriptions[number]?.lookup = lookup
    } else {
      effects.append(readFirst(number))
    }
    return effects
  }

  /// Makes the session the only subscribed recipient.
  mutating func addSubscription(of session: Session, _ queue: QueueRecord, service: EntityID?) -> [Effect] {
    let previous = endSubscription(of: queue.number)
    var effects = previous?.effects ?? []
    if let service {
      let isNew = queue.serviceID != service.bytes
      let former = queue.serviceID.map(EntityID.init)
      effects.append(.count(ServiceEvents.of(.recipients).association(former: former, with: service)))
      effects.append(.joinService(service, .recipients, session, queue: EntityID(queue.recipientID), isNew: isNew))
    }
    subscriptions[queue.number] = Subscription(
      session: session, recipientID: EntityID(queue.recipientID), secret: queue.deliverySecret, service: service)
    queues[session, default: []].insert(queue.number)
    guard let previous = previous?.subscription, previous.session != session else { return effects }
    forget(queue.number, of: previous.session)
    // Services are notified separately.
    guard previous.service == nil else { return effects }
    return effects + [.send(previous.session, Response(.none, about: previous.recipientID, .plain(.end)))]
  }

  /// The first message of a queue according to the store.
  @_specialize(where Session == Client)
  public mutating func firstRead(
    _ result: Result<QueuedMessage?, StoreFailure>, _ reading: FirstReading<Session>
  ) -> [Effect] {
    let number = reading.queue
    let lookup: UInt64
    switch reading.reason {
    case .get(let origin, let secret): return messageRead(result, secret: secret, of: number, from: origin)
    case .subscription(let number): lookup = number
    }
    // Otherwise another connection subscribed meanwhile, the client subscribed again, or an acknowledgement returned
    // the next message: any of these delivers the message, and the one that was read may be gone already.
    guard var subscription = subscriptions[number], subscription.lookup == .reading(lookup) else { return [] }
    let wasMissed = subscription.wasMissed
    subscription.lookup = nil
    subscription.wasMissed = false
    subscriptions[number] = subscription
    let origin = subscribing.removeValue(forKey: number)
    var effects: [Effect] = []
    switch result {
    case .failure(let failure):
      if let origin {
        effects.append(Self.refuse(origin, .init(failure)))
      } else {
        unread.insert(number)
      }
    case .success(let message):
      if let origin { effects.append(Self.reply(origin, .sok(subscription.service))) }
      if let message {
        subscriptions[number]?.delivered = message.id
        effects.append(Self.delivery(of: message, in: number, to: subscription))
      } else if wasMissed {
        effects.append(readFirst(number))
      }
    }
    return effects
  }

  /// Reads again the first messages that could not be read, where they are still to be delivered. Called at intervals,
  /// because possibly nothing else happens to these queues.
  public mutating func readAgain() -> [Effect] {
    defer { unread = [] }
    return unread.filter { subscriptions[$0].map { $0.delivered == nil && $0.lookup == nil } == true }.map {
      readFirst($0)
    }
  }

  /// A message was delivered, but not sent: the client was slow, and it is gone from the store meanwhile or cannot be
  /// read. The next one is delivered instead, or this one when it can be read.
  public mutating func notSent(_ messageID: [UInt8], of queue: QueueNumber, to session: Session) -> [Effect] {
    let reading = Reading(session: session, queue: queue)
    if readings[reading] == .some(messageID) { readings[reading] = .some(nil) }
    guard subscriptions[queue]?.session == session, subscriptions[queue]?.delivered == messageID else { return [] }
    subscriptions[queue]?.delivered = nil
    return [readFirst(queue)]
  }

  /// Whether the session got the message with GET, and not because it is subscribed.
  public func isReading(_ messageID: [UInt8], of queue: QueueNumber, by session: Session) -> Bool {
    readings[Reading(session: session, queue: queue)] == .some(messageID)
  }

  private mutating func messageRead(
    _ result: Result<QueuedMessage?, StoreFailure>, secret: [UInt8], of queue: QueueNumber, from origin: Origin<Session>
  ) -> [Effect] {
    switch result {
    case .failure(let failure): return [Self.refuse(origin, .init(failure))]
    case .success(nil): return [.count(.messageReadNone), Self.reply(origin, .ok)]
    case .success(let message?):
      let reading = Reading(session: origin.session, queue: queue)
      // The connection may have been closed meanwhile.
      if readings[reading] != nil { readings[reading] = message.id }
      let delivery = Response.Body.delivery(message, of: queue, secret: secret)
      return [.send(origin.session, Response(origin.correlation, about: origin.entity, delivery))]
    }
  }

  /// A message became durable: it is delivered unless another one precedes it.
  mutating func messageStored(_ message: QueuedMessage, isFirst: Bool, in record: QueueRecord) -> Effect? {
    let queue = record.number
    guard let subscription = subscriptions[queue] ?? serviceSubscription(record), subscription.delivered == nil
    else { return nil }
    if subscription.lookup != nil {
      subscriptions[queue]?.wasMissed = true
      return nil
    }
    guard isFirst else { return readFirst(queue) }
    subscriptions[queue]?.delivered = message.id
    return Self.delivery(of: message, in: queue, to: subscription)
  }

  static func delivery(
    of message: QueuedMessage, in queue: QueueNumber, to subscription: Subscription,
    correlation: CorrelationID = .none
  ) -> Effect {
    let delivery = Response.Body.delivery(message, of: queue, secret: subscription.secret)
    return .send(subscription.session, Response(correlation, about: subscription.recipientID, delivery))
  }

  /// Removes the queue from those of a session, unless it has another reason to be there.
  mutating func forget(_ queue: QueueNumber, of session: Session) {
    let isNeeded =
      subscriptions[queue]?.session == session || notifiers[queue]?.session == session
      || readings[Reading(session: session, queue: queue)] != nil
    guard !isNeeded else { return }
    queues[session]?.remove(queue)
    if queues[session]?.isEmpty == true { queues[session] = nil }
  }
}
