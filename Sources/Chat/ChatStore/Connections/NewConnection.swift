import ChatAPI

/// What a connection is made of.
public struct NewConnection: Sendable {
  /// What a connection belongs to.
  public enum Entity: Hashable, Sendable {
    /// A contact; nil while there is none yet.
    case contact(Int64?)
    /// A member of a group.
    case member(Int64)
    /// An address or group link of the user.
    case address(Int64)
  }

  /// The agent's identifier, base64url.
  public var agentConnId: String
  /// What it belongs to.
  public var entity: Entity
  /// How far it is established.
  public var status: ConnStatus
  /// The version of the chat protocol in use.
  public var chatVersion: Int
  /// The versions the peer understands.
  public var peerVersions: VersionRange
  /// Whether this side began: it made the invitation, or asked by an address.
  public var initiated = false
  /// The address of the user that the peer came by.
  public var viaAddress: Int64?
  /// The contact through whom the peer came.
  public var viaContact: Int64?
  /// Whether it came by a group link.
  public var viaGroupLink = false
  /// The identifier in the group link it came by.
  public var groupLinkId: String?
  /// The random identifier of the request to connect, base64url.
  public var xContactId: String?
  /// The incognito profile that the peer sees.
  public var customUserProfileId: Int64?
  /// How many introductions led to it.
  public var level = 0
  /// Whether quantum-resistant encryption is supported; encryption begins with the same.
  public var pqSupport = false
  /// Whether the agent still has to subscribe to it.
  public var toSubscribe = false
  /// The invitation this side made or joins.
  public var invitation: CreatedConnLink?
  /// The address this side asks by.
  public var viaLink: CreatedConnLink?
  /// What addresses are compared by: the hash of the link without what does not matter.
  public var viaLinkHash: String?

  /// A connection; see the members for what else can be set.
  public init(
    agentConnId: String, entity: Entity, status: ConnStatus = .new, chatVersion: Int = 1,
    peerVersions: VersionRange = VersionRange(1, 1)
  ) {
    self.agentConnId = agentConnId
    self.entity = entity
    self.status = status
    self.chatVersion = chatVersion
    self.peerVersions = peerVersions
  }

  var kind: ConnType {
    switch entity {
    case .contact: .contact
    case .member: .member
    case .address: .userContact
    }
  }

  var contactId: Int64? { if case .contact(let id) = entity { id } else { nil } }
  var memberId: Int64? { if case .member(let id) = entity { id } else { nil } }
  var addressId: Int64? { if case .address(let id) = entity { id } else { nil } }
}

extension ChatTransaction {
  /// Makes a connection. A contact's or member's connection becomes the one in use.
  /// - Throws: `uniqueID` where the agent's identifier is taken.
  public func createConnection(_ new: NewConnection, of user: User) throws(StoreError) -> Connection {
    let id = try insert(
      """
      INSERT INTO connections (user_id, agent_conn_id, kind, status, status_error, chat_version, peer_min_version, \
      peer_max_version, initiated, via_address, via_contact, via_group_link, group_link_id, xcontact_id, \
      custom_profile_id, level, pq_support, pq_encryption, to_subscribe, invitation_link, invitation_short_link, \
      via_link, via_short_link, via_link_hash, contact_id, member_id, address_id, created_at, updated_at, \
      profile_version) \
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?17, ?18, ?19, ?20, ?21, \
      ?22, ?23, ?24, ?25, ?26, ?27, ?27, \
      coalesce((SELECT p.version FROM users u JOIN profiles p ON p.profile_id = u.profile_id WHERE u.user_id = ?1), 0))
      """, user.userId, new.agentConnId, new.kind.rawValue, new.status.storedName, new.status.storedReason,
      new.chatVersion, new.peerVersions.minVersion, new.peerVersions.maxVersion, new.initiated, new.viaAddress,
      new.viaContact, new.viaGroupLink, new.groupLinkId, new.xContactId, new.customUserProfileId, new.level,
      new.pqSupport, new.toSubscribe, new.invitation?.connFullLink, new.invitation?.connShortLink,
      new.viaLink?.connFullLink, new.viaLink?.connShortLink, new.viaLinkHash, new.contactId, new.memberId,
      new.addressId, nowMicroseconds)
    if let contactId = new.contactId {
      try execute("UPDATE contacts SET connection_id = ?2 WHERE contact_id = ?1", contactId, id)
    }
    if let memberId = new.memberId {
      try execute("UPDATE members SET connection_id = ?2 WHERE member_id = ?1", memberId, id)
    }
    return try connection(id, of: user)
  }

  /// Creates a connection without contact; returns it as the list of chats shows it.
  public func createPendingConnection(
    _ new: NewConnection, of user: User
  ) throws(StoreError) -> PendingContactConnection {
    let connection = try createConnection(new, of: user)
    return try pendingConnection(connection.connId, of: user)
  }
}
