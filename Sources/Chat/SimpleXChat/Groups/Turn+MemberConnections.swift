import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes

// Events of the agent about connections of members.

extension Turn {
  /// Handles an event of a member's connection.
  func handleMember(
    _ kind: AgentEvent.Kind, over context: ConnectionContext, of member: GroupMember, in group: GroupInfo
  ) throws {
    var (context, member) = (context, member)
    let before = context.connection.connStatus
    if let status = status(after: kind, context.connection) {
      try rows.setStatus(status, ofConnection: context.connection.connId)
      context = try self.context(context.id)
      member.activeConn = context.connection
    }
    let chat = GroupChat(user: context.user, group: group)
    switch kind {
    case .created(let link): try created(link, member, in: chat)
    case .confirmation(let confirmation, let pqSupport, _, let info):
      try memberConfirmed(context, confirmation, pqSupport: pqSupport, info: info, of: member, in: chat)
    case .information(let pqSupport, let info):
      try memberInformed(context, pqSupport: pqSupport, info, of: member, in: chat)
    case .connected(let pq):
      if pq { try rows.setPQEnabled(sending: true, receiving: true, ofConnection: context.connection.connId) }
      try memberConnected(member, in: chat)
    case .joined(let isSecured):
      let isFirst = try finishJoining(context, from: before)
      try rows.setLinkStarted(by: context.connection.connId)
      // The command that joins was interrupted, or failed.
      if isFirst, member.memberCategory == .hostMember { try answerInvitation(.accepted, to: chat) }
      if isFirst, isSecured, context.connection.connChatVersion >= Int(ChatVersion.batches) {
        try welcomeCustomer(member, in: chat)
      }
    case .sent(let message, let proxy):
      try continueSending(context)
      try setStatus(.sent, of: [message], member, in: chat, viaProxy: proxy != nil)
      try sendPending(to: try rows.member(member.groupMemberId, of: chat.user), of: chat.user)
    case .queueContinues:
      try continueSending(context)
      try sendPending(to: try rows.member(member.groupMemberId, of: chat.user), of: chat.user)
    case .messageWarning(let message, let error):
      try setStatus(.warning(agentError: SndError(error)), of: [message], member, in: chat)
      try noteQuota(context, error, isGivenUp: false)
    case .messageFailed(let message, let error):
      try setStatus(.error(agentError: SndError(error)), of: [message], member, in: chat)
      try noteFailure(context, error)
    case .messagesFailed(let messages, let error):
      try setStatus(.error(agentError: SndError(error)), of: messages, member, in: chat)
      emit(failure(error, context))
    case .switched(let direction, let phase, let stats):
      try memberSwitched(member, in: chat, direction: direction, phase: phase, stats: stats)
    case .ratchetSync(let state, let error, let stats):
      try memberSynchronized(context, member, in: chat, state: state, error: error, stats: stats)
    case .failed(.peer(.duplicate(let dropped?))):
      try addItem(
        .rcvMsgError(rcvMsgError: .dropped(attempts: Int(clamping: dropped.attempts))), to: chat, from: member,
        at: Date(timeIntervalSince1970: Double(dropped.relayTime)))
    case .failed(let error):
      if case .failed = context.connection.connStatus {
        _ = try finishJoining(context.connection.agentConnId)
        if member.memberCategory == .hostMember { try returnInvitation(to: chat) }
        emit(.groupMemberUpdated(user: chat.user, groupInfo: group, fromMember: member, toMember: member))
      }
      emit(failure(error, context))
    case .subscriptionEnded: emit(.subscriptionEnd(user: context.user, connectionEntity: context.entity))
    // The results of asynchronous commands for which no caller waits.
    case .done, .linkSet, .linkData: break
    // Handled before, or never about a member.
    case .request, .message, .received, .queueDeleted, .serverConnected, .serverDisconnected, .down, .up,
      .receiveQueuesDeleted, .connectionsDeleted, .userDeleted, .connectionsFailed, .suspended, .stuck,
      .fileReceiveProgress, .fileReceived, .fileReceiveWarning, .fileReceiveFailed, .fileSendProgress, .fileSent,
      .fileSendWarning, .fileSendFailed, .notifiedMessageHandled:
      break
    }
  }

  // MARK: Connecting

  /// The link of a connection with a member was created: the member is sent it.
  private func created(_ link: CreatedLink, _ member: GroupMember, in chat: GroupChat) throws {
    guard let connection = member.activeConn, try finishJoining(connection.agentConnId) else { return }
    switch member.memberCategory {
    case _ where member.memberGone: break
    case .inviteeMember:
      try rows.setInvitation(link.full.text, ofMember: member.groupMemberId)
      guard let contact = member.memberContactId else { return }
      // The contact may be gone. The link is there all the same: it would be created again with each start.
      try reportingErrors {
        try sendInvitation(to: try rows.contact(contact, of: chat.user), as: member, link: link.full, in: chat)
      }
    case .preMember:
      guard let id = MemberId(text: member.memberId) else { return }
      let host = try rows.hostMember(ofGroup: chat.group.groupId, of: chat.user)
      notifyHost(
        host.groupMemberId,
        .grpMemInv(memberId: id, memberIntro: IntroInvitation(groupConnReq: link.full)), of: chat)
      try rows.setStatus(.memIntroInvited, ofMember: member.groupMemberId)
    case .userMember, .hostMember, .postMember: break
    }
  }

  private func memberConfirmed(
    _ context: ConnectionContext, _ confirmation: ConfirmationID, pqSupport: Bool, info: [UInt8],
    of member: GroupMember, in chat: GroupChat
  ) throws {
    let message = try parse(info, context)
    let connection = try updateVersions(
      try withoutPQ(context.connection, unless: pqSupport), message.chatVRange)
    switch (member.memberCategory, message.event) {
    // The connection of a member who is gone is being deleted.
    case (.inviteeMember, _) where member.memberGone, (.preMember, _) where member.memberGone,
      (.postMember, _) where member.memberGone:
      break
    case (.inviteeMember, .grpAcpt(let id)) where id.text == member.memberId:
      try rows.setStatus(.memAccepted, ofMember: member.groupMemberId)
      try command(.allow(confirmation, info: try connectionInfo(.ok, connection)), for: connection.agentConnId)
    case (.inviteeMember, _): reportError("CONF from invited member must have x.grp.acpt", in: chat)
    case (.preMember, .grpMemInfo(let id, _)), (.postMember, .grpMemInfo(let id, _)):
      guard id.text == member.memberId else {
        return reportError("x.grp.mem.info: memberId is different from expected", in: chat)
      }
      try command(
        .allow(confirmation, info: try connectionInfo(try ownInfo(chat), connection)), for: connection.agentConnId)
    case (.hostMember, .grpLinkInv(let answer)) where chat.group.topology == .channel:
      try acceptedByRelay(answer, confirmation: confirmation, over: connection, relay: member, in: chat)
    case (.hostMember, .grpLinkInv(let answer)):
      try acceptedByHost(answer, context, confirmation: confirmation, prepared: chat)
    case (.hostMember, .grpLinkReject(let answer)) where chat.group.topology != .channel:
      try rejectedByHost(answer, context, confirmation: confirmation, prepared: chat)
    case (.hostMember, _):
      reportError("CONF from host member in prepared group must have x.grp.link.inv or x.grp.link.reject", in: chat)
    default: reportError("CONF from member must have x.grp.mem.info", in: chat)
    }
  }

  private func memberInformed(
    _ context: ConnectionContext, pqSupport: Bool, _ info: [UInt8], of member: GroupMember, in chat: GroupChat
  ) throws {
    let message = try parse(info, context)
    _ = try updateVersions(try withoutPQ(context.connection, unless: pqSupport), message.chatVRange)
    switch message.event {
    case .grpMemInfo(let id, _):
      if id.text != member.memberId { reportError("x.grp.mem.info: memberId is different from expected", in: chat) }
    case .info where member.memberStatus == .memRejected: try forgetRejected(member, in: chat)
    case .info, .ok: break
    default: reportError("INFO from member must have x.grp.mem.info, x.info or x.ok", in: chat)
    }
  }

  /// The user as member, for another member on connecting.
  func ownInfo(_ chat: GroupChat) throws -> ChatMessageEvent {
    let membership = chat.group.membership
    guard let id = MemberId(text: membership.memberId) else {
      throw ChatError.error(errorType: .groupInternal(message: "member identifier"))
    }
    return .grpMemInfo(
      memberId: id, profile: chat.group.redacted(membership.memberProfile.shared, of: membership))
  }

  /// The connection with a member is established.
  private func memberConnected(_ member: GroupMember, in chat: GroupChat) throws {
    let membership = chat.group.membership
    switch (member.memberStatus, membership.memberStatus) {
    // The host keeps nothing of who was rejected.
    case (_, .memRejected): return try deleteConnection(of: member, waitForDelivery: true)
    case (let status, _) where status.isGone: return
    default: break
    }
    try sendPending(to: member, of: chat.user)
    if chat.group.chatSettings.enableNtfs == .none, let connection = member.activeConn {
      try command(.setNotifications(false), for: connection.agentConnId)
    }
    if !member.memberPending { try rows.setStatus(.memConnected, ofMember: member.groupMemberId) }
    switch member.memberCategory {
    case .hostMember where chat.group.topology == .channel: try joinedChannel(by: member.groupMemberId, in: chat)
    case .hostMember: try joinedGroup(by: member.groupMemberId, in: chat)
    case .inviteeMember: try inviteeConnected(member.groupMemberId, in: chat)
    case .preMember, .postMember, .userMember:
      let connected = try rows.member(member.groupMemberId, of: chat.user)
      try addItem(.rcvGroupEvent(rcvGroupEvent: .memberConnected), to: chat, from: connected)
      emit(.connectedToGroupMember(user: chat.user, groupInfo: chat.group, member: connected))
      if connected.memberCategory == .preMember { try probe(.member(connected, chat.group), of: chat.user) }
      try reportConnected(connected, in: chat)
    }
  }

  /// The user is a member now.
  private func joinedGroup(by host: Int64, in chat: GroupChat) throws {
    if !chat.group.membership.memberPending {
      try rows.setStatus(.memConnected, ofMember: chat.group.membership.groupMemberId)
    }
    let chat = try reloaded(chat)
    let host = try rows.member(host, of: chat.user)
    emit(.userJoinedGroup(user: chat.user, groupInfo: chat.group, hostMember: host))
    try addItem(.rcvGroupE2EEInfo(e2eeInfo: E2EEInfo(pqEnabled: false)), to: chat, from: host)
    if chat.group.preparedGroup == nil {
      try addItems(GroupFeatureItems.initial(chat.group.fullGroupPreferences, isSent: false), to: chat, from: host)
    }
    try addItem(.rcvGroupEvent(rcvGroupEvent: .memberConnected), to: chat, from: host)
    if !chat.group.membership.memberPending { try welcome(by: host, in: chat) }
  }

  /// A member who was invited by the user is connected: the others get to know it.
  private func inviteeConnected(_ id: Int64, in chat: GroupChat) throws {
    let chat = try reloaded(chat)
    let member = try rows.member(id, of: chat.user)
    try addItem(.rcvGroupEvent(rcvGroupEvent: .memberConnected), to: chat, from: member)
    if member.memberPending {
      try addItem(.rcvGroupEvent(rcvGroupEvent: .newMemberPendingReview), to: chat, from: member)
    }
    emit(
      .joinedGroupMember(
        user: chat.user, groupInfo: try reloaded(chat).group, member: try rows.member(id, of: chat.user)))
    if let connection = member.activeConn, connection.viaUserContactLink != nil, member.memberContactId == nil {
      let membership = chat.group.membership
      try send(
        [.grpLinkMem(chat.group.redacted(membership.memberProfile.shared, of: membership))], over: connection)
    }
    if let connection = member.activeConn, connection.connChatVersion < Int(ChatVersion.batches) {
      try welcomeCustomer(member, in: chat)
    }
    switch member.memberStatus {
    case .memPendingApproval: break
    case .memPendingReview: try startReview(of: member, in: chat)
    default:
      try admit(member, in: chat)
      try sendMissedGroupProfile(to: member, in: chat)
    }
  }

  /// Tells the member who introduced the user and this one that they are connected.
  private func reportConnected(_ member: GroupMember, in chat: GroupChat) throws {
    let host =
      member.memberCategory == .preMember
      ? chat.group.membership.invitedByGroupMemberId : member.invitedByGroupMemberId
    guard let host, let id = MemberId(text: member.memberId) else { return }
    guard try rows.memberIfPresent(host, of: chat.user)?.sendingConnection != nil else { return }
    notifyHost(host, .grpMemCon(memberId: id), of: chat)
  }

  /// Reports a message of a member that is not allowed.
  func reportError(_ reason: String, in chat: GroupChat) {
    emit(.messageError(user: chat.user, severity: "error", errorMessage: reason))
  }

  // MARK: The state of connections

  private func memberSwitched(
    _ member: GroupMember, in chat: GroupChat, direction: AgentQueueDirection, phase: AgentSwitchPhase,
    stats: AgentConnectionStats
  ) throws {
    let phase = SwitchPhase(phase)
    emit(
      .groupMemberSwitch(
        user: chat.user, groupInfo: chat.group, member: member,
        switchProgress: SwitchProgress(
          queueDirection: QueueDirection(direction), switchPhase: phase, connectionStats: ConnectionStats(stats))))
    guard phase == .started || phase == .completed else { return }
    if direction == .receive {
      try addItem(
        .sndConnEvent(sndConnEvent: .switchQueue(phase: phase, member: member.ref)), to: try place(of: member, in: chat)
      )
    } else {
      try addItem(.rcvConnEvent(rcvConnEvent: .switchQueue(phase: phase)), to: chat, from: member)
    }
  }

  private func memberSynchronized(
    _ context: ConnectionContext, _ member: GroupMember, in chat: GroupChat, state: AgentRatchetSyncState,
    error: AgentError?, stats: AgentConnectionStats
  ) throws {
    try rows.setSendingProhibited(state.prohibitsSending, ofConnection: context.connection.connId)
    let state = RatchetSyncState(state)
    let failure = state == .required || state == .allowed ? error.flatMap { DecryptionFailure($0) } : nil
    if let failure {
      let place = try place(of: member, in: chat)
      let last = try rows.lastItem(in: place.chat, from: member.groupMemberId, of: chat.user)
      if try count(failure, in: last, at: place.chat, place.info, of: chat.user) { return }
    }
    emit(
      .groupMemberRatchetSync(
        user: chat.user, groupInfo: chat.group, member: member,
        ratchetSyncProgress: RatchetSyncProgress(ratchetSyncStatus: state, connectionStats: ConnectionStats(stats))))
    if let failure {
      try addItem(
        .rcvDecryptionError(msgDecryptError: failure.kind, msgCount: failure.count), to: chat, from: member)
      return
    }
    let isReset = state == .agreed && context.connection.connectionCode != nil
    if isReset { try rows.setVerified(code: nil, ofConnection: context.connection.connId) }
    try addItem(.rcvConnEvent(rcvConnEvent: .ratchetSync(syncStatus: state)), to: chat, from: member)
    if isReset {
      let changed = try rows.member(member.groupMemberId, of: chat.user)
      emit(.terminalEvent(.groupMemberVerificationReset(user: chat.user, groupInfo: chat.group, member: changed)))
      try addItem(.rcvConnEvent(rcvConnEvent: .verificationCodeReset), to: chat, from: member)
    }
  }
}
