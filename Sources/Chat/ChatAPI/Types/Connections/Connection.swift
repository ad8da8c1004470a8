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
  /// The state of the connection.
  public var connStatus: ConnStatus
  /// Whether the user made the invitation.
  public var contactConnInitiated: Bool
  /// The name that the user chose; may be empty.
  public var localAlias: String
  /// Database id of what the connection belongs to.
  public var entityId: Int64?
  /// The security code that was verified.
  public var connectionCode: SecurityCode?
  /// Whether quantum-resistant encryption is supported.
  public var pqSupport: Bool = false
  /// Whether quantum-resistant encryption is enabled.
  public var pqEncryption: Bool = false
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
}

/// The state of a connection.
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
}

/// What a connection belongs to.
public indirect enum ConnectionEntity: JSONCodable, Hashable, Sendable {
  case rcvDirectMsgConnection(entityConnection: Connection, contact: Contact?)
  case rcvGroupMsgConnection(entityConnection: Connection, groupInfo: GroupInfo, groupMember: GroupMember)
  case userContactConnection(entityConnection: Connection, userContact: UserContact)
}
