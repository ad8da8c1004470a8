import SMPProtocol
import SimplexCrypto
import WireCodec

/// The part of a link's data that never changes; its hash is the link's key. Source: agent-protocol.md, "Short links".
public struct FixedLinkData: Hashable, Sendable {
  /// The versions of the agent protocol that the link's maker speaks.
  public var agentVersions: VersionRange
  /// The key that signs both parts, or the keys of those who may sign the changing part.
  public var rootKey: Ed25519.PublicKey
  /// The full connection request.
  public var request: ConnectionRequest
  /// The application's identifier of the link's owner.
  public var entityID: [UInt8]?

  /// Fixed data.
  public init(
    agentVersions: VersionRange, rootKey: Ed25519.PublicKey, request: ConnectionRequest, entityID: [UInt8]? = nil
  ) {
    self.agentVersions = agentVersions
    self.rootKey = rootKey
    self.request = request
    self.entityID = entityID
  }

  /// The wire form. What follows in a later version is ignored, so reading is lenient.
  public static let codec = Codec<FixedLinkData>(
    decode: { (reader) throws(WireError) -> FixedLinkData in
      let data = FixedLinkData(
        agentVersions: try VersionRange.codec.decode(&reader), rootKey: try Codec.ed25519Key.decode(&reader),
        request: try ConnectionRequest.codec.decode(&reader),
        entityID: reader.isAtEnd ? nil : try Codec<[UInt8]>.short.decode(&reader))
      _ = reader.restSpan()
      return data
    },
    encode: { (data, writer) throws(WireError) in
      try VersionRange.codec.encode(data.agentVersions, &writer)
      try Codec.ed25519Key.encode(data.rootKey, &writer)
      try ConnectionRequest.codec.encode(data.request, &writer)
      if let entityID = data.entityID { try Codec<[UInt8]>.short.encode(entityID, &writer) }
    })
}

/// The part of a link's data that its owners can change.
public struct UserLinkData: Hashable, Sendable {
  /// The versions of the agent protocol that its maker speaks.
  public var agentVersions: VersionRange
  /// Whose data it is.
  public var kind: Kind
  /// What the client puts there: a profile.
  public var content: [UInt8]

  /// What the data belongs to.
  public enum Kind: Hashable, Sendable {
    /// An invitation.
    case invitation
    /// An address.
    case contact(ContactLinkData)
  }

  /// Data of a link.
  public init(agentVersions: VersionRange, kind: Kind, content: [UInt8]) {
    self.agentVersions = agentVersions
    self.kind = kind
    self.content = content
  }

  /// The wire form. What follows in a later version is ignored, so reading is lenient.
  public static let codec = Codec<UserLinkData>(
    decode: { (reader) throws(WireError) -> UserLinkData in
      let isInvitation = reader.take("I")
      guard isInvitation || reader.take("C") else { throw reader.failure(.expected("link data")) }
      let agentVersions = try VersionRange.codec.decode(&reader)
      let kind: Kind = isInvitation ? .invitation : .contact(try ContactLinkData.codec.decode(&reader))
      let content = try contentCodec.decode(&reader)
      _ = reader.restSpan()
      return UserLinkData(agentVersions: agentVersions, kind: kind, content: content)
    },
    encode: { (data, writer) throws(WireError) in
      switch data.kind {
      case .invitation:
        writer.append(literal: "I")
        try VersionRange.codec.encode(data.agentVersions, &writer)
      case .contact(let contact):
        writer.append(literal: "C")
        try VersionRange.codec.encode(data.agentVersions, &writer)
        try ContactLinkData.codec.encode(contact, &writer)
      }
      try contentCodec.encode(data.content, &writer)
    })

  /// Up to 254 bytes after a 1-byte length; more after 255 and a 2-byte length.
  private static let contentCodec = Codec<[UInt8]>(
    decode: { (reader) throws(WireError) -> [UInt8] in
      let length = try reader.byte()
      return length == 255 ? try Codec<[UInt8]>.large.decode(&reader) : try reader.bytes(Int(length))
    },
    encode: { (content, writer) throws(WireError) in
      if content.count < 255 { return try Codec<[UInt8]>.short.encode(content, &writer) }
      writer.append(UInt8(255))
      try Codec<[UInt8]>.large.encode(content, &writer)
    })
}

/// What the data of an address has before the client's content.
public struct ContactLinkData: Hashable, Sendable {
  /// Whether requests may be sent to the queue of the link itself.
  public var isDirect: Bool
  /// Others who may change the data.
  public var owners: [LinkOwner]
  /// Addresses of chat relays that take requests for this one.
  public var relays: [ShortLink]

  /// Data of an address.
  public init(isDirect: Bool, owners: [LinkOwner] = [], relays: [ShortLink] = []) {
    self.isDirect = isDirect
    self.owners = owners
    self.relays = relays
  }

  /// The wire form.
  public static let codec = Codec<ContactLinkData>.record(
    Field("isDirect", \.isDirect, .bool), Field("owners", \.owners, LinkOwner.codec.list),
    Field("relays", \.relays, ShortLink.codec.list),
    build: { ContactLinkData(isDirect: $0, owners: $1, relays: $2) })
}

/// One who may change a link's data, authorized by the root key or by an owner named before.
public struct LinkOwner: Hashable, Sendable {
  /// The application's identifier; unique in the list.
  public var ownerID: [UInt8]
  /// The owner's key.
  public var key: Ed25519.PublicKey
  /// The signature of identifier and key (DER) by the owner who authorized this one.
  public var authorization: [UInt8]

  /// An owner.
  public init(ownerID: [UInt8], key: Ed25519.PublicKey, authorization: [UInt8]) {
    self.ownerID = ownerID
    self.key = key
    self.authorization = authorization
  }

  /// A new owner, authorized by `authorizer`.
  public init(ownerID: [UInt8], key: Ed25519.PublicKey, authorizedBy authorizer: Ed25519.PrivateKey) {
    self.init(ownerID: ownerID, key: key, authorization: authorizer.signature(of: ownerID + key.der))
  }

  /// Whether the holder of `key` authorized this owner.
  func isAuthorized(by key: Ed25519.PublicKey) -> Bool {
    key.isValid(authorization, of: ownerID + self.key.der)
  }

  /// A 1-byte length, within it the members. What follows in a later version is ignored, so reading is lenient.
  public static let codec = Codec<LinkOwner>(
    decode: { (reader) throws(WireError) -> LinkOwner in
      var inner = try reader.nested(Int(try reader.byte()))
      return LinkOwner(
        ownerID: try Codec<[UInt8]>.short.decode(&inner), key: try Codec.ed25519Key.decode(&inner),
        authorization: try Codec<[UInt8]>.short.decode(&inner))
    },
    encode: { (owner, writer) throws(WireError) in
      try writer.sized(UInt8.self) { (writer) throws(WireError) in
        try Codec<[UInt8]>.short.encode(owner.ownerID, &writer)
        try Codec.ed25519Key.encode(owner.key, &writer)
        try Codec<[UInt8]>.short.encode(owner.authorization, &writer)
      }
    })
}

extension Codec where Value == Ed25519.PublicKey {
  /// DER after a 1-byte length.
  static let ed25519Key = Codec<[UInt8]>.short.compactMap(
    "an Ed25519 key", { try? Ed25519.PublicKey(der: $0) }, \.der)
}
