import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SMPProtocol

// Messages of members. A batch is handled by one turn; an element of it that is refused undoes only itself.

/// An element of a member's message.
private struct ReceivedElement {
  let element: MessageElement
  let message: ChatMessage
  /// The member whose connection it came by, a database id.
  let source: Int64
}

extension Turn {
  /// Handles a message of the agent from a member.
  /// - Returns: whether a receipt is sent: if an element that would have one was undone, it is not stored.
  func handleGroupMessage(
    _ metadata: MessageMetadata, _ body: [UInt8], elements: [Result<MessageElement, ChatProtocolError>],
    over context: ConnectionContext, in chat: GroupChat, from member: GroupMember
  ) throws -> Bool {
    let sendsReceipts =
      (chat.group.chatSettings.sendRcpts ?? chat.user.sendRcptsSmallGroups)
      && chat.group.topology.allowsReceipts(members: chat.group.groupSummary.currentMembers)
    var receipt = sendsReceipts && elements.contains { $0.hasReceipt }
    if metadata.pqEncryption != (context.connection.pqRcvEnabled ?? false) {
      try rows.setPQEnabled(
        sending: nil, receiving: metadata.pqEncryption, ofConnection: context.connection.connId)
    }
    let time = Date(timeIntervalSince1970: Double(metadata.relayTime))
    if let error = MsgErrorType(metadata.integrity) {
      try addItem(.rcvIntegrityError(msgError: error), to: chat, from: member, at: time)
    }
    var hasFailed = false
    // Whether the group may have changed since it was loaded: in what is shown of it, and in anything else.
    var (isShownChanged, isChanged) = (metadata.integrity != .ok, false)
    var forwarded: [(event: OutgoingGroupEvent, audience: Audience)] = []
    for element in elements {
      switch element {
      case .failure(let error):
        // One item for all such elements: a small message can have many of them.
        guard !hasFailed else { continue }
        (hasFailed, isShownChanged) = (true, true)
        let item = try addItem(
          .rcvMsgError(rcvMsgError: .parseError(parseError: error.description)), to: chat, from: member)
        try keepUnreadable(
          body, at: time, shownBy: item, from: KeptOrigin(chat, connectionId: context.connection.connId, at: rows.now))
      case .success(let element):
        guard case .message(let message) = element.content else {
          try reportingErrors { try receivedChunk(element, from: member, in: chat) }
          continue
        }
        let received = ReceivedMessage(sharedMsgId: message.msgId?.text, time: time, signed: element.signed)
        let isHandled = try reportingErrors {
          // The element before may have changed the group or the member.
          let chat = isShownChanged ? try reloaded(chat) : chat
          if !message.event.isAboutIntroductions { isShownChanged = true }
          if !message.event.isAboutMessages { isChanged = true }
          let part = ReceivedElement(element: element, message: message, source: member.groupMemberId)
          if let event = try handle(part, over: context, in: chat, as: received) { forwarded.append(event) }
        }
        // What was undone is not stored.
        if !isHandled && message.event.hasReceipt { receipt = false }
      }
    }
    if !forwarded.isEmpty {
      try reportingErrors {
        try forward(forwarded, of: member.groupMemberId, in: isChanged ? try reloaded(chat) : chat)
      }
    }
    return receipt
  }

  /// Handles an element of a message.
  /// - Returns: what is forwarded, and to whom; nil for nothing.
  private func handle(
    _ part: ReceivedElement, over context: ConnectionContext, in chat: GroupChat, as received: ReceivedMessage
  ) throws -> (event: OutgoingGroupEvent, audience: Audience)? {
    let message = part.message
    var source = try rows.member(part.source, of: chat.user)
    // An element before may have been that the member left, or was removed.
    guard !source.memberGone else { return nil }
    if let forward = part.element.forward {
      source.activeConn = source.activeConn ?? context.connection
      // The versions of a binary forward are its author's. Those of a JSON forward are around it.
      try handleForwarded(message, forward, by: source, in: chat, message: received)
      return nil
    }
    source.activeConn = try updateVersions(source.activeConn ?? context.connection, message.chatVRange)
    let versions = ChatAPI.VersionRange(message.chatVRange)
    if source.memberChatVRange != versions { try rows.setVersions(versions, ofMember: part.source) }
    guard let received = try verified(received, message.event, by: source, in: chat) else { return nil }
    guard try recordCopy(message, from: .member(source), in: chat, forwardedBy: nil) else { return nil }
    let audience = try handle(message.event, from: source, over: context, in: chat, message: received)
    return forwardedEvent(message, of: source, at: received.time).map { ($0, audience) }
  }

  private func receivedChunk(_ element: MessageElement, from member: GroupMember, in chat: GroupChat) throws {
    guard case .fileChunk(let chunk) = element.content else { return }
    // Nobody sends files in messages to a channel.
    if chat.group.topology == .channel { return try receivedRosterPart(chunk, from: member, in: chat) }
    let found = try rows.groupItem(
      sharedMsgId: chunk.msgId.text, author: member.memberId, inGroup: chat.group.groupId, of: chat.user)
    try received(chunk, item: found?.item.meta.itemId, of: chat.user)
  }

  /// Handles a message that comes directly from a member. Events that this version does not understand are kept.
  /// - Returns: to whom it is forwarded, of the members who are not connected with the author.
  private func handle(
    _ event: ChatMessageEvent, from member: GroupMember, over context: ConnectionContext, in chat: GroupChat,
    message: ReceivedMessage
  ) throws -> Audience {
    // The profile of a relay is that of its link.
    if case .grpLinkMem = event, chat.group.topology == .channel, member.memberRole == .relay { return .nobody }
    guard chat.group.topology.sendsLinksWithIntroductions || !event.isBetweenConnectedMembers else {
      reportError("unsupported message: \(event.tag)", in: chat)
      return .nobody
    }
    switch event {
    case .grpMemIntro(let info, let restrictions):
      try handleIntroduction(info, restrictions: restrictions, by: member, in: chat)
    case .grpMemInv(let id, let intro): try handleMemberLink(intro, for: id, from: member, in: chat)
    case .grpMemFwd(let info, let intro): try handleForwardedLink(intro, of: info, by: member, in: chat)
    case .grpMemCon(let id): try handleConnected(member, with: id, in: chat)
    case .grpMsgForward(let forward, let inner):
      // A signature around it is that of who forwards.
      var unsigned = message
      (unsigned.signed, unsigned.evidence) = (nil, .optional)
      try handleForwarded(inner, forward, by: member, in: chat, message: unsigned)
    case .grpLinkMem(let profile):
      guard member.memberCategory == .hostMember, member.memberContactId == nil,
        try rows.setHostProfileReceived(ofMember: member.groupMemberId)
      else {
        reportError("x.grp.link.mem error: invalid group link host profile update", in: chat)
        return .nobody
      }
      try changeProfile(of: member, to: profile, in: chat, message: nil)
      try probe(.member(try rows.member(member.groupMemberId, of: chat.user), chat.group), of: chat.user)
    case .grpLinkAcpt(let acceptance, let role, let id):
      try handleAcceptance(acceptance, of: id, as: role, by: member, in: chat, message: message)
    case .grpDirectInv(let request, let content, let scope):
      try handleDirectInvitation(request, content, scope: scope, from: member, in: chat, message: message)
    case .infoProbe, .infoProbeCheck, .infoProbeOk:
      try handleProbe(event, from: .member(member, chat.group), of: chat.user)
    case .file(let file):
      return try handleMessage(Self.message(with: file), from: .member(member), in: chat, message: message)
    case .fileAcptInv(let id, _, _):
      let found = try rows.groupItem(
        sharedMsgId: id.text, author: chat.group.membership.memberId, inGroup: chat.group.groupId, of: chat.user)
      try refuseInline(item: found?.item.meta.itemId)
    case .msgNew, .msgUpdate, .msgDel, .msgReact, .msgFileDescr, .fileCancel, .info, .grpMemNew, .grpMemRole,
      .grpMemRestrict, .grpMemDel, .grpLeave, .grpDel, .grpInfo, .grpPrefs:
      return try handleForwardable(event, from: .member(member), in: chat, message: message) ?? .nobody
    case .ok: break
    // What has no meaning in a group without relays, and what this version has no use for.
    case .msgDeleted, .fileAcpt, .contact, .member, .unknown, .directDel, .grpInv, .grpAcpt, .grpLinkInv,
      .grpLinkReject, .grpRelayInv, .grpRelayAcpt, .grpRelayReject, .grpRelayCap, .grpRelayNew, .grpRelayTest,
      .grpMemInfo, .grpMemConAll, .grpRoster, .grpRosterAck, .grpRosterRequest, .callInv, .callOffer, .callAnswer,
      .callExtra, .callEnd:
      // A later version may understand it.
      try keep(
        event, message, versions: member.memberChatVRange,
        from: KeptOrigin(chat, connectionId: context.connection.connId, at: rows.now))
      reportError("unsupported message: \(event.tag)", in: chat)
    }
    return .nobody
  }

  /// Handles a message that may come directly or forwarded.
  /// - Returns: to whom it is forwarded; nil for events that are not.
  func handleForwardable(
    _ event: ChatMessageEvent, from author: GroupAuthor, in chat: GroupChat, message: ReceivedMessage
  ) throws -> Audience? {
    switch event {
    case .msgNew(let container): return try handleMessage(container, from: author, in: chat, message: message)
    case .msgUpdate(let update): return try handleUpdate(update, by: author, in: chat, message: message)
    case .msgDel(let id, let owner, let scope, _):
      return try handleDeletion(id, of: owner, in: scope, by: author, in: chat, message: message)
    case .msgFileDescr(let id, let part): return try handleDescription(part, of: id, by: author, in: chat)
    case .fileCancel(let id): return try handleFileCancellation(id, by: author, in: chat)
    default: break
    }
    guard let member = author.member else {
      guard event.isForwarded else { return nil }
      reportError("x.grp.msg.forward: event \(event.tag) requires author", in: chat)
      return .nobody
    }
    return try handleActivity(event, of: member, in: chat, message: message)
  }

  /// Handles an event that only a member can be the author of.
  /// - Returns: to whom it is forwarded; nil for events that are not.
  private func handleActivity(
    _ event: ChatMessageEvent, of member: GroupMember, in chat: GroupChat, message: ReceivedMessage
  ) throws -> Audience? {
    // Who is concerned may not be there any more afterwards.
    let audience = try audience(of: event, from: member, in: chat)
    var forwarding = Forwarding.forward
    switch event {
    case .msgReact(let id, let author, let scope, let reaction, let add):
      return try handleReaction(
        to: id, of: author, in: scope, reaction, add: add, by: member, in: chat, message: message)
    case .grpMemNew(let info, let scope):
      return try handleAnnouncement(info, in: scope, by: member, in: chat, message: message)
    case .info(let profile): try changeProfile(of: member, to: profile, in: chat, message: message)
    case .grpMemRole(let id, let role, let key, let version):
      guard try acceptsRosterVersion(version, by: member, in: chat, message: message) else { return .nobody }
      try addMemberWithRights(id, as: role, key: key, by: member, in: chat)
      forwarding = try handleRoleChange(of: id, to: role, by: member, in: chat, message: message)
    case .grpMemRestrict(let id, let restrictions):
      forwarding = try handleRestriction(id, restrictions, by: member, in: chat, message: message)
    case .grpMemDel(let id, let withMessages, let version):
      guard try acceptsRosterVersion(version, by: member, in: chat, message: message) else { return .nobody }
      forwarding = try handleRemoval(id, withMessages: withMessages, by: member, in: chat, message: message)
    case .grpLeave: forwarding = try handleLeaving(member, in: chat, message: message)
    case .grpDel:
      try handleGroupDeletion(by: member, in: chat, message: message)
      forwarding = .stop
    case .grpInfo(let profile):
      forwarding = try handleGroupProfile(profile, by: member, in: chat, message: message)
    case .grpRoster(let roster) where chat.group.topology == .channel:
      try handleRoster(roster, by: member, in: chat, message: message)
      forwarding = .stop
    case .grpPrefs(let preferences):
      var profile = chat.group.groupProfile
      profile.groupPreferences = preferences
      forwarding = try handleGroupProfile(profile, by: member, in: chat, message: message)
    case .msgNew, .msgUpdate, .msgDel, .msgFileDescr, .fileCancel, .file, .fileAcpt, .fileAcptInv, .msgDeleted,
      .contact, .member, .unknown, .ok, .directDel, .infoProbe, .infoProbeCheck, .infoProbeOk, .grpInv, .grpAcpt,
      .grpLinkInv, .grpLinkReject, .grpLinkMem, .grpLinkAcpt, .grpRelayInv, .grpRelayAcpt, .grpRelayReject,
      .grpRelayCap, .grpRelayNew, .grpRelayTest, .grpMemIntro, .grpMemInv, .grpMemFwd, .grpMemInfo, .grpMemCon,
      .grpMemConAll, .grpDirectInv, .grpRoster, .grpRosterAck, .grpRosterRequest, .grpMsgForward, .callInv, .callOffer,
      .callAnswer, .callExtra, .callEnd:
      return nil
    }
    return forwarding == .forward ? audience : .nobody
  }

  /// Who has to hear what a member does with members or the group.
  private func audience(of event: ChatMessageEvent, from member: GroupMember, in chat: GroupChat) throws -> Audience {
    let subject: MemberId
    switch event {
    case .grpMemRole(let id, _, _, _), .grpMemRestrict(let id, _), .grpMemDel(let id, _, _): subject = id
    default: return Audience(member)
    }
    if subject.text == chat.group.membership.memberId { return Audience(chat.group.membership) }
    return try rows.memberRecord(sharedId: subject.text, ofGroup: chat.group.groupId).map { Audience($0) }
      ?? .members(includingPending: true)
  }

  // MARK: Copies

  /// Records a copy of a message and returns whether it is the first. Whoever forwards a message that also comes
  /// directly is told that it need not.
  private func recordCopy(
    _ message: ChatMessage, from author: GroupAuthor, in chat: GroupChat, forwardedBy: GroupMember?
  ) throws -> Bool {
    guard let id = message.msgId, message.event.isForwarded else { return true }
    let isSilent = message.event.isSilent
    if isSilent, try !isWithinBudget(.silentMessages, bytes: id.text.utf8.count, of: chat.user) {
      // Without a record an old copy would undo what followed it. What its author sends comes once and in order: who
      // has it forward too much must not keep a moderator from being heard. What is done with members has limits of its
      // own, and the same twice changes nothing.
      return forwardedBy == nil || !message.event.isAboutMessages
    }
    let copy = try rows.receive(
      sharedMsgId: id.text, ofMember: author.databaseID, inGroup: chat.group.groupId,
      forwardedBy: forwardedBy?.groupMemberId, isSilent: isSilent)
    guard let copy else { return true }
    // Relays always forward: members have no connection with each other.
    guard chat.group.topology.sendsLinksWithIntroductions else { return false }
    let forwarder: GroupMember?
    switch (forwardedBy, copy.forwardedBy) {
    case (nil, let first?): forwarder = try rows.memberIfPresent(first, of: chat.user)
    case (let member?, nil): forwarder = member
    default: forwarder = nil
    }
    if let connection = forwarder?.sendingConnection, let author = MemberId(text: author.memberId) {
      try send([.grpMemCon(memberId: author)], over: connection)
    }
    return false
  }

  /// Handles a message that a member forwarded.
  private func handleForwarded(
    _ message: ChatMessage, _ forward: MessageForward, by member: GroupMember, in chat: GroupChat,
    message received: ReceivedMessage
  ) throws {
    guard chat.group.topology.forwards(as: member.memberRole) else {
      throw ChatErrorType.groupContactRole(contactName: member.localDisplayName)
    }
    if case .grpMsgForward = message.event { return reportError("x.grp.msg.forward: nested forward", in: chat) }
    var received = received
    received.sharedMsgId = message.msgId?.text
    received.time = min(Date(forward.brokerTs), received.time)
    received.forwardedBy = member.groupMemberId
    let author: GroupAuthor
    switch forward.sender {
    case .channel:
      guard chat.group.topology.hasChannelAuthor else {
        return reportError("x.grp.msg.forward: not a channel", in: chat)
      }
      // Nobody else knows who wrote it, so there is no key.
      author = .channel
    case .member(let id, let name):
      guard id.text != chat.group.membership.memberId else { return }
      guard let known = try self.author(id, named: name, of: message.event, forwardedBy: member, in: chat) else {
        return
      }
      guard let checked = try verified(received, message.event, by: known, in: chat) else { return }
      (author, received) = (.member(known), checked)
    }
    guard try recordCopy(message, from: author, in: chat, forwardedBy: member) else { return }
    if try handleForwardable(message.event, from: author, in: chat, message: received) == nil {
      reportError("x.grp.msg.forward: unsupported forwarded event \(message.event.tag)", in: chat)
    }
  }

  /// A message with the evidence for its author; nil, and an item of the author, where it is refused.
  private func verified(
    _ received: ReceivedMessage, _ event: ChatMessageEvent, by author: GroupMember, in chat: GroupChat
  ) throws -> ReceivedMessage? {
    var received = received
    received.evidence = SignatureRules(chat.group).evidence(received.signed, of: event, by: author)
    guard case .refused = received.evidence else { return received }
    // One item for consecutive messages of an author: anybody who forwards can invent any number of them.
    let last = try rows.lastItem(in: place(of: author, in: chat).chat, from: author.groupMemberId, of: chat.user)
    if last?.content != .rcvGroupEvent(rcvGroupEvent: .msgBadSignature) {
      try addItem(.rcvGroupEvent(rcvGroupEvent: .msgBadSignature), to: chat, from: author, at: received.time)
    }
    return nil
  }

  /// The author of a forwarded message. One who is not known yet is added, as a member who may write; nil where that
  /// member is gone, or leaves or was removed before it was known.
  private func author(
    _ id: MemberId, named name: String, of event: ChatMessageEvent, forwardedBy member: GroupMember, in chat: GroupChat
  ) throws -> GroupMember? {
    if let known = try rows.memberRecord(sharedId: id.text, ofGroup: chat.group.groupId) {
      return known.memberGone ? nil : known
    }
    if case .grpLeave = event { return nil }
    let decisions = try rows.decisions(about: id.text, inGroup: chat.group.groupId)
    guard decisions.removedBy == nil else { return nil }
    let count = try rows.countUnknown(forwardedBy: member.groupMemberId, inGroup: chat.group.groupId)
    guard count < GroupTopology.unknownMembersLimit else {
      reportError("x.grp.msg.forward: too many unknown members", in: chat)
      return nil
    }
    guard try isWithinBudget(.announcedMembers, of: chat.user) else { return nil }
    let shown = DisplayName.valid(name)
    var new = NewMember(
      groupId: chat.group.groupId,
      identity: .profile(
        Profile(displayName: shown.isEmpty ? String(id.text.prefix(7)) : shown, fullName: "")), memberId: id.text,
      role: chat.group.topology.unknownMemberRole, category: .postMember, status: .memUnknown,
      versions: VersionRange(1, 1))
    new.invitedByMember = member.groupMemberId
    new.isBlocked = decisions.isBlocked(false, role: new.role)
    let author = try rows.member(try rows.createMember(new, of: chat.user), of: chat.user)
    emit(
      .unknownMemberCreated(user: chat.user, groupInfo: chat.group, forwardedByMember: member, member: author))
    return author
  }

  // MARK: Forwarding

  /// A member's message as it is forwarded; nil for those that are not.
  func forwardedEvent(_ message: ChatMessage, of author: GroupMember, at time: Date) -> OutgoingGroupEvent? {
    guard message.event.isForwarded, let id = MemberId(text: author.memberId), let time = time.utcTime else {
      return nil
    }
    let origin = MessageForward(sender: .member(id, name: author.memberProfile.displayName), brokerTs: time)
    return OutgoingGroupEvent(event: .grpMsgForward(origin, message))
  }

  /// A message that is handled, as its author sent it.
  func original(_ event: ChatMessageEvent, from member: GroupMember, _ message: ReceivedMessage) -> ChatMessage {
    ChatMessage(
      chatVRange: ChatVersionRange(member.memberChatVRange),
      msgId: message.sharedMsgId.flatMap { SharedMsgId(text: $0) }, event: event)
  }

  /// Forwards messages of a member to those who are not connected with it yet; each of them gets them in the order in
  /// which they came.
  func forward(
    _ events: [(event: OutgoingGroupEvent, audience: Audience)], of author: Int64, in chat: GroupChat
  ) throws {
    guard chat.group.userForwards, !chat.group.membership.memberPending,
      events.contains(where: { $0.audience != .nobody })
    else { return }
    let indexes = try rows.indexesToForward(ofMember: author)
    guard !indexes.isEmpty else { return }
    let members = try rows.members(ofGroup: chat.group.groupId, at: indexes)
      .filter { $0.supports(ChatVersion.groupForward) && $0.groupMemberId != author }
    // Members with the same audiences get their messages together, however the audiences alternate. Those who forward
    // come first.
    let audiences = Set(events.map(\.audience))
    let topology = chat.group.topology
    let sorted =
      members.filter { topology.forwards(as: $0.memberRole) } + members.filter { !topology.forwards(as: $0.memberRole) }
    var recipients: [(audiences: Set<Audience>, members: [GroupMember])] = []
    for member in sorted {
      let own = audiences.filter { $0.includes(member) }
      if own.isEmpty { continue }
      if let index = recipients.firstIndex(where: { $0.audiences == own }) {
        recipients[index].members.append(member)
      } else {
        recipients.append((own, [member]))
      }
    }
    guard recipients.count <= Self.bodiesLimit else { return try forwardInRuns(events, to: sorted, in: chat) }
    for (own, members) in recipients {
      try sendFitting(events.filter { own.contains($0.audience) }.map(\.event), to: members, of: chat.group)
    }
  }

  /// How many kinds of recipients have bodies of their own. A batch to the support chats of many members would be
  /// stored for each of them, with all that goes to the whole group.
  private static var bodiesLimit: Int { 8 }

  /// Forwards messages so that what follows each other for the same audience is stored once.
  private func forwardInRuns(
    _ events: [(event: OutgoingGroupEvent, audience: Audience)], to members: [GroupMember], in chat: GroupChat
  ) throws {
    var rest = events[...]
    while let audience = rest.first?.audience {
      let run = rest.prefix { $0.audience == audience }
      rest = rest.dropFirst(run.count)
      let recipients = members.filter(audience.includes)
      if !recipients.isEmpty { try sendFitting(run.map(\.event), to: recipients, of: chat.group) }
    }
  }
}

extension ChatMessageEvent {
  /// Whether it is about connections of members with each other, or about contacts: members of channels have none.
  fileprivate var isBetweenConnectedMembers: Bool {
    switch self {
    case .grpMemInv, .grpMemFwd, .grpMemCon, .grpLinkMem, .grpLinkAcpt, .grpDirectInv, .infoProbe, .infoProbeCheck,
      .infoProbeOk, .file, .fileAcptInv:
      true
    default: false
    }
  }
}
