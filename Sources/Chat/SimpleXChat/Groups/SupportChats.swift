import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes

// Support chats (conversations of a member with the moderators): which of them an event belongs to.

extension GroupChat {
  /// The part of the group as its messages name it; nil for the main chat.
  var messageScope: MsgScope? {
    guard case .memberSupport(let member) = scope else { return nil }
    return MemberId(text: (member ?? group.membership).memberId).map { .member($0) }
  }

  /// The first feature that forbids a member to write a content here; nil where it is allowed.
  func prohibition(of content: MsgContent, from author: GroupAuthor, hasFile: Bool) -> GroupFeature? {
    guard case .memberSupport(let supported) = scope, let member = author.member else {
      return group.prohibition(of: content, from: author.memberRole, hasFile: hasFile)
    }
    if content.isReport { return group.isOn(.reports) ? nil : .reports }
    guard content.isVoice, !group.isAllowed(.voice, for: member) else { return nil }
    // The host talks with those it has to approve.
    let isHost =
      supported == nil
      ? member.memberCategory == .hostMember
      : member.memberCategory == .userMember && member.memberRole >= .admin
    let isApproving = (supported ?? group.membership).memberStatus == .memPendingApproval
    return isHost && isApproving ? nil : .voice
  }
}

extension Turn {
  /// The support chat of a member, which is created where there is none.
  /// - Parameter member: nil for the user.
  func supportChat(of member: GroupMember?, in chat: GroupChat) throws -> GroupChat {
    var place = chat
    place.scope = .memberSupport(groupMember_: member)
    guard (member ?? chat.group.membership).supportChat == nil else { return place }
    try rows.createSupportChat(place.chat, of: chat.user)
    return try reloaded(place)
  }

  /// The part of a group's chat that shows what a member does: while the user or the member waits to be admitted, the
  /// support chat.
  func place(of member: GroupMember, in chat: GroupChat) throws -> GroupChat {
    guard chat.scope == nil else { return chat }
    if chat.group.membership.memberPending { return try supportChat(of: nil, in: chat) }
    if member.memberPending { return try supportChat(of: member, in: chat) }
    return chat
  }

  /// Whether a message without a scope is shown in the main chat. The support chat shows messages of a member who waits
  /// to be admitted.
  ///
  /// While the user waits, a message without a scope was sent to all members, because the sender already knows that the
  /// user is admitted: the history, for example, may come before the acceptance. But clients without support chats also
  /// send their messages to the waiting user without a scope, so those are shown in the support chat unless they are
  /// forwarded.
  func isForMainChat(
    _ content: MsgContent, from author: GroupAuthor, forwardedBy: Int64?, in chat: GroupChat
  ) -> Bool {
    if author.memberPending { return false }
    guard chat.group.membership.memberPending else { return true }
    return !content.isReport && (forwardedBy != nil || author.supports(ChatVersion.messageScopes))
  }

  /// The part of a group's chat that a received message belongs to; nil, and a report, where its author may not write
  /// there.
  /// - Parameter forwardedBy: the member who forwarded it, a database id; nil where it came directly.
  func place(
    of content: MsgContent, _ scope: MsgScope?, from author: GroupAuthor, forwardedBy: Int64?, in chat: GroupChat
  ) throws -> GroupChat? {
    guard maySend(author, to: scope, in: chat) else { return nil }
    // The channel itself has no support chat.
    guard let member = author.member else { return chat }
    let isInMainChat = scope == nil && isForMainChat(content, from: author, forwardedBy: forwardedBy, in: chat)
    let usual = isInMainChat ? chat : try place(of: member, in: chat)
    guard usual.scope == nil else { return usual }
    if content.isReport { return try supportChat(ofOther: member, in: chat) }
    guard case .member(let id) = scope else { return usual }
    if id.text == chat.group.membership.memberId { return try supportChat(of: nil, in: chat) }
    if id.text == member.memberId { return try supportChat(ofOther: member, in: chat) }
    guard let other = try rows.member(sharedId: id.text, ofGroup: chat.group.groupId) else {
      throw StoreError.groupMemberNotFoundByMemberId(memberId: id.text)
    }
    return try supportChat(ofOther: other, in: chat)
  }

  /// The support chat of another member; nil, with a report, unless the user is a moderator.
  private func supportChat(ofOther member: GroupMember, in chat: GroupChat) throws -> GroupChat? {
    guard chat.group.membership.memberRole >= .moderator else {
      reportError("message to moderators, and the user is none", in: chat)
      return nil
    }
    return try supportChat(of: member, in: chat)
  }

  /// Whether an author may write to a part of a group: to the main chat with a role for it or while it waits to be
  /// admitted, to its own support chat always, to others as a moderator. Reports that it may not.
  func maySend(_ author: GroupAuthor, to scope: MsgScope?, in chat: GroupChat) -> Bool {
    switch scope {
    case nil where author.memberRole >= chat.group.rights.toWrite || author.memberPending: return true
    case nil: reportError("member is not allowed to send messages", in: chat)
    case .member where author.member == nil: reportError("cannot send as group in support scope", in: chat)
    case .member(let id) where id.text == author.memberId || author.memberRole >= .moderator: return true
    case .member: reportError("member is not allowed to send to this support chat", in: chat)
    }
    return false
  }

  /// A part of a group's chat as messages name it; nil for the main chat.
  func messageScope(of place: ChatRef, in chat: GroupChat) throws -> MsgScope? {
    guard case .memberSupport(let id) = place.chatScope else { return nil }
    let member = try id.map { try rows.member($0, of: chat.user) } ?? chat.group.membership
    return MemberId(text: member.memberId).map { .member($0) }
  }

  /// The part of a group's chat that something about an unknown message of a member belongs to.
  func place(ofUnknown scope: MsgScope?, from author: GroupAuthor, in chat: GroupChat) throws -> GroupChat? {
    guard scope != nil else { return chat }
    return try place(of: .text(""), scope, from: author, forwardedBy: nil, in: chat)
  }
}

extension Audience {
  /// The members who see what happens in a part of a group.
  init(_ chat: GroupChat) {
    switch chat.scope {
    case .memberSupport(let member): self = .support((member ?? chat.group.membership).groupMemberId)
    default: self = .members(includingPending: false)
    }
  }
}

extension Turn {
  /// Marks the reports of a message that a moderator deleted as deleted.
  func archiveReports(
    of item: ChatItem, by moderator: GroupMember, byUser: Bool, at time: Date, in chat: GroupChat
  ) throws {
    guard let id = item.meta.itemSharedMsgId else { return }
    let author: String
    switch item.chatDir {
    case .groupSnd: author = chat.group.membership.memberId
    case .groupRcv(let member): author = member.memberId
    default: return
    }
    let reports = try rows.archiveReports(
      ofMessage: (id, author), inGroup: chat.group.groupId, by: moderator.groupMemberId, at: time)
    guard !reports.isEmpty else { return }
    emit(
      .groupChatItemsDeleted(
        user: chat.user, groupInfo: chat.group, chatItemIDs: reports, byUser: byUser, member_: moderator))
  }
}
