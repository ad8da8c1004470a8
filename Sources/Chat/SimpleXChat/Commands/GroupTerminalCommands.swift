import ChatAPI
import ChatLogic
import ChatStore

// What people type about groups: names become numbers, and the command of the API follows.

extension ChatController {
  func groupCommand(_ typed: TerminalCommand) throws(ChatError) -> ChatCommand? {
    switch typed {
    case .newGroup(let incognito, let profile):
      return .apiNewGroup(
        userId: try runningUser().userId, incognito: incognito, groupProfile: GroupProfile(new: profile))
    case .addMember(let group, let contact, let role):
      return .apiAddMember(groupId: try groupID(group), contactId: try contactID(contact), memberRole: role)
    case .joinGroup(let group, false): return .apiJoinGroup(groupId: try groupID(group))
    case .leaveGroup(let group): return .apiLeaveGroup(groupId: try groupID(group))
    case .deleteGroup(let group):
      return .apiDeleteChat(type: .group, id: try groupID(group), chatDeleteMode: .full(notify: true))
    case .clearGroup(let group): return .apiClearChat(type: .group, id: try groupID(group))
    case .listMembers(let group): return .apiListMembers(groupId: try groupID(group))
    case .listGroups(let contact, let search):
      return .apiListGroups(
        userId: try currentUser().userId,
        contactId: try contact.map { (name) throws(ChatError) in try contactID(name) },
        search: search)
    case .showGroupInfo(let group): return .apiGroupInfo(groupId: try groupID(group))
    case .memberRole(let group, let name, let role):
      let (id, member) = try memberID(name, group)
      return .apiMembersRole(groupId: id, memberIds: [member], memberRole: role)
    case .removeMembers(let group, let names, let withMessages):
      let id = try groupID(group)
      let members = try names.map { (name) throws(ChatError) in try memberID(name, group).member }
      return .apiRemoveMembers(groupId: id, memberIds: members, withMessages: withMessages)
    case .blockForAll(let group, let name): return try blockCommand(group, name, blocks: true)
    case .unblockForAll(let group, let name): return try blockCommand(group, name, blocks: false)
    case .blockMember(let group, let name): return try showCommand(group, name, shows: false)
    case .unblockMember(let group, let name): return try showCommand(group, name, shows: true)
    case .updateGroupNames(let group, let profile):
      return try groupProfileCommand(group) {
        $0.displayName = profile.displayName
        $0.fullName = ""
        $0.shortDescr = profile.shortDescr
      }
    case .updateGroupDescription(let group, let text):
      return try groupProfileCommand(group) { $0.description = text }
    case .deleteGroupDescription(let group): return try groupProfileCommand(group) { $0.description = nil }
    case .setGroupFeature(let feature, let group, let enabled, let role):
      return try groupProfileCommand(group) { $0.set(feature, enabled, role: role) }
    case .setGroupTimedMessages(let group, let seconds):
      return try groupProfileCommand(group) { profile in
        var preferences = toGroupPreferences(FullGroupPreferences(filling: profile.groupPreferences))
        preferences.timedMessages = TimedMessagesGroupPreference(
          enable: seconds == nil ? .off : .on, ttl: seconds ?? preferences.timedMessages?.ttl)
        profile.groupPreferences = preferences
      }
    case .setGroupMemberAdmissionReview(let group, let criteria):
      return try groupProfileCommand(group) { $0.memberAdmission = GroupMemberAdmission(review: criteria) }
    case .createGroupLink(let group, let role):
      return .apiCreateGroupLink(groupId: try groupID(group), memberRole: role)
    case .groupLinkMemberRole(let group, let role):
      return .apiGroupLinkMemberRole(groupId: try groupID(group), memberRole: role)
    case .deleteGroupLink(let group): return .apiDeleteGroupLink(groupId: try groupID(group))
    case .showGroupLink(let group): return .apiGetGroupLink(groupId: try groupID(group))
    default: return try memberCommand(typed)
    }
  }

  private func memberCommand(_ typed: TerminalCommand) throws(ChatError) -> ChatCommand? {
    switch typed {
    case .groupMemberInfo(let group, let name):
      let (id, member) = try memberID(name, group)
      return .apiGroupMemberInfo(groupId: id, groupMemberId: member)
    case .groupMemberQueueInfo(let group, let name):
      let (id, member) = try memberID(name, group)
      return .apiGroupMemberQueueInfo(groupId: id, groupMemberId: member)
    case .switchGroupMember(let group, let name):
      let (id, member) = try memberID(name, group)
      return .apiSwitchGroupMember(groupId: id, groupMemberId: member)
    case .abortSwitchGroupMember(let group, let name):
      let (id, member) = try memberID(name, group)
      return .apiAbortSwitchGroupMember(groupId: id, groupMemberId: member)
    case .syncGroupMemberRatchet(let group, let name, let force):
      let (id, member) = try memberID(name, group)
      return .apiSyncGroupMemberRatchet(groupId: id, groupMemberId: member, force: force)
    case .getGroupMemberCode(let group, let name):
      let (id, member) = try memberID(name, group)
      return .apiGetGroupMemberCode(groupId: id, groupMemberId: member)
    case .verifyGroupMember(let group, let name, let code):
      let (id, member) = try memberID(name, group)
      return .apiVerifyGroupMember(groupId: id, groupMemberId: member, connectionCode: code)
    case .enableGroupMember(let group, let name):
      let (id, member) = try memberID(name, group)
      return .apiEnableGroupMember(groupId: id, groupMemberId: member)
    case .sendGroupMessageQuote(let group, let name, let quoted, let text):
      let chat = ChatRef(chatType: .group, chatId: try groupID(group))
      let item = try groupItemID(quoted, in: chat, from: name, group)
      return try groupMessage(chat.chatId, group: group, text, quoted: item)
    case .forwardGroupMessage(let target, let group, let name, let text):
      guard let target = try chatRef(target) else { return nil }
      let source = ChatRef(chatType: .group, chatId: try groupID(group))
      return .apiForwardChatItems(
        toChatType: target.chatType, toChatId: target.chatId, toScope: nil, fromChatType: .group,
        fromChatId: source.chatId, fromScope: nil, itemIds: [try groupItemID(text, in: source, from: name, group)],
        ttl: nil)
    case .acceptMember(let group, let name, let role):
      let (id, member) = try memberID(name, group)
      return .apiAcceptMember(groupId: id, groupMemberId: member, memberRole: role)
    case .reportMessage(let group, let name, let reason, let text):
      let chat = ChatRef(chatType: .group, chatId: try groupID(group))
      return .apiReportMessage(
        groupId: chat.chatId, chatItemId: try groupItemID(text, in: chat, from: name, group), reportReason: reason,
        reportText: "")
    case .deleteMemberMessage(let group, let name, let text):
      let chat = ChatRef(chatType: .group, chatId: try groupID(group))
      return .apiDeleteMemberChatItem(
        groupId: chat.chatId, itemIds: [try groupItemID(text, in: chat, from: name, group)])
    default: return nil
    }
  }

  /// A message to a group; the members whose names it has after `@` are mentioned.
  func groupMessage(
    _ id: Int64, group: String, _ text: String, live: Bool = false, quoted: Int64? = nil
  ) throws(ChatError) -> ChatCommand {
    .apiSendMessages(
      type: .group, id: id, scope: nil, live: live, ttl: nil,
      composedMessages: [
        ComposedMessage(quotedItemId: quoted, msgContent: .text(text), mentions: try mentions(in: text, ofGroup: id))
      ])
  }

  /// A message to a member's support chat; without member to the user's own.
  func supportMessage(in group: String, with member: String?, _ text: String) throws(ChatError) -> ChatCommand {
    let id = try groupID(group)
    let member = try member.map { (name) throws(ChatError) in try memberID(name, group).member }
    return .apiSendMessages(
      type: .group, id: id, scope: .memberSupport(groupMemberId_: member), live: false, ttl: nil,
      composedMessages: [ComposedMessage(msgContent: .text(text), mentions: try mentions(in: text, ofGroup: id))])
  }

  /// The members of a group who have a support chat.
  func supportChats(ofGroup name: String) throws(ChatError) -> ChatResponse {
    let user = try currentUser()
    let id = try groupID(name)
    return try store.read {
      .response3(
        .memberSupportChats(
          user: user, groupInfo: try $0.group(id, of: user),
          members: try $0.members(ofGroup: id).filter { $0.supportChat != nil }))
    }
  }

  /// The members of a group that a text mentions, by their names: as many as a message may mention, the others are
  /// text.
  func mentions(in text: String, ofGroup id: Int64) throws(ChatError) -> [String: Int64] {
    let names = Markdown.mentionedNames(Markdown.parse(text) ?? [])
    guard !names.isEmpty else { return [:] }
    let user = try runningUser()
    return try store.read { transaction in
      var mentions: [String: Int64] = [:]
      for name in names where mentions.count < MentionNames.sentLimit {
        mentions[name] = try? transaction.memberID(displayName: name, ofGroup: id, of: user)
      }
      return mentions
    }
  }

  private func blockCommand(_ group: String, _ name: String, blocks: Bool) throws(ChatError) -> ChatCommand {
    let (id, member) = try memberID(name, group)
    return .apiBlockMembersForAll(groupId: id, memberIds: [member], blocked: blocks)
  }

  private func showCommand(_ group: String, _ name: String, shows: Bool) throws(ChatError) -> ChatCommand {
    let (id, member) = try memberID(name, group)
    let user = try runningUser()
    let found = try store.read { (try $0.group(id, of: user), try $0.member(member, ofGroup: id, of: user)) }
    // Who may block for all is expected to; `/_member settings` still hides a member from the user alone.
    if found.0.membership.memberRole >= .moderator {
      throw .error(
        errorType: .cantBlockMemberForSelf(groupInfo: found.0, member: found.1, setShowMessages: shows))
    }
    return .apiSetMemberSettings(
      groupId: id, groupMemberId: member, memberSettings: GroupMemberSettings(showMessages: shows))
  }

  private func groupProfileCommand(
    _ name: String, _ change: (inout GroupProfile) -> Void
  ) throws(ChatError) -> ChatCommand {
    let user = try runningUser()
    let id = try groupID(name)
    var profile = try store.read { try $0.group(id, of: user) }.groupProfile
    change(&profile)
    return .apiUpdateGroupProfile(groupId: id, groupProfile: profile)
  }

  // MARK: Names

  func groupID(_ name: String) throws(ChatError) -> Int64 {
    let user = try runningUser()
    return try store.read { try $0.groupID(named: name, of: user) }
  }

  func memberID(_ name: String, _ group: String) throws(ChatError) -> (group: Int64, member: Int64) {
    let user = try runningUser()
    let id = try groupID(group)
    return (id, try store.read { try $0.memberID(named: name, ofGroup: id, of: user) })
  }

  /// The newest item of a group whose text begins so, of one member or of anybody.
  private func groupItemID(
    _ text: String, in chat: ChatRef, from name: String?, _ group: String
  ) throws(ChatError) -> Int64 {
    let user = try runningUser()
    let member = try name.map { (name) throws(ChatError) in try memberID(name, group).member }
    return try store.read { transaction in
      // The user's own items have no member.
      let isOwn = member == (try transaction.group(chat.chatId, of: user)).membership.groupMemberId
      return try transaction.itemID(
        textPrefix: text, in: chat, sent: isOwn ? true : nil, member: isOwn ? nil : member, of: user)
    }
  }
}

extension GroupProfile {
  /// The profile of a group that somebody creates at a terminal: direct messages and history are on.
  init(new: NewProfile) {
    self.init(
      displayName: new.displayName, fullName: "", shortDescr: new.shortDescr,
      groupPreferences: GroupPreferences(
        directMessages: RoleGroupPreference(enable: .on), history: .on))
  }

  /// Turns a feature on or off, for members of a role.
  mutating func set(_ feature: GroupFeature, _ enabled: GroupFeatureEnabled, role: GroupMemberRole?) {
    var preferences = toGroupPreferences(FullGroupPreferences(filling: groupPreferences))
    let simple = GroupPreference(enable: enabled)
    let limited = RoleGroupPreference(enable: enabled, role: role)
    switch feature {
    case .timedMessages:
      preferences.timedMessages = TimedMessagesGroupPreference(enable: enabled, ttl: preferences.timedMessages?.ttl)
    case .directMessages: preferences.directMessages = limited
    case .fullDelete: preferences.fullDelete = limited
    case .reactions: preferences.reactions = simple
    case .voice: preferences.voice = limited
    case .files: preferences.files = limited
    case .simplexLinks: preferences.simplexLinks = limited
    case .reports: preferences.reports = simple
    case .history: preferences.history = simple
    case .support: preferences.support = simple
    case .sessions: preferences.sessions = limited
    case .comments:
      preferences.comments = CommentsGroupPreference(enable: enabled, duration: preferences.comments?.duration)
    case .signMessages: preferences.signMessages = simple
    }
    groupPreferences = preferences
  }
}
