import SMPProtocol
import SimplexCrypto

/// A queue that a NEW command asks for, with its answer. Source: simplex-messaging.md, "Create queue command".
public struct NewQueue: Sendable {
  /// What is stored.
  public var record: QueueRecord
  /// Link data that is stored with it.
  public var link: LinkData?
  /// The answer, once it is stored.
  public var ids: QueueIDs
  /// Whether the creator is subscribed at once.
  public var subscribes: Bool

  /// Draws identifiers and keys for the queue.
  /// - Throws: `CMD PROHIBITED` where the client chose an identifier that it may not choose; `AUTH` for a key that no
  ///   secret can be agreed with.
  public init(
    _ request: NewQueueRequest, correlation: CorrelationID, service: ServiceSession?, day: Int64,
    using random: inout some RandomSource
  ) throws(ProtocolErrorType) {
    if service != nil, request.subscription == .onlyCreate { throw .CMD(cmdErr: .PROHIBITED) }
    let (chosenSender, linkID, link) = Self.link(of: request, using: &random)
    // Otherwise a client could find out which identifiers exist by asking for them.
    if let chosenSender, chosenSender != .sender(for: correlation) { throw .CMD(cmdErr: .PROHIBITED) }
    let senderID = chosenSender ?? EntityID(using: &random)
    let recipientID = EntityID(using: &random)
    let (serverKey, secret) = try Self.agree(with: request.recipientDHKey, using: &random)
    record = QueueRecord(
      recipientID: recipientID.bytes, senderID: senderID.bytes, recipientKeys: [request.recipientKey.stored],
      deliverySecret: secret, mode: request.purpose.map { .init($0.mode) }, usedDay: day)
    record.linkID = linkID?.bytes
    record.serviceID = service?.id.bytes
    self.link = link
    ids = QueueIDs(
      recipientID: recipientID, senderID: senderID, serverDHKey: serverKey, mode: request.purpose?.mode,
      linkID: linkID, serviceID: service?.id)
    subscribes = request.subscription == .subscribe
    if let keys = request.notifier {
      let notifier = try NewNotifier(keys, using: &random)
      record.notifier = notifier.record
      ids.notifier = notifier.ids
    }
  }

  private static func link(
    of request: NewQueueRequest, using random: inout some RandomSource
  ) -> (sender: EntityID?, linkID: EntityID?, LinkData?) {
    switch request.purpose {
    case .messaging(let link?): (link.senderID, EntityID(using: &random), LinkData(link.data))
    case .contact(let link?): (link.senderID, link.linkID, LinkData(link.data))
    case .messaging(nil), .contact(nil), nil: (nil, nil, nil)
    }
  }

  /// A new key of the relay, and the secret it has with a client's key.
  static func agree(
    with key: X25519.PublicKey, using random: inout some RandomSource
  ) throws(ProtocolErrorType) -> (X25519.PublicKey, [UInt8]) {
    let own = X25519.PrivateKey(using: &random)
    guard let secret = try? own.sharedSecret(with: key) else { throw .AUTH }
    return (own.publicKey, [UInt8](copying: secret.bytes))
  }
}

/// A notifier that NKEY or NEW asks for, with its answer. Source: simplex-messaging.md, "Enable notifications command".
public struct NewNotifier: Sendable {
  /// What is stored.
  public var record: QueueRecord.Notifier
  /// The answer, once it is stored.
  public var ids: NotifierIDs

  /// Draws identifier and key for the notifier.
  /// - Throws: `AUTH` for a key that no secret can be agreed with.
  public init(_ keys: NotifierKeys, using random: inout some RandomSource) throws(ProtocolErrorType) {
    let (serverKey, secret) = try NewQueue.agree(with: keys.recipientDHKey, using: &random)
    let id = EntityID(using: &random)
    record = QueueRecord.Notifier(id: id.bytes, key: keys.notifierKey.stored, secret: secret)
    ids = NotifierIDs(notifierID: id, serverDHKey: serverKey)
  }
}

extension QueueRecord.Mode {
  init(_ mode: QueueMode) {
    self =
      switch mode {
      case .messaging: .messaging
      case .contact: .contact
      }
  }
}

extension LinkData {
  init(_ data: QueueLinkData) { self.init(fixed: data.fixedData, user: data.userData) }
}

extension QueueLinkData {
  /// The stored data as it is sent.
  public init(_ data: LinkData) { self.init(fixedData: data.fixed, userData: data.user) }
}
