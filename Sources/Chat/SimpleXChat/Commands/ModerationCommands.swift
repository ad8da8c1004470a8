import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore

// Moderators and members: admission, members' support chats, reports.

extension ChatController {
  func performModeration(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiAcceptMember(let id, let member, let role):
      return try turn(inGroup: id) { turn, chat in try turn.accept(member, as: role, in: chat) }
    case .apiDeleteMemberSupportChat(let id, let memberId):
      return try turn(inGroup: id) { turn, chat in
        let member = try turn.rows.member(memberId, ofGroup: id, of: chat.user)
        guard member.supportChat != nil else { throw ChatError.command("member has no support chat") }
        guard !member.memberPending else { throw ChatError.command("member is pending") }
        try turn.deleteSupportChat(of: member)
        return .response2(
          .memberSupportChatDeleted(
            user: chat.user, groupInfo: try turn.reloaded(chat).group,
            member: try turn.rows.member(memberId, of: chat.user)))
      }
    case .apiReportMessage(let id, let item, let reason, let text):
      return try turn(inGroup: id) { turn, chat in
        try turn.report(item, .report(text: text, reason: reason), in: chat)
      }
    case .apiArchiveReceivedReports(let id):
      return try turn(inGroup: id) { turn, chat in
        let membership = chat.group.membership
        let items = try turn.rows.archiveReports(inGroup: id, by: membership.groupMemberId, at: turn.rows.now)
        return .response1(
          .groupChatItemsDeleted(
            user: chat.user, groupInfo: chat.group, chatItemIDs: items, byUser: true, member_: membership))
      }
    case .apiDeleteReceivedReports(let id, let items, let mode):
      return try turn(inGroup: id) { turn, chat in try turn.deleteReports(items, mode, in: chat) }
    default: return nil
    }
  }
}

extension Turn {
  /// Sends a report about an item of the main chat to moderators.
  fileprivate func report(_ item: Int64, _ content: MsgContent, in chat: GroupChat) throws -> ChatResponse {
    var conversation = try supportConversation(chat.group.groupId, with: nil, of: chat.user)
    conversation.isForReports = true
    guard chat.group.membership.memberRole < .moderator else {
      throw ChatError.command("feature not allowed \(GroupFeature.reports.coreText)")
    }
    let contents = [OutgoingContent(content: content, quotedItemId: item)]
    try conversation.check(contents)
    let items = try conversation.send(contents, live: false, ttl: nil, in: self)
    return .response1(.newChatItems(user: chat.user, chatItems: items))
  }

  /// Deletes reports that the user received: for the user, or for all moderators.
  fileprivate func deleteReports(
    _ ids: [Int64], _ mode: CIDeleteMode, in chat: GroupChat
  ) throws -> ChatResponse {
    let membership = chat.group.membership
    var reports: [(item: ChatItem, place: ChatRef)] = []
    for id in ids {
      let place = try rows.chat(ofItem: id, of: chat.user)
      guard place.chatType == .group, place.chatId == chat.group.groupId else {
        throw StoreError.chatItemNotFound(itemId: id)
      }
      let item = try rows.item(id, in: place, of: chat.user)
      guard !item.chatDir.sent, item.isReport else {
        throw ChatError.command("some items are not received reports")
      }
      reports.append((item, place))
    }
    var isBroadcast = false
    switch mode {
    case .cidmInternal, .cidmInternalMark: break
    case .history: throw ChatErrorType.invalidChatItemDelete
    case .cidmBroadcast:
      isBroadcast = true
      try chat.group.require(.moderator)
      let events = try reports.map { try moderation(of: $0.item, in: chat) }
      try send(
        events, to: try rows.moderators(ofGroup: chat.group.groupId).filter(\.memberCurrent), of: chat.group)
    }
    let removes = isBroadcast ? chat.group.isAllowed(.fullDelete, for: membership) : mode == .cidmInternal
    let moderator = isBroadcast ? membership.groupMemberId : nil
    var deletions: [ChatItemDeletion] = []
    for (item, place) in reports {
      let info = try rows.chatInfo(place, of: chat.user)
      switch (removes, moderator) {
      case (true, let moderator?):
        deletions += try moderate([item], by: moderator, at: rows.now, in: place, info: info, of: chat.user)
      case (true, nil): deletions += try delete([item], in: place, info: info, of: chat.user)
      case (false, _):
        deletions += try markDeleted([item], by: moderator, at: rows.now, in: place, info: info, of: chat.user)
      }
    }
    return .response1(
      .chatItemsDeleted(user: chat.user, chatItemDeletions: deletions, byUser: true, timed: false))
  }
}
