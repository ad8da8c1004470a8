import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SimplexCrypto

// Groups: making, joining, leaving, changing and deleting them.

extension ChatController {
  func performGroups(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiNewGroup(let id, let incognito, let profile):
      let user = try runningUser(id)
      try Self.checkName(profile.displayName)
      return try turn { turn in
        .response2(.groupCreated(user: user, groupInfo: try turn.createGroup(profile, incognito: incognito, of: user)))
      }
    case .apiJoinGroup(let id):
      return try await joinGroup(id)
    case .apiLeaveGroup(let id):
      try await finishIntroductions(inGroup: id)
      return try turn(inGroup: id) { turn, chat in
        .response2(.leftMemberUser(user: chat.user, groupInfo: try turn.leave(chat)))
      }
    case .apiUpdateGroupProfile(let id, let profile):
      let user = try runningUser()
      let old = try store.read { try $0.group(id, of: user) }
      if profile.displayName != old.groupProfile.displayName { try Self.checkName(profile.displayName) }
      return try turn { turn in
        let chat = try turn.groupChat(id, of: user)
        return .response2(
          .groupUpdated(user: user, fromGroup: chat.group, toGroup: try turn.changeProfile(of: chat, to: profile)))
      }
    case .apiGroupInfo(let id):
      let user = try currentUser()
      return .response0(.groupInfo(user: user, groupInfo: try store.read { try $0.group(id, of: user) }))
    case .apiListGroups(let id, let contact, let search):
      let user = try currentUser(id)
      let groups = try store.read { try $0.groups(of: user, contact: contact, search: search) }
      return .response2(.groupsList(user: user, groups: groups))
    case .apiSetGroupAlias(let id, let alias):
      let user = try runningUser()
      return try turn { turn in
        .response1(.groupAliasUpdated(user: user, toGroup: try turn.rows.setAlias(alias, ofGroup: id, of: user)))
      }
    case .apiSetGroupCustomData(let id, let data):
      let user = try runningUser()
      try turn { turn in
        _ = try turn.rows.group(id, of: user)
        try turn.rows.setCustomData(data, of: ChatRef(chatType: .group, chatId: id), of: user)
      }
      return .done(user)
    default: return nil
    }
  }

  /// Joins a group by the invitation that was received. If it fails, the invitation may be used again; if the program
  /// ends or closes its databases meanwhile, it continues with the next start.
  /// - Parameter isMuted: whether the group notifies of nothing.
  func joinGroup(_ id: Int64, isMuted: Bool = false) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    return try await locked(.invitation(group: id)) { () throws(ChatError) in
      let joining = try turn { turn in
        let chat = try turn.groupChat(id, of: user)
        if isMuted {
          var settings = chat.group.chatSettings
          settings.enableNtfs = .none
          try turn.rows.setSettings(settings, of: chat.mainChat, of: user)
        }
        return try turn.prepareToJoin(chat)
      }
      let isSecured: Bool
      do throws(ChatError) {
        isSecured = try await join(
          joining.connection, joining.request, info: joining.info, followUp: joining.followUp, of: user)
      } catch {
        try turn { turn in
          // If the agent continues, an event tells how it ends.
          guard try !turn.isJoining(joining.connection.agentConnId) else { return }
          try turn.returnInvitation(to: try turn.groupChat(id, of: user))
        }
        throw error
      }
      return try turn { turn in
        _ = try turn.finishJoining(joining.connection.agentConnId)
        if isSecured { _ = try turn.rows.setStatus(of: joining.connection, from: .new, to: .sndReady) }
        let chat = try turn.groupChat(id, of: user)
        try turn.answerInvitation(.accepted, to: chat)
        // The state that the command made; the host may have answered already.
        var group = chat.group
        group.membership.memberStatus = .memAccepted
        return .response2(.userAcceptedGroupSent(user: user, groupInfo: group))
      }
    }
  }

  /// Finishes what is under way for newcomers and new moderators (introductions, and what waited for them), before the
  /// user leaves: nobody else continues it. Each turn does a part of an existing job, so the program may end between
  /// turns.
  private func finishIntroductions(inGroup id: Int64) async throws(ChatError) {
    let user = try runningUser()
    let group = try store.read { try $0.group(id, of: user).groupId }
    // A limit for those who are let in meanwhile: however many they are, the user can leave.
    for _ in 0..<10 {
      let jobs = try store.read { try $0.jobsTellingMembers(ofGroup: group) }
      guard !jobs.isEmpty else { return }
      for (kind, subject) in jobs {
        while let job = try store.read({ try $0.job(kind, about: subject) }) {
          try turn { _ = try $0.work(on: job) }
          await Task.yield()
        }
      }
    }
  }

  /// Deletes a group; its owner deletes it for everybody.
  func deleteGroup(_ id: Int64) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    return try turn { turn in
      let group = try turn.rows.group(id, of: user)
      try turn.delete(GroupChat(user: user, group: group))
      turn.purgeSoon()
      return .response1(.groupDeletedUser(user: user, groupInfo: group))
    }
  }
}

extension Turn {
  /// Sends the group's profile to a member who joined by an invitation, if the group was changed since: a change of the
  /// profile is not sent to those who are only invited. A no-op where the user is not an owner.
  func sendMissedGroupProfile(to member: GroupMember, in chat: GroupChat) throws {
    guard chat.group.membership.memberRole == .owner, member.activeConn?.viaUserContactLink == nil,
      try rows.hasChangedProfile(ofGroupOf: member)
    else { return }
    try reportingErrors { _ = try sendGroupProfile(chat.group.groupProfile, to: [member], in: chat) }
  }

  /// Sends a group's profile to members; only its preferences in a chat with a business.
  private func sendGroupProfile(
    _ profile: GroupProfile, to members: [GroupMember], in chat: GroupChat
  ) throws -> SharedMsgId {
    try chat.group.businessChat.map { try sendPreferences(of: $0, profile, to: members, in: chat) }
      ?? send(.grpInfo(profile), to: members, of: chat.group)
  }

  fileprivate func createGroup(_ profile: GroupProfile, incognito: Bool, of user: User) throws -> GroupInfo {
    let shown = incognito ? Profile.random() : nil
    let id = try rows.createGroup(profile: profile, of: user)
    var random = SystemRandom()
    var membership = NewMember(
      groupId: id, identity: .user(incognito: try shown.map { try rows.createIncognitoProfile($0, of: user) }),
      memberId: MemberId(random: random.bytes(12)).text, role: .owner, category: .userMember, status: .memCreator,
      versions: ChatAPI.VersionRange(environment.options.chatVersions))
    membership.invitedBy = .user
    try rows.setMembership(try rows.createMember(membership, of: user), host: nil, ofGroup: id)
    let chat = try groupChat(id, of: user)
    try addBanner(to: chat)
    try addItem(.sndGroupE2EEInfo(e2eeInfo: E2EEInfo(pqEnabled: false)), to: chat)
    try addItems(GroupFeatureItems.initial(chat.group.fullGroupPreferences, isSent: true), to: chat)
    return try rows.group(id, of: user)
  }

  fileprivate func leave(_ chat: GroupChat) throws -> GroupInfo {
    let membership = chat.group.membership
    let members = try rows.members(ofGroup: chat.group.groupId)
    let id = try send(
      .grpLeave, to: members.filter { chat.group.isRecipient($0, includingPending: true) }, of: chat.group)
    try addItem(
      .sndGroupEvent(sndGroupEvent: .userLeft),
      to: membership.memberPending ? try supportChat(of: nil, in: chat) : chat, sharedMsgId: id.text)
    try deleteLink(of: chat.group)
    try deleteConnections(of: chat, waitForDelivery: true)
    try rows.setStatus(.memLeft, ofMember: membership.groupMemberId)
    return try rows.group(chat.group.groupId, of: chat.user)
  }

  fileprivate func changeProfile(of chat: GroupChat, to profile: GroupProfile) throws -> GroupInfo {
    try chat.group.require(chat.group.rights.toChangeGroup)
    let old = chat.group
    var chat = chat
    chat.group = try rows.updateProfile(of: old, to: profile, of: chat.user)
    let members = try rows.members(ofGroup: old.groupId).filter { old.isRecipient($0, includingPending: true) }
    let id = try sendGroupProfile(profile, to: members, in: chat)
    try updateLinkData(of: chat.group)
    if old.groupProfile.differs(from: profile) {
      try addItem(.sndGroupEvent(sndGroupEvent: .groupUpdated(groupProfile: profile)), to: chat, sharedMsgId: id.text)
    }
    for content in GroupFeatureItems.changed(
      from: old.fullGroupPreferences, to: chat.group.fullGroupPreferences, isSent: true)
    {
      try addItem(content, to: chat)
    }
    return chat.group
  }

  fileprivate func delete(_ chat: GroupChat) throws {
    let membership = chat.group.membership
    let isOwner = membership.memberRole == .owner
    guard isOwner || !membership.memberCurrent else {
      throw ChatErrorType.groupUserRole(groupInfo: chat.group, requiredRole: .owner)
    }
    try withdrawAll(from: chat.mainChat)
    if isOwner, membership.memberActive {
      let topology = chat.group.topology
      let members = try rows.members(ofGroup: chat.group.groupId)
      try send(
        .grpDel, to: members.filter { topology.connects(membership.memberRole, with: $0.memberRole) }, of: chat.group)
    }
    try deleteLink(of: chat.group)
    try declineInvitation(to: chat)
    // Who left, or forwards that the group is deleted, may still be saying so.
    let hasSaidSo = [.memLeft, .memGroupDeleted].contains(membership.memberStatus)
    try deleteGroup(chat, waitForDelivery: isOwner || hasSaidSo)
  }
}
