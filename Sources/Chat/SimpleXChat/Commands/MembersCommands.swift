import ChatAPI
import ChatLogic
import ChatStore

// Members of groups: inviting and removing them, roles, blocking, and their connections.

extension ChatController {
  func performMembers(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiAddMember(let id, let contactId, let role):
      return try turn(inGroup: id) { turn, chat in
        let contact = try turn.rows.contact(contactId, of: chat.user)
        let member = try turn.add(contact, as: role, to: chat)
        return .response2(
          .sentGroupInvitation(user: chat.user, groupInfo: chat.group, contact: contact, member: member))
      }
    case .apiListMembers(let id):
      let user = try currentUser()
      return .response2(
        .groupMembers(
          user: user,
          group: try store.read { Group(groupInfo: try $0.group(id, of: user), members: try $0.members(ofGroup: id)) }))
    case .apiMembersRole(let id, let members, let role):
      let changed = try await inParts(ofMembers: members, ofGroup: id) { turn, chat in
        _ = try turn.membersToChange(members, to: role, in: chat)
      } checkingPart: { turn, chat, part in
        // Whether those who are invited can be invited again shows when it is tried.
        let invited = try turn.membersToChange(part, to: role, in: chat).filter { $0.memberStatus == .memInvited }
        guard !invited.isEmpty else { return }
        try turn.rehearse { _ = try turn.setRole(role, of: invited.map(\.groupMemberId), in: chat) }
      } body: { turn, chat, part in
        (chat, try turn.setRole(role, of: part, in: chat))
      }
      return .response2(
        .membersRoleUser(
          user: changed.chat.user, groupInfo: changed.chat.group, members: changed.members, toRole: role))
    case .apiBlockMembersForAll(let id, let members, let blocks):
      let changed = try await inParts(ofMembers: members, ofGroup: id) { turn, chat in
        _ = try turn.membersToBlock(members, in: chat)
      } body: { turn, chat, part in
        (chat, try turn.block(part, of: members, blocks, in: chat))
      }
      return .response2(
        .membersBlockedForAllUser(
          user: changed.chat.user, groupInfo: changed.chat.group, members: changed.members, blocked: blocks))
    case .apiRemoveMembers(let id, let members, let withMessages):
      let removed = try await inParts(ofMembers: members, ofGroup: id) { turn, chat in
        _ = try turn.membersToRemove(members, in: chat)
      } body: { turn, chat, part in
        let removed = try turn.remove(part, withMessages: withMessages, in: chat)
        return (try turn.reloaded(chat), removed)
      }
      return .response2(
        .userDeletedMembers(
          user: removed.chat.user, groupInfo: removed.chat.group, members: removed.members,
          withMessages: withMessages))
    case .apiSetMemberSettings(let id, let memberId, let settings):
      return try turn(inGroup: id) { turn, chat in
        _ = try turn.rows.member(memberId, ofGroup: id, of: chat.user)
        try turn.rows.setSettings(settings, ofMember: memberId)
        try turn.updateNotifications(of: try turn.rows.member(memberId, of: chat.user), in: chat.group)
        return .done(chat.user)
      }
    case .apiEnableGroupMember(let id, let memberId):
      return try turn(inGroup: id) { turn, chat in
        let member = try turn.rows.member(memberId, ofGroup: id, of: chat.user)
        guard let connection = member.activeConn else { throw ChatErrorType.groupMemberNotActive }
        try turn.rows.setAuthorizationErrors(0, ofConnection: connection.connId)
        try turn.sendPending(to: try turn.rows.member(memberId, of: chat.user), of: chat.user)
        return .done(chat.user)
      }
    case .apiDeleteMemberChatItem(let id, let items):
      let user = try runningUser()
      let deletions = try await inParts(items, of: user) { turn, user, part in
        try turn.requireModeration(of: part, in: try turn.groupChat(id, of: user))
      } body: { turn, user, part in
        try turn.moderate(part, in: try turn.groupChat(id, of: user))
      }
      return .response1(.chatItemsDeleted(user: user, chatItemDeletions: deletions, byUser: true, timed: false))
    case .apiGetReactionMembers(let userId, let id, let item, let reaction):
      let user = try currentUser(userId)
      let members = try store.read {
        try $0.members(reactingWith: reaction, toItem: item, ofGroup: try $0.group(id, of: user), of: user)
      }
      return .response1(.reactionMembers(user: user, memberReactions: members))
    default: return nil
    }
  }

  /// Carries out a command about any number of members of a group of the active user: some of them in each turn.
  /// - Parameters:
  ///   - check: throws where the command must not begin, because of any of the members.
  ///   - checkPart: the same for some of them.
  ///   - body: handles some members; returns the group and them as they are then.
  private func inParts(
    ofMembers ids: [Int64], ofGroup id: Int64, checkingAll check: @escaping (Turn, GroupChat) throws -> Void,
    checkingPart checkPart: @escaping (Turn, GroupChat, [Int64]) throws -> Void = { _, _, _ in },
    body: (Turn, GroupChat, [Int64]) throws -> (GroupChat, [GroupMember])
  ) async throws(ChatError) -> (chat: GroupChat, members: [GroupMember]) {
    let user = try runningUser()
    var last: GroupChat?
    var isChecked = false
    let members = try await inParts(ids, of: user) { turn, user, part in
      let chat = try turn.groupChat(id, of: user)
      if !isChecked { try check(turn, chat) }
      isChecked = true
      try checkPart(turn, chat, part)
    } body: { turn, user, part in
      let (chat, members) = try body(turn, try turn.groupChat(id, of: user), part)
      last = chat
      return members
    }
    // At least one turn ran.
    guard let last else { throw .unsupported }
    return (last, members)
  }

  /// Handles a command about a group of the active user in one turn.
  func turn(
    inGroup id: Int64, _ body: (Turn, GroupChat) throws -> ChatResponse
  ) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    return try turn { turn in try body(turn, try turn.groupChat(id, of: user)) }
  }
}
