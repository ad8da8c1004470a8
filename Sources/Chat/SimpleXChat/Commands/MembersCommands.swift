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
      return try turn(inGroup: id) { turn, chat in
        let changed = try turn.setRole(role, of: members, in: chat)
        return .response2(.membersRoleUser(user: chat.user, groupInfo: chat.group, members: changed, toRole: role))
      }
    case .apiBlockMembersForAll(let id, let members, let blocks):
      return try turn(inGroup: id) { turn, chat in
        let changed = try turn.block(members, blocks, in: chat)
        return .response2(
          .membersBlockedForAllUser(user: chat.user, groupInfo: chat.group, members: changed, blocked: blocks))
      }
    case .apiRemoveMembers(let id, let members, let withMessages):
      return try turn(inGroup: id) { turn, chat in
        let removed = try turn.remove(members, withMessages: withMessages, in: chat)
        return .response2(
          .userDeletedMembers(
            user: chat.user, groupInfo: try turn.reloaded(chat).group, members: removed, withMessages: withMessages))
      }
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

  /// Handles a command about a group of the active user in one turn.
  func turn(
    inGroup id: Int64, _ body: (Turn, GroupChat) throws -> ChatResponse
  ) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    return try turn { turn in try body(turn, try turn.groupChat(id, of: user)) }
  }
}
