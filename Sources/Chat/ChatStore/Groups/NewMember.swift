import ChatAPI
import SQLiteKit

/// What a member is made of.
public struct NewMember: Sendable {
  /// Whose profile a member has.
  public enum Identity: Sendable {
    /// The user; with this incognito profile, a database id, if there is one.
    case user(incognito: Int64?)
    /// A contact.
    case contact(Contact)
    /// Somebody with this profile.
    case profile(Profile)
    /// Somebody whose profile is stored already, with a request to connect for example.
    case stored(LocalProfile)
  }

  /// The group, a database id.
  public var groupId: Int64
  /// Whose profile it has.
  public var identity: Identity
  /// The identifier in the group, base64url.
  public var memberId: String
  /// The role.
  public var role: GroupMemberRole
  /// How it came to the group.
  public var category: GroupMemberCategory
  /// How far it is connected.
  public var status: GroupMemberStatus
  /// The versions of the chat protocol it understands.
  public var versions: VersionRange
  /// Who invited it.
  public var invitedBy = InvitedBy.unknown
  /// The member who invited it, a database id.
  public var invitedByMember: Int64?
  /// Whether its messages are hidden for everybody.
  public var isBlocked = false
  /// The key its messages are signed with, base64url.
  public var publicKey: String?

  /// The statuses of members who were announced, or asked to join, and are not connected.
  static let waitingStatuses: [GroupMemberStatus] = [
    .memUnknown, .memAnnounced, .memIntroduced, .memIntroInvited, .memAccepted, .memPendingApproval, .memPendingReview,
    .memRejected,
  ]

  /// Whether a peer caused it, and it is not connected: it is charged to that peer's connection.
  var isWaiting: Bool {
    (category == .inviteeMember || category == .postMember) && Self.waitingStatuses.contains(status)
  }

  /// A member; see the members for what else can be set.
  public init(
    groupId: Int64, identity: Identity, memberId: String, role: GroupMemberRole, category: GroupMemberCategory,
    status: GroupMemberStatus, versions: VersionRange
  ) {
    self.groupId = groupId
    self.identity = identity
    self.memberId = memberId
    self.role = role
    self.category = category
    self.status = status
    self.versions = versions
  }
}

extension ChatTransaction {
  /// Creates a member; returns its database id.
  /// - Throws: `duplicateGroupMember` where the group has a member with this identifier.
  public func createMember(_ new: NewMember, of user: User) throws(StoreError) -> Int64 {
    let name: String
    let (profile, contactProfile, contact): (Int64, Int64, Int64?)
    switch new.identity {
    case .user(let incognito):
      contact = user.userContactId
      name =
        if let incognito { try takeName(try self.profile(incognito, of: user).displayName, user: user.userId) } else {
          user.localDisplayName
        }
      (profile, contactProfile) = (incognito ?? user.profile.profileId, user.profile.profileId)
    case .contact(let known):
      (name, contact) = (known.localDisplayName, known.contactId)
      (profile, contactProfile) = (known.profile.profileId, known.profile.profileId)
    case .profile(let shown):
      name = try takeName(shown.displayName, user: user.userId)
      profile = try insertProfile(shown, user: user.userId, at: nowMicroseconds)
      (contactProfile, contact) = (profile, nil)
    case .stored(let known):
      name = try takeName(known.displayName, user: user.userId)
      (profile, contactProfile, contact) = (known.profileId, known.profileId, nil)
    }
    let place = try first(
      """
      UPDATE groups SET next_index = next_index + 1 WHERE group_id = ? RETURNING next_index - 1, profile_version
      """, new.groupId
    ) { (row) throws(SQLFailure) in (index: try row.integer(0), version: try row.integer(1)) }
    guard let place else { throw .groupNotFound(groupId: new.groupId) }
    let invitedBy = new.invitedBy.stored
    return try insert(
      """
      INSERT INTO members (group_id, user_id, index_in_group, shared_member_id, role, category, status, is_current, \
      blocked_by_admin, invited_by, invited_by_contact, invited_by_member, local_display_name, profile_id, \
      contact_profile_id, contact_id, min_version, max_version, public_key, created_at, updated_at, group_version, \
      charged_to) \
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?20, ?21, ?22)
      """, new.groupId, user.userId, place.index, new.memberId, new.role.rawValue, new.category.rawValue,
      new.status.rawValue, new.status.isCurrent, new.isBlocked, invitedBy.kind, invitedBy.contact,
      new.invitedByMember, name, profile, contactProfile, contact, new.versions.minVersion, new.versions.maxVersion,
      new.publicKey, nowMicroseconds, place.version, new.isWaiting ? payer : 0, duplicate: .duplicateGroupMember)
  }
}
