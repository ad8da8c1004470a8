import AgentCore
import AgentProtocol
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

/// A peer's confirmation that waits to be allowed.
public struct StoredConfirmation: Sendable {
  /// Its identifier.
  public var id: ConfirmationID
  /// Whose it is.
  public var connection: Int64
  /// The key that this side has to secure its queue with; nil where the peer did it itself.
  public var senderKey: AuthorizationKey?
  /// The queues to reply to.
  public var queues: [QueueInfoAddress]

  /// A confirmation.
  public init(id: ConfirmationID, connection: Int64, senderKey: AuthorizationKey?, queues: [QueueInfoAddress]) {
    self.id = id
    self.connection = connection
    self.senderKey = senderKey
    self.queues = queues
  }
}

/// A request to an address.
public struct StoredInvitation: Sendable {
  /// Its identifier.
  public var id: InvitationID
  /// The connection of the address.
  public var connection: Int64
  /// The invitation to answer it with.
  public var request: ConnectionRequest
  /// Whether it was accepted.
  public var isAccepted = false

  /// A request.
  public init(id: InvitationID, connection: Int64, request: ConnectionRequest) {
    self.id = id
    self.connection = connection
    self.request = request
  }
}

extension AgentDatabase {
  /// Stores a confirmation.
  public func insert(_ confirmation: StoredConfirmation) throws(SQLiteError) {
    let key = try stored { () throws(WireError) -> [UInt8]? in
      guard let key = confirmation.senderKey else { return nil }
      return try AuthorizationKey.codec.encode(key)
    }
    let queues = try stored { () throws(WireError) in try Self.queues.encode(confirmation.queues) }
    try database.execute(
      AgentSQL.insertConfirmation, confirmation.id.bytes, confirmation.connection, key, queues)
  }

  /// A confirmation of a connection.
  public func confirmation(_ id: ConfirmationID) throws(SQLiteError) -> StoredConfirmation? {
    try database.first(AgentSQL.confirmation, id.bytes) { (row) throws(SQLiteError) in
      let key = try row.optionalBytes(1)
      let queues = try row.bytes(2)
      return StoredConfirmation(
        id: id, connection: try row.integer(0),
        senderKey: try readStored { () throws(WireError) -> AuthorizationKey? in
          guard let key else { return nil }
          return try AuthorizationKey.codec.decode(key)
        },
        queues: try readStored { () throws(WireError) in try Self.queues.decode(queues) })
    }
  }

  /// Removes the confirmations of a connection.
  public func removeConfirmations(of connection: Int64) throws(SQLiteError) {
    try database.execute("DELETE FROM confirmations WHERE connection = ?", connection)
  }

  private static let queues = QueueInfoAddress.codec.list

  // MARK: Requests

  /// Stores a request.
  public func insert(_ invitation: StoredInvitation) throws(SQLiteError) {
    let request = try stored { () throws(WireError) in try ConnectionRequest.codec.encode(invitation.request) }
    try database.execute(AgentSQL.insertInvitation, invitation.id.bytes, invitation.connection, request)
  }

  /// A request.
  public func invitation(_ id: InvitationID) throws(SQLiteError) -> StoredInvitation? {
    try database.first(AgentSQL.invitation, id.bytes) { (row) throws(SQLiteError) in
      let bytes = try row.bytes(1)
      var invitation = StoredInvitation(
        id: id, connection: try row.integer(0),
        request: try readStored { () throws(WireError) in try ConnectionRequest.codec.decode(bytes) })
      invitation.isAccepted = try row.bool(2)
      return invitation
    }
  }

  /// Marks a request that was accepted.
  public func setAccepted(_ id: InvitationID, _ isAccepted: Bool) throws(SQLiteError) {
    try database.execute("UPDATE invitations SET is_accepted = ?2 WHERE id = ?1", id.bytes, isAccepted)
  }

  /// Removes a request; false if there is none.
  public func removeInvitation(_ id: InvitationID) throws(SQLiteError) -> Bool {
    try database.execute("DELETE FROM invitations WHERE id = ?", id.bytes) == 1
  }

  // MARK: Links of invitations

  /// The key that a link's queue is secured with, if the link was opened before.
  public func linkSenderKey(
    _ linkID: EntityID, linkKey: [UInt8], at server: SMPServerAddress
  ) throws(SQLiteError) -> AuthorizationPrivateKey? {
    let number = try number(of: server)
    return try database.first(AgentSQL.linkSenderKey, number, linkID.bytes, linkKey) { (row) throws(SQLiteError) in
      try row.authorizationKey(0)
    }
  }

  /// Stores the key that a link's queue will be secured with.
  public func setLinkSenderKey(
    _ key: AuthorizationPrivateKey, linkID: EntityID, linkKey: [UInt8], at server: SMPServerAddress
  ) throws(SQLiteError) {
    let number = try number(of: server)
    try database.execute(AgentSQL.putLinkSenderKey, number, linkID.bytes, linkKey, key.stored)
  }

  /// Stores the key that a queue is secured with whose link is not known.
  public func setLinkSenderKey(
    _ key: AuthorizationPrivateKey, queue: EntityID, at server: SMPServerAddress
  ) throws(SQLiteError) {
    // The identifiers of links and of senders do not meet: both are random.
    try setLinkSenderKey(key, linkID: queue, linkKey: [], at: server)
    try setLinkSender(queue, linkID: queue, at: server)
  }

  /// The queue of a link is known now.
  public func setLinkSender(_ senderID: EntityID, linkID: EntityID, at server: SMPServerAddress) throws(SQLiteError) {
    let number = try number(of: server)
    try database.execute(AgentSQL.setLinkSender, number, linkID.bytes, senderID.bytes)
  }

  /// The key that a queue has to be secured with, and whether it is because its link was opened.
  public func linkSenderKey(
    queue: EntityID, at server: SMPServerAddress
  ) throws(SQLiteError) -> (key: AuthorizationPrivateKey, isSecured: Bool)? {
    let number = try number(of: server)
    return try database.first(AgentSQL.linkSenderKeyByQueue, number, queue.bytes) { (row) throws(SQLiteError) in
      (try row.authorizationKey(0), try row.bool(1))
    }
  }

  /// Forgets the link of a queue.
  public func removeLink(queue: EntityID, at server: SMPServerAddress) throws(SQLiteError) {
    let number = try number(of: server)
    try database.execute("DELETE FROM invitation_links WHERE server = ? AND sender_id = ?", number, queue.bytes)
  }
}
