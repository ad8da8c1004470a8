import ChatAPI
import ChatLogic
import SQLiteKit

let requestQuery = """
  SELECT r.request_id, r.agent_invitation_id, r.contact_id, r.business_group_id, r.address_id, r.peer_min_version, \
  r.peer_max_version, r.local_display_name, r.created_at, r.updated_at, r.xcontact_id, r.pq_support, \
  r.welcome_shared_id, r.request_shared_id, \(profileColumns("p")) \
  FROM contact_requests r JOIN profiles p ON p.profile_id = r.profile_id
  """

func readContactRequest(_ row: borrowing SQLiteRow) throws(SQLFailure) -> UserContactRequest {
  var at = ColumnIndex()
  let id = try row.integer(&at)
  let invitation = try row.text(&at)
  let contact = try row.optionalInteger(&at)
  let group = try row.optionalInteger(&at)
  let address = try row.optionalInteger(&at)
  let versions = VersionRange(try row.int(&at), try row.int(&at))
  let name = try row.text(&at)
  let createdAt = try row.date(&at)
  let updatedAt = try row.date(&at)
  let xContactId = try row.optionalText(&at)
  let pqSupport = try row.bool(&at)
  let welcome = try row.optionalText(&at)
  let request = try row.optionalText(&at)
  let profile = try row.localProfile(&at)
  return UserContactRequest(
    contactRequestId: id, agentInvitationId: invitation, contactId_: contact, businessGroupId_: group,
    userContactLinkId_: address, cReqChatVRange: versions, localDisplayName: name, profileId: profile.profileId,
    profile: profile, createdAt: createdAt, updatedAt: updatedAt, xContactId: xContactId, pqSupport: pqSupport,
    welcomeSharedMsgId: welcome, requestSharedMsgId: request)
}

/// What came with a request to connect.
public struct ReceivedContactRequest: Sendable {
  /// The address it came to.
  public var addressId: Int64
  /// The agent's identifier of the request, base64url.
  public var agentInvitationId: String
  /// The versions the requester understands.
  public var peerVersions: VersionRange
  /// The requester's profile.
  public var profile: Profile
  /// The random identifier of the request, the same when it is repeated; base64url.
  public var xContactId: String?
  /// The shared id of the welcome message that the requester saw, base64url.
  public var welcomeSharedMsgId: String?
  /// The shared id of the message that came with the request, base64url.
  public var requestSharedMsgId: String?
  /// Whether the requester supports quantum-resistant encryption.
  public var pqSupport: Bool
  /// Whether it came to the address of a business, which makes groups with its customers.
  public var isToBusiness: Bool

  /// A request of these parts.
  public init(
    addressId: Int64, agentInvitationId: String, peerVersions: VersionRange, profile: Profile,
    xContactId: String? = nil, welcomeSharedMsgId: String? = nil, requestSharedMsgId: String? = nil,
    pqSupport: Bool = false, isToBusiness: Bool = false
  ) {
    self.addressId = addressId
    self.agentInvitationId = agentInvitationId
    self.peerVersions = peerVersions
    self.profile = profile
    self.xContactId = xContactId
    self.welcomeSharedMsgId = welcomeSharedMsgId
    self.requestSharedMsgId = requestSharedMsgId
    self.pqSupport = pqSupport
    self.isToBusiness = isToBusiness
  }
}

/// What a request to connect turned out to be.
public enum ContactRequestStage: Hashable, Sendable {
  /// One that was accepted before; the request, if it is still kept.
  case accepted(UserContactRequest?, Contact)
  /// One to a business that has a chat with the requester already.
  case acceptedByBusiness(GroupInfo)
  /// A new one to a business, whose chat with the requester has to follow.
  case newToBusiness(UserContactRequest)
  /// A new or repeated request; what it was before it was repeated, and the contact made for it.
  case current(previous: UserContactRequest?, UserContactRequest, Contact?)
}

extension ChatTransaction {
  /// Stores a request to connect: a new one with a contact for it, unless it is to a business, or the changes of one
  /// that was repeated.
  public func receive(_ received: ReceivedContactRequest, of user: User) throws(StoreError) -> ContactRequestStage {
    let repeated = try first(
      requestQuery + " WHERE r.user_id = ? AND r.agent_invitation_id = ? LIMIT 1", user.userId,
      received.agentInvitationId, row: readContactRequest)
    if let repeated { return try update(repeated, received, of: user) }
    guard let xContactId = received.xContactId else { return try create(received, of: user) }
    let known = try first(
      requestQuery + " WHERE r.user_id = ? AND r.xcontact_id = ? LIMIT 1", user.userId, xContactId,
      row: readContactRequest)
    if let contact = try contact(acceptedXContactId: xContactId, of: user) { return .accepted(known, contact) }
    guard let known else {
      // Versions of the reference before 6.4 delete requests that are accepted.
      if received.isToBusiness, let chat = try businessChat(joinedBy: xContactId, of: user) {
        return .acceptedByBusiness(chat)
      }
      return try create(received, of: user)
    }
    return try update(known, received, of: user)
  }

  /// Whether a request to connect is repeated, or was accepted, so that ``receive(_:of:)`` stores no new one.
  public func isKnown(_ received: ReceivedContactRequest, of user: User) throws(StoreError) -> Bool {
    try integer(
      """
      SELECT EXISTS (SELECT 1 FROM contact_requests WHERE user_id = ?1 AND agent_invitation_id = ?2) \
      OR EXISTS (SELECT 1 FROM contact_requests WHERE user_id = ?1 AND xcontact_id = ?3) \
      OR EXISTS (SELECT 1 FROM contacts WHERE user_id = ?1 AND xcontact_id = ?3)
      """, user.userId, received.agentInvitationId, received.xContactId) == 1
  }

  /// Stores the chat that a business has with who sent a request. From now on the member is charged for.
  public func setBusinessGroup(_ group: Int64, ofRequest id: Int64) throws(StoreError) {
    try execute("UPDATE contact_requests SET business_group_id = ?2, charged_to = 0 WHERE request_id = ?1", id, group)
  }

  /// The request by which a customer came to a chat of a business; nil where it is not kept.
  public func contactRequest(
    ofBusinessGroup group: Int64, for user: User
  ) throws(StoreError) -> UserContactRequest? {
    try first(
      requestQuery + " WHERE r.business_group_id = ? AND r.user_id = ?", group, user.userId, row: readContactRequest)
  }

  private func create(_ received: ReceivedContactRequest, of user: User) throws(StoreError) -> ContactRequestStage {
    let name = try takeName(received.profile.displayName, user: user.userId)
    let profileId = try insertProfile(received.profile, user: user.userId, at: nowMicroseconds)
    let id = try insert(
      """
      INSERT INTO contact_requests (user_id, address_id, agent_invitation_id, profile_id, local_display_name, \
      xcontact_id, pq_support, welcome_shared_id, request_shared_id, peer_min_version, peer_max_version, created_at, \
      updated_at, charged_to) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12, ?13)
      """, user.userId, received.addressId, received.agentInvitationId, profileId, name, received.xContactId,
      received.pqSupport, received.welcomeSharedMsgId, received.requestSharedMsgId, received.peerVersions.minVersion,
      received.peerVersions.maxVersion, nowMicroseconds, payer)
    if received.isToBusiness { return .newToBusiness(try contactRequest(id, of: user)) }
    let preferences = Preferences.forNewContact(
      profile: user.fullPreferences, contact: received.profile.preferences)
    let contactId = try insertContact(
      named: name, profileId: profileId, of: user, preferences: preferences, requestId: id)
    try execute("UPDATE contact_requests SET contact_id = ?2 WHERE request_id = ?1", id, contactId)
    return .current(
      previous: nil, try contactRequest(id, of: user), try contact(contactId, of: user))
  }

  private func update(
    _ known: UserContactRequest, _ received: ReceivedContactRequest, of user: User
  ) throws(StoreError) -> ContactRequestStage {
    if let group = known.businessGroupId_ { return .acceptedByBusiness(try self.group(group, of: user)) }
    var name = known.localDisplayName
    if received.profile.displayName != known.profile.displayName {
      name = try takeName(received.profile.displayName, user: user.userId)
      if let contact = known.contactId_ {
        try execute(
          "UPDATE contacts SET local_display_name = ?2, updated_at = ?3 WHERE contact_id = ?1", contact, name,
          nowMicroseconds)
      }
    }
    try updateProfile(known.profileId, to: received.profile)
    try execute(
      """
      UPDATE contact_requests SET agent_invitation_id = ?2, pq_support = ?3, peer_min_version = ?4, \
      peer_max_version = ?5, local_display_name = ?6, updated_at = ?7 WHERE request_id = ?1
      """, known.contactRequestId, received.agentInvitationId, received.pqSupport, received.peerVersions.minVersion,
      received.peerVersions.maxVersion, name, nowMicroseconds)
    if name != known.localDisplayName { try releaseName(known.localDisplayName, user: user.userId) }
    return .current(
      previous: known, try contactRequest(known.contactRequestId, of: user),
      try known.contactId_.map { (id) throws(StoreError) in try contact(id, of: user) })
  }

  /// Deletes the requests that a contact came by, so that the same person can ask again.
  public func deleteRequests(ofContact id: Int64) throws(StoreError) {
    try execute("DELETE FROM contact_requests WHERE contact_id = ?", id)
    try execute(
      "UPDATE contacts SET request_id = NULL, xcontact_id = NULL WHERE contact_id = ?", id)
  }

  /// The request with this number.
  public func contactRequest(_ id: Int64, of user: User) throws(StoreError) -> UserContactRequest {
    let found = try first(
      requestQuery + " WHERE r.request_id = ? AND r.user_id = ?", id, user.userId, row: readContactRequest)
    guard let found else { throw .contactRequestNotFound(contactRequestId: id) }
    return found
  }

  /// The number of the request of somebody of this name.
  public func contactRequestID(named name: String, of user: User) throws(StoreError) -> Int64 {
    let id = try integer(
      "SELECT request_id FROM contact_requests WHERE user_id = ? AND local_display_name = ?", user.userId, name)
    guard let id else { throw .contactRequestNotFoundByName(contactName: name) }
    return id
  }

  /// Deletes a request. Its contact stays, and with it name and profile.
  public func deleteContactRequest(_ id: Int64, of user: User) throws(StoreError) {
    let request = try contactRequest(id, of: user)
    try execute("DELETE FROM contact_requests WHERE request_id = ?", id)
    guard request.contactId_ == nil, request.businessGroupId_ == nil else { return }
    try deleteUnusedProfile(request.profileId)
    try releaseName(request.localDisplayName, user: user.userId)
  }
}
