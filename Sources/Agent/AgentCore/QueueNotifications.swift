import NotificationProtocol
import SMPProtocol

/// The subscription of a receive queue for pushes: what it should be, and how far it is.
public struct QueueNotifications: Sendable {
  /// The number of the receive queue, which may be gone.
  public var queue: Int64
  /// Whether messages of the queue are to be pushed.
  public var isWanted: Bool
  /// The subscription at the notification server.
  public var subscription: EntityID?
  /// The token it was made with.
  public var token: EntityID?
  /// The notifier that it is for.
  public var notifier: EntityID?
  /// The status that the notification server told last.
  public var status: NotifierStatus?
  /// When the next step is due, in milliseconds; nil for never.
  public var dueAt: Int64?
  /// How often the step has failed.
  public var attempts: Int64 = 0
  /// Whether it was checked before.
  public var wasChecked = false

  /// The subscription of a queue that has none yet.
  public init(queue: Int64, isWanted: Bool = true) {
    self.queue = queue
    self.isWanted = isWanted
  }

  /// The time between a subscription and its first check, in milliseconds.
  public static let firstCheck: Int64 = 86_400_000
  /// The time between further checks, in milliseconds.
  public static let checkInterval: Int64 = 3 * 86_400_000
}

/// The next step of a queue's subscription.
public enum QueueNotificationStep: Hashable, Sendable {
  /// NKEY at the relay.
  case createNotifier
  /// SNEW at the notification server.
  case subscribe
  /// SCHK at the notification server.
  case check
  /// NDEL at the relay.
  case deleteNotifier
  /// SDEL at the notification server.
  case unsubscribe
  /// Nothing is left of it: its row goes.
  case forget
  /// The subscription waits for the token.
  case wait

  /// Whether it is a command to the queue's relay.
  public var isAtRelay: Bool { self == .createNotifier || self == .deleteNotifier }
}

extension QueueNotifications {
  /// The next step.
  /// - Parameters:
  ///   - exists: whether the queue is there, and not being deleted.
  ///   - current: its notifier at the relay.
  ///   - token: the token of the device; nil without one.
  public func step(exists: Bool, notifier current: EntityID?, token: NotificationToken?) -> QueueNotificationStep {
    let isOfToken = self.token != nil && self.token == token?.id
    guard isWanted, exists, let token else {
      if exists, current != nil { return .deleteNotifier }
      return subscription != nil && isOfToken ? .unsubscribe : .forget
    }
    guard token.pushesMessages else { return .wait }
    guard let current else { return .createNotifier }
    if subscription != nil, isOfToken, notifier == current { return .check }
    // The server refuses a notifier that another token has.
    return self.token != nil && !isOfToken && notifier == current ? .createNotifier : .subscribe
  }

  /// The relay has a new notifier.
  public mutating func notifierCreated(now: Int64) { dueAt = now }

  /// The notification server has the subscription.
  public mutating func subscribed(_ id: EntityID, notifier: EntityID, token: EntityID, now: Int64) {
    subscription = id
    self.notifier = notifier
    self.token = token
    status = .new
    wasChecked = false
    attempts = 0
    dueAt = now + Self.firstCheck
  }

  /// The notification server told the status.
  /// - Returns: whether the subscription works; otherwise a new notifier is created.
  public mutating func checked(_ status: NotifierStatus, now: Int64) -> Bool {
    self.status = status
    switch status {
    case .new, .pending, .active, .inactive:
      wasChecked = true
      attempts = 0
      dueAt = now + Self.checkInterval
      return true
    case .end, .deleted, .auth, .service, .error: return false
    }
  }

  /// The subscription is of no use: a new notifier is created, at once the first time.
  /// - Parameter pause: the pause after so many failures, in milliseconds.
  public mutating func renew(now: Int64, pause: (Int64) -> Int64) {
    subscription = nil
    (token, notifier) = (nil, nil)
    attempts += 1
    dueAt = attempts == 1 ? now : now + pause(attempts)
  }

  /// The notification server has no subscription any more.
  public mutating func unsubscribed(now: Int64) {
    subscription = nil
    (token, notifier, status) = (nil, nil, nil)
    dueAt = now
  }
}

/// A message that a push announced.
public struct NotifiedMessage: Hashable, Sendable {
  /// The message at its relay.
  public var id: MessageID
  /// When the relay received it, in seconds since 1970.
  public var time: Int64

  /// A message at its relay.
  public init(id: MessageID, time: Int64) {
    self.id = id
    self.time = time
  }
}

/// A connection that a push is about.
public struct NotifiedConnection: Hashable, Sendable {
  /// The connection.
  public var connection: ConnectionID
  /// The number of the queue.
  public var queue: Int64
  /// When the notification server got the notification, in seconds since 1970.
  public var notifiedAt: Int64
  /// The message that caused it; nil where it cannot be decrypted.
  public var message: NotifiedMessage?

  /// A connection that a push is about.
  public init(connection: ConnectionID, queue: Int64, notifiedAt: Int64, message: NotifiedMessage?) {
    self.connection = connection
    self.queue = queue
    self.notifiedAt = notifiedAt
    self.message = message
  }
}

/// A message that is fetched because a push announced it.
public struct NotifiedMessageRequest: Hashable, Sendable {
  /// The connection.
  public var connection: ConnectionID
  /// The number of the queue that the push was about.
  public var queue: Int64
  /// When the relay received the expected message, in seconds since 1970: if there is none, later pushes about this one
  /// are ignored.
  public var time: Int64?

  /// A request.
  public init(connection: ConnectionID, queue: Int64, time: Int64?) {
    self.connection = connection
    self.queue = queue
    self.time = time
  }
}

/// How subscriptions for pushes stand.
public struct NotificationSummary: Hashable, Sendable {
  /// The token; nil without one.
  public var token: NotificationTokenInfo?
  /// When a push was decrypted last, in milliseconds; nil for never.
  public var lastPush: Int64?
  /// The number of queues by the status at the notification server; nil for those that have none there.
  public var queues: [String: Int]

  /// A summary.
  public init(token: NotificationTokenInfo?, lastPush: Int64?, queues: [String: Int]) {
    self.token = token
    self.lastPush = lastPush
    self.queues = queues
  }
}
