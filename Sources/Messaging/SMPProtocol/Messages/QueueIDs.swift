import SimplexCrypto
import WireCodec

/// The parameters of IDS: identifiers and keys of a new queue. Source: simplex-messaging.md, "Queue IDs response".
public struct QueueIDs: Hashable, Sendable {
  /// The queue as the recipient knows it.
  public var recipientID: EntityID
  /// The queue as the sender knows it.
  public var senderID: EntityID
  /// The relay's key for the box in which messages are delivered.
  public var serverDHKey: X25519.PublicKey
  /// The purpose of the queue; sent from version 9 on.
  public var mode: QueueMode?
  /// The identifier of the queue's link, if the relay generated it; sent from version 15 on.
  public var linkID: EntityID?
  /// The service that the queue is associated with; sent from version 16 on.
  public var serviceID: EntityID?
  /// The notifier that was created with the queue; sent from version 17 on.
  public var notifier: NotifierIDs?

  public init(
    recipientID: EntityID, senderID: EntityID, serverDHKey: X25519.PublicKey, mode: QueueMode? = nil,
    linkID: EntityID? = nil, serviceID: EntityID? = nil, notifier: NotifierIDs? = nil
  ) {
    self.recipientID = recipientID
    self.senderID = senderID
    self.serverDHKey = serverDHKey
    self.mode = mode
    self.linkID = linkID
    self.serviceID = serviceID
    self.notifier = notifier
  }

  static let codec = Codec<QueueIDs>.record(
    Field("recipientID", \.recipientID, EntityID.codec), Field("senderID", \.senderID, EntityID.codec),
    Field("serverDHKey", \.serverDHKey, X25519.PublicKey.codec),
    Field(
      "mode", \.mode,
      QueueMode.codec.optional.since(
        SMPVersion.shortLinks, before: senderCanSecure.since(SMPVersion.senderKey, otherwise: nil))),
    Field("linkID", \.linkID, EntityID.codec.optional.since(SMPVersion.shortLinks, otherwise: nil)),
    Field("serviceID", \.serviceID, EntityID.codec.optional.since(SMPVersion.services, otherwise: nil)),
    Field("notifier", \.notifier, NotifierIDs.codec.optional.since(SMPVersion.notifierInNew, otherwise: nil)),
    build: {
      QueueIDs(
        recipientID: $0, senderID: $1, serverDHKey: $2, mode: $3, linkID: $4, serviceID: $5, notifier: $6)
    })

  /// The form of versions 9 to 14: whether the sender may secure the queue.
  private static let senderCanSecure = Codec<Bool>.bool.map(
    { $0 ? QueueMode?.some(.messaging) : .some(.contact) }, { $0 == .messaging })
}

extension BrokerMessage {
  static let idsForm = MessageForm<BrokerMessage>(
    "IDS", (), .anyResponse, QueueIDs.codec, { .ids($0) }, { if case .ids(let ids) = $0 { ids } else { nil } })
}
