import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPProtocol
import SimplexCrypto
import WireCodec

/// The keys of a queue that is being created. They are created with the command, and stored when its response is
/// received: a queue whose response was lost is unusable, and the next attempt creates another one.
struct QueueMaterial {
  let server: ServerWithAuth<SMPScheme>
  let key: Ed25519.PrivateKey
  let deliveryKey: X25519.PrivateKey
  let privateKey: X25519.PrivateKey
  let correlation: CorrelationID
  let plan: QueuePlan
  /// The keys of the ratchet, where the queue is for an invitation.
  var ratchetKeys: E2EPrivateKeys?
  /// The short link, where there is one.
  var link: LinkMaterial?
  /// Whether the queue is subscribed by its creation.
  var subscribes: Bool
  /// The keys of the notifier, where messages are pushed.
  var notifier: NotifierMaterial?

  init(_ server: ServerWithAuth<SMPScheme>, plan: QueuePlan, random: EngineRandom) {
    var random = random
    self.server = server
    self.plan = plan
    subscribes = plan.subscribes
    key = Ed25519.PrivateKey(using: &random)
    deliveryKey = X25519.PrivateKey(using: &random)
    privateKey = X25519.PrivateKey(using: &random)
    correlation = CorrelationID(using: &random)
  }

  /// The command for the relay.
  func request(mode: QueueMode) -> NewQueueRequest {
    let purpose: QueuePurpose =
      switch (mode, link) {
      case (.messaging, let link?): .messaging(MessagingLink(senderID: link.senderID, data: link.data))
      case (.messaging, nil): .messaging(nil)
      case (.contact, let link?):
        .contact(ContactLink(linkID: link.credentials.linkID, senderID: link.senderID, data: link.data))
      case (.contact, nil): .contact(nil)
      }
    return NewQueueRequest(
      recipientKey: .ed25519(key.publicKey), recipientDHKey: deliveryKey.publicKey, basicAuth: server.basicAuth,
      subscription: subscribes ? .subscribe : .onlyCreate, purpose: purpose,
      notifier: notifier?.keys)
  }

  /// The queue that the relay made.
  func queue(_ ids: QueueIDs, connection: Int64, clientVersion: UInt16) throws -> ReceiveQueue {
    ReceiveQueue(
      connection: connection, server: server.server, recipientID: ids.recipientID, senderID: ids.senderID,
      key: .ed25519(key), deliveryKey: try deliveryKey.boxKey(with: ids.serverDHKey), privateKey: privateKey,
      mode: ids.mode, clientVersion: clientVersion, isSubscribed: plan.subscribes)
  }
}

/// The data of a short link that is made with its queue.
struct LinkMaterial {
  /// The identifier of the queue at the relay.
  let senderID: EntityID
  var credentials: LinkCredentials
  let data: QueueLinkData
  /// The request in the data.
  let request: ConnectionRequest

  /// Signs and encrypts the data of a new link.
  init(
    _ request: ConnectionRequest, data user: UserLinkData, senderID: EntityID, versions: VersionRange,
    random: EngineRandom
  ) throws {
    var random = random
    let signingKey = Ed25519.PrivateKey(using: &random)
    let fixed = FixedLinkData(agentVersions: versions, rootKey: signingKey.publicKey, request: request)
    let (signedFixed, linkKey) = try LinkContent.signedFixedData(fixed, by: signingKey)
    let linkID: EntityID
    let boxKey: BoxKey
    if request.kind == .contact {
      (linkID, boxKey) = try LinkKeys.contact(linkKey: linkKey)
    } else {
      // The relay chooses the identifier.
      (linkID, boxKey) = (.none, try LinkKeys.invitation(linkKey: linkKey))
    }
    let fixedData = try LinkContent.seal(
      signedFixed, paddedTo: PaddedSize.fixedLinkData, key: boxKey, nonce: BoxNonce(using: &random))
    let userData = try Self.sealed(user, by: signingKey, key: boxKey, versions: versions, random: random)
    self.senderID = senderID
    self.request = request
    data = QueueLinkData(fixedData: fixedData, userData: userData)
    credentials = LinkCredentials(linkID: linkID, linkKey: linkKey, signingKey: signingKey, fixedData: fixedData)
  }

  /// Signs and encrypts the data that can change.
  static func sealed(
    _ user: UserLinkData, by signingKey: Ed25519.PrivateKey, key: BoxKey, versions: VersionRange,
    random: EngineRandom
  ) throws -> [UInt8] {
    var random = random
    var user = user
    user.agentVersions = versions
    let signed = try LinkContent.signedUserData(user, by: signingKey)
    do {
      return try LinkContent.seal(
        signed, paddedTo: PaddedSize.userLinkData, key: key, nonce: BoxNonce(using: &random))
    } catch CryptoError.messageTooLong(let limit) {
      throw AgentError.tooLarge(limit: limit - (signed.count - user.content.count))
    }
  }
}

extension LinkCredentials {
  /// The short link.
  func link(_ server: SMPServerAddress, _ mode: ConnectionMode) -> ShortLink {
    ShortLink(
      scheme: .server, kind: mode == .contact ? .contact(.contact) : .invitation(linkID: linkID), server: server,
      linkKey: linkKey)
  }
}
