import AgentProtocol
import SMPProtocol
import SimplexCrypto
import WireCodec

/// The purpose of a new queue.
public enum QueuePlan: Sendable {
  /// An invitation or an address.
  case connection(linkData: UserLinkData?, clientData: String?, pqKeysInLink: Bool, subscribe: Bool)
  /// The address of a link that was prepared.
  case prepared(PreparedLink, linkData: UserLinkData, subscribe: Bool)
  /// The reply queue of a joining side, which then confirms with its information.
  case reply(info: [UInt8], subscribe: Bool)
  /// The queue of an invitation that is sent to an address, with information.
  case request(ConnectionRequest, info: [UInt8], subscribe: Bool)
  /// The replacement of a queue.
  case replacement(queue: Int64)

  /// Whether the new queue is subscribed at once.
  public var subscribes: Bool {
    switch self {
    case .connection(_, _, _, let subscribe), .prepared(_, _, let subscribe), .reply(_, let subscribe),
      .request(_, _, let subscribe):
      subscribe
    case .replacement: true
    }
  }

  /// Whether the queue is for a new link.
  public var makesLink: Bool {
    switch self {
    case .connection, .prepared: true
    case .reply, .request, .replacement: false
    }
  }

  /// The stored form.
  public static let codec = Codec<QueuePlan>.tagged(
    "the plan of a queue",
    Alternative(
      "C",
      UserLinkData.codec.inLarge.optional.pair(
        Codec<String>.largeText.optional.pair(Codec<Bool>.bool.pair(.bool, separator: ""), separator: ""),
        separator: ""),
      { .connection(linkData: $0.0, clientData: $0.1.0, pqKeysInLink: $0.1.1.0, subscribe: $0.1.1.1) },
      { plan in
        guard case .connection(let data, let text, let pq, let subscribe) = plan else { return nil }
        return (data, (text, (pq, subscribe)))
      }),
    Alternative(
      "P",
      PreparedLink.codec.inLarge.pair(
        UserLinkData.codec.inLarge.pair(Codec<Bool>.bool, separator: ""), separator: ""),
      { .prepared($0.0, linkData: $0.1.0, subscribe: $0.1.1) },
      { plan in
        guard case .prepared(let link, let data, let subscribe) = plan else { return nil }
        return (link, (data, subscribe))
      }),
    Alternative(
      "R", Codec<Bool>.bool.pair(.tail, separator: ""), { .reply(info: $0.1, subscribe: $0.0) },
      { if case .reply(let info, let subscribe) = $0 { (subscribe, info) } else { nil } }),
    Alternative(
      "Q",
      Codec<Bool>.bool.pair(ConnectionRequest.codec.inLarge.pair(.tail, separator: ""), separator: ""),
      { .request($0.1.0, info: $0.1.1, subscribe: $0.0) },
      { plan in
        guard case .request(let request, let info, let subscribe) = plan else { return nil }
        return (subscribe, (request, info))
      }),
    Alternative(
      "S", Codec<Int64>.integer, { .replacement(queue: $0) },
      { if case .replacement(let queue) = $0 { queue } else { nil } }))
}

/// Which queue is secured with which key of its sender.
public struct SecurePayload: Sendable {
  /// The queue.
  public var queue: Int64
  /// The sender's key.
  public var senderKey: AuthorizationKey

  /// A value of its members.
  public init(queue: Int64, senderKey: AuthorizationKey) {
    self.queue = queue
    self.senderKey = senderKey
  }

  /// The stored form.
  public static let codec = Codec<SecurePayload>.record(
    Field("queue", \.queue, .integer), Field("senderKey", \.senderKey, AuthorizationKey.codec),
    build: { SecurePayload(queue: $0, senderKey: $1) })
}

/// What is sent as it is, in the box of its queue.
public struct EnvelopePayload: Sendable {
  /// Its purpose.
  public var purpose: MessagePurpose
  /// The nonce of the box, so that the same bytes are sent at every attempt.
  public var nonce: BoxNonce
  /// The encoded envelope.
  public var envelope: [UInt8]

  /// A value of its members.
  public init(purpose: MessagePurpose, nonce: BoxNonce, envelope: [UInt8]) {
    self.purpose = purpose
    self.nonce = nonce
    self.envelope = envelope
  }

  /// The stored form.
  public static let codec = Codec<EnvelopePayload>.record(
    Field("purpose", \.purpose, MessagePurpose.codec), Field("nonce", \.nonce, BoxNonce.codec),
    Field("envelope", \.envelope, .tail), build: { EnvelopePayload(purpose: $0, nonce: $1, envelope: $2) })
}

/// What is encrypted when it is sent, with a key that was taken from the ratchet when it was accepted.
public struct SealedPayload: Sendable {
  /// Its purpose.
  public var purpose: MessagePurpose
  /// Whether its recipient is to be notified.
  public var notification: Bool
  /// The nonce of the box.
  public var nonce: BoxNonce
  /// Number and hash before it.
  public var header: MessageHeader
  /// The size that it is padded to.
  public var paddedCount: UInt16
  /// The stored form of its `MessageSealer`; secret.
  public var sealer: [UInt8]
  /// The encoded `ConnectionMessage`; empty where the task has a body of the application.
  public var content: [UInt8]

  /// A value of its members.
  public init(
    purpose: MessagePurpose, notification: Bool, nonce: BoxNonce, header: MessageHeader, paddedCount: UInt16,
    sealer: [UInt8], content: [UInt8]
  ) {
    self.purpose = purpose
    self.notification = notification
    self.nonce = nonce
    self.header = header
    self.paddedCount = paddedCount
    self.sealer = sealer
    self.content = content
  }

  /// The stored form.
  public static let codec = Codec<SealedPayload>.record(
    Field("purpose", \.purpose, MessagePurpose.codec), Field("notification", \.notification, .bool),
    Field("nonce", \.nonce, BoxNonce.codec), Field("header", \.header, MessageHeader.codec),
    Field("paddedCount", \.paddedCount, .integer), Field("sealer", \.sealer, .large),
    Field("content", \.content, .tail),
    build: {
      SealedPayload(
        purpose: $0, notification: $1, nonce: $2, header: $3, paddedCount: $4, sealer: $5, content: $6)
    })
}

/// A request to an address.
public struct RequestPayload: Sendable {
  /// The relay of the address.
  public var server: SMPServerAddress
  /// The sender's identifier of its queue.
  public var senderID: EntityID
  /// The body of the SEND.
  public var body: [UInt8]

  /// A value of its members.
  public init(server: SMPServerAddress, senderID: EntityID, body: [UInt8]) {
    self.server = server
    self.senderID = senderID
    self.body = body
  }

  /// The stored form.
  public static let codec = Codec<RequestPayload>.record(
    Field("server", \.server, SMPServerAddress.codec), Field("senderID", \.senderID, EntityID.codec),
    Field("body", \.body, .tail), build: { RequestPayload(server: $0, senderID: $1, body: $2) })
}

/// The data of a short link that is stored.
public struct LinkPayload: Sendable {
  /// The link.
  public var link: ShortLink
  /// The data, encrypted.
  public var update: QueueLinkData
  /// The data that its owner can change.
  public var user: UserLinkData

  /// A value of its members.
  public init(link: ShortLink, update: QueueLinkData, user: UserLinkData) {
    self.link = link
    self.update = update
    self.user = user
  }

  /// The stored form.
  public static let codec = Codec<LinkPayload>.record(
    Field("link", \.link, ShortLink.codec), Field("update", \.update, QueueLinkData.codec),
    Field("user", \.user, UserLinkData.codec.inLarge), build: { LinkPayload(link: $0, update: $1, user: $2) })
}

/// A link whose data is asked for.
public struct GetLinkPayload: Sendable {
  /// Who asks.
  public var user: Int64
  /// The link.
  public var link: ShortLink

  /// A value of its members.
  public init(user: Int64, link: ShortLink) {
    self.user = user
    self.link = link
  }

  /// The stored form.
  public static let codec = Codec<GetLinkPayload>.record(
    Field("user", \.user, .integer), Field("link", \.link, ShortLink.codec),
    build: { GetLinkPayload(user: $0, link: $1) })
}

/// A relay to test.
public struct ServerTestPayload: Sendable {
  /// Who asks.
  public var user: Int64
  /// The relay.
  public var address: ServerWithAuth<SMPScheme>

  /// A value of its members.
  public init(user: Int64, address: ServerWithAuth<SMPScheme>) {
    self.user = user
    self.address = address
  }

  /// The stored form.
  public static let codec = Codec<ServerTestPayload>.record(
    Field("user", \.user, .integer), Field("address", \.address, ServerWithAuth<SMPScheme>.textCodec),
    build: { ServerTestPayload(user: $0, address: $1) })
}
