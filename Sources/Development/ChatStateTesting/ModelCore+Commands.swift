import ChatAPI
import ChatState

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ModelCore.World {
  /// Executes a command, and returns the core's result.
  mutating func result(of command: ChatCommand) -> APIResult<ChatResponse> {
    switch answer(command) {
    case .success(let part): ChatResponse(part).map { .result($0) } ?? .error(part.unexpected)
    case .failure(let error): .error(error)
    }
  }

  /// Executes a command, and returns its response.
  mutating func answer(_ command: ChatCommand) -> Result<any ChatAPIResult, ChatError> {
    guard isOpen else { return .failure(.error(errorType: .chatNotStarted)) }
    switch command {
    case .apiSuspendChat:
      isActive = false
      return .success(ChatResponse2.cmdOk())
    case .apiActivateChat:
      isActive = true
      return .success(ChatResponse2.cmdOk())
    case .showActiveUser: return .success(ChatResponse0.activeUser(user: user))
    case .listUsers:
      return .success(ChatResponse0.usersList(users: [UserInfo(user: user, unreadCount: notifiedUnread)]))
    case .checkChatRunning:
      return .success(isRunning ? ChatResponse0.chatRunning : ChatResponse0.chatStopped)
    case .startChat:
      isRunning = true
      return .success(ChatResponse0.chatStarted)
    case .apiStopChat:
      isRunning = false
      return .success(ChatResponse0.chatStopped)
    case .apiGetChats: return .success(ChatResponse0.apiChats(user: user, chats: list))
    case .apiGetChatTags: return .success(ChatResponse0.chatTags(user: user, userTags: tags))
    case .apiGetChatItemTTL: return .success(ChatResponse0.chatItemTTL(user: user))
    case .apiGetChat(let id, _, _, let pagination, let search):
      return page(of: id, pagination: pagination, matching: search)
    case .apiSetEncryptLocalFiles, .apiSetAppFilePaths: return .success(ChatResponse2.cmdOk())
    case .apiSendMessages(let type, let id, _, _, _, _, _, let messages):
      return send(messages, to: "\(type.rawValue)\(id)")
    case .apiUpdateChatItem(let type, let id, _, let itemId, let message, _):
      return edit(in: "\(type.rawValue)\(id)", item: itemId, content: message.msgContent)
    case .apiDeleteChatItem(let type, let id, _, let itemIds, _): return delete("\(type.rawValue)\(id)", itemIds)
    case .apiChatItemReaction(let type, let id, _, let itemId, let add, let reaction):
      return react(in: "\(type.rawValue)\(id)", item: itemId, add: add, reaction: reaction)
    case .apiChatItemsRead(let type, let id, _, let itemIds):
      guard let stored = read("\(type.rawValue)\(id)", Set(itemIds)) else { return notFound }
      return .success(ChatResponse1.itemsReadForChat(user: user, chatInfo: stored.info))
    case .apiChatRead(let type, let id, _):
      return read("\(type.rawValue)\(id)", nil) == nil ? notFound : .success(ChatResponse2.cmdOk())
    case .apiChatUnread(let type, let id, let unreadChat):
      chats["\(type.rawValue)\(id)"]?.unreadChat = unreadChat
      return .success(ChatResponse2.cmdOk())
    case .apiClearChat(let type, let id):
      let id = "\(type.rawValue)\(id)"
      guard let stored = chats[id] else { return notFound }
      chats[id]?.items = []
      return .success(ChatResponse1.chatCleared(user: user, chatInfo: stored.info))
    case .apiDeleteChat(let type, let id, _):
      guard let stored = chats.removeValue(forKey: "\(type.rawValue)\(id)") else { return notFound }
      switch stored.info {
      case .direct(let contact): return .success(ChatResponse1.contactDeleted(user: user, contact: contact))
      case .group(let group, _): return .success(ChatResponse1.groupDeletedUser(user: user, groupInfo: group))
      default: return notFound
      }
    case .apiSetChatTags(let type, let id, let tagIds):
      let id = "\(type.rawValue)\(id)"
      guard let info = chats[id]?.info else { return notFound }
      chats[id]?.info = info.tagged(tagIds)
      return .success(ChatResponse0.tagsUpdated(user: user, userTags: tags, chatTags: tagIds))
    case .receiveFile, .cancelFile, .apiUploadStandaloneFile, .apiDownloadStandaloneFile: return answerFile(command)
    default: return .failure(.error(errorType: .commandError(message: "not in the model")))
    }
  }

  private var notFound: Result<any ChatAPIResult, ChatError> {
    .failure(.error(errorType: .commandError(message: "not found")))
  }

  /// The chat list, by the time of the last change.
  var list: [ChatData] {
    chats.values.sorted { $0.info.chatTs > $1.info.chatTs }.map { stored in
      ChatData(chatInfo: stored.info, chatItems: stored.items.suffix(1), chatStats: stored.stats)
    }
  }

  private var notifiedUnread: Int {
    list.reduce(0) { $0 + ChatEntry($1, created: Samples.time(0)).notifiedUnreadCount }
  }

  private func page(
    of id: ChatId, pagination: ChatPagination, matching search: String
  ) -> Result<any ChatAPIResult, ChatError> {
    guard let stored = chats[id] else { return notFound }
    let items = search.isEmpty ? stored.items : stored.items.filter { $0.meta.itemText.contains(search) }
    func position(_ id: Int64) -> Int? { items.firstIndex { $0.id == id } }
    var range = items.startIndex..<items.endIndex
    switch pagination {
    case .last(let count): range = max(0, items.count - count)..<items.count
    case .before(let itemId, let count):
      guard let end = position(itemId) else { return notFound }
      range = max(0, end - count)..<end
    case .after(let itemId, let count):
      guard let start = position(itemId) else { return notFound }
      range = (start + 1)..<min(items.count, start + 1 + count)
    case .around(let itemId, let count):
      guard let middle = position(itemId) else { return notFound }
      range = max(0, middle - count / 2)..<min(items.count, middle + count / 2 + 1)
    case .initial(let count):
      let middle = items.firstIndex(where: \.isRcvNew) ?? items.count
      range = max(0, min(middle, items.count) - count / 2)..<min(items.count, middle + count / 2 + 1)
    }
    let after = items[range.upperBound...]
    let navigation = NavigationInfo(
      afterUnread: after.filter(\.isRcvNew).count, afterTotal: after.count)
    let chat = ChatData(chatInfo: stored.info, chatItems: Array(items[range]), chatStats: stored.stats)
    return .success(ChatResponse0.apiChat(user: user, chat: chat, navInfo: navigation))
  }

  private mutating func send(_ messages: [ComposedMessage], to id: ChatId) -> Result<any ChatAPIResult, ChatError> {
    let items = messages.compactMap { message in
      add(to: id, chats[id]?.info.groupInfo == nil ? .directSnd : .groupSnd, message.msgContent.text)
    }
    return items.isEmpty ? notFound : .success(ChatResponse1.newChatItems(user: user, chatItems: items))
  }

  /// Adds an item to a chat, which makes it the latest.
  mutating func add(
    to id: ChatId, _ direction: CIDirection, _ text: String, mention: Bool = false, late: Int = 0
  ) -> AChatItem? {
    guard var stored = chats[id] else { return nil }
    now += 1
    // A message of a group can have been sent before others that came first.
    var item = Samples.item(nextItemId, direction: direction, text: text, at: Samples.time(now), mention: mention)
    item.meta.itemTs = Samples.time(now - late)
    nextItemId += 1
    let order = ItemOrder(stored.info.chatType)
    var position = stored.items.count
    while position > 0, order.isLater(stored.items[position - 1], than: item) { position -= 1 }
    stored.items.insert(item, at: position)
    stored.info = stored.info.changed(at: Samples.time(now))
    chats[id] = stored
    return AChatItem(chatInfo: stored.info, chatItem: item)
  }

  private mutating func edit(
    in id: ChatId, item itemId: Int64, content: MsgContent
  ) -> Result<any ChatAPIResult, ChatError> {
    guard
      let changed = change(
        in: id, item: itemId,
        change: {
          $0.content = .sndMsgContent(msgContent: content)
          $0.meta.itemText = content.text
          $0.meta.itemEdited = true
        })
    else { return notFound }
    return .success(ChatResponse1.chatItemUpdated(user: user, chatItem: changed))
  }

  private mutating func delete(_ id: ChatId, _ itemIds: [Int64]) -> Result<any ChatAPIResult, ChatError> {
    let deletions = itemIds.compactMap { remove(id, $0) }
    return .success(ChatResponse1.chatItemsDeleted(user: user, chatItemDeletions: deletions, byUser: true))
  }

  private mutating func react(
    in id: ChatId, item itemId: Int64, add: Bool, reaction: MsgReaction
  ) -> Result<any ChatAPIResult, ChatError> {
    guard
      let changed = change(
        in: id, item: itemId,
        change: { $0.reactions = add ? [CIReactionCount(reaction: reaction, userReacted: true, totalReacted: 1)] : [] })
    else { return notFound }
    let reacted = CIReaction(
      chatDir: changed.chatItem.chatDir, chatItem: changed.chatItem, sentAt: Samples.time(now), reaction: reaction)
    return .success(
      ChatResponse1.chatItemReaction(
        user: user, added: add, reaction: ACIReaction(chatInfo: changed.chatInfo, chatReaction: reacted)))
  }

  /// Removes an item.
  mutating func remove(_ id: ChatId, _ itemId: Int64) -> ChatItemDeletion? {
    guard var stored = chats[id], let position = stored.items.firstIndex(where: { $0.id == itemId }) else { return nil }
    let item = stored.items.remove(at: position)
    chats[id] = stored
    return ChatItemDeletion(deletedChatItem: AChatItem(chatInfo: stored.info, chatItem: item))
  }

  /// Changes an item.
  mutating func change(in id: ChatId, item itemId: Int64, change: (inout ChatItem) -> Void) -> AChatItem? {
    guard var stored = chats[id], let position = stored.items.firstIndex(where: { $0.id == itemId }) else { return nil }
    change(&stored.items[position])
    chats[id] = stored
    return AChatItem(chatInfo: stored.info, chatItem: stored.items[position])
  }

  private mutating func read(_ id: ChatId, _ ids: Set<Int64>?) -> ModelCore.Stored? {
    guard var stored = chats[id] else { return nil }
    for position in stored.items.indices where stored.items[position].isRcvNew {
      if ids?.contains(stored.items[position].id) ?? true { stored.items[position].meta.itemStatus = .rcvRead }
    }
    chats[id] = stored
    return stored
  }
}

extension ModelCore.Stored {
  /// The totals of what there is.
  var stats: ChatStats {
    let unread = items.filter(\.isRcvNew)
    return ChatStats(
      unreadCount: unread.count, unreadMentions: unread.filter(\.meta.userMention).count, reportsCount: 0,
      minUnreadItemId: unread.map(\.id).min() ?? 0, unreadChat: unreadChat)
  }
}

extension ItemOrder {
  fileprivate func isLater(_ item: ChatItem, than other: ChatItem) -> Bool {
    let (time, otherTime) =
      self == .messageTime ? (item.meta.itemTs, other.meta.itemTs) : (item.meta.createdAt, other.meta.createdAt)
    return time > otherTime || (time == otherTime && item.id > other.id)
  }
}

extension ChatInfo {
  fileprivate func changed(at time: Date) -> ChatInfo {
    switch self {
    case .direct(var contact):
      contact.chatTs = time
      return .direct(contact: contact)
    case .group(var group, let scope):
      group.chatTs = time
      return .group(groupInfo: group, groupChatScope: scope)
    default: return self
    }
  }
}
