import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes

/// A conversation of a group: the main one, or a member's with moderators.
struct GroupConversation: Conversation {
  /// The chat.
  var place: GroupChat
  /// Whether reports are written, which are for moderators of earlier versions too.
  var isForReports = false

  var user: User { place.user }
  var group: GroupInfo { place.group }
  var chat: ChatRef { place.chat }
  var info: ChatInfo { place.info }
  var sentDirection: CIDirection { .groupSnd }
  var messageScope: MsgScope? { place.messageScope }

  func removesItems(_ mode: CIDeleteMode) -> Bool {
    switch mode {
    case .cidmInternal: true
    case .cidmInternalMark: false
    case .cidmBroadcast, .history: group.isAllowed(.fullDelete, for: group.membership)
    }
  }

  func origin(of item: ChatItem) -> CIForwardedFrom? {
    .group(
      chatName: group.displayName, msgDir: item.chatDir.sent ? .snd : .rcv, groupId: group.groupId,
      chatItemId: item.meta.itemId)
  }

  func check(_ contents: [OutgoingContent]) throws {
    if place.scope == nil { try requireCurrent() }
    try checkRole(for: group.rights.toWrite)
    try checkSupport()
    for content in contents {
      let hasFile = content.file != nil
      guard let feature = place.prohibition(of: content.content, from: .member(group.membership), hasFile: hasFile)
      else {
        continue
      }
      throw ChatError.command("feature not allowed \(feature.coreText)")
    }
  }

  func check(event: String) throws {
    try checkRole(for: event == "x.msg.new" || event == "x.msg.update" ? group.rights.toWrite : .observer)
  }

  func check(edited content: MsgContent) throws {
    guard place.scope == nil, group.prohibitsLinks(in: content, from: group.membership.memberRole) else { return }
    throw ChatError.command("feature not allowed \(GroupFeature.simplexLinks.coreText)")
  }

  /// Throws where the user may not write here; a role is needed for the main chat.
  private func checkRole(for role: GroupMemberRole) throws {
    switch place.scope {
    case .memberSupport(nil):
      if !group.membership.memberPending { try group.require(.observer) }
    case .memberSupport: try group.require(.moderator)
    default: try group.require(role)
    }
  }

  /// Throws where a support chat would be begun that the group does not allow.
  private func checkSupport() throws {
    guard case .memberSupport(let member) = place.scope, !group.isOn(.support),
      (member ?? group.membership).supportChat == nil
    else { return }
    throw ChatError.command("feature not allowed \(GroupFeature.support.coreText)")
  }

  func mayEdit(_ item: ChatItem) -> Bool {
    // A report stays a report: moderators refuse an edit to other content.
    if case .sndMsgContent(let content) = item.content, content.isReport { return false }
    return item.meta.editable && item.meta.itemSharedMsgId != nil
  }

  func mayDelete(_ item: ChatItem, now: Date) -> Bool { DeletionRules.mayDelete(item, now: now) }

  func author(of item: ChatItem) -> MemberId? {
    switch item.chatDir {
    case .groupSnd: MemberId(text: group.membership.memberId)
    case .groupRcv(let member): MemberId(text: member.memberId)
    default: nil
    }
  }

  func send(_ contents: [OutgoingContent], live: Bool, ttl: Int?, in turn: Turn) throws -> [AChatItem] {
    var conversation = self
    if case .memberSupport(let member) = place.scope {
      conversation.place = try turn.supportChat(of: member, in: place)
    }
    return try conversation.sendMessages(contents, live: live, ttl: ttl, in: turn)
  }

  private func sendMessages(
    _ contents: [OutgoingContent], live: Bool, ttl: Int?, in turn: Turn
  ) throws -> [AChatItem] {
    let recipients = try recipients(turn)
    let timed = group.timedForSent(ttl: ttl, live: live, now: turn.rows.now)
    var events: [OutgoingGroupEvent] = []
    var items: [ChatItem] = []
    var files: [OutgoingFile] = []
    let connections = recipients.compactMap(\.activeConn)
    let messages = try turn.split(
      contents, ttl: timed?.ttl, live: live, scope: messageScope, for: connections)
    for content in messages {
      var container = MsgContainer(
        content: content.content, ttl: timed?.ttl, live: live ? true : nil, scope: messageScope)
      var new = NewItem(
        chat: chat, content: .sndMsgContent(msgContent: content.content), forwardedFrom: content.forwardedFrom,
        timed: timed, live: live)
      new.mentions = try turn.mentions(
        content.mentions, in: content.content, of: place, isForwarded: content.forwardedFrom != nil)
      container.mentions = new.mentions.sent
      if content.forwardedFrom != nil {
        guard content.quotedItemId == nil else { throw StoreError.invalidQuote }
        container.forward = true
      }
      if let quoted = content.quotedItemId {
        (container.quote, new.quotedItem) = try quote(quoted, in: content.content, turn)
      }
      container.file = try content.file.map { try turn.invitation(to: $0) }
      container = turn.fitted(container, for: connections)
      new.quotedItem = new.quotedItem?.sent(in: container)
      if container.mentions.isEmpty { new.mentions = [:] }
      if let source = content.file {
        let file = try turn.prepareFile(
          source, recipients: recipients.map { ($0.sendingConnection, $0.groupMemberId) }, of: user)
        new.fileId = file.id
        files.append(file)
      }
      let id = SharedMsgId.random()
      new.sharedMsgId = id.text
      let item = try turn.rows.createItem(new, of: user)
      items.append(item)
      events.append(OutgoingGroupEvent(id: id, event: .msgNew(container), item: item.meta.itemId))
    }
    if place.scope == nil { try turn.sendProfileIfChanged(to: place) }
    try turn.send(events, to: recipients, of: group)
    try turn.upload(files)
    return items.map { AChatItem(chatInfo: info, chatItem: $0) }
  }

  func deliver(_ events: [ChatMessageEvent], in turn: Turn) throws {
    try turn.send(events.map { OutgoingGroupEvent(event: $0) }, to: try recipients(turn), of: group)
  }

  func checkReactions() throws {
    guard group.isOn(.reactions) else { throw ChatError.command("feature not allowed \(ChatFeature.reactions.text)") }
  }

  /// The members to whom messages are sent.
  func recipients(_ turn: Turn) throws -> [GroupMember] {
    guard group.topology != .channel, case .memberSupport(let member) = place.scope else {
      try requireCurrent()
      return try turn.recipients(in: place)
    }
    let version = isForReports ? ChatVersion.contentReports : ChatVersion.messageScopes
    let moderators = try turn.rows.moderators(ofGroup: group.groupId)
      .filter { $0.memberCurrent && $0.supports(version) }
    guard let member else {
      guard !moderators.isEmpty else { throw ChatError.command("no admins support this message") }
      return moderators
    }
    try requireCurrent()
    guard member.memberCurrentOrPending else {
      throw ChatError.command("support member not current or pending")
    }
    // Only its host knows a member whom it has to approve.
    return [member]
      + (member.memberStatus == .memPendingApproval
        ? [] : moderators.filter { $0.groupMemberId != member.groupMemberId })
  }

  private func requireCurrent() throws {
    guard group.membership.memberCurrent, group.membership.memberActive else {
      throw ChatError.command("not current member")
    }
  }

  private func quote(_ id: Int64, in content: MsgContent, _ turn: Turn) throws -> (QuotedMsg, CIQuote) {
    // Reports are about messages of the main chat.
    let quoted = try turn.rows.item(
      id, in: content.isReport ? ChatRef(chatType: .group, chatId: group.groupId) : chat, of: user)
    guard quoted.meta.itemDeleted == nil, let original = quoted.content.msgContent,
      let sentAt = quoted.meta.itemTs.utcTime
    else { throw StoreError.invalidQuote }
    let shown = try turn.updatedNames(
      in: original.quoted(in: content, fileName: quoted.file?.fileName), mentioning: quoted.mentions, of: place
    ).content
    return (
      QuotedMsg(
        msgRef: MsgRef(
          msgId: quoted.meta.itemSharedMsgId.flatMap { SharedMsgId(text: $0) }, sentAt: sentAt,
          sent: quoted.chatDir.sent, memberId: author(of: quoted)), content: shown),
      CIQuote(
        chatDir: quoted.chatDir, itemId: id, sharedMsgId: quoted.meta.itemSharedMsgId, sentAt: quoted.meta.itemTs,
        content: shown, formattedText: Markdown.parse(shown.text))
    )
  }
}

extension Turn {
  /// The support chat of a member of a group; without member the user's own.
  func supportConversation(_ id: Int64, with member: Int64?, of user: User) throws -> GroupConversation {
    var place = try groupChat(id, of: user)
    place.scope = .memberSupport(
      groupMember_: try member.map { try rows.member($0, ofGroup: id, of: user) })
    return GroupConversation(place: place)
  }

  /// The members that a message mentions, by the names in its text. Names that its text does not mention, as `bob` in
  /// `@bob's`, are none, as for those who receive it; a member with two names is mentioned by the first of them.
  /// - Parameters:
  ///   - members: database ids.
  ///   - isForwarded: whether somebody else may have written it, and mentioned more members.
  /// - Throws: `invalidMention` for more members than a message may mention.
  func mentions(
    _ members: [String: Int64], in content: MsgContent, of chat: GroupChat, isForwarded: Bool = false
  ) throws -> [String: CIMention] {
    guard !members.isEmpty else { return [:] }
    var mentions: [String: CIMention] = [:]
    var mentioned: Set<Int64> = []
    for name in Markdown.mentionedNames(Markdown.parse(content.text) ?? []) {
      guard let id = members[name], mentioned.insert(id).inserted else { continue }
      mentions[name] = try mention(
        try rows.member(id, ofGroup: chat.group.groupId, of: chat.user).memberId, in: chat)
    }
    guard isForwarded || mentions.count <= MentionNames.sentLimit else { throw StoreError.invalidMention }
    return mentions
  }

  /// Sends the user's profile to the members who have an old one, before a message of the user.
  func sendProfileIfChanged(to chat: GroupChat) throws {
    guard !chat.group.membership.memberIncognito, let changedAt = chat.user.userMemberProfileUpdatedAt,
      chat.group.userMemberProfileSentAt.map({ $0 < changedAt }) ?? true
    else { return }
    try sendProfile(to: recipients(in: chat), in: chat)
    try rows.setProfileSent(toGroup: chat.group.groupId)
  }

  /// Sends the user's profile to a member who is admitted now, if a changed profile was sent to the others after the
  /// member was connected and before it was admitted.
  func sendMissedProfile(to member: GroupMember, in chat: GroupChat) throws {
    guard !chat.group.membership.memberIncognito, let changedAt = chat.user.userMemberProfileUpdatedAt,
      chat.group.userMemberProfileSentAt.map({ $0 >= changedAt }) ?? false, let connection = member.activeConn,
      try rows.hasChangedProfile(chat.user, since: connection)
    else { return }
    try sendProfile(to: [member], in: chat)
  }

  /// Sends the user's profile to those of some members whose clients handle it.
  private func sendProfile(to members: [GroupMember], in chat: GroupChat) throws {
    try send(
      .info(chat.group.redacted(chat.user.profile.shared, of: chat.group.membership)),
      to: members.filter { $0.supports(ChatVersion.memberProfileUpdate) }, of: chat.group)
  }
}
