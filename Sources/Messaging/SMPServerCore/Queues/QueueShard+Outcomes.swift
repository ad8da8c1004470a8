import SMPProtocol

extension QueueShard {
  /// Continues a command after the store has answered.
  @_specialize(where Session == Client)
  public mutating func stored(
    _ continuation: Continuation<Session>, _ result: Result<StoreOutcome, StoreFailure>
  ) -> [Effect] {
    let origin = continuation.origin
    switch result {
    case .failure(let failure): return failed(continuation, failure)
    case .success(let outcome):
      switch continuation.step {
      case .nothing: return []
      case .confirm: return [Self.reply(origin, outcome == .done ? .ok : .err(.AUTH))]
      case .suspend: return [Self.reply(origin, outcome == .done ? .ok : .err(.AUTH))]
      case .secure:
        guard outcome == .done else { return [Self.refuse(origin, .AUTH)] }
        return [.count(.queueSecured), Self.reply(origin, .ok)]
      case .secureByLink(let queue):
        guard outcome == .done else { return [Self.refuse(origin, .AUTH)] }
        return [.count(.queueSecured), .readLink(queue, origin)]
      case .create(let queue): return created(queue, outcome, from: origin)
      case .send(let queue, let message): return sent(message, to: queue, outcome, from: origin)
      case .acknowledge(let queue, let acknowledgement):
        let wasRead = acknowledgement.lookup == nil
        let reads = wasRead ? endWaiting(Reading(session: origin.session, queue: queue.number)) : []
        return acknowledged(queue, outcome, of: acknowledgement, from: origin) + reads
      case .delete(let queue): return deleted(queue, outcome, from: origin)
      case .setNotifier(let queue, let notifier):
        guard case .notifierChanged(let previous) = outcome else {
          return [Self.refuse(origin, outcome == .duplicate ? .INTERNAL : .AUTH)]
        }
        return notifierDeleted(queue, previous) + [.count(.notifierCreated), Self.reply(origin, .nid(notifier.ids))]
      case .deleteNotifier(let queue):
        guard case .notifierChanged(let previous) = outcome else { return [Self.refuse(origin, .AUTH)] }
        guard previous != nil else { return [Self.reply(origin, .ok)] }
        return notifierDeleted(queue, previous) + [.count(.notifierDeleted), Self.reply(origin, .ok)]
      case .setNotifierService(let queue, let notifier, let service):
        guard outcome == .done else { return [Self.refuse(origin, .AUTH)] }
        return notifierSubscribed(origin, to: queue, notifier: notifier, service: service)
      case .setService(let queue, let service):
        guard outcome == .done else { return [Self.refuse(origin, .AUTH)] }
        return subscribed(origin, queue, service: service)
      }
    }
  }

  private mutating func failed(_ continuation: Continuation<Session>, _ failure: StoreFailure) -> [Effect] {
    switch continuation.step {
    case .nothing: return []
    case .acknowledge(let queue, let acknowledgement):
      // The message is still stored: the client may acknowledge it again.
      guard let lookup = acknowledgement.lookup else {
        let reading = Reading(session: continuation.origin.session, queue: queue.number)
        // It may have been closed meanwhile.
        if readings[reading] != nil { readings[reading] = acknowledgement.messageID }
        return [Self.refuse(continuation.origin, .init(failure))] + endWaiting(reading)
      }
      if subscriptions[queue.number]?.lookup == .acknowledgement(lookup) {
        guard subscribing[queue.number] == nil else {
          return [Self.refuse(continuation.origin, .init(failure)), readFirst(queue.number)]
        }
        subscriptions[queue.number]?.delivered = acknowledgement.messageID
        subscriptions[queue.number]?.lookup = nil
        subscriptions[queue.number]?.wasMissed = false
      }
    default: break
    }
    return [Self.refuse(continuation.origin, .init(failure))]
  }

  /// The reads that waited for an acknowledgement.
  private mutating func endWaiting(_ reading: Reading) -> [Effect] {
    waitingReads.removeValue(forKey: reading)?.map { .readFirst($0) } ?? []
  }

  private mutating func created(_ queue: NewQueue, _ outcome: StoreOutcome, from origin: Origin<Session>) -> [Effect] {
    guard case .created(let number) = outcome else {
      // Only identifiers that the client chose can be taken already.
      return [Self.refuse(origin, outcome == .duplicate ? .AUTH : .INTERNAL)]
    }
    var record = queue.record
    record.number = number
    let service = record.serviceID.map(EntityID.init)
    // The queue joins its service with this.
    record.serviceID = nil
    let effects = queue.subscribes ? addSubscription(of: origin.session, record, service: service) : []
    return effects + [.count(.queueCreated), Self.reply(origin, .ids(queue.ids))]
  }

  private mutating func sent(
    _ message: QueuedMessage, to queue: QueueRecord, _ outcome: StoreOutcome, from origin: Origin<Session>
  ) -> [Effect] {
    switch outcome {
    case .stored(let isFirst):
      if case .message(let notify, _) = message.content {
        noteActivity(of: queue.number, day: message.timestamp / 86_400, notifies: notify)
      }
      var effects: [Effect] = []
      effects.reserveCapacity(3)
      effects.append(.count(.messageSent))
      effects.append(Self.reply(origin, .ok))
      if let delivery = messageStored(message, isFirst: isFirst, in: queue) { effects.append(delivery) }
      if case .message(notify: true, _) = message.content { effects += notify(message, of: queue) }
      return effects
    case .quotaExceeded: return [.count(.messageSentQuota), Self.refuse(origin, .QUOTA)]
    default: return [.count(.messageSentUnauthorized), Self.refuse(origin, .AUTH)]
    }
  }

  private mutating func acknowledged(
    _ queue: QueueRecord, _ outcome: StoreOutcome, of acknowledgement: Continuation<Session>.Acknowledgement,
    from origin: Origin<Session>
  ) -> [Effect] {
    guard case .acknowledged(let removed, let next) = outcome else { return [Self.refuse(origin, .AUTH)] }
    var effects: [Effect] = []
    if case .message(let notify) = removed?.content {
      effects.append(.count(.messageReceived))
      noteActivity(of: queue.number, day: acknowledgement.day, notifies: notify)
      if acknowledgement.lookup == nil { effects.append(.count(.messageReceivedByReading)) }
      if notify { effects.append(.count(.messageReceivedNotified)) }
    }
    guard let lookup = acknowledgement.lookup, var subscription = subscriptions[queue.number],
      subscription.lookup == .acknowledgement(lookup)
    else {
      effects.append(Self.reply(origin, .ok))
      if removed != nil, case .reading? = subscriptions[queue.number]?.lookup {
        // There is another subscription since, and the message being read for it may be the one that is gone now.
        effects.append(readFirst(queue.number))
      }
      return effects
    }
    guard subscribing[queue.number] == nil else {
      // The client subscribed again meanwhile: the next message follows the answer to that.
      return effects + [Self.reply(origin, .ok), readFirst(queue.number)]
    }
    let wasMissed = subscription.wasMissed
    subscription.lookup = nil
    subscription.wasMissed = false
    subscription.delivered = next?.id
    subscriptions[queue.number] = subscription
    if let next {
      effects.append(Self.delivery(of: next, in: queue.number, to: subscription, correlation: origin.correlation))
    } else {
      effects.append(Self.reply(origin, .ok))
      if wasMissed { effects.append(readFirst(queue.number)) }
    }
    return effects
  }

  private mutating func deleted(
    _ queue: QueueNumber, _ outcome: StoreOutcome, from origin: Origin<Session>
  ) -> [Effect] {
    guard case .deleted(let record, _) = outcome else { return [Self.refuse(origin, .AUTH)] }
    var effects: [Effect] = [.count(record.senderKey == nil ? .queueDeletedNew : .queueDeletedSecured)]
    effects += queueDeleted(record, by: origin.session)
    return effects + [Self.reply(origin, .ok)]
  }

  /// Ends the subscriptions of a deleted queue; the client that deleted it is not notified.
  public mutating func queueDeleted(_ queue: QueueRecord, by session: Session?) -> [Effect] {
    let number = queue.number
    let gone = Response(.none, about: EntityID(queue.recipientID), .plain(.deld))
    var effects: [Effect] = []
    if let (subscription, answers) = endSubscription(of: number) {
      effects += answers
      forget(number, of: subscription.session)
      if subscription.session != session, subscription.service == nil {
        effects.append(.send(subscription.session, gone))
      }
    }
    if let service = queue.serviceID.map(EntityID.init) {
      effects += leave(service, queue: gone.entity, telling: gone, unless: session)
    }
    if let session {
      readings[Reading(session: session, queue: number)] = nil
      forget(number, of: session)
    }
    return effects + notifierDeleted(number, queue.notifier)
  }

  /// Notifies the recipient that the operator blocked the queue.
  public func queueBlocked(_ queue: QueueRecord, _ information: [UInt8]) -> [Effect] {
    let session = subscriptions[queue.number]?.session ?? queue.serviceID.flatMap { services[EntityID($0)] }
    guard let session else { return [] }
    let error = BrokerMessage.err(.blocked(information))
    return [.send(session, Response(.none, about: EntityID(queue.recipientID), .plain(error)))]
  }
}

extension ProtocolErrorType {
  /// The error for a client when the store fails: without the reason, which is for the operator's log.
  public init(_ failure: StoreFailure) {
    self =
      switch failure {
      case .full: .STORE(storeErr: "full")
      case .unavailable: .STORE(storeErr: "unavailable")
      case .damaged, .newerSchema, .other: .INTERNAL
      }
  }
}
