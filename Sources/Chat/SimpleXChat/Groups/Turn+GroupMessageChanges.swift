import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore

// What members do with messages that exist: edits, deletions and reactions.

extension Turn {
  /// Handles a new content of a member's message.
  func handleUpdate(
    _ update: MsgUpdate, by author: GroupAuthor, in chat: GroupChat, message: ReceivedMessage
  ) throws -> Audience {
    let found = try rows.groupItem(
      sharedMsgId: update.msgId.text, author: author.memberId, inGroup: chat.group.groupId, of: chat.user)
    // What is allowed depends on where the message is, whatever part of the group the edit names.
    let scope = if let found { try messageScope(of: found.chat, in: chat) } else { update.scope }
    guard maySend(author, to: scope, in: chat) else { return .nobody }
    // An edit may be to any kind of content: what forbids that kind does not hide that it has links.
    if scope == nil,
      found != nil || isForMainChat(update.content, from: author, forwardedBy: message.forwardedBy, in: chat),
      chat.group.prohibitsLinks(in: update.content, from: author.memberRole)
    {
      emit(
        .messageError(
          user: chat.user, severity: "warning", errorMessage: "x.msg.update ignored: feature not allowed SimpleX links")
      )
      return .nobody
    }
    guard let (item, place) = found else {
      return try addUpdated(update, from: author, in: chat, message: message)
    }
    // Reports are for moderators only, and other messages do not become reports.
    guard case .rcvMsgContent(let old) = item.content, old.isReport == update.content.isReport else {
      reportError("x.msg.update: invalid message update", in: chat)
      return .nobody
    }
    let info = try rows.chatInfo(place, of: chat.user)
    let isChanged = old != update.content
    guard isChanged || item.meta.itemLive == true else {
      emit(.chatItemNotChanged(user: chat.user, chatItem: AChatItem(chatInfo: info, chatItem: item)))
      return .nobody
    }
    if isChanged {
      try rows.addVersions(
        ofItem: item.meta.itemId, initial: (time: item.meta.itemTs, content: old),
        new: (time: message.time, content: update.content))
    }
    try rows.setMentions(
      author.blocked ? [:] : try mentions(update.mentions, in: update.content, in: chat),
      user: chat.group.membership.memberId,
      ofItem: item.meta.itemId)
    let changed = try rows.updateItem(
      item.meta.itemId, in: place, to: .rcvMsgContent(msgContent: update.content),
      edited: item.meta.itemLive != true, live: update.live == true, of: chat.user)
    emit(.chatItemUpdated(user: chat.user, chatItem: AChatItem(chatInfo: info, chatItem: changed)))
    return author.blockedByAdmin ? .nobody : Audience(place, of: chat.group)
  }

  /// Adds the item of an edited message that the user deleted, or that has not come.
  private func addUpdated(
    _ update: MsgUpdate, from author: GroupAuthor, in chat: GroupChat, message: ReceivedMessage
  ) throws -> Audience {
    guard
      let chat = try place(
        of: update.content, update.scope, from: author, forwardedBy: message.forwardedBy, in: chat)
    else { return .nobody }
    var new = NewItem(
      chat: chat.chat, content: .rcvMsgContent(msgContent: update.content), sharedMsgId: update.msgId.text,
      itemTs: message.time)
    new.set(author)
    new.forwardedBy = message.forwardedBy
    new.verified = message.verified
    // The message itself is a copy when it comes. It shows the item.
    _ = try rows.receive(
      sharedMsgId: update.msgId.text, ofMember: author.databaseID, inGroup: chat.group.groupId,
      forwardedBy: message.forwardedBy)
    if try isWithheld(new, of: author, in: chat) { return .nobody }
    if let feature = chat.prohibition(of: update.content, from: author, hasFile: false) {
      new.content = .rcvGroupFeatureRejected(groupFeature: feature)
      emit(.newChatItems(user: chat.user, chatItems: [try stored(new, in: chat)]))
      return .nobody
    }
    new.timed = chat.group.timedForReceived(ttl: update.ttl)
    new.live = update.live == true
    if author.blocked {
      new.status = .rcvRead
    } else {
      new.mentions = try mentions(update.mentions, in: update.content, in: chat)
      new.userMention = new.mentions.values.contains { $0.memberId == chat.group.membership.memberId }
    }
    if try addDeletedEarly(new, from: author, in: chat) { return .nobody }
    let item = try stored(new, in: chat).chatItem
    try rows.addVersion(ofItem: item.meta.itemId, time: message.time, content: update.content)
    var edited = AChatItem(
      chatInfo: chat.info,
      chatItem: try rows.updateItem(
        item.meta.itemId, in: chat.chat, to: new.content, edited: true, live: new.live, of: chat.user))
    if author.blocked { edited = try hide(edited, of: author, in: chat) }
    emit(.chatItemUpdated(user: chat.user, chatItem: edited))
    return author.blockedByAdmin ? .nobody : Audience(chat)
  }

  /// Handles that a member deletes a message, its own or, as a moderator, another member's.
  func handleDeletion(
    _ id: SharedMsgId, of author: MemberId?, in scope: MsgScope?, by actor: GroupAuthor, in chat: GroupChat,
    message: ReceivedMessage
  ) throws -> Audience {
    let owner = author?.text ?? actor.memberId
    let isOwn = owner == actor.memberId
    guard
      let (item, place) = try rows.groupItem(
        sharedMsgId: id.text, author: owner, inGroup: chat.group.groupId, of: chat.user)
    else {
      return try handleEarlyDeletion(id, of: owner, in: scope, by: actor, in: chat, message: message)
    }
    if isOwn, author == nil {
      guard DeletionRules.mayDelete(received: item, at: message.time) else {
        reportError("x.msg.del: member attempted invalid message delete", in: chat)
        return .nobody
      }
    } else if !isOwn {
      let ownerRole = item.chatDir.sent ? chat.group.membership.memberRole : try role(ofMember: owner, in: chat)
      guard actor.memberRole >= chat.group.rights.toModerate(messagesOf: ownerRole) else {
        reportError("x.msg.del: message of another member with insufficient member permissions", in: chat)
        return .nobody
      }
    }
    let info = try rows.chatInfo(place, of: chat.user)
    let deletions: [ChatItemDeletion]
    let isModeration = author != nil
    switch (chat.group.isAllowed(.fullDelete, for: actor.memberRole), isModeration) {
    case (true, false): deletions = try delete([item], in: place, info: info, of: chat.user)
    case (true, true):
      deletions = try moderate(
        [item], by: actor.databaseID, at: message.time, in: place, info: info, of: chat.user)
    case (false, _):
      deletions = try markDeleted(
        [item], by: isModeration ? actor.databaseID : nil, at: message.time, in: place, info: info, of: chat.user)
    }
    emit(.chatItemsDeleted(user: chat.user, chatItemDeletions: deletions, byUser: false))
    if !isOwn, let moderator = actor.member {
      try archiveReports(of: item, by: moderator, byUser: false, at: message.time, in: chat)
    }
    return Audience(place, of: chat.group)
  }

  /// Keeps the deletion of a message that has not come: it may still come from a member who forwards it.
  private func handleEarlyDeletion(
    _ id: SharedMsgId, of owner: String, in scope: MsgScope?, by actor: GroupAuthor, in chat: GroupChat,
    message: ReceivedMessage
  ) throws -> Audience {
    if owner == actor.memberId {
      // A message that came is not shown any more, and does not come again.
      guard
        try !rows.wasReceived(
          sharedMsgId: id.text, ofMember: actor.databaseID, inGroup: chat.group.groupId)
      else {
        reportError("x.msg.del: message not found", in: chat)
        return .nobody
      }
    } else if actor.memberRole < chat.group.rights.toModerate(messagesOf: .observer) {
      reportError(
        "x.msg.del: message not found, message of another member with insufficient member permissions", in: chat)
      return .nobody
    }
    try rows.deleteKept(sharedMsgId: id.text, in: chat.mainChat, of: chat.user)
    guard let place = try place(ofUnknown: scope, from: actor, in: chat) else { return .nobody }
    if try isWithinBudget(.earlyDeletions, bytes: id.text.utf8.count + owner.utf8.count, of: chat.user) {
      try rows.addEarlyDeletion(
        sharedMsgId: id.text, author: owner, inGroup: chat.group.groupId, by: actor.databaseID, at: message.time)
    } else if owner == actor.memberId {
      // Those of moderators are forwarded nevertheless: others may have the message.
      return .nobody
    }
    // Who waits to be admitted reaches moderators only, whatever the deletion names.
    if let member = actor.member, member.memberPending { return Audience(member) }
    return Audience(place)
  }

  private func role(ofMember id: String, in chat: GroupChat) throws -> GroupMemberRole {
    try rows.memberRecord(sharedId: id, ofGroup: chat.group.groupId)?.memberRole ?? .observer
  }

  /// Handles a member's reaction.
  func handleReaction(
    to id: SharedMsgId, of author: MemberId?, in scope: MsgScope?, _ reaction: MsgReaction, add: Bool,
    by member: GroupMember, in chat: GroupChat, message: ReceivedMessage
  ) throws -> Audience {
    guard chat.group.isOn(.reactions) else { return .nobody }
    // A message without an author is the channel's, or, where there are only members, the member's own.
    let owner = author?.text ?? (chat.group.topology.hasChannelAuthor ? GroupAuthor.channel.memberId : member.memberId)
    let found = try rows.groupItem(
      sharedMsgId: id.text, author: owner, inGroup: chat.group.groupId, of: chat.user)
    guard let place = try found?.chat ?? place(ofUnknown: scope, from: .member(member), in: chat)?.chat,
      member.takesPart(in: place)
    else { return .nobody }
    let present = try rows.reactions(
      to: id.text, author: owner, in: place, sent: false, member: member.groupMemberId, of: chat.user)
    guard ReactionRules.allows(reaction, add: add, to: present), found?.item.allowsReactions != false else {
      return .nobody
    }
    // One that is not kept is not forwarded either.
    guard try !add || found != nil || isWithinBudget(of: reaction, to: id, of: chat.user) else { return .nobody }
    try rows.setReaction(
      reaction, add: add, to: id.text, author: owner, in: place, sent: false, member: member.groupMemberId,
      isEarly: found == nil, at: message.time, of: chat.user)
    if let found {
      let changed = try rows.item(found.item.meta.itemId, in: place, of: chat.user)
      emit(
        .chatItemReaction(
          user: chat.user, added: add,
          reaction: ACIReaction(
            chatInfo: try rows.chatInfo(place, of: chat.user),
            chatReaction: CIReaction(
              chatDir: .groupRcv(groupMember: member), chatItem: changed, sentAt: message.time, reaction: reaction))))
    }
    return Audience(place, of: chat.group)
  }
}
