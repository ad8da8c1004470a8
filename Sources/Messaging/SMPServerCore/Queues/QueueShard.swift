import SMPProtocol

/// The subscriptions and deliveries of queues: the part of the relay's state that lives in memory.
///
/// **Governs** subscriptions of recipients and notifiers, the one message per queue that may be delivered and not
/// acknowledged, and every response. **Does not govern** authorization (``CommandGate``), durability (the store;
/// operations are effects and their outcomes come back as inputs), encryption and sending.
///
/// A relay has several shards, each with the queues of some numbers, and uses each under a lock; queues are independent
/// of each other. Nothing in memory is needed to find a queue: queues without subscribers are only in the store.
///
/// **Invariants.** A queue has at most one subscribed recipient. A message is delivered only when no earlier one is
/// unacknowledged, and always the first that is stored. While a ``Lookup`` is in flight, the store is determining the
/// first message; messages that become durable meanwhile set `wasMissed`, and cause another read if the store then had
/// none. The result of a read is used only if the same lookup is still in flight: it may be older than an
/// acknowledgement. A SUB is answered before anything that ends its subscription: reads take time, and a client that is
/// told END before the answer would take itself for subscribed. No success is answered before the store reported it as
/// durable.
public struct QueueShard<Session: Hashable & Sendable>: Sendable {
  /// An effect that a shard requests; effects are executed in order.
  public enum Effect: Sendable {
    /// Send a response.
    case send(Session, Response)
    /// Change the store, and call ``stored(_:_:)`` with the outcome.
    case store(StoreOperation, Continuation<Session>)
    /// Read the first message of a queue, and call ``firstRead(_:_:)`` with it.
    case readFirst(FirstReading<Session>)
    /// Read the link data of a queue, and answer with it.
    indirect case readLink(QueueRecord, Origin<Session>)
    /// Make the connection the subscriber of the service, with this queue; `isNew` where it was not the service's
    /// before.
    case joinService(EntityID, ServiceSide, Session, queue: EntityID, isNew: Bool)
    /// The queue no longer belongs to the service.
    case leaveService(EntityID, queue: EntityID)
    /// Count an event.
    case count(ServerEvent)
  }

  struct Subscription {
    var session: Session
    var recipientID: EntityID
    var secret: [UInt8]
    /// The service that the session is subscribed for; nil for other clients.
    var service: EntityID?
    /// The message that was delivered and is not acknowledged.
    var delivered: [UInt8]?
    var lookup: Lookup?
    var wasMissed = false
  }

  /// How the first message of a subscribed queue is determined.
  enum Lookup: Equatable {
    /// By the acknowledgement with this number.
    case acknowledgement(UInt64)
    /// By the read with this number.
    case reading(UInt64)
  }

  struct NotifierSubscription {
    var session: Session
    var notifierID: EntityID
  }

  /// A client that reads single messages with GET.
  struct Reading: Hashable {
    var session: Session
    var queue: QueueNumber
  }

  /// The maximum number of waiting notifications of an unsubscribed notifier.
  static var notificationLimit: Int { 128 }
  /// The maximum number of GET commands of a client that wait for its acknowledgement of a message of the same queue.
  static var waitingReadLimit: Int { 16 }

  var subscriptions: [QueueNumber: Subscription] = [:]
  /// The SUB commands of these subscriptions that are not answered yet, because the first message is being read, or an
  /// acknowledgement precedes that.
  var subscribing: [QueueNumber: Origin<Session>] = [:]
  var notifiers: [QueueNumber: NotifierSubscription] = [:]
  /// The connections that are subscribed for services, by the services' identifiers.
  var services: [EntityID: Session] = [:]
  /// The same the other way round; a connection is of one service at most.
  var servicesBySession: [Session: EntityID] = [:]
  /// The waiting notifications of notifiers that are not subscribed.
  private(set) var notifications: [QueueNumber: WaitingNotifications] = [:]
  /// About the memory in bytes that they take.
  private(set) var notificationBytes = 0
  /// The queues that have them, by their number; the last is not empty.
  private var queuesByNotifications: [Set<QueueNumber>] = []
  /// When queues were last active, for statistics.
  public internal(set) var activity = QueueActivity()
  /// Messages that were read with GET and not acknowledged; nil where the queue was empty.
  var readings: [Reading: [UInt8]?] = [:]
  /// GET commands that wait for an acknowledgement by their connection, which is under way where there is an entry:
  /// otherwise they could find the acknowledged message still there. At most ``waitingReadLimit`` for each.
  var waitingReads: [Reading: [FirstReading<Session>]] = [:]
  /// The queues whose first message could not be read while nobody waited for an answer; it is read again later.
  var unread: Set<QueueNumber> = []
  private var lastLookup: UInt64 = 0
  /// The queues that a session may be subscribed to; some may be gone.
  var queues: [Session: Set<QueueNumber>] = [:]

  /// The most memory in bytes for waiting notifications of all notifiers of the shard.
  let notificationBytesLimit: Int

  /// A shard without subscriptions. `notificationBytesLimit` is the most memory in bytes for waiting notifications.
  public init(notificationBytesLimit: Int = 16 << 20) { self.notificationBytesLimit = notificationBytesLimit }

  /// The number of subscriptions of recipients.
  public var subscriptionCount: Int { subscriptions.count }
  /// The number of subscriptions of notifiers.
  public var notifierCount: Int { notifiers.count }
  /// The number of waiting notifications.
  public private(set) var notificationCount = 0

  /// Reads the first message of a subscribed queue, for its recipient.
  mutating func readFirst(_ queue: QueueNumber) -> Effect {
    let number = nextLookup()
    subscriptions[queue]?.lookup = .reading(number)
    return .readFirst(FirstReading(queue: queue, reason: .subscription(number)))
  }

  /// Returns a number that no lookup had before.
  mutating func nextLookup() -> UInt64 {
    lastLookup += 1
    return lastLookup
  }

  /// Removes the subscription of a queue; answers its SUB, if that is waiting for the first message.
  mutating func endSubscription(of queue: QueueNumber) -> (subscription: Subscription, effects: [Effect])? {
    guard let subscription = subscriptions.removeValue(forKey: queue) else { return nil }
    return (
      subscription, subscribing.removeValue(forKey: queue).map { [Self.reply($0, .sok(subscription.service))] } ?? []
    )
  }

  /// Whether the session is subscribed to anything.
  public func hasSubscriptions(_ session: Session) -> Bool {
    queues[session]?.isEmpty == false || servicesBySession[session] != nil
  }

  /// Removes a closed connection.
  public mutating func disconnected(_ session: Session) { while forget(session, atMost: .max) {} }

  /// Removes up to this many queues of a closed connection, so that a client of many queues blocks nobody for long;
  /// returns whether there are more. Messages delivered to it meanwhile stay stored, as they are not acknowledged.
  public mutating func forget(_ session: Session, atMost limit: Int) -> Bool {
    if let service = servicesBySession.removeValue(forKey: session) { services[service] = nil }
    guard var own = queues.removeValue(forKey: session) else { return false }
    let batch = Array(own.prefix(limit))
    for queue in batch {
      if subscriptions[queue]?.session == session {
        subscriptions[queue] = nil
        subscribing[queue] = nil
      }
      if notifiers[queue]?.session == session { notifiers[queue] = nil }
      readings[Reading(session: session, queue: queue)] = nil
      waitingReads[Reading(session: session, queue: queue)] = nil
    }
    guard batch.count < own.count else { return false }
    own.subtract(batch)
    queues[session] = own
    return true
  }

  /// Records activity of a queue on a day, in days since 1970.
  public mutating func noteActivity(of queue: QueueNumber, day: Int64, notifies: Bool) {
    activity.note(queue, day: day, notifies: notifies)
  }

  /// Removes activity from before a day.
  public mutating func forgetActivity(before day: Int64) { activity.forget(before: day) }

  /// The queues with waiting notifications.
  public var queuesWithNotifications: [QueueNumber] { Array(notifications.keys) }

  /// Removes notifications of some queues from before a time, in seconds since 1970, and returns their number.
  public mutating func expireNotifications(of queues: some Sequence<QueueNumber>, before time: Int64) -> Int {
    let count = notificationCount
    for queue in queues {
      guard var kept = notifications[queue] else { continue }
      kept.waiting.removeAll { $0.timestamp < time }
      setNotifications(kept.waiting.isEmpty ? nil : kept, of: queue)
    }
    return count - notificationCount
  }

  mutating func setNotifications(_ new: WaitingNotifications?, of queue: QueueNumber) {
    let old = notifications[queue]
    notificationCount += (new?.waiting.count ?? 0) - (old?.waiting.count ?? 0)
    notificationBytes += (new?.size ?? 0) - (old?.size ?? 0)
    notifications[queue] = new
    if let old { queuesByNotifications[old.waiting.count].remove(queue) }
    if let new {
      while queuesByNotifications.count <= new.waiting.count { queuesByNotifications.append([]) }
      queuesByNotifications[new.waiting.count].insert(queue)
    }
    while queuesByNotifications.last?.isEmpty == true { queuesByNotifications.removeLast() }
  }

  /// One of the queues with the most waiting notifications; nil where none wait.
  var queueWithMostNotifications: QueueNumber? { queuesByNotifications.last?.first }

  /// The subscription of a queue, for `QUE`.
  public func subscriptionInfo(of queue: QueueNumber, for session: Session) -> QSub? {
    if let delivered = readings[Reading(session: session, queue: queue)] {
      return QSub(qSubThread: .prohibitSub, qDelivered: delivered.map { MessageID($0).description })
    }
    guard let subscription = subscriptions[queue], subscription.session == session else { return nil }
    return QSub(qSubThread: .noSub, qDelivered: subscription.delivered.map { MessageID($0).description })
  }
}

/// A read of the first message of a queue.
public struct FirstReading<Session: Hashable & Sendable>: Sendable {
  enum Reason: Sendable {
    /// For the recipient, by the subscription whose lookup has this number.
    case subscription(UInt64)
    /// For GET; the secret is the one between recipient and relay.
    indirect case get(Origin<Session>, secret: [UInt8])
  }

  /// The queue.
  public let queue: QueueNumber
  let reason: Reason
}

/// The continuation of a change of the store.
public struct Continuation<Session: Hashable & Sendable>: Sendable {
  /// Records are kept by reference: steps are copied several times, and a record consists of many parts.
  enum Step: Sendable {
    indirect case create(NewQueue)
    case secure
    indirect case secureByLink(QueueRecord)
    case confirm
    case suspend
    indirect case setNotifier(QueueNumber, NewNotifier)
    case deleteNotifier(QueueNumber)
    indirect case setNotifierService(QueueNumber, QueueRecord.Notifier, EntityID?)
    indirect case setService(QueueRecord, EntityID?)
    case delete(QueueNumber)
    indirect case send(QueueRecord, QueuedMessage)
    indirect case acknowledge(QueueRecord, Acknowledgement)
    case nothing
  }

  /// An acknowledgement of a message.
  struct Acknowledgement: Sendable {
    var messageID: [UInt8]
    /// The number of the subscription's lookup; nil for a message that was read with GET.
    var lookup: UInt64?
    /// The day, in days since 1970.
    var day: Int64
  }

  let step: Step
  let origin: Origin<Session>

  /// The connection whose command it is.
  public var client: Session { origin.session }

  /// The connection that becomes a subscriber. It may have been closed meanwhile and then has to be removed again
  /// (``QueueShard/forget(_:atMost:)``). Nil where there is none.
  public var subscriber: Session? {
    switch step {
    case .create, .setService, .setNotifierService: origin.session
    default: nil
    }
  }

  /// The queue whose shard continues, given the outcome of the change.
  public func queue(after outcome: Result<StoreOutcome, StoreFailure>) -> QueueNumber {
    switch step {
    case .create: if case .success(.created(let queue)) = outcome { queue } else { QueueNumber(0) }
    case .secure, .confirm, .suspend, .nothing: QueueNumber(0)
    case .secureByLink(let queue), .send(let queue, _), .acknowledge(let queue, _), .setService(let queue, _):
      queue.number
    case .setNotifier(let queue, _), .deleteNotifier(let queue), .setNotifierService(let queue, _, _),
      .delete(let queue):
      queue
    }
  }
}
