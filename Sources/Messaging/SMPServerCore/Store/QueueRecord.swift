import SMPProtocol

/// The number of a queue in the store of one relay. Numbers are not used again while anything can be found under them,
/// nor while the relay runs, and never leave the relay.
public struct QueueNumber: Hashable, Comparable, Sendable {
  /// The number itself.
  public let value: Int64

  public init(_ value: Int64) { self.value = value }

  /// Orders by age.
  public static func < (left: QueueNumber, right: QueueNumber) -> Bool { left.value < right.value }
}

/// The record of a queue, without its messages.
///
/// Keys are X.509 encodings as clients sent them; identifiers are the bytes used on the wire.
public struct QueueRecord: Hashable, Sendable {
  /// Whether the sender may secure the queue, and whether it can have link data (simplex-messaging.md, "Create queue
  /// command").
  public enum Mode: Int64, Hashable, Sendable {
    /// For one sender, who secures the queue with `SKEY` or `LKEY`.
    case messaging = 0
    /// A contact address, for many senders, never secured.
    case contact = 1
  }

  /// Whether the queue accepts messages.
  public enum Status: Hashable, Sendable {
    /// It does.
    case active
    /// Its recipient has suspended it.
    case off
    /// The operator has blocked it; the bytes are the blocking information as sent in `ERR BLOCKED`.
    case blocked([UInt8])
  }

  /// The credentials of a notifier, which is notified of messages without receiving them.
  public struct Notifier: Hashable, Sendable {
    /// The identifier used with `NSUB` and `NMSG`.
    public var id: [UInt8]
    /// The key that authorizes `NSUB`.
    public var key: [UInt8]
    /// The secret shared with the recipient that encrypts the metadata in `NMSG`; 32 bytes.
    public var secret: [UInt8]
    /// The service that subscribes for this notifier.
    public var serviceID: [UInt8]?

    /// Credentials of a notifier.
    public init(id: [UInt8], key: [UInt8], secret: [UInt8], serviceID: [UInt8]? = nil) {
      self.id = id
      self.key = key
      self.secret = secret
      self.serviceID = serviceID
    }
  }

  /// The number assigned by the store.
  public var number: QueueNumber
  /// The identifier of the recipient.
  public var recipientID: [UInt8]
  /// The identifier of the sender.
  public var senderID: [UInt8]
  /// Keys that authorize the recipient's commands: one, or several for a contact address with several owners.
  public var recipientKeys: [[UInt8]]
  /// The secret shared with the recipient that encrypts delivered messages; 32 bytes.
  public var deliverySecret: [UInt8]
  /// The key that authorizes `SEND`; nil until the queue is secured.
  public var senderKey: [UInt8]?
  /// The mode; nil for queues of clients that know none.
  public var mode: Mode?
  /// The identifier of the link data; nil where there is none.
  public var linkID: [UInt8]?
  /// The notifier; nil where notifications are off.
  public var notifier: Notifier?
  /// Whether the queue accepts messages.
  public var status = Status.active
  /// The service that the recipient's subscription belongs to.
  public var serviceID: [UInt8]?
  /// The last day the queue was used, in days since 1970.
  public var usedDay: Int64

  /// A queue as it is created; the store replaces the number.
  public init(
    number: QueueNumber = QueueNumber(0), recipientID: [UInt8], senderID: [UInt8], recipientKeys: [[UInt8]],
    deliverySecret: [UInt8], mode: Mode?, usedDay: Int64
  ) {
    self.number = number
    self.recipientID = recipientID
    self.senderID = senderID
    self.recipientKeys = recipientKeys
    self.deliverySecret = deliverySecret
    self.mode = mode
    self.usedDay = usedDay
  }

  /// Whether senders may read the link data without a key. Queues from before modes count as contact addresses
  /// until they are secured.
  public var isContact: Bool { mode == .contact || mode == nil && senderKey == nil }

  /// Whether a sender has secured it, so that its link data is used up.
  public var isSecuredForMessaging: Bool { mode != .contact && senderKey != nil }
}

/// Encrypted data behind a short link: 13,000 bytes and more, therefore not part of the record.
public struct LinkData: Hashable, Sendable {
  /// What never changes once set.
  public var fixed: [UInt8]
  /// What the owner may replace.
  public var user: [UInt8]

  public init(fixed: [UInt8], user: [UInt8]) {
    self.fixed = fixed
    self.user = user
  }
}

/// A message that waits for its recipient.
public struct QueuedMessage: Hashable, Sendable {
  /// The content of a message.
  public enum Content: Hashable, Sendable {
    /// A message of a sender; `notify` is its notification flag.
    case message(notify: Bool, body: [UInt8])
    /// The mark that further messages were refused because the queue was full.
    case quotaExceeded
  }

  /// The identifier, 24 random bytes.
  public var id: [UInt8]
  /// When the relay received it, in seconds since 1970.
  public var timestamp: Int64
  /// The content.
  public var content: Content

  public init(id: [UInt8], timestamp: Int64, content: Content) {
    self.id = id
    self.timestamp = timestamp
    self.content = content
  }
}

/// A message that its recipient acknowledged, without its body.
public struct RemovedMessage: Hashable, Sendable {
  /// The content of a message.
  public enum Content: Hashable, Sendable {
    /// A message of a sender; `notify` is its notification flag.
    case message(notify: Bool)
    /// The mark that further messages were refused because the queue was full.
    case quotaExceeded
  }

  /// The identifier, 24 random bytes.
  public var id: [UInt8]
  /// When the relay received it, in seconds since 1970.
  public var timestamp: Int64
  /// The content.
  public var content: Content

  public init(id: [UInt8], timestamp: Int64, content: Content) {
    self.id = id
    self.timestamp = timestamp
    self.content = content
  }

  /// The message without its body.
  public init(_ message: QueuedMessage) {
    let content: Content =
      switch message.content {
      case .message(let notify, _): .message(notify: notify)
      case .quotaExceeded: .quotaExceeded
      }
    self.init(id: message.id, timestamp: message.timestamp, content: content)
  }
}

/// A client with a certificate that subscribes for many queues at once.
public struct ServiceRecord: Hashable, Sendable {
  /// The identifier, given by the relay.
  public var id: [UInt8]
  /// Its role.
  public var role: ServiceRole
  /// SHA-256 of its certificate.
  public var certificateHash: [UInt8]
  /// When it was first seen, in days since 1970.
  public var createdDay: Int64

  public init(id: [UInt8], role: ServiceRole, certificateHash: [UInt8], createdDay: Int64) {
    self.id = id
    self.role = role
    self.certificateHash = certificateHash
    self.createdDay = createdDay
  }
}
