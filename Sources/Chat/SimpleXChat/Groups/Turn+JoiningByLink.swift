import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SimplexCrypto

// Joining a group by its link: the side that asks, and the side of the link.

extension Turn {
  /// Deletes the link of a group, if it has one.
  func deleteLink(of group: GroupInfo) throws {
    guard let connection = try rows.deleteGroupLink(of: group) else { return }
    try deleteConnections([connection], waitForDelivery: false)
  }

  // MARK: The side of the link

  /// Handles a request to join a group: it is accepted, unless the program decides otherwise.
  func requestedToJoin(
    _ group: GroupInfo, by asked: ContactRequestInfo, invitation: InvitationID, pqSupport: Bool, link: UserContact,
    versions: ChatVersionRange, of user: User
  ) throws {
    let chat = GroupChat(user: user, group: group)
    let pqSupport = pqSupport && asked.isPostQuantum
    // A request that comes again was accepted already.
    if let id = asked.contactReqId?.text, try rows.hasMember(joinedBy: id, ofGroup: group.groupId) { return }
    guard group.membership.memberRole >= group.rights.toBringIn(as: .observer), group.membership.memberActive else {
      return reportError("group link host no longer has admin role", in: chat)
    }
    // The agent forgets a request that is dropped; its sender hears nothing.
    guard try isWithinBudget(.joiningMembers, of: user) else {
      try command(.reject(invitation))
      return
    }
    let role = try rows.groupLink(of: group).acceptMemberRole
    let profile = asked.profile.withValidName
    let decision = environment.options.decideAboutJoining?(group, role, profile) ?? .accept(.accepted, as: role)
    switch decision {
    case .accept(let acceptance, let role):
      guard versions.highest >= ChatVersion.groupFastLinkJoin else {
        return reportError(
          "processContactConnMessage: chat version range incompatible for accepting group join request", in: chat)
      }
      let (member, connection) = try addJoining(
        asked, as: role, status: acceptance.status(in: group.groupProfile), link: link, versions: versions,
        pqSupport: pqSupport, in: chat)
      try answer(member, over: connection, invitation: invitation, acceptance, in: chat)
    case .reject(let reason):
      guard versions.highest >= ChatVersion.groupJoinRejection else {
        try command(.reject(invitation))
        return
      }
      let (member, connection) = try addJoining(
        asked, as: .observer, status: .memRejected, link: link, versions: versions, pqSupport: pqSupport, in: chat)
      let (own, id) = try identities(of: member, in: chat)
      let rejection = GroupLinkRejection(
        fromMember: own, invitedMember: id, groupProfile: group.groupProfile, rejectionReason: reason)
      try command(
        .accept(
          user: try user.agentID, invitation, pq: connection.pqSupport,
          info: try connectionInfo(.grpLinkReject(rejection), connection)), for: connection.agentConnId)
      emit(
        .terminalEvent(
          .rejectingGroupJoinRequestMember(
            user: chat.user, groupInfo: group, member: member, groupRejectionReason: reason)))
    }
  }

  /// Adds somebody who asked to join, with the connection that answers.
  private func addJoining(
    _ asked: ContactRequestInfo, as role: GroupMemberRole, status: GroupMemberStatus, link: UserContact,
    versions: ChatVersionRange, pqSupport: Bool, in chat: GroupChat
  ) throws -> (GroupMember, Connection) {
    let user = chat.user
    let peer = ChatAPI.VersionRange(versions)
    var random = SystemRandom()
    let profile = asked.profile.withValidName
    // A business knows its customers, not only what the group may see of them.
    let isCustomer = chat.group.topology == .business
    var new = NewMember(
      groupId: chat.group.groupId,
      identity: .profile(isCustomer ? profile : chat.group.withoutForbiddenLinks(profile, role: role)),
      memberId: MemberId(random: random.bytes(12)).text, role: role, category: .inviteeMember, status: status,
      versions: peer)
    new.invitedBy = .user
    new.invitedByMember = chat.group.membership.groupMemberId
    let id = try rows.createMember(new, of: user)
    try rows.setRequest(xContactId: asked.contactReqId?.text, welcomeId: asked.welcomeMsgId?.text, ofMember: id)
    var connection = NewConnection(
      agentConnId: ConnectionID.random().text, entity: .member(id),
      chatVersion: Int(ChatVersion.agreed(own: environment.options.chatVersions, peer: versions)), peerVersions: peer)
    connection.pqSupport = pqSupport && connection.chatVersion >= Int(ChatVersion.compression)
    connection.viaAddress = link.userContactLinkId
    let created = try rows.createConnection(connection, of: user)
    return (try rows.member(id, of: user), created)
  }

  /// Tells somebody who asked to join that it may.
  private func answer(
    _ member: GroupMember, over connection: Connection, invitation: InvitationID, _ acceptance: GroupAcceptance,
    in chat: GroupChat
  ) throws {
    let group = chat.group
    let (own, id) = try identities(of: member, in: chat)
    let answer = GroupLinkInvitation(
      fromMember: own, fromMemberName: group.membership.memberProfile.displayName, invitedMember: id,
      groupProfile: group.groupProfile, accepted: acceptance, business: group.businessChat,
      groupSize: Int(clamping: group.groupSummary.currentMembers))
    try command(
      .accept(
        user: try chat.user.agentID, invitation, pq: connection.pqSupport,
        info: try connectionInfo(.grpLinkInv(answer), connection)),
      for: connection.agentConnId)
    let changed = try reloaded(chat)
    try addItem(.rcvGroupEvent(rcvGroupEvent: .invitedViaGroupLink), to: changed, from: member)
    emit(.acceptingGroupJoinRequestMember(user: chat.user, groupInfo: changed.group, member: member))
  }

  /// The identities of the user and a member, as they are sent to the member.
  private func identities(of member: GroupMember, in chat: GroupChat) throws -> (own: MemberIdRole, MemberIdRole) {
    let membership = chat.group.membership
    guard let own = MemberId(text: membership.memberId), let id = MemberId(text: member.memberId) else {
      throw ChatError.error(errorType: .groupInternal(message: "member identifier"))
    }
    return (
      MemberIdRole(memberId: own, memberRole: membership.memberRole),
      MemberIdRole(memberId: id, memberRole: member.memberRole)
    )
  }

  /// Handles that somebody who was rejected knows it: nothing is left of it.
  func forgetRejected(_ member: GroupMember, in chat: GroupChat) throws {
    if let connection = member.activeConn {
      try deleteConnections([connection.agentConnId], waitForDelivery: true)
    }
    try rows.deleteMember(member, of: chat.user)
  }

  // MARK: The side that asks

  /// Handles that the host of a group lets the user join: the connection becomes one with the host.
  /// - Parameter prepared: the group that was made from the link; nil where it is not known yet.
  func acceptedByHost(
    _ answer: GroupLinkInvitation, _ context: ConnectionContext, confirmation: ConfirmationID,
    prepared: GroupChat? = nil
  ) throws {
    let connection = context.connection
    let host = Profile(displayName: answer.fromMemberName, fullName: "").withValidName
    let chat = try joinedByLink(
      answer.groupProfile, host: host, from: answer.fromMember, own: answer.invitedMember,
      business: answer.business, status: answer.accepted?.status(in: answer.groupProfile) ?? .memAccepted, context,
      prepared: prepared)
    if let chat { try confirm(confirmation, over: connection, in: chat) }
  }

  /// Tells the host of a group who joins.
  private func confirm(_ confirmation: ConfirmationID, over connection: Connection, in chat: GroupChat) throws {
    let shown = chat.group.redacted(chat.group.membership.memberProfile.shared, of: chat.group.membership)
    try command(
      .allow(confirmation, info: try connectionInfo(.info(shown), connection)), for: connection.agentConnId)
  }

  /// Handles that the host of a group rejects the request to join. The host forgets the user when it is answered.
  func rejectedByHost(
    _ answer: GroupLinkRejection, _ context: ConnectionContext, confirmation: ConfirmationID,
    prepared: GroupChat? = nil
  ) throws {
    let name = String(answer.fromMember.memberId.text.prefix(7))
    let chat = try joinedByLink(
      answer.groupProfile, host: Profile(displayName: name, fullName: ""), from: answer.fromMember,
      own: answer.invitedMember, business: nil, status: .memRejected, context, prepared: prepared)
    guard let chat else { return }
    emit(
      .terminalEvent(
        .groupLinkRejected(
          user: chat.user, groupInfo: chat.group, groupRejectionReason: answer.rejectionReason)))
    try confirm(confirmation, over: context.connection, in: chat)
  }

  /// Stores the host's answer: in the prepared group, or in a new one; nil where it is not one for this group.
  private func joinedByLink(
    _ profile: GroupProfile, host: Profile, from: MemberIdRole, own: MemberIdRole, business: BusinessChatInfo?,
    status: GroupMemberStatus, _ context: ConnectionContext, prepared: GroupChat?
  ) throws -> GroupChat? {
    let user = context.user
    guard from.memberId != own.memberId else { throw ChatErrorType.groupDuplicateMemberId }
    let chat: GroupChat
    if let prepared {
      guard prepared.group.membership.memberStatus == .memUnknown, profile.publicGroup == nil else {
        reportError("x.grp.link.inv: not expected in this group", in: prepared)
        return nil
      }
      chat = try answered(prepared, profile, host: host, from: from, own: own, business: business, status: status)
    } else {
      chat = try createGroup(
        profile, host: host, from: from, own: own, business: business, status: status, over: context.connection,
        replacing: context.contact, of: user)
    }
    let hostMember = try rows.hostMember(ofGroup: chat.group.groupId, of: user)
    if let card = context.contact {
      emit(.businessLinkConnecting(user: user, groupInfo: chat.group, hostMember: hostMember, fromContact: card))
    } else {
      emit(.groupLinkConnecting(user: user, groupInfo: chat.group, hostMember: hostMember))
    }
    return chat
  }

  /// The prepared group with what its host sent: its profile, and the identities of the host and of the user.
  private func answered(
    _ chat: GroupChat, _ profile: GroupProfile, host: Profile, from: MemberIdRole, own: MemberIdRole,
    business: BusinessChatInfo?, status: GroupMemberStatus
  ) throws -> GroupChat {
    let (user, membership) = (chat.user, chat.group.membership)
    let hostMember = try rows.hostMember(ofGroup: chat.group.groupId, of: user)
    try rows.setIdentity(of: membership, sharedId: own.memberId.text, role: own.memberRole)
    try rows.setStatus(status, ofMember: membership.groupMemberId)
    try rows.updateProfile(of: hostMember, to: host, of: user)
    try rows.setIdentity(of: hostMember, sharedId: from.memberId.text, role: from.memberRole)
    if chat.group.businessChat != nil {
      let parties = BusinessChatInfo(
        chatType: .business, businessId: from.memberId.text, customerId: own.memberId.text)
      try rows.setBusiness(business ?? parties, ofGroup: chat.group.groupId)
    }
    if profile.withValidName != chat.group.groupProfile {
      _ = try rows.updateProfile(of: chat.group, to: profile.withValidName, of: user)
    }
    return try reloaded(chat)
  }

  /// Creates the group of a link, with its host and the user.
  /// - Parameter card: the contact that was asked and turned out to be a business; nil for none.
  private func createGroup(
    _ profile: GroupProfile, host: Profile, from: MemberIdRole, own: MemberIdRole, business: BusinessChatInfo?,
    status: GroupMemberStatus, over connection: Connection, replacing card: Contact?, of user: User
  ) throws -> GroupChat {
    let id = try rows.createGroup(profile: profile.withValidName, business: business, of: user)
    let hostId = try rows.createMember(
      NewMember(
        groupId: id, identity: .profile(host), memberId: from.memberId.text, role: from.memberRole,
        category: .hostMember, status: .memAccepted, versions: connection.peerChatVRange), of: user)
    try rows.setMember(hostId, ofConnection: connection.connId)
    if let card { try rows.deleteContact(card, of: user) }
    var membership = NewMember(
      groupId: id, identity: .user(incognito: connection.customUserProfileId), memberId: own.memberId.text,
      role: own.memberRole, category: .userMember, status: status,
      versions: ChatAPI.VersionRange(environment.options.chatVersions))
    membership.invitedByMember = hostId
    try rows.setMembership(try rows.createMember(membership, of: user), host: hostId, ofGroup: id)
    if let link = try rows.viaLink(ofConnection: connection.connId) { try rows.setViaLink(link, ofGroup: id) }
    let chat = try groupChat(id, of: user)
    try addBanner(to: chat)
    return chat
  }
}
