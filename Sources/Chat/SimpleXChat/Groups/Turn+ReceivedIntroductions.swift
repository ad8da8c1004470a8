import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import SimplexCrypto

// Members are introduced by the one who invited the newcomer: they get links to connect with each other.

extension Turn {
  /// The description of a member that is sent to other members, with as much of its profile as fits; nil where not even
  /// its name does.
  func memberInfo(_ member: GroupMember, of group: GroupInfo) -> MemberInfo? {
    guard let id = MemberId(text: member.memberId) else { return nil }
    var info = MemberInfo(
      memberId: id, memberRole: member.memberRole, v: member.activeConn.map { ChatVersionRange($0.peerChatVRange) },
      profile: group.redacted(member.memberProfile.shared, of: member),
      memberKey: member.memberPubKey.flatMap { Ed25519.PublicKey(text: $0) })
    // The longest message that holds it.
    func isFitting() -> Bool { fits(.grpMemNew(info, scope: .member(id))) }
    if !info.profile.mayBeTooLong || isFitting() { return info }
    info.profile.image = nil
    if isFitting() { return info }
    (info.profile.fullName, info.profile.shortDescr, info.profile.contactLink) = ("", nil, nil)
    return isFitting() ? info : nil
  }

  // MARK: What the host tells

  /// The most members that the host introduces and that have not connected yet.
  private static var introductionsLimit: Int { 5_000 }

  /// Handles that the host introduces the user to a member: the user offers it a connection.
  func handleIntroduction(
    _ info: MemberInfo, restrictions: MemberRestrictions?, by host: GroupMember, in chat: GroupChat
  )
    throws
  {
    guard host.memberCategory == .hostMember else {
      return reportError("x.grp.mem.intro can be only sent by host member", in: chat)
    }
    guard chat.group.topology.sendsLinksWithIntroductions else {
      return try handleChannelIntroduction(info, restrictions: restrictions, by: host, in: chat)
    }
    guard try rows.memberRecord(sharedId: info.memberId.text, ofGroup: chat.group.groupId) == nil else {
      return reportError("x.grp.mem.intro ignored: member already exists", in: chat)
    }
    guard host.memberRole >= chat.group.rights.toBringIn(as: .observer) else {
      throw ChatErrorType.groupContactRole(contactName: host.localDisplayName)
    }
    guard try !wasRemoved(info, in: chat) else { return }
    guard let versions = info.v, versions.highest >= ChatVersion.groupDirectInvitation else {
      return reportError("x.grp.mem.intro: member chat version range incompatible", in: chat)
    }
    guard try !rows.hasIntroducedMembers(atLeast: Self.introductionsLimit, inGroup: chat.group.groupId) else {
      return reportError("x.grp.mem.intro: too many members to connect with", in: chat)
    }
    let id = try create(
      NewMember(info, in: chat.group, category: .preMember, status: .memIntroduced),
      isBlocked: restrictions?.restriction == .blocked, in: chat)
    let connection = try memberConnection(
      id, versions: ChatAPI.VersionRange(versions), via: host.memberContactId,
      level: 1 + (host.activeConn?.connLevel ?? 0),
      of: chat.user)
    try command(.create(user: try chat.user.agentID, pq: connection.pqSupport), for: connection.agentConnId)
  }

  /// Handles a newcomer's link for a member, on its way: the host forwards it.
  func handleMemberLink(
    _ intro: IntroInvitation, for id: MemberId, from member: GroupMember, in chat: GroupChat
  ) throws {
    guard member.memberCategory == .inviteeMember else {
      return reportError("x.grp.mem.inv can be only sent by invitee member", in: chat)
    }
    guard let other = try rows.member(sharedId: id.text, ofGroup: chat.group.groupId) else {
      return reportError("x.grp.mem.inv error: referenced member does not exist", in: chat)
    }
    guard try rows.indexes(ofMember: member.groupMemberId, where: { $0 != .none }).contains(other.indexInGroup) else {
      return reportError("x.grp.mem.inv error: members were not introduced", in: chat)
    }
    guard let info = memberInfo(member, of: chat.group) else { return }
    try send(.grpMemFwd(info, memberIntro: intro), to: [other], of: chat.group)
  }

  /// Handles a newcomer's link: the user joins it.
  func handleForwardedLink(_ intro: IntroInvitation, of info: MemberInfo, by host: GroupMember, in chat: GroupChat)
    throws
  {
    let known = try rows.memberRecord(sharedId: info.memberId.text, ofGroup: chat.group.groupId)
    // The host may not know yet that the member left or was removed.
    if known?.memberGone == true { return }
    // Otherwise an admin could speak for the user, or for somebody with more rights.
    try requireHost(host, for: max(info.memberRole, known?.memberRole ?? .observer), in: chat)
    guard known.map({ $0.memberCategory == .postMember }) ?? (info.memberId.text != chat.group.membership.memberId)
    else { return reportError("x.grp.mem.fwd: not a member that was announced", in: chat) }
    // A newcomer sends its links to its host alone, and the host announced it. Another admin has no honest way to know
    // them: a link from one is refused, because it would let that admin take the newcomer's place before it is
    // connected. The reference accepts the link from any admin.
    if let known, known.memberStatus != .memUnknown, let inviter = known.invitedByGroupMemberId,
      inviter != host.groupMemberId
    {
      return reportError("x.grp.mem.fwd: not from the member who announced it", in: chat)
    }
    if known == nil, try wasRemoved(info, in: chat) || !isWithinBudget(.announcedMembers, of: chat.user) { return }
    // A link that comes again was joined already.
    guard known?.activeConn == nil else { return }
    guard
      try !rows.hasConnectingMembers(
        atLeast: Self.introductionsLimit, invitedBy: host.groupMemberId, inGroup: chat.group.groupId)
    else { return reportError("x.grp.mem.fwd: too many members to connect with", in: chat) }
    let member = try known ?? announce(info, by: host, .memAnnounced, in: chat)
    if !member.memberPending { try rows.setStatus(.memIntroInvited, ofMember: member.groupMemberId) }
    let versions = info.v.map { ChatAPI.VersionRange($0) } ?? VersionRange(1, 1)
    let connection = try memberConnection(
      member.groupMemberId, versions: versions, via: host.memberContactId,
      level: 1 + (host.activeConn?.connLevel ?? 0), of: chat.user)
    try command(
      .join(
        user: try chat.user.agentID, request: intro.groupConnReq.text, pq: connection.pqSupport,
        info: try connectionInfo(try ownInfo(chat), connection)), for: connection.agentConnId)
  }

  /// Handles that a member was invited by another one.
  /// - Parameter scope: the support chat of a member whom moderators review; nil for others.
  /// - Returns: to whom the message is forwarded.
  func handleAnnouncement(
    _ info: MemberInfo, in scope: MsgScope?, by host: GroupMember, in chat: GroupChat, message: ReceivedMessage
  ) throws -> Audience {
    guard chat.group.topology.sendsLinksWithIntroductions else {
      try handleChannelAnnouncement(info, by: host, in: chat)
      return .nobody
    }
    try requireHost(host, for: info.memberRole, in: chat)
    guard info.memberId.text != chat.group.membership.memberId else { return .nobody }
    var (info, isWaiting) = (info, scope != nil)
    if try wasRemoved(info, in: chat) { return .nobody }
    if isWaiting,
      let role = try rows.decisions(about: info.memberId.text, inGroup: chat.group.groupId).acceptedAs
    {
      (info.memberRole, isWaiting) = (role, false)
    }
    let status: GroupMemberStatus = isWaiting ? .memPendingReview : .memAnnounced
    let known = try rows.memberRecord(sharedId: info.memberId.text, ofGroup: chat.group.groupId)
    if known?.memberGone == true { return .nobody }
    let member: GroupMember
    if let known, known.memberStatus == .memUnknown {
      try rows.updateProfile(
        of: known, to: chat.group.withoutForbiddenLinks(info.profile.withValidName, role: info.memberRole),
        of: chat.user)
      let decisions = try takeDecisions(about: info.memberId.text, in: chat)
      try rows.setAnnounced(
        role: decisions.role(of: info.memberRole),
        versions: info.v.map { ChatAPI.VersionRange($0) } ?? VersionRange(1, 1),
        by: host.groupMemberId, status: status, publicKey: info.memberKey?.text, ofMember: known.groupMemberId)
      member = try rows.member(known.groupMemberId, of: chat.user)
      emit(
        .unknownMemberAnnounced(
          user: chat.user, groupInfo: chat.group, announcingMember: host, unknownMember: known,
          announcedMember: member))
    } else if known == nil {
      guard try isWithinBudget(.announcedMembers, of: chat.user) else { return .nobody }
      member = try announce(info, by: host, status, in: chat)
    } else {
      reportError("x.grp.mem.new error: member already exists", in: chat)
      return .nobody
    }
    var chat = try reloaded(chat)
    if member.memberPending { chat = try supportChat(of: member, in: chat) }
    if chat.group.shows(.announced, of: member) {
      try addItem(
        .rcvGroupEvent(
          rcvGroupEvent: .memberAdded(groupMemberId: member.groupMemberId, profile: member.memberProfile.shared)),
        to: chat, from: host, sharedMsgId: message.sharedMsgId, at: message.time, forwardedBy: message.forwardedBy)
    }
    if member.memberPending {
      try addItem(.rcvGroupEvent(rcvGroupEvent: .newMemberPendingReview), to: chat, from: host, at: message.time)
    }
    emit(
      .joinedGroupMemberConnecting(
        user: chat.user, groupInfo: chat.group, hostMember: host,
        member: try rows.member(member.groupMemberId, of: chat.user)))
    return Audience(member)
  }

  /// Whether a member who is introduced was removed before.
  private func wasRemoved(_ info: MemberInfo, in chat: GroupChat) throws -> Bool {
    guard let role = try rows.decisions(about: info.memberId.text, inGroup: chat.group.groupId).removedBy else {
      return false
    }
    return role >= info.memberRole
  }

  /// What was decided about a member who is introduced now; it does not count again.
  private func takeDecisions(about id: String, in chat: GroupChat) throws -> EarlyDecisions {
    let decisions = try rows.decisions(about: id, inGroup: chat.group.groupId)
    try rows.removeAppliedDecisions(about: id, inGroup: chat.group.groupId)
    return decisions
  }

  /// Creates a member with the role and the blocking that were decided before.
  private func create(_ member: NewMember, isBlocked: Bool = false, in chat: GroupChat) throws -> Int64 {
    let decisions = try takeDecisions(about: member.memberId, in: chat)
    var member = member
    member.isBlocked = decisions.isBlocked(isBlocked, role: member.role)
    member.role = decisions.role(of: member.role)
    return try rows.createMember(member, of: chat.user)
  }

  private func announce(
    _ info: MemberInfo, by host: GroupMember, _ status: GroupMemberStatus, in chat: GroupChat
  ) throws -> GroupMember {
    var new = NewMember(info, in: chat.group, category: .postMember, status: status)
    new.invitedByMember = host.groupMemberId
    return try rows.member(try create(new, in: chat), of: chat.user)
  }

  /// Handles that two members are connected.
  func handleConnected(_ member: GroupMember, with id: MemberId, in chat: GroupChat) throws {
    guard let other = try rows.memberRecord(sharedId: id.text, ofGroup: chat.group.groupId) else {
      throw StoreError.groupMemberNotFoundByMemberId(memberId: id.text)
    }
    if !other.memberGone { try rows.setConnected(member, with: other) }
  }

  /// Throws if a member may not bring in one with this role.
  private func requireHost(_ host: GroupMember, for role: GroupMemberRole, in chat: GroupChat) throws {
    guard host.memberRole >= chat.group.rights.toBringIn(as: role) else {
      throw ChatErrorType.groupContactRole(contactName: host.localDisplayName)
    }
  }
}

extension NewMember {
  /// The member that another one described.
  init(_ info: MemberInfo, in group: GroupInfo, category: GroupMemberCategory, status: GroupMemberStatus) {
    self.init(
      groupId: group.groupId,
      identity: .profile(group.withoutForbiddenLinks(info.profile.withValidName, role: info.memberRole)),
      memberId: info.memberId.text,
      role: info.memberRole,
      category: category, status: status,
      versions: info.v.map { ChatAPI.VersionRange($0) } ?? ChatAPI.VersionRange(1, 1))
    publicKey = info.memberKey?.text
  }
}

extension Profile {
  /// Whether it is so long that its size has to be looked at.
  fileprivate var mayBeTooLong: Bool {
    image != nil || displayName.utf8.count + fullName.utf8.count + (shortDescr?.utf8.count ?? 0) > 1_000
  }
}
