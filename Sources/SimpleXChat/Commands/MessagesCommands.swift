import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes

// Chats and messages: reading them, sending, editing, deleting, reacting, forwarding.

extension ChatController {
  func performMessages(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiSendMessages(let type, let id, let scope, _, let live, let ttl, _, let messages):
      guard type == .direct, scope == nil else { return nil }
      return try await sendMessages(id, live, ttl, messages)
    case .apiCreateChatItems(let folder, let messages): return try createNotes(folder, messages)
    case .apiUpdateChatItem(let type, let id, nil, let itemId, let message, let live):
      guard message.mentions.isEmpty else { throw .command("mentions are not supported in this chat") }
      switch type {
      case .direct: return try await editMessage(id, itemId, message.msgContent, live)
      case .local: return try editNote(id, itemId, message.msgContent)
      default: return nil
      }
    case .apiDeleteChatItem(let type, let id, nil, let items, let mode):
      switch type {
      case .direct: return try await deleteMessages(id, items, mode)
      case .local: return try deleteNotes(id, items)
      default: return nil
      }
    case .apiChatItemReaction(.direct, let id, nil, let itemId, let add, let reaction):
      return try await react(id, itemId, add, reaction)
    case .apiPlanForwardChatItems(let type, let id, nil, let items):
      guard type == .direct || type == .local else { return nil }
      return try planForward(ChatRef(chatType: type, chatId: id), items)
    case .apiForwardChatItems(let toType, let toId, nil, _, let fromType, let fromId, nil, let items, let ttl):
      guard [.direct, .local].contains(toType), [.direct, .local].contains(fromType) else { return nil }
      return try await forward(
        items, from: ChatRef(chatType: fromType, chatId: fromId), to: ChatRef(chatType: toType, chatId: toId), ttl)
    default: return try await readChats(command)
    }
  }

  // MARK: Sending

  private func sendMessages(
    _ id: Int64, _ live: Bool, _ ttl: Int?, _ messages: [ComposedMessage]
  ) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    try check(messages)
    guard !live || messages.count == 1 else { throw .command("invalid multi send: live and more than one message") }
    return try await locked(.contact(id)) { () throws(ChatError) in
      let contact = try store.read { try $0.contact(id, of: user) }
      try checkAllowed(contact, isSent: true, event: "x.msg.new")
      if messages.contains(where: { $0.msgContent.isVoice }) && !contact.isAllowed(.voice, for: .user) {
        throw .command("feature not allowed \(ChatFeature.voice.text)")
      }
      let items = try await sendMessages(
        messages.map { OutgoingContent(content: $0.msgContent, quotedItemId: $0.quotedItemId) }, to: contact, of: user,
        live: live, ttl: ttl)
      return .response1(.newChatItems(user: user, chatItems: items))
    }
  }

  private func check(_ messages: [ComposedMessage]) throws(ChatError) {
    for message in messages {
      if message.msgContent.isReport { throw .command("sending reports via this API is not supported") }
      if !message.mentions.isEmpty { throw .command("mentions are not supported in this chat") }
      if message.fileSource != nil { throw .command("not implemented yet: files") }
    }
  }

  private func createNotes(_ folder: Int64, _ messages: [ComposedMessage]) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    try check(messages)
    return try createNotes(
      folder, messages.map { OutgoingContent(content: $0.msgContent, quotedItemId: nil) }, user)
  }

  private func createNotes(
    _ folder: Int64, _ contents: [OutgoingContent], _ user: User
  ) throws(ChatError) -> ChatResponse {
    let items = try store.transaction { transaction in
      let info = ChatInfo.local(noteFolder: try transaction.noteFolder(folder, of: user))
      return try contents.map { content in
        var item = NewItem(
          chat: ChatRef(chatType: .local, chatId: folder), content: .sndMsgContent(msgContent: content.content))
        item.forwardedFrom = content.forwardedFrom
        return AChatItem(chatInfo: info, chatItem: try transaction.createItem(item, of: user))
      }
    }
    return .response1(.newChatItems(user: user, chatItems: items))
  }

  // MARK: Editing

  private func editMessage(
    _ id: Int64, _ itemId: Int64, _ content: MsgContent, _ live: Bool
  ) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    if content.isReport { throw .command("sending reports via this API is not supported") }
    return try await locked(.contact(id)) { () throws(ChatError) in
      let contact = try store.read { try $0.contact(id, of: user) }
      try checkAllowed(contact, isSent: true, event: "x.msg.update")
      let item = try store.read { try $0.item(itemId, in: contact.chat, of: user) }
      guard case .sndMsgContent(let old) = item.content, item.meta.editable,
        let shared = item.meta.itemSharedMsgId.flatMap({ SharedMsgId(text: $0) })
      else { throw .error(errorType: .invalidChatItemUpdate) }
      let info = ChatInfo.direct(contact: contact)
      let isChanged = content != old
      guard isChanged || item.meta.itemLive == true else {
        return .response1(.chatItemNotChanged(user: user, chatItem: AChatItem(chatInfo: info, chatItem: item)))
      }
      let update = MsgUpdate(
        msgId: shared, content: content, ttl: item.meta.itemTimed?.ttl,
        live: item.meta.itemLive != nil && live ? true : nil)
      var changed = item
      try await send([(newSharedMsgId(), .msgUpdate(update))], to: contact, of: user) { transaction in
        if isChanged {
          try transaction.addVersions(
            ofItem: itemId, initial: (time: item.meta.itemTs, content: old),
            new: (time: transaction.now, content: content)
          )
        }
        changed = try transaction.updateItem(
          itemId, in: contact.chat, to: .sndMsgContent(msgContent: content), edited: item.meta.itemLive != true,
          live: live, of: user)
        return []
      }
      schedule(changed, in: contact.chat, of: user)
      return .response1(.chatItemUpdated(user: user, chatItem: AChatItem(chatInfo: info, chatItem: changed)))
    }
  }

  private func editNote(_ folder: Int64, _ itemId: Int64, _ content: MsgContent) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let chat = ChatRef(chatType: .local, chatId: folder)
    return .response1(
      try store.transaction { transaction in
        let info = ChatInfo.local(noteFolder: try transaction.noteFolder(folder, of: user))
        let item = try transaction.item(itemId, in: chat, of: user)
        guard case .sndMsgContent(let old) = item.content else { throw ChatErrorType.invalidChatItemUpdate }
        guard old != content else {
          return .chatItemNotChanged(user: user, chatItem: AChatItem(chatInfo: info, chatItem: item))
        }
        try transaction.addVersions(
          ofItem: itemId, initial: (time: item.meta.itemTs, content: old),
          new: (time: transaction.now, content: content))
        let changed = try transaction.updateItem(
          itemId, in: chat, to: .sndMsgContent(msgContent: content), edited: true, live: false, of: user)
        return .chatItemUpdated(user: user, chatItem: AChatItem(chatInfo: info, chatItem: changed))
      })
  }

  // MARK: Deleting

  private func deleteMessages(
    _ id: Int64, _ ids: [Int64], _ mode: CIDeleteMode
  ) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    return try await locked(.contact(id)) { () throws(ChatError) in
      let contact = try store.read { try $0.contact(id, of: user) }
      let items = try items(ids, in: contact.chat, of: user)
      let deletions: [ChatItemDeletion]
      switch mode {
      case .cidmInternal: deletions = try delete(items, in: contact, of: user)
      case .cidmInternalMark: deletions = try markDeleted(items, at: Date(), in: contact, of: user)
      case .cidmBroadcast:
        guard items.allSatisfy({ DeletionRules.mayDelete($0, now: Date()) }) else {
          throw .error(errorType: .invalidChatItemDelete)
        }
        try checkAllowed(contact, isSent: true, event: "x.msg.del")
        let events = items.compactMap { $0.meta.itemSharedMsgId.flatMap { SharedMsgId(text: $0) } }
          .map { (id: newSharedMsgId(), event: ChatMessageEvent.msgDel(msgId: $0, memberId: nil, scope: nil)) }
        if !events.isEmpty { try await send(events, to: contact, of: user) { _ in [] } }
        // As they are now: some may have been read meanwhile.
        let left = try self.items(items.map(\.meta.itemId), in: contact.chat, of: user)
        deletions =
          contact.isAllowed(.fullDelete, for: .user)
          ? try delete(left, in: contact, of: user) : try markDeleted(left, at: Date(), in: contact, of: user)
      case .history: throw .error(errorType: .invalidChatItemDelete)
      }
      return .response1(.chatItemsDeleted(user: user, chatItemDeletions: deletions, byUser: true, timed: false))
    }
  }

  /// The items of a chat with these numbers; of those that are not there it is told.
  private func items(_ ids: [Int64], in chat: ChatRef, of user: User) throws(ChatError) -> [ChatItem] {
    var items: [ChatItem] = []
    var missing: [ChatError] = []
    for id in ids {
      do throws(ChatError) {
        items.append(try store.read { try $0.item(id, in: chat, of: user) })
      } catch .errorStore(.chatItemNotFound(let id)) {
        missing.append(.errorStore(storeError: .chatItemNotFound(itemId: id)))
      }
    }
    if !missing.isEmpty { tell(.chatErrors(chatErrors: missing)) }
    return items
  }

  /// Removes items for good.
  func delete(_ items: [ChatItem], in contact: Contact, of user: User) throws(ChatError) -> [ChatItemDeletion] {
    try store.transaction { transaction in
      for item in items { try transaction.deleteItem(item.meta.itemId, in: contact.chat, of: user) }
    }
    let info = ChatInfo.direct(contact: contact)
    return items.map { ChatItemDeletion(deletedChatItem: AChatItem(chatInfo: info, chatItem: $0)) }
  }

  /// Marks items as deleted; their content stays.
  func markDeleted(
    _ items: [ChatItem], at time: Date, in contact: Contact, of user: User
  ) throws(ChatError) -> [ChatItemDeletion] {
    let info = ChatInfo.direct(contact: contact)
    return try store.transaction { transaction in
      try items.map { item in
        let marked = try transaction.markDeleted(item: item.meta.itemId, at: time, in: contact.chat, of: user)
        return ChatItemDeletion(
          deletedChatItem: AChatItem(chatInfo: info, chatItem: item),
          toChatItem: AChatItem(chatInfo: info, chatItem: marked))
      }
    }
  }

  private func deleteNotes(_ folder: Int64, _ ids: [Int64]) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let chat = ChatRef(chatType: .local, chatId: folder)
    let info = ChatInfo.local(noteFolder: try store.read { try $0.noteFolder(folder, of: user) })
    let items = try items(ids, in: chat, of: user)
    try store.transaction { transaction in
      for item in items { try transaction.deleteItem(item.meta.itemId, in: chat, of: user) }
    }
    let deletions = items.map { ChatItemDeletion(deletedChatItem: AChatItem(chatInfo: info, chatItem: $0)) }
    return .response1(.chatItemsDeleted(user: user, chatItemDeletions: deletions, byUser: true, timed: false))
  }

  // MARK: Reactions

  private func react(
    _ id: Int64, _ itemId: Int64, _ add: Bool, _ reaction: MsgReaction
  ) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    return try await locked(.contact(id)) { () throws(ChatError) in
      let contact = try store.read { try $0.contact(id, of: user) }
      let item = try store.read { try $0.item(itemId, in: contact.chat, of: user) }
      guard let text = item.meta.itemSharedMsgId, let shared = SharedMsgId(text: text) else {
        throw .command("reaction not possible - no shared item ID")
      }
      guard contact.isAllowed(.reactions, for: .user) else {
        throw .command("feature not allowed \(ChatFeature.reactions.text)")
      }
      guard item.allowsReactions else { throw .command("reaction not allowed - chat item has no content") }
      let present = try store.read { try $0.reactions(to: text, in: contact.chat, sent: true, of: user) }
      guard present.contains(reaction) != add else { throw .command("reaction already \(add ? "added" : "removed")") }
      guard ReactionRules.allows(reaction, add: add, to: present) else { throw .command("too many reactions") }
      let event = ChatMessageEvent.msgReact(msgId: shared, memberId: nil, scope: nil, reaction: reaction, add: add)
      var time = Date()
      try await send([(newSharedMsgId(), event)], to: contact, of: user) { transaction in
        time = transaction.now
        try transaction.setReaction(
          reaction, add: add, to: text, in: contact.chat, sent: true, at: time, of: user)
        return []
      }
      // As it is now: it may have been read meanwhile.
      let changed = try store.read { try $0.item(itemId, in: contact.chat, of: user) }
      return .response1(
        .chatItemReaction(
          user: user, added: add,
          reaction: ACIReaction(
            chatInfo: .direct(contact: contact),
            chatReaction: CIReaction(chatDir: .directSnd, chatItem: changed, sentAt: time, reaction: reaction))))
    }
  }

  // MARK: Forwarding

  private func planForward(_ chat: ChatRef, _ ids: [Int64]) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let items = try items(ids, in: chat, of: user)
    // Files cannot be forwarded yet: what remains of a message without its file is.
    let possible = items.filter {
      $0.meta.itemDeleted == nil && $0.content.msgContent?.forwarded(hasFile: false) != nil
    }
    let missing = items.count { $0.file != nil }
    return .response1(
      .forwardPlan(
        user: user, itemsCount: ids.count, chatItemIds: possible.map(\.meta.itemId),
        forwardConfirmation: missing > 0 ? .filesMissing(filesCount: missing) : nil))
  }

  private func forward(
    _ ids: [Int64], from source: ChatRef, to target: ChatRef, _ ttl: Int?
  ) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let name = try store.read { transaction in
      source.chatType == .direct ? try transaction.contact(source.chatId, of: user).nameForForwarding : nil
    }
    let items = try items(ids, in: source, of: user)
    let contents = items.compactMap { item -> OutgoingContent? in
      guard item.meta.itemDeleted == nil, let content = item.content.msgContent?.forwarded(hasFile: false) else {
        return nil
      }
      var origin = item.meta.itemForwarded
      if origin == nil || origin == .unknown {
        origin = name.map {
          .contact(
            chatName: $0, msgDir: item.chatDir.sent ? .snd : .rcv, contactId: source.chatId,
            chatItemId: item.meta.itemId)
        }
      }
      return OutgoingContent(content: content, forwardedFrom: origin)
    }
    guard !contents.isEmpty else { return .response1(.newChatItems(user: user, chatItems: [])) }
    guard target.chatType == .direct else { return try createNotes(target.chatId, contents, user) }
    return try await locked(.contact(target.chatId)) { () throws(ChatError) in
      let contact = try store.read { try $0.contact(target.chatId, of: user) }
      try checkAllowed(contact, isSent: true, event: "x.msg.new")
      return .response1(
        .newChatItems(
          user: user, chatItems: try await sendMessages(contents, to: contact, of: user, live: false, ttl: ttl)))
    }
  }
}
