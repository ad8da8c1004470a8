import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes

// Newcomers get the last messages of the group, and its welcome message.

extension Turn {
  /// How many messages newcomers get.
  private static var historyLimit: Int { 100 }

  /// Sends the last messages of a group to a new member.
  func sendHistory(to member: GroupMember, in chat: GroupChat) throws {
    guard member.supports(ChatVersion.groupBatches) else { return }
    var events: [OutgoingGroupEvent] = []
    for item in try rows.history(of: chat.group, for: chat.user, limit: Self.historyLimit) {
      guard let event = try historyEvent(item, in: chat) else { continue }
      events.append(OutgoingGroupEvent(event: event))
    }
    if member.supports(ChatVersion.welcomeAfterHistory), let text = chat.group.groupProfile.description,
      try !rows.hasSeenWelcome(member: member.groupMemberId)
    {
      events.append(OutgoingGroupEvent(event: .msgNew(MsgContainer(content: .text(text)))))
    }
    try sendFitting(events, to: [member], of: chat.group, overtakesHeld: true)
  }

  /// An item as a forwarded message; nil for what newcomers do not get.
  private func historyEvent(_ item: ChatItem, in chat: GroupChat) throws -> ChatMessageEvent? {
    let author: GroupMember
    switch item.chatDir {
    case .groupSnd: author = chat.group.membership
    case .groupRcv(let member): author = member
    default: return nil
    }
    guard !author.blockedByAdmin, let content = item.content.msgContent, !content.isReport,
      let id = MemberId(text: author.memberId),
      let shared = item.meta.itemSharedMsgId.flatMap({ SharedMsgId(text: $0) }),
      let time = item.meta.itemTs.utcTime
    else { return nil }
    let (shown, mentions) = try updatedNames(in: content, mentioning: item.mentions, of: chat)
    var container = MsgContainer(content: shown, ttl: item.meta.itemTimed?.ttl)
    container.mentions = mentions.sent
    if let quote = item.quotedItem, let sentAt = quote.sentAt.utcTime {
      var quoted: MemberId?
      switch quote.chatDir {
      case .groupSnd: quoted = MemberId(text: chat.group.membership.memberId)
      case .groupRcv(let member): quoted = MemberId(text: member.memberId)
      default: break
      }
      container.quote = QuotedMsg(
        msgRef: MsgRef(
          msgId: quote.sharedMsgId.flatMap { SharedMsgId(text: $0) }, sentAt: sentAt, sent: quoted == id,
          memberId: quoted), content: quote.content)
    } else if item.meta.itemForwarded != nil {
      container.forward = true
    }
    return .grpMsgForward(
      MessageForward(sender: .member(id, name: author.memberProfile.displayName), brokerTs: time),
      ChatMessage(chatVRange: environment.options.chatVersions, msgId: shared, event: .msgNew(container)))
  }
}
