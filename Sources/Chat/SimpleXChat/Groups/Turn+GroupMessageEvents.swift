import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes

// New messages of members, and their files.

extension Turn {
  /// Handles a new message of a member, or of the channel.
  func handleMessage(
    _ container: MsgContainer, from author: GroupAuthor, in chat: GroupChat, message: ReceivedMessage
  ) throws -> Audience {
    guard
      let chat = try place(
        of: container.content, container.scope, from: author, forwardedBy: message.forwardedBy, in: chat)
    else { return .nobody }
    var new = NewItem(
      chat: chat.chat, content: .rcvMsgContent(msgContent: container.content), sharedMsgId: message.sharedMsgId,
      itemTs: message.time)
    new.set(author)
    new.forwardedBy = message.forwardedBy
    new.verified = message.verified
    if try isWithheld(new, of: author, in: chat) { return .nobody }
    if let feature = chat.prohibition(of: container.content, from: author, hasFile: container.file != nil) {
      new.content = .rcvGroupFeatureRejected(groupFeature: feature)
      emit(.newChatItems(user: chat.user, chatItems: [try stored(new, in: chat)]))
      return .nobody
    }
    // Forwarded messages may be old, so the group's time does not apply to them.
    new.timed =
      message.forwardedBy == nil
      ? chat.group.timedForReceived(ttl: container.ttl) : container.ttl.map { CITimed(ttl: $0) }
    new.live = container.live == true
    if container.forward == true { new.forwardedFrom = .unknown }
    if !author.blocked { new.mentions = try mentions(container.mentions, in: container.content, in: chat) }
    let repliesToUser = try quote(container.quote, in: &new, in: chat)
    new.userMention = repliesToUser || new.mentions.values.contains { $0.memberId == chat.group.membership.memberId }
    if author.blocked { new.status = .rcvRead }
    if try addDeletedEarly(new, file: container.file, from: author, in: chat) { return .nobody }
    new.fileId = try container.file.map {
      try addReceivedFile($0, with: container.content, from: author.member, of: chat.user)
    }
    var item = try stored(new, in: chat)
    if author.blocked { item = try hide(item, of: author, in: chat) }
    emit(.newChatItems(user: chat.user, chatItems: [item]))
    if let file = item.chatItem.file {
      try reportingErrors {
        try announced(
          file, as: message.sharedMsgId, by: author.member, in: chat.mainChat, item: item.chatItem.meta.itemId,
          of: chat.user)
      }
    }
    return author.blockedByAdmin ? .nobody : Audience(chat)
  }

  /// Handles a part of the description of a member's file.
  func handleDescription(
    _ part: FileDescr, of id: SharedMsgId, by author: GroupAuthor, in chat: GroupChat
  ) throws -> Audience {
    let found = try rows.groupItem(
      sharedMsgId: id.text, author: author.memberId, inGroup: chat.group.groupId, of: chat.user)
    if let found, found.item.chatDir.sent {
      reportError("x.msg.file.descr: invalid file description part", in: chat)
      return .nobody
    }
    // Whether it can be used here or not, others may need it.
    try reportingErrors {
      try received(
        part, of: id.text, by: author.memberId, in: chat.mainChat, item: found?.item.meta.itemId, reportsRefusal: false,
        user: chat.user)
    }
    // It may belong to a support chat, so nobody gets it before its message is known.
    guard let found, !author.blockedByAdmin else { return .nobody }
    return Audience(found.chat, of: chat.group)
  }

  /// Handles that a member cancels its file.
  func handleFileCancellation(_ id: SharedMsgId, by author: GroupAuthor, in chat: GroupChat) throws -> Audience {
    guard
      let (item, place) = try rows.groupItem(
        sharedMsgId: id.text, author: author.memberId, inGroup: chat.group.groupId, of: chat.user),
      let file = try rows.file(ofItem: item.meta.itemId)
    else { throw StoreError.fileIdNotFoundBySharedMsgId(sharedMsgId: id.text) }
    guard !item.chatDir.sent else {
      reportError("x.file.cancel: group member attempted invalid file cancel", in: chat)
      return .nobody
    }
    try cancelledBySender(file, of: chat.user)
    return Audience(place, of: chat.group)
  }

  /// The item of a blocked member: its content is there and not shown.
  func hide(_ item: AChatItem, of author: GroupAuthor, in chat: GroupChat) throws -> AChatItem {
    let hidden = try rows.markBlocked(
      item: item.chatItem.meta.itemId, byAdmin: author.blockedByAdmin, in: chat.chat, of: chat.user)
    return AChatItem(chatInfo: item.chatInfo, chatItem: hidden)
  }

  /// Adds an item without content for a member who is blocked for everybody in a group with full deletion; returns
  /// whether this is one.
  func isWithheld(_ new: NewItem, of author: GroupAuthor, in chat: GroupChat) throws -> Bool {
    guard author.blockedByAdmin, chat.group.isOn(.fullDelete) else { return false }
    var withheld = new
    withheld.content = .rcvBlocked
    withheld.status = .rcvRead
    emit(.newChatItems(user: chat.user, chatItems: [try hide(try stored(withheld, in: chat), of: author, in: chat)]))
    return true
  }

  /// Adds the item of a message that its author or a moderator deleted before it came.
  /// - Returns: false where nobody deleted it who may; nothing is added then.
  func addDeletedEarly(
    _ new: NewItem, file: FileInvitation? = nil, from author: GroupAuthor, in chat: GroupChat
  ) throws -> Bool {
    guard let id = new.sharedMsgId else { return false }
    let deletions = try rows.takeEarlyDeletions(
      sharedMsgId: id, author: author.memberId, inGroup: chat.group.groupId)
    // Members who may not delete it do not hide that others did.
    for deletion in deletions {
      // An author may: the message was never shown.
      guard let moderator = try self.author(deletion.deletedBy, is: author, of: chat.user) else { continue }
      let isModerator = moderator.memberRole >= chat.group.rights.toModerate(messagesOf: author.memberRole)
      guard moderator.databaseID == author.databaseID || isModerator else { continue }
      try addModerated(new, file: file, of: author, by: moderator, at: deletion.time, in: chat)
      return true
    }
    return false
  }

  /// The member with a database id, or the author where it is the author's; nil for a member who is gone.
  private func author(_ id: Int64, is author: GroupAuthor, of user: User) throws -> GroupAuthor? {
    if id == author.databaseID { return author }
    return try rows.memberIfPresent(id, of: user).map { .member($0) }
  }

  private func addModerated(
    _ new: NewItem, file: FileInvitation?, of author: GroupAuthor, by moderator: GroupAuthor, at time: Date,
    in chat: GroupChat
  ) throws {
    let isOwn = moderator.databaseID == author.databaseID
    if chat.group.isAllowed(.fullDelete, for: moderator.memberRole) {
      // Of a message that its author deletes nothing is left.
      if isOwn { return }
      // Stored without its content, then marked with who deleted it and when.
      var removed = new
      removed.content = .rcvModerated
      removed.status = .rcvRead
      let added = try stored(removed, in: chat)
      let item = try rows.moderate(
        item: added.chatItem, by: moderator.databaseID, at: time, in: chat.chat, of: chat.user)
      return emit(
        .newChatItems(user: chat.user, chatItems: [AChatItem(chatInfo: added.chatInfo, chatItem: item)]))
    }
    var marked = new
    marked.fileId = try file.map { try addReceivedFile($0, from: author.member, of: chat.user) }
    let item = try stored(marked, in: chat).chatItem
    let deletions = try markDeleted(
      [item], by: isOwn ? nil : moderator.databaseID, at: time, in: chat.chat, info: chat.info, of: chat.user)
    emit(.chatItemsDeleted(user: chat.user, chatItemDeletions: deletions, byUser: false))
  }

  /// Adds the quoted message to an item; returns whether it is one of the user's.
  private func quote(_ quote: QuotedMsg?, in new: inout NewItem, in chat: GroupChat) throws -> Bool {
    guard let quote else { return false }
    let author = quote.msgRef.memberId?.text
    let isUsers = author == chat.group.membership.memberId
    var shown = CIQuote(quote)
    if isUsers {
      shown.chatDir = .groupSnd
    } else if let author, let member = try rows.memberRecord(sharedId: author, ofGroup: chat.group.groupId) {
      shown.chatDir = .groupRcv(groupMember: member)
    } else {
      shown.chatDir = .channelRcv
    }
    new.quotedItem = shown
    new.quotedAuthor = author
    return isUsers
  }

  /// The most members that a received message mentions.
  private static var mentionsLimit: Int { 5 }

  /// The mentions of a message that its text has, each member once.
  func mentions(
    _ mentions: [String: MsgMention], in content: MsgContent, in chat: GroupChat
  ) throws -> [String: CIMention] {
    guard !mentions.isEmpty else { return [:] }
    var shown: [String: CIMention] = [:]
    var seen: Set<String> = []
    for name in Markdown.mentionedNames(Markdown.parse(content.text) ?? []) where shown.count < Self.mentionsLimit {
      guard let id = mentions[name]?.memberId.text, seen.insert(id).inserted else { continue }
      shown[name] = try mention(id, in: chat)
    }
    return shown
  }

  /// A mention of the member with this identifier.
  func mention(_ id: String, in chat: GroupChat) throws -> CIMention {
    let member = try rows.memberRecord(sharedId: id, ofGroup: chat.group.groupId)
    return CIMention(memberId: id, memberRef: member.map { CIMentionMember($0) })
  }

  /// A content and its mentions, with the names that the members have now.
  func updatedNames(
    in content: MsgContent, mentioning mentions: [String: CIMention], of chat: GroupChat
  ) throws -> (content: MsgContent, mentions: [String: CIMention]) {
    MentionNames.updated(content, try mentions.mapValues { try mention($0.memberId, in: chat) })
  }
}
