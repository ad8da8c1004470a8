import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes

// Admission of those who join by a link: the host may have to approve them, moderators may have to review them. Until
// then a member has only its support chat and knows nobody but moderators.

extension GroupAcceptance {
  /// The status of a member whom the host answered so.
  func status(in profile: GroupProfile) -> GroupMemberStatus {
    switch self {
    case .pending: .memPendingApproval
    case .pendingReview: .memPendingReview
    case .accepted: profile.memberAdmission?.review == .all ? .memPendingReview : .memAccepted
    }
  }
}

extension Turn {
  /// Texts for members whose client does not know the event.
  private enum Notice {
    static let review = "Your request to join the group is reviewed by its moderators, please wait."
    static let accepted = "You were accepted to the group."
  }

  // MARK: The host

  /// Tells a member who joins that it is under review, and introduces it to moderators.
  func startReview(of member: GroupMember, in chat: GroupChat) throws {
    guard let id = MemberId(text: member.memberId), let connection = member.sendingConnection else { return }
    let event: ChatMessageEvent =
      member.supports(ChatVersion.messageScopes)
      ? .grpLinkAcpt(acceptance: .pendingReview, role: member.memberRole, memberId: id)
      : .msgNew(MsgContainer(content: .text(Notice.review)))
    try send([event], over: connection)
    try introduce(member, in: chat)
  }

  /// Introduces the members under review whose host the user is to moderators who do not know them yet; if they are
  /// many, some now and the others in later turns.
  func introduceMembersUnderReview(in chat: GroupChat) throws {
    let id = chat.group.groupId
    guard let last = try introduceSomeUnderReview(after: -1, in: chat) else { return }
    try later(.reviews, about: id, of: chat.user)
    // Also for a job that is under way: up to here all are introduced to the new moderator, the rest follows.
    try rows.setCursor(last, of: .reviews, about: id)
  }

  /// Introduces the next of the members under review; true where nothing is left.
  func isFinishedAfterIntroducingMembersUnderReview(inGroup id: Int64, _ job: ChatJob, _ user: User) throws -> Bool {
    let last = try introduceSomeUnderReview(after: job.cursor, in: try groupChat(id, of: user))
    if let last { try rows.setCursor(last, ofJob: job.id) }
    return last == nil
  }

  /// - Returns: the position in the group after which the rest comes; nil where nothing is left.
  private func introduceSomeUnderReview(after index: Int64, in chat: GroupChat) throws -> Int64? {
    let membership = chat.group.membership
    guard chat.group.userForwards, !membership.memberPending else { return nil }
    let limit = environment.options.membersPerTurn
    // Introducing one member to many moderators costs what introducing many to one does.
    var count = 0
    for member in try rows.membersUnderReview(ofGroup: chat.group.groupId, after: index, limit: limit) {
      count += member.ready ? max(1, try introduce(member, in: chat)) : 1
      if count >= limit { return member.indexInGroup }
    }
    return nil
  }

  /// Introduces a member to all whom it does not know yet, and sends it the history of the group. The customer of a
  /// business has seen all of it.
  func admit(_ member: GroupMember, in chat: GroupChat) throws {
    let seesHistory = chat.group.isOn(.history) && chat.group.businessChat?.isCustomer(member.memberId) != true
    try introduce(member, history: seesHistory, in: chat)
  }

  // MARK: Accepting

  /// Accepts a member: as its host, who lets moderators review it next, or as the moderator who reviewed it.
  func accept(_ id: Int64, as role: GroupMemberRole, in chat: GroupChat) throws -> ChatResponse {
    let member = try rows.member(id, ofGroup: chat.group.groupId, of: chat.user)
    try chat.group.require(chat.group.rights.toAdmit(as: role))
    switch member.memberStatus {
    case .memPendingApproval where member.memberCategory == .inviteeMember:
      guard let connection = member.sendingConnection, let shared = MemberId(text: member.memberId) else {
        throw ChatErrorType.groupMemberNotActive
      }
      if chat.group.groupProfile.memberAdmission?.review == .all {
        try rows.setStatus(.memPendingReview, ofMember: id)
        // The review of one who is not connected yet starts when it is.
        if member.ready { try startReview(of: try rows.member(id, of: chat.user), in: chat) }
        return .response2(
          .memberAccepted(
            user: chat.user, groupInfo: try reloaded(chat).group, member: try rows.member(id, of: chat.user)))
      }
      try send([.grpLinkAcpt(acceptance: .accepted, role: role, memberId: shared)], over: connection)
    case .memPendingReview:
      guard let shared = MemberId(text: member.memberId) else { throw ChatErrorType.groupMemberNotActive }
      try send(
        .grpLinkAcpt(acceptance: .accepted, role: role, memberId: shared),
        to: [member] + rows.moderators(ofGroup: chat.group.groupId).filter(\.memberCurrent), of: chat.group)
      if !member.supports(ChatVersion.messageScopes), let connection = member.sendingConnection {
        try send([.msgNew(MsgContainer(content: .text(Notice.accepted)))], over: connection)
      }
    default:
      throw ChatError.command("member should be pending approval and invitee, or pending review and not invitee")
    }
    let accepted = try setAccepted(member, as: role, in: chat)
    let chat = try reloaded(chat)
    try addItem(
      .sndGroupEvent(
        sndGroupEvent: .memberAccepted(groupMemberId: id, profile: accepted.memberProfile.shared)),
      to: try supportChat(of: accepted, in: chat))
    return .response2(
      .memberAccepted(
        user: chat.user, groupInfo: try reloaded(chat).group, member: try rows.member(id, of: chat.user)))
  }

  /// Stores that a member who waited is admitted, and shows it; its host introduces it to the others.
  private func setAccepted(_ member: GroupMember, as role: GroupMemberRole, in chat: GroupChat) throws -> GroupMember {
    let id = member.groupMemberId
    try rows.setRole(role, ofMember: id)
    try rows.setStatus(member.ready ? .memConnected : .memAnnounced, ofMember: id)
    let accepted = try rows.member(id, of: chat.user)
    let chat = try reloaded(chat)
    try tellFormerModerators(ofAccepted: member, as: role, in: chat)
    // One who is not connected yet is admitted when it is.
    if member.memberCategory == .inviteeMember, member.ready { try admit(accepted, in: chat) }
    try reportingErrors { try sendMissedProfile(to: accepted, in: chat) }
    try addItem(.rcvGroupEvent(rcvGroupEvent: .memberConnected), to: chat, from: accepted)
    return accepted
  }

  /// Tells former moderators, to whom a member was introduced for its review, that it is admitted. A no-op where the
  /// user is not its host, or may not give this role, which they would then refuse.
  private func tellFormerModerators(
    ofAccepted member: GroupMember, as role: GroupMemberRole, in chat: GroupChat
  ) throws {
    guard chat.group.membership.memberRole >= max(.moderator, role), let id = MemberId(text: member.memberId) else {
      return
    }
    try send(
      .grpLinkAcpt(acceptance: .accepted, role: role, memberId: id),
      to: try formerModerators(knowing: member, in: chat), of: chat.group)
  }

  // MARK: What moderators say

  /// Handles a decision of a moderator about a member who waits to be admitted, or about the user. The first one
  /// counts: of those who are admitted already, and of others, nothing changes.
  func handleAcceptance(
    _ acceptance: GroupAcceptance, of id: MemberId, as role: GroupMemberRole, by member: GroupMember,
    in chat: GroupChat, message: ReceivedMessage
  ) throws {
    guard member.memberCurrent, member.memberRole >= chat.group.rights.toAdmit(as: role) else {
      return reportError("x.grp.link.acpt with insufficient member permissions", in: chat)
    }
    if id.text == chat.group.membership.memberId {
      guard chat.group.membership.memberPending else { return }
      return try handleOwnAcceptance(acceptance, as: role, by: member, in: chat, message: message)
    }
    guard let subject = try rows.memberRecord(sharedId: id.text, ofGroup: chat.group.groupId) else {
      // Its host may introduce it later than the moderator accepts it.
      guard acceptance == .accepted else {
        return reportError("x.grp.link.acpt error: referenced member does not exist", in: chat)
      }
      return try keep(.accepted(as: role), aboutUnknown: id, by: member, in: chat)
    }
    guard acceptance == .accepted, subject.memberStatus == .memPendingReview else { return }
    let accepted = try setAccepted(subject, as: role, in: chat)
    let chat = try reloaded(chat)
    // Only moderators have support chats of others.
    if chat.group.membership.memberRole >= .moderator {
      try addItem(
        .rcvGroupEvent(
          rcvGroupEvent: .memberAccepted(
            groupMemberId: accepted.groupMemberId, profile: accepted.memberProfile.shared)),
        to: try supportChat(of: accepted, in: chat), from: member, sharedMsgId: message.sharedMsgId, at: message.time,
        forwardedBy: message.forwardedBy)
    }
    emit(
      .memberAcceptedByOther(
        user: chat.user, groupInfo: try reloaded(chat).group, acceptingMember: member,
        member: try rows.member(accepted.groupMemberId, of: chat.user)))
  }

  private func handleOwnAcceptance(
    _ acceptance: GroupAcceptance, as role: GroupMemberRole, by member: GroupMember, in chat: GroupChat,
    message: ReceivedMessage
  ) throws {
    let membership = chat.group.membership.groupMemberId
    switch acceptance {
    case .accepted:
      try rows.setRole(role, ofMember: membership)
      try rows.setStatus(.memConnected, ofMember: membership)
      let chat = try reloaded(chat)
      try addItem(.rcvGroupE2EEInfo(e2eeInfo: E2EEInfo(pqEnabled: false)), to: chat, from: member)
      if chat.group.preparedGroup == nil {
        try addItems(
          GroupFeatureItems.initial(chat.group.fullGroupPreferences, isSent: false), to: chat, from: member)
      }
      try welcome(by: member, in: chat)
      try addItem(.rcvGroupEvent(rcvGroupEvent: .userAccepted), to: chat, from: member)
      try addItem(
        .rcvGroupEvent(rcvGroupEvent: .userAccepted), to: try supportChat(of: nil, in: chat), from: member)
      emit(.userJoinedGroup(user: chat.user, groupInfo: try reloaded(chat).group, hostMember: member))
    case .pendingReview:
      try rows.setRole(role, ofMember: membership)
      try rows.setStatus(.memPendingReview, ofMember: membership)
      let chat = try supportChat(of: nil, in: try reloaded(chat))
      try addItem(.sndGroupEvent(sndGroupEvent: .userPendingReview), to: chat)
      emit(
        .memberAcceptedByOther(
          user: chat.user, groupInfo: chat.group, acceptingMember: member, member: chat.group.membership))
    case .pending: reportError("x.grp.link.acpt: unexpected group acceptance - pending approval", in: chat)
    }
  }

  /// Adds the welcome message of a group, unless it comes with the history.
  func welcome(by member: GroupMember, in chat: GroupChat) throws {
    let expectsHistory = chat.group.isOn(.history) && member.supports(ChatVersion.welcomeAfterHistory)
    guard !expectsHistory, chat.group.preparedGroup?.welcomeSharedMsgId == nil,
      let text = chat.group.groupProfile.description
    else { return }
    try addItem(.rcvMsgContent(msgContent: .text(text)), to: chat, from: member)
  }
}
