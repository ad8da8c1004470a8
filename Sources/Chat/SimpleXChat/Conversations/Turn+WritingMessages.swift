import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes

// What the user does with messages, in any conversation.

extension Turn {
  /// The contents of messages that can be sent together.
  func contents(
    of messages: [ComposedMessage], for conversation: any Conversation, live: Bool
  ) throws -> [OutgoingContent] {
    guard !live || messages.count == 1 else {
      throw ChatError.command("invalid multi send: live and more than one message")
    }
    guard messages.count(where: { $0.quotedItemId != nil }) <= 1 else {
      throw ChatError.command("invalid multi send: live and more than one quote not supported")
    }
    for message in messages {
      if message.msgContent.isReport { throw ChatError.command("sending reports via this API is not supported") }
      if !message.mentions.isEmpty, conversation.chat.chatType != .group {
        throw ChatError.command("mentions are not supported in this chat")
      }
    }
    let contents = messages.map {
      OutgoingContent(
        content: $0.msgContent, quotedItemId: $0.quotedItemId, mentions: $0.mentions, file: $0.fileSource)
    }
    try conversation.check(contents)
    return contents
  }

  /// Changes a message of the user.
  func edit(
    _ itemId: Int64, in conversation: any Conversation, to content: MsgContent,
    mentioning members: [String: Int64] = [:],
    live: Bool
  ) throws -> ChatResponse {
    let (user, chat, info) = (conversation.user, conversation.chat, conversation.info)
    if content.isReport { throw ChatError.command("sending reports via this API is not supported") }
    try conversation.check(event: "x.msg.update")
    try conversation.check(edited: content)
    let item = try rows.item(itemId, in: chat, of: user)
    guard case .sndMsgContent(let old) = item.content, conversation.mayEdit(item) else {
      throw ChatErrorType.invalidChatItemUpdate
    }
    let isChanged = content != old
    guard isChanged || item.meta.itemLive == true else {
      return .response1(.chatItemNotChanged(user: user, chatItem: AChatItem(chatInfo: info, chatItem: item)))
    }
    var mentions: [String: CIMention] = [:]
    if let group = conversation as? GroupConversation {
      mentions = try self.mentions(members, in: content, of: group.place)
    }
    if let shared = item.meta.itemSharedMsgId.flatMap({ SharedMsgId(text: $0) }) {
      var update = MsgUpdate(
        msgId: shared, content: content,
        mentions: mentions.sent,
        ttl: item.meta.itemTimed?.ttl,
        live: item.meta.itemLive != nil && live ? true : nil, scope: conversation.messageScope)
      if let group = conversation as? GroupConversation, !mentions.isEmpty {
        update = fitted(update, for: try group.recipients(self).compactMap(\.activeConn))
        if update.mentions.isEmpty { mentions = [:] }
      }
      try conversation.deliver([.msgUpdate(update)], in: self)
    }
    if conversation is GroupConversation { try rows.setMentions(mentions, user: "", ofItem: itemId) }
    if isChanged {
      try rows.addVersions(
        ofItem: itemId, initial: (time: item.meta.itemTs, content: old), new: (time: rows.now, content: content))
    }
    let changed = try rows.updateItem(
      itemId, in: chat, to: .sndMsgContent(msgContent: content), edited: item.meta.itemLive != true, live: live,
      of: user)
    return .response1(.chatItemUpdated(user: user, chatItem: AChatItem(chatInfo: info, chatItem: changed)))
  }

  /// Throws where some items cannot be deleted in this way.
  func requireDeletable(_ ids: [Int64], in conversation: any Conversation, _ mode: CIDeleteMode) throws {
    switch mode {
    case .cidmInternal, .cidmInternalMark: return
    case .history: throw ChatErrorType.invalidChatItemDelete
    case .cidmBroadcast:
      let items = try ids.compactMap { try rows.itemIfPresent($0, in: conversation.chat, of: conversation.user) }
      guard items.allSatisfy({ conversation.mayDelete($0, now: rows.now) }) else {
        throw ChatErrorType.invalidChatItemDelete
      }
    }
  }

  /// Deletes items, for the user or for everybody.
  func delete(
    _ ids: [Int64], in conversation: any Conversation, _ mode: CIDeleteMode
  ) throws -> [ChatItemDeletion] {
    let (user, chat, info) = (conversation.user, conversation.chat, conversation.info)
    let items = try items(ids, in: chat, of: user)
    switch mode {
    case .cidmInternal, .cidmInternalMark: break
    case .cidmBroadcast:
      guard items.allSatisfy({ conversation.mayDelete($0, now: rows.now) }) else {
        throw ChatErrorType.invalidChatItemDelete
      }
      try conversation.check(event: "x.msg.del")
      let events = items.compactMap { $0.meta.itemSharedMsgId.flatMap { SharedMsgId(text: $0) } }
        .map { ChatMessageEvent.msgDel(msgId: $0, memberId: nil, scope: conversation.messageScope) }
      try withdraw(items, from: chat)
      if !events.isEmpty { try conversation.deliver(events, in: self) }
    case .history: throw ChatErrorType.invalidChatItemDelete
    }
    return conversation.removesItems(mode)
      ? try delete(items, in: chat, info: info, of: user)
      : try markDeleted(items, at: rows.now, in: chat, info: info, of: user)
  }

  /// Adds or removes a reaction of the user.
  func react(
    to itemId: Int64, in conversation: any Conversation, _ reaction: MsgReaction, add: Bool
  ) throws -> ChatResponse {
    let (user, chat) = (conversation.user, conversation.chat)
    let item = try rows.item(itemId, in: chat, of: user)
    guard let text = item.meta.itemSharedMsgId, let shared = SharedMsgId(text: text) else {
      throw ChatError.command("reaction not possible - no shared item ID")
    }
    try conversation.checkReactions()
    guard item.allowsReactions else { throw ChatError.command("reaction not allowed - chat item has no content") }
    let author = conversation.author(of: item)
    let present = try rows.reactions(to: text, author: author?.text ?? "", in: chat, sent: true, of: user)
    guard present.contains(reaction) != add else {
      throw ChatError.command("reaction already \(add ? "added" : "removed")")
    }
    guard ReactionRules.allows(reaction, add: add, to: present) else { throw ChatError.command("too many reactions") }
    try conversation.deliver(
      [.msgReact(msgId: shared, memberId: author, scope: conversation.messageScope, reaction: reaction, add: add)],
      in: self)
    try rows.setReaction(
      reaction, add: add, to: text, author: author?.text ?? "", in: chat, sent: true, at: rows.now, of: user)
    let changed = try rows.item(itemId, in: chat, of: user)
    return .response1(
      .chatItemReaction(
        user: user, added: add,
        reaction: ACIReaction(
          chatInfo: conversation.info,
          chatReaction: CIReaction(
            chatDir: conversation.sentDirection, chatItem: changed, sentAt: rows.now, reaction: reaction))))
  }

  // MARK: Forwarding

  /// Forwards items of one conversation to another one.
  /// - Parameter files: copies of their files, by the numbers of the items.
  func forward(
    _ ids: [Int64], from source: any Conversation, to target: any Conversation, files: [Int64: CryptoFile],
    ttl: Int?
  ) throws -> [AChatItem] {
    let contents = try contents(
      forwarding: try items(ids, in: source.chat, of: source.user), from: source, to: target, files: files)
    guard !contents.isEmpty else { return [] }
    try target.check(contents)
    return try target.send(contents, live: false, ttl: ttl, in: self)
  }

  /// What is sent of items that are forwarded; those that are deleted or have no content are left out.
  func contents(
    forwarding items: [ChatItem], from source: any Conversation, to target: any Conversation, files: [Int64: CryptoFile]
  ) throws -> [OutgoingContent] {
    try items.compactMap { item -> OutgoingContent? in
      let file = files[item.meta.itemId]
      guard item.meta.itemDeleted == nil,
        let content = item.content.msgContent?.forwarded(hasFile: file != nil || item.file == nil)
      else { return nil }
      var origin = item.meta.itemForwarded
      if origin == nil || origin == .unknown { origin = source.origin(of: item) }
      var outgoing = OutgoingContent(content: content, forwardedFrom: origin, file: file)
      if let group = source as? GroupConversation {
        let (shown, mentions) = try updatedNames(in: content, mentioning: item.mentions, of: group.place)
        outgoing.content = shown
        if source.chat == target.chat {
          outgoing.mentions = mentions.compactMapValues { $0.memberRef?.groupMemberId }
        }
      }
      return outgoing
    }
  }
}
