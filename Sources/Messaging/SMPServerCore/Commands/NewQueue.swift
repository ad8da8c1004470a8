import SMPProtocol
import SimplexCrypto

/// The queue of a NEW command, with its response. Source: simplex-messaging.md, "Create queue command".
public struct NewQueue: Sendable {
  /// The stored record.
  public var record: QueueRecord
  /// Its link data.
  public var link: LinkData?
  /// The response, once it is stored.
  public var ids: QueueIDs
  /// Whether the creator is subscribed at once.
  public var subscribes: Bool

  /// Generates identifiers and keys for the queue.
  /// - Throws: `CMD PROHIBITED` where the client chose an identifier that it must not choose; `AUTH` for a key with
  ///   which no secret can be agreed.
  public init(
    _ request: NewQueueRequest, correlation: CorrelationID, service: ServiceSession?, day: Int64,
    using random: inout some RandomSource
  ) throws(ProtocolErrorType) {
    if service != nil, request.subscription == .onlyCreate { throw .CMD(cmdErr: .PROHIBITED) }
    let (chosenSender, linkID, link) = Self.link(of: request, using: &random)
    // Otherwise a client could probe which identifiers exist by requesting them.
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

/// The notifier of an NKEY or NEW command, with its response. Source: simplex-messaging.md, "Enable notifications
/// command".
public struct NewNotifier: Sendable {
  /// The stored record.
  public var record: QueueRecord.Notifier
  /// The response, once it is stored.
  public var ids: NotifierIDs

  /// Generates identifier and key for the notifier.
  /// - Throws: `AUTH` for a key with which no secret can be agreed.
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
