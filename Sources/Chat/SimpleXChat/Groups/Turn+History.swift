import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import XFTPProtocol

// Newcomers get the last messages of the group, and its welcome message.

extension Turn {
  /// How many messages newcomers get.
  private static var historyLimit: Int { 100 }

  /// Sends the last messages of a group to a new member.
  func sendHistory(to member: GroupMember, in chat: GroupChat) throws {
    guard member.supports(ChatVersion.groupBatches) else { return }
    var events: [OutgoingGroupEvent] = []
    let items = try rows.history(
      of: chat.group, forMember: member.groupMemberId, of: chat.user, limit: Self.historyLimit)
    for item in items {
      events += try historyEvents(item, in: chat).map { OutgoingGroupEvent(event: $0) }
    }
    if member.supports(ChatVersion.welcomeAfterHistory), let text = chat.group.groupProfile.description,
      try !rows.hasSeenWelcome(member: member.groupMemberId)
    {
      events.append(OutgoingGroupEvent(event: .msgNew(MsgContainer(content: .text(text)))))
    }
    try sendFitting(events, to: [member], of: chat.group, overtakesHeld: true)
  }

  /// The file of an item as newcomers get it, with its description; nil for one that cannot be received any more.
  private func historyFile(_ item: ChatItem) throws -> (invitation: FileInvitation, description: String)? {
    guard let file = item.file, file.fileProtocol == .xftp, file.fileStatus != .rcvCancelled,
      file.fileStatus != .sndCancelled, rows.now.timeIntervalSince(item.meta.itemTs) < Double(ChunkLifetime.seconds),
      let description = try rows.descriptionForOthers(ofFile: file.fileId)
    else { return nil }
    return (
      FileInvitation(fileName: file.fileName, fileSize: file.fileSize, fileDescr: FileRules.announced), description
    )
  }

  /// An item as forwarded messages: the message, and the description of its file. Empty for what newcomers do not get.
  private func historyEvents(_ item: ChatItem, in chat: GroupChat) throws -> [ChatMessageEvent] {
    let author: GroupMember
    switch item.chatDir {
    case .groupSnd: author = chat.group.membership
    case .groupRcv(let member): author = member
    default: return []
    }
    let file = try historyFile(item)
    guard !author.blockedByAdmin, let content = item.content.msgContent, !content.isReport,
      let id = MemberId(text: author.memberId),
      let shared = item.meta.itemSharedMsgId.flatMap({ SharedMsgId(text: $0) }),
      let time = item.meta.itemTs.utcTime, file != nil || !content.text.isEmpty
    else { return [] }
    let (shown, mentions) = try updatedNames(in: content, mentioning: item.mentions, of: chat)
    var container = MsgContainer(content: shown, ttl: item.meta.itemTimed?.ttl)
    container.mentions = mentions.sent
    container.file = file?.invitation
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
    let origin = MessageForward(sender: .member(id, name: author.memberProfile.displayName), brokerTs: time)
    let versions = environment.options.chatVersions
    let descriptions = file.map { descriptionParts(of: $0.description) } ?? []
    return [.grpMsgForward(origin, ChatMessage(chatVRange: versions, msgId: shared, event: .msgNew(container)))]
      + descriptions.map { part in
        .grpMsgForward(
          origin, ChatMessage(chatVRange: versions, event: .msgFileDescr(msgId: shared, fileDescr: part)))
      }
  }
}
