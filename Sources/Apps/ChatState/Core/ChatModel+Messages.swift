import ChatAPI

// Commands about messages: the state follows from their responses as it does from events.
extension ChatModel {
  /// Sends messages to a chat, or keeps them in the notes.
  ///
  /// - Returns: The new items.
  @discardableResult
  public func sendMessages(
    to info: ChatInfo, _ messages: [ComposedMessage], live: Bool = false, ttl: Int? = nil
  ) async throws(ChatError) -> [ChatItem] {
    let command: ChatCommand =
      if case .local(let folder) = info {
        .apiCreateChatItems(noteFolderId: folder.noteFolderId, composedMessages: messages)
      } else {
        .apiSendMessages(
          type: info.chatType, id: info.apiId, scope: info.groupChatScope(), sendAsGroup: info.sendAsGroup,
          live: live, ttl: ttl, composedMessages: messages)
      }
    return try await request(command) { (response: ChatResponse1) throws(ChatError) in
      guard case .newChatItems(_, let items) = response else { throw response.unexpected }
      self.apply(response)
      return items.map(\.chatItem)
    }
  }

  /// Changes a message.
  @discardableResult
  public func updateMessage(
    in info: ChatInfo, _ itemId: Int64, to message: UpdatedMessage, live: Bool = false
  ) async throws(ChatError) -> ChatItem {
    try await request(
      .apiUpdateChatItem(
        type: info.chatType, id: info.apiId, scope: info.groupChatScope(), itemId: itemId, updatedMessage: message,
        live: live)
    ) { (response: ChatResponse1) throws(ChatError) in
      self.apply(response)
      switch response {
      case .chatItemUpdated(_, let changed), .chatItemNotChanged(_, let changed): return changed.chatItem
      default: throw response.unexpected
      }
    }
  }

  /// Deletes messages.
  public func deleteMessages(in info: ChatInfo, _ itemIds: [Int64], mode: CIDeleteMode) async throws(ChatError) {
    try await request(
      .apiDeleteChatItem(
        type: info.chatType, id: info.apiId, scope: info.groupChatScope(), itemIds: itemIds, mode: mode)
    ) { (response: ChatResponse1) throws(ChatError) in
      guard case .chatItemsDeleted = response else { throw response.unexpected }
      self.apply(response)
    }
  }

  /// Adds or removes the user's reaction.
  public func react(in info: ChatInfo, _ itemId: Int64, _ reaction: MsgReaction, add: Bool) async throws(ChatError) {
    try await request(
      .apiChatItemReaction(
        type: info.chatType, id: info.apiId, scope: info.groupChatScope(), itemId: itemId, add: add,
        reaction: reaction)
    ) { (response: ChatResponse1) throws(ChatError) in
      guard case .chatItemReaction = response else { throw response.unexpected }
      self.apply(response)
    }
  }

  /// Marks items as read, in the core and here.
  public func markRead(in info: ChatInfo, _ itemIds: [Int64], mentionsRead: Int = 0) async throws(ChatError) {
    let asked = Set(itemIds)
    let unread = state.loadedUnread(itemIds, of: info)
    let isCertain = try await request(
      .apiChatItemsRead(type: info.chatType, id: info.apiId, scope: info.groupChatScope(), itemIds: itemIds)
    ) { (response: ChatResponse1) throws(ChatError) in
      guard case .itemsReadForChat(_, let updated) = response else { throw response.unexpected }
      let now = self.now()
      // Items may have been read or deleted meanwhile, or the chat left.
      let isCertain = unread == asked && self.state.loadedUnread(itemIds, of: info) == asked
      self.update { state in
        state.updateChatInfo(updated, at: now)
        state.markChatItemsRead(info, itemIds, mentionsRead: mentionsRead, at: now)
      }
      return isCertain
    }
    if !isCertain && info.groupChatScope() == nil { try await recount(info) }
  }

  /// Takes the counts of a chat from the core.
  private func recount(_ info: ChatInfo) async throws(ChatError) {
    try await request(
      .apiGetChat(chatId: info.id, scope: nil, contentTag: nil, pagination: .initial(count: 1), search: "")
    ) { (response: ChatResponse0) throws(ChatError) in
      guard case .apiChat(_, let chat, _) = response else { throw response.unexpected }
      self.update { state in
        state.withChat(chat.id) { entry in
          // A page says nothing of marks and reports.
          entry.chatStats.unreadCount = chat.chatStats.unreadCount
          entry.chatStats.unreadMentions = chat.chatStats.unreadMentions
          entry.chatStats.minUnreadItemId = chat.chatStats.minUnreadItemId
        }
      }
    }
  }

  /// Marks a chat as read, in the core and here.
  public func markChatRead(_ chat: Chat) async throws(ChatError) {
    let info = chat.chatInfo
    if chat.chatStats.unreadCount > 0 {
      try await request(.apiChatRead(type: info.chatType, id: info.apiId, scope: nil)) {
        (response: ChatResponse2) throws(ChatError) in
        guard case .cmdOk = response else { throw response.unexpected }
        self.markAllChatItemsRead(info)
      }
    }
    if chat.chatStats.unreadChat { try await setUnread(chat, false) }
  }

  /// Marks a chat as unread or not, in the core and here.
  public func setUnread(_ chat: Chat, _ unreadChat: Bool) async throws(ChatError) {
    let info = chat.chatInfo
    try await request(.apiChatUnread(type: info.chatType, id: info.apiId, unreadChat: unreadChat)) {
      (response: ChatResponse2) throws(ChatError) in
      guard case .cmdOk = response else { throw response.unexpected }
      self.markChatUnread(info, unreadChat: unreadChat)
    }
  }

  /// Deletes all items of a chat.
  public func clear(_ chat: Chat) async throws(ChatError) {
    try await request(.apiClearChat(type: chat.chatInfo.chatType, id: chat.chatInfo.apiId)) {
      (response: ChatResponse1) throws(ChatError) in
      guard case .chatCleared(_, let info) = response else { throw response.unexpected }
      self.clearChat(info)
    }
  }

  /// Deletes a chat, or what the mode says of it.
  public func delete(_ chat: Chat, mode: ChatDeleteMode = .full(notify: true)) async throws(ChatError) {
    let info = chat.chatInfo
    deletedChats.insert(info.id)
    defer { deletedChats.remove(info.id) }
    try await request(.apiDeleteChat(type: info.chatType, id: info.apiId, chatDeleteMode: mode)) {
      (response: ChatResponse1) throws(ChatError) in
      switch response {
      case .contactDeleted(_, let contact):
        if case .messages = mode { self.updateContact(contact) } else { self.removeChat(info.id) }
      case .contactConnectionDeleted, .groupDeletedUser: self.removeChat(info.id)
      default: throw response.unexpected
      }
      if self.chatId == info.id { self.closeChat() }
    }
  }

  /// Tags a chat.
  public func setTags(of chat: Chat, _ tagIds: [Int64]) async throws(ChatError) {
    let id = chat.id
    try await request(
      .apiSetChatTags(type: chat.chatInfo.chatType, id: chat.chatInfo.apiId, tagIds: tagIds)
    ) { (response: ChatResponse0) throws(ChatError) in
      guard case .tagsUpdated(_, let userTags, let chatTags) = response else { throw response.unexpected }
      self.update { state in
        state.withChat(id) { $0.chatInfo = $0.chatInfo.tagged(chatTags) }
        state.tags.setUserTags(userTags)
        state.changes.insert(.tags)
      }
    }
  }

  /// Handles a response about items like the corresponding event.
  public func apply(_ response: ChatResponse1) {
    switch response {
    case .newChatItems(let user, let items): processReceivedMsg(.newChatItems(user: user, chatItems: items))
    case .chatItemUpdated(let user, let item): processReceivedMsg(.chatItemUpdated(user: user, chatItem: item))
    case .chatItemReaction(let user, let added, let reaction):
      processReceivedMsg(.chatItemReaction(user: user, added: added, reaction: reaction))
    case .chatItemsDeleted(let user, let deletions, let byUser, let timed):
      processReceivedMsg(
        .chatItemsDeleted(user: user, chatItemDeletions: deletions, byUser: byUser, timed: timed))
    case .groupChatItemsDeleted(let user, let group, let ids, let byUser, let member):
      processReceivedMsg(
        .groupChatItemsDeleted(user: user, groupInfo: group, chatItemIDs: ids, byUser: byUser, member_: member))
    default: break
    }
  }
}

extension ChatInfo {
  /// The chat with other tags.
  public func tagged(_ tags: [Int64]) -> ChatInfo {
    switch self {
    case .direct(var contact):
      contact.chatTags = tags
      return .direct(contact: contact)
    case .group(var group, let scope):
      group.chatTags = tags
      return .group(groupInfo: group, groupChatScope: scope)
    default: return self
    }
  }
}
