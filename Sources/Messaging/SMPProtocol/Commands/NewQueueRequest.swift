import SimplexCrypto
import WireCodec

/// The parameters of NEW, which creates a queue. Source: simplex-messaging.md, "Create queue command".
public struct NewQueueRequest: Hashable, Sendable {
  /// The key that authorizes the recipient's commands, beginning with this one.
  public var recipientKey: AuthorizationKey
  /// The recipient's key for the box in which messages are delivered.
  public var recipientDHKey: X25519.PublicKey
  /// The relay's password for creating queues, if it has one.
  public var basicAuth: BasicAuth?
  /// Whether the creator is subscribed immediately.
  public var subscription: SubscriptionMode
  /// The purpose of the queue, with the data of its short link; sent from version 9 on, with data from version 15 on.
  public var purpose: QueuePurpose?
  /// Keys for the notifier to create with the queue; sent from version 17 on.
  public var notifier: NotifierKeys?

  /// A request of its parameters.
  public init(
    recipientKey: AuthorizationKey, recipientDHKey: X25519.PublicKey, basicAuth: BasicAuth? = nil,
    subscription: SubscriptionMode = .subscribe, purpose: QueuePurpose?, notifier: NotifierKeys? = nil
  ) {
    self.recipientKey = recipientKey
    self.recipientDHKey = recipientDHKey
    self.basicAuth = basicAuth
    self.subscription = subscription
    self.purpose = purpose
    self.notifier = notifier
  }

  static let codec = Codec<NewQueueRequest>.record(
    Field("recipientKey", \.recipientKey, AuthorizationKey.codec),
    Field("recipientDHKey", \.recipientDHKey, X25519.PublicKey.codec),
    Field(
      "basicAuth", \.basicAuth,
      BasicAuth.codec.optional.since(SMPVersion.senderKey, before: BasicAuth.codec.optional(after: "A"))),
    Field("subscription", \.subscription, SubscriptionMode.codec),
    Field(
      "purpose", \.purpose,
      QueuePurpose.codec.optional.since(
        SMPVersion.shortLinks,
        before: QueuePurpose.senderCanSecureCodec.since(SMPVersion.senderKey, otherwise: nil))),
    Field("notifier", \.notifier, NotifierKeys.codec.optional.since(SMPVersion.notifierInNew, otherwise: nil)),
    build: {
      NewQueueRequest(
        recipientKey: $0, recipientDHKey: $1, basicAuth: $2, subscription: $3, purpose: $4, notifier: $5)
    })
}

/// Whether creating a queue also subscribes to it.
public enum SubscriptionMode: Hashable, Sendable, CaseIterable {
  case subscribe
  case onlyCreate

  static let codec = Codec<SubscriptionMode>.tagged(
    "a subscription mode", Alternative("S", .subscribe), Alternative("C", .onlyCreate))
}

/// The purpose of a new queue, and the data of its short link.
///
/// The sender's identifier has to be ``EntityID/sender(for:)`` of the command's correlation identifier.
public enum QueuePurpose: Hashable, Sendable {
  /// Messages of one sender, who may secure the queue.
  case messaging(MessagingLink?)
  /// Requests of many senders.
  case contact(ContactLink?)

  /// The mode of the queue.
  public var mode: QueueMode {
    switch self {
    case .messaging: .messaging
    case .contact: .contact
    }
  }

  static let codec = Codec<QueuePurpose>.tagged(
    "a queue purpose",
    Alternative(
      "M", MessagingLink.codec.optional, { .messaging($0) }, { if case .messaging(let link) = $0 { link } else { nil } }
    ),
    Alternative(
      "C", ContactLink.codec.optional, { .contact($0) }, { if case .contact(let link) = $0 { link } else { nil } }))

  /// The form of versions 9 to 14: whether the sender may secure the queue.
  static let senderCanSecureCodec = Codec<Bool>.bool.map(
    { $0 ? QueuePurpose?.some(.messaging(nil)) : .some(.contact(nil)) }, { $0?.mode == .messaging })
}

/// The link data of a new messaging queue.
public struct MessagingLink: Hashable, Sendable {
  /// The sender's identifier of the queue.
  public var senderID: EntityID
  /// The data.
  public var data: QueueLinkData

  public init(senderID: EntityID, data: QueueLinkData) {
    self.senderID = senderID
    self.data = data
  }

  static let codec = Codec<MessagingLink>.record(
    Field("senderID", \.senderID, EntityID.codec), Field("data", \.data, QueueLinkData.codec),
    build: { MessagingLink(senderID: $0, data: $1) })
}

/// The link data of a new contact queue.
public struct ContactLink: Hashable, Sendable {
  /// The identifier of the link, which depends on its data.
  public var linkID: EntityID
  /// The sender's identifier of the queue.
  public var senderID: EntityID
  /// The data.
  public var data: QueueLinkData

  public init(linkID: EntityID, senderID: EntityID, data: QueueLinkData) {
    self.linkID = linkID
    self.senderID = senderID
    self.data = data
  }

  static let codec = Codec<ContactLink>.record(
    Field("linkID", \.linkID, EntityID.codec), Field("senderID", \.senderID, EntityID.codec),
    Field("data", \.data, QueueLinkData.codec),
    build: { ContactLink(linkID: $0, senderID: $1, data: $2) })
}

extension Command {
  static let newForm = MessageForm<Command>(
    "NEW", .creator, CredentialRule(authorization: .required, entity: .forbidden), NewQueueRequest.codec,
    { .new($0) }, { if case .new(let request) = $0 { request } else { nil } })
}
