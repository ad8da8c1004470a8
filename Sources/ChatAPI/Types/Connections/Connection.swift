import FoundationTypes

import SimplexJSON

/// A duplex connection with a peer.
public struct Connection: JSONCodable, Hashable, Sendable {
  /// Database id of the connection.
  public var connId: Int64
  /// The agent's id of the connection, base64url.
  public var agentConnId: String
  /// Version of the chat protocol in use.
  public var connChatVersion: Int
  /// Versions of the chat protocol the peer understands.
  public var peerChatVRange: VersionRange
  /// How many introductions led to the connection.
  public var connLevel: Int
  /// The contact who introduced.
  public var viaContact: Int64?
  /// The address it was made by.
  public var viaUserContactLink: Int64?
  /// Whether it was made by a group link.
  public var viaGroupLink: Bool
  /// Id of the group link, base64url.
  public var groupLinkId: String?
  /// Id of the request, base64url.
  public var xContactId: String?
  /// The random profile used instead of the user's.
  public var customUserProfileId: Int64?
  /// What the connection is for.
  public var connType: ConnType
  /// How far the connection is established.
  public var connStatus: ConnStatus
  /// Whether the user made the invitation.
  public var contactConnInitiated: Bool
  /// The name the user gave; may be empty.
  public var localAlias: String
  /// Database id of what the connection belongs to.
  public var entityId: Int64?
  /// The security code that was verified.
  public var connectionCode: SecurityCode?
  /// Whether quantum-resistant encryption is supported.
  public var pqSupport: Bool
  /// Whether quantum-resistant encryption is wanted.
  public var pqEncryption: Bool
  /// Whether sent messages are encrypted quantum resistant.
  public var pqSndEnabled: Bool?
  /// Whether received messages are encrypted quantum resistant.
  public var pqRcvEnabled: Bool?
  /// Consecutive authorization errors; the connection is disabled at 10.
  public var authErrCounter: Int
  /// Consecutive errors because the queue was full.
  public var quotaErrCounter: Int
  /// When it was created.
  public var createdAt: Date

  /// A value of its members.
  public init(
    connId: Int64, agentConnId: String, connChatVersion: Int, peerChatVRange: VersionRange, connLevel: Int,
    viaContact: Int64? = nil, viaUserContactLink: Int64? = nil, viaGroupLink: Bool, groupLinkId: String? = nil,
    xContactId: String? = nil, customUserProfileId: Int64? = nil, connType: ConnType, connStatus: ConnStatus,
    contactConnInitiated: Bool, localAlias: String, entityId: Int64? = nil, connectionCode: SecurityCode? = nil,
    pqSupport: Bool = false, pqEncryption: Bool = false, pqSndEnabled: Bool? = nil, pqRcvEnabled: Bool? = nil,
    authErrCounter: Int, quotaErrCounter: Int, createdAt: Date
  ) {
    self.connId = connId
    self.agentConnId = agentConnId
    self.connChatVersion = connChatVersion
    self.peerChatVRange = peerChatVRange
    self.connLevel = connLevel
    self.viaContact = viaContact
    self.viaUserContactLink = viaUserContactLink
    self.viaGroupLink = viaGroupLink
    self.groupLinkId = groupLinkId
    self.xContactId = xContactId
    self.customUserProfileId = customUserProfileId
    self.connType = connType
    self.connStatus = connStatus
    self.contactConnInitiated = contactConnInitiated
    self.localAlias = localAlias
    self.entityId = entityId
    self.connectionCode = connectionCode
    self.pqSupport = pqSupport
    self.pqEncryption = pqEncryption
    self.pqSndEnabled = pqSndEnabled
    self.pqRcvEnabled = pqRcvEnabled
    self.authErrCounter = authErrCounter
    self.quotaErrCounter = quotaErrCounter
    self.createdAt = createdAt
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    connId = try fields.get("connId")
    agentConnId = try fields.get("agentConnId")
    connChatVersion = try fields.get("connChatVersion")
    peerChatVRange = try fields.get("peerChatVRange")
    connLevel = try fields.get("connLevel")
    viaContact = try fields.get("viaContact")
    viaUserContactLink = try fields.get("viaUserContactLink")
    viaGroupLink = try fields.get("viaGroupLink")
    groupLinkId = try fields.get("groupLinkId")
    xContactId = try fields.get("xContactId")
    customUserProfileId = try fields.get("customUserProfileId")
    connType = try fields.get("connType")
    connStatus = try fields.get("connStatus")
    contactConnInitiated = try fields.get("contactConnInitiated")
    localAlias = try fields.get("localAlias")
    entityId = try fields.get("entityId")
    connectionCode = try fields.get("connectionCode")
    pqSupport = try fields.get("pqSupport", default: false)
    pqEncryption = try fields.get("pqEncryption", default: false)
    pqSndEnabled = try fields.get("pqSndEnabled")
    pqRcvEnabled = try fields.get("pqRcvEnabled")
    authErrCounter = try fields.get("authErrCounter")
    quotaErrCounter = try fields.get("quotaErrCounter")
    createdAt = try fields.get("createdAt")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("connId", connId)
    json.field("agentConnId", agentConnId)
    json.field("connChatVersion", connChatVersion)
    json.field("peerChatVRange", peerChatVRange)
    json.field("connLevel", connLevel)
    json.field("viaContact", viaContact)
    json.field("viaUserContactLink", viaUserContactLink)
    json.field("viaGroupLink", viaGroupLink)
    json.field("groupLinkId", groupLinkId)
    json.field("xContactId", xContactId)
    json.field("customUserProfileId", customUserProfileId)
    json.field("connType", connType)
    json.field("connStatus", connStatus)
    json.field("contactConnInitiated", contactConnInitiated)
    json.field("localAlias", localAlias)
    json.field("entityId", entityId)
    json.field("connectionCode", connectionCode)
    json.field("pqSupport", pqSupport)
    json.field("pqEncryption", pqEncryption)
    json.field("pqSndEnabled", pqSndEnabled)
    json.field("pqRcvEnabled", pqRcvEnabled)
    json.field("authErrCounter", authErrCounter)
    json.field("quotaErrCounter", quotaErrCounter)
    json.field("createdAt", createdAt)
    json.endObject()
  }
}

/// How far a connection is established.
public enum ConnStatus: JSONCodable, Hashable, Sendable {
  case new
  case prepared
  case joined
  case requested
  case accepted
  case sndReady
  case ready
  case deleted
  case failed(connError: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "new": self = .new
    case "prepared": self = .prepared
    case "joined": self = .joined
    case "requested": self = .requested
    case "accepted": self = .accepted
    case "sndReady": self = .sndReady
    case "ready": self = .ready
    case "deleted": self = .deleted
    case "failed": self = try .failed(connError: fields.get("connError"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .new: json.tag("new")
    case .prepared: json.tag("prepared")
    case .joined: json.tag("joined")
    case .requested: json.tag("requested")
    case .accepted: json.tag("accepted")
    case .sndReady: json.tag("sndReady")
    case .ready: json.tag("ready")
    case .deleted: json.tag("deleted")
    case .failed(let connError): json.sum("failed", "connError", connError)
    }
  }
}

/// What a connection is for.
public enum ConnType: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case contact
  case member
  case userContact = "user_contact"
}

/// Invitation for one peer, or address for many.
public enum ConnectionMode: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case inv, con

  /// Reads the name in upper or lower case.
  public init(json: JSONNode) throws(JSONError) {
    let name = try json.string()
    guard let mode = Self(rawValue: name.lowercased()) else { throw JSONError(.unknownCase(name)) }
    self = mode
  }
}

/// A security code the user verified.
public struct SecurityCode: JSONCodable, Hashable, Sendable {
  /// The code, decimal digits.
  public var securityCode: String
  /// When it was verified.
  public var verifiedAt: Date

  /// A value of its members.
  public init(
    securityCode: String, verifiedAt: Date
  ) {
    self.securityCode = securityCode
    self.verifiedAt = verifiedAt
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    securityCode = try fields.get("securityCode")
    verifiedAt = try fields.get("verifiedAt")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("securityCode", securityCode)
    json.field("verifiedAt", verifiedAt)
    json.endObject()
  }
}

/// What a connection belongs to.
public indirect enum ConnectionEntity: JSONCodable, Hashable, Sendable {
  case rcvDirectMsgConnection(entityConnection: Connection, contact: Contact?)
  case rcvGroupMsgConnection(entityConnection: Connection, groupInfo: GroupInfo, groupMember: GroupMember)
  case userContactConnection(entityConnection: Connection, userContact: UserContact)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "rcvDirectMsgConnection":
      self = try .rcvDirectMsgConnection(
        entityConnection: fields.get("entityConnection"), contact: fields.get("contact"))
    case "rcvGroupMsgConnection":
      self = try .rcvGroupMsgConnection(
        entityConnection: fields.get("entityConnection"), groupInfo: fields.get("groupInfo"),
        groupMember: fields.get("groupMember"))
    case "userContactConnection":
      self = try .userContactConnection(
        entityConnection: fields.get("entityConnection"), userContact: fields.get("userContact"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .rcvDirectMsgConnection(let entityConnection, let contact):
      json.sum("rcvDirectMsgConnection", "entityConnection", entityConnection, "contact", contact)
    case .rcvGroupMsgConnection(let entityConnection, let groupInfo, let groupMember):
      json.sum(
        "rcvGroupMsgConnection", "entityConnection", entityConnection, "groupInfo", groupInfo, "groupMember",
        groupMember)
    case .userContactConnection(let entityConnection, let userContact):
      json.sum("userContactConnection", "entityConnection", entityConnection, "userContact", userContact)
    }
  }
}
