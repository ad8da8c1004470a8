import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SimplexCrypto

// Invitations of contacts to groups.

extension Turn {
  /// Adds a contact as a member, and lets the agent create the connection whose link the invitation has.
  func invite(_ contact: Contact, as role: GroupMemberRole, to chat: GroupChat) throws -> GroupMember {
    var random = SystemRandom()
    var new = NewMember(
      groupId: chat.group.groupId, identity: .contact(contact), memberId: MemberId(random: random.bytes(12)).text,
      role: role, category: .inviteeMember, status: .memInvited,
      versions: contact.activeConn?.peerChatVRange ?? VersionRange(1, 1))
    new.invitedBy = .user
    new.invitedByMember = chat.group.membership.groupMemberId
    let id = try rows.createMember(new, of: chat.user)
    let connection = try memberConnection(
      id, versions: new.versions, via: contact.contactId, level: 0, of: chat.user)
    try command(.create(user: try chat.user.agentID, pq: connection.pqSupport), for: connection.agentConnId)
    return try rows.member(id, of: chat.user)
  }

  /// Stores a connection of a member, which the agent has to establish.
  func memberConnection(
    _ member: Int64, versions: ChatAPI.VersionRange, via contact: Int64?, level: Int, of user: User
  ) throws -> Connection {
    var new = NewConnection(
      agentConnId: ConnectionID.random().text, entity: .member(member),
      chatVersion: Int(ChatVersion.agreed(own: environment.options.chatVersions, peer: ChatVersionRange(versions))),
      peerVersions: versions)
    new.pqSupport = new.chatVersion >= Int(ChatVersion.compression)
    new.viaContact = contact
    new.level = level
    return try rows.createConnection(new, of: user)
  }

  /// Sends a contact the invitation to a group, with an item in the contact's chat.
  func sendInvitation(
    to contact: Contact, as member: GroupMember, link: ConnectionRequest, in chat: GroupChat
  ) throws {
    let membership = chat.group.membership
    guard let own = MemberId(text: membership.memberId), let invited = MemberId(text: member.memberId) else {
      throw ChatError.error(errorType: .groupInternal(message: "member identifier"))
    }
    let invitation = GroupInvitation(
      fromMember: MemberIdRole(memberId: own, memberRole: membership.memberRole),
      invitedMember: MemberIdRole(memberId: invited, memberRole: member.memberRole), connRequest: link,
      groupProfile: chat.group.groupProfile, business: chat.group.businessChat,
      groupSize: Int(clamping: chat.group.groupSummary.currentMembers))
    let id = SharedMsgId.random()
    let timed = contact.timedForSent(ttl: nil, live: false, now: rows.now)
    let item = try rows.createItem(
      NewItem(
        chat: contact.chat,
        content: .sndGroupInvitation(
          groupInvitation: CIGroupInvitation(
            groupId: chat.group.groupId, groupMemberId: member.groupMemberId,
            localDisplayName: chat.group.localDisplayName, groupProfile: chat.group.groupProfile, status: .pending),
          memberRole: member.memberRole), sharedMsgId: id.text, timed: timed), of: chat.user)
    try send([(id, .grpInv(invitation))], to: contact, showing: [[item.meta.itemId]])
    emit(
      .newChatItems(
        user: chat.user, chatItems: [AChatItem(chatInfo: .direct(contact: contact), chatItem: item)]))
  }

  /// The most invitations of one contact that wait for the user's answer.
  private static var invitationsLimit: Int { 100 }

  /// Handles an invitation that a contact sent.
  func invited(
    _ invitation: GroupInvitation, by contact: Contact, over connection: Connection, of user: User,
    message: ReceivedMessage
  ) throws {
    let (from, own) = (invitation.fromMember, invitation.invitedMember)
    guard invitation.groupProfile.publicGroup == nil else {
      return emit(.messageError(user: user, severity: "error", errorMessage: "x.grp.inv: can't invite to channel"))
    }
    guard from.memberRole >= .admin, from.memberRole >= own.memberRole else {
      throw ChatErrorType.groupContactRole(contactName: contact.localDisplayName)
    }
    guard from.memberId != own.memberId else { throw ChatErrorType.groupDuplicateMemberId }
    if try rows.groupID(invitation: invitation.connRequest.text, of: user) == nil,
      try rows.countInvitations(by: contact.contactId, of: user) >= Self.invitationsLimit
    {
      return emit(.messageError(user: user, severity: "error", errorMessage: "x.grp.inv: too many open invitations"))
    }
    let chat = GroupChat(
      user: user, group: try invitedGroup(invitation, by: contact, over: connection, of: user))
    let membership = chat.group.membership
    let item = try addItem(
      .rcvGroupInvitation(
        groupInvitation: CIGroupInvitation(
          groupId: chat.group.groupId, groupMemberId: membership.groupMemberId,
          localDisplayName: chat.group.localDisplayName, groupProfile: chat.group.groupProfile, status: .pending),
        memberRole: own.memberRole), to: contact, of: user, sharedMsgId: message.sharedMsgId, at: message.time)
    try rows.setInvitationItem(item.chatItem.meta.itemId, ofGroup: chat.group.groupId)
    emit(
      .receivedGroupInvitation(
        user: user, groupInfo: chat.group, contact: contact, fromMemberRole: from.memberRole,
        memberRole: own.memberRole))
  }

  /// The group of an invitation; the one that the same link made before, or a new one.
  private func invitedGroup(
    _ invitation: GroupInvitation, by contact: Contact, over connection: Connection, of user: User
  ) throws -> GroupInfo {
    let link = invitation.connRequest.text
    let (from, own) = (invitation.fromMember, invitation.invitedMember)
    if let known = try rows.groupID(invitation: link, of: user) {
      let group = try rows.group(known, of: user)
      // Who joined already is not changed by the one who invited.
      let host = try rows.hostMember(ofGroup: known, of: user)
      guard group.membership.memberStatus == .memInvited, host.memberContactId == contact.contactId else {
        throw ChatErrorType.groupDuplicateMemberId
      }
      try rows.setIdentity(
        sharedId: own.memberId.text, role: own.memberRole, ofMember: group.membership.groupMemberId)
      return invitation.groupProfile == group.groupProfile
        ? try rows.group(known, of: user)
        : try rows.updateProfile(
          of: try rows.group(known, of: user), to: invitation.groupProfile.withValidName, of: user)
    }
    let id = try rows.createGroup(
      profile: invitation.groupProfile.withValidName, invitation: link, business: invitation.business, of: user)
    let host = try rows.createMember(
      NewMember(
        groupId: id, identity: .contact(contact), memberId: from.memberId.text, role: from.memberRole,
        category: .hostMember, status: .memInvited, versions: connection.peerChatVRange), of: user)
    var membership = NewMember(
      groupId: id, identity: .user(incognito: connection.customUserProfileId), memberId: own.memberId.text,
      role: own.memberRole, category: .userMember, status: .memInvited,
      versions: ChatAPI.VersionRange(environment.options.chatVersions))
    membership.invitedBy = .contact(byContactId: contact.contactId)
    membership.invitedByMember = host
    try rows.setMembership(try rows.createMember(membership, of: user), host: host, ofGroup: id)
    let group = try rows.group(id, of: user)
    try addBanner(to: GroupChat(user: user, group: group))
    return group
  }

  /// Stores that the user joins a group whose invitation was received, and the connection with its host; that of an
  /// earlier attempt is used again.
  func prepareToJoin(_ chat: GroupChat) throws -> JoiningGroup {
    let (user, group) = (chat.user, chat.group)
    guard let link = try rows.invitation(toGroup: group.groupId)?.link,
      case .full(let request)? = try? ParsedLink(link)
    else { throw StoreError.groupInvitationNotFound }
    guard group.membership.memberStatus == .memInvited else { throw StoreError.groupAlreadyJoined }
    let host = try rows.hostMember(ofGroup: group.groupId, of: user)
    guard let id = MemberId(text: group.membership.memberId), let contactId = host.memberContactId else {
      throw StoreError.contactNotFoundByMemberId(groupMemberId: host.groupMemberId)
    }
    let contact = try rows.contact(contactId, of: user)
    guard let direct = contact.activeConn else { throw ChatErrorType.contactNotActive(contact: contact) }
    let connection =
      try discardingFailed(host.activeConn, of: user)
      ?? memberConnection(host.groupMemberId, versions: direct.peerChatVRange, via: nil, level: 0, of: user)
    let info = try connectionInfo(.grpAcpt(memberId: id), connection)
    try rows.setStatus(.memAccepted, ofMember: host.groupMemberId)
    try rows.setStatus(.memAccepted, ofMember: group.membership.groupMemberId)
    return JoiningGroup(
      connection: connection, request: request, info: info,
      followUp: try joinIfInterrupted(connection, request: request, info: info, of: user))
  }

  /// The invitation to a group, which could not be joined, may be used again; a no-op for groups that are joined.
  func returnInvitation(to chat: GroupChat) throws {
    let membership = chat.group.membership
    guard membership.memberStatus == .memAccepted, try rows.invitation(toGroup: chat.group.groupId) != nil else {
      return
    }
    let host = try rows.hostMember(ofGroup: chat.group.groupId, of: chat.user)
    guard host.memberStatus == .memAccepted else { return }
    try rows.setStatus(.memInvited, ofMember: host.groupMemberId)
    try rows.setStatus(.memInvited, ofMember: membership.groupMemberId)
    try answerInvitation(.pending, to: chat)
  }

  /// Shows that the user did not join a group that is deleted.
  func declineInvitation(to chat: GroupChat) throws {
    guard chat.group.membership.memberStatus == .memInvited else { return }
    try answerInvitation(.rejected, to: chat)
  }

  /// Shows the answer to the invitation to a group in the chat of the contact who invited.
  func answerInvitation(_ status: CIGroupInvitationStatus, to chat: GroupChat) throws {
    guard let item = try rows.invitation(toGroup: chat.group.groupId)?.item,
      let host = try? rows.hostMember(ofGroup: chat.group.groupId, of: chat.user), let contact = host.memberContactId
    else { return }
    try answered(status, item: item, contact: try rows.contact(contact, of: chat.user), of: chat.user)
  }

  /// Shows the answer to an invitation in the chat of the contact who invited.
  private func answered(_ status: CIGroupInvitationStatus, item id: Int64, contact: Contact, of user: User) throws {
    guard let item = try? rows.item(id, in: contact.chat, of: user),
      case .rcvGroupInvitation(var invitation, let role) = item.content, invitation.status != status
    else { return }
    invitation.status = status
    let changed = try rows.updateItem(
      id, in: contact.chat, to: .rcvGroupInvitation(groupInvitation: invitation, memberRole: role), edited: false,
      live: false, of: user)
    emit(.chatItemUpdated(user: user, chatItem: AChatItem(chatInfo: .direct(contact: contact), chatItem: changed)))
  }
}

/// A group that is being joined by an invitation.
struct JoiningGroup: Sendable {
  /// The connection with the host.
  var connection: Connection
  /// The link of the invitation.
  var request: ConnectionRequest
  /// The message that is sent to the host.
  var info: [UInt8]
  /// The command that continues if the program ends; nil where an interrupted command stored it.
  var followUp: FollowUp?
}

extension GroupProfile {
  /// The profile of a group with its name made valid: characters that are not allowed in names are removed.
  var withValidName: GroupProfile {
    guard !DisplayName.isValid(displayName) else { return self }
    var valid = self
    let name = DisplayName.valid(displayName)
    valid.displayName = name.isEmpty ? "unnamed" : name
    return valid
  }
}
