import ChatAPI
import ChatLogic
import ChatStore

// The list of chats, pages of items, reading and clearing.

extension ChatController {
  func readChats(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiGetChats(let id, let pendingConnections, let pagination, let query):
      let user = try currentUser(id)
      let chats = try store.read {
        try $0.chats(
          of: user, pendingConnections: pendingConnections, pagination: pagination ?? .last(count: 5_000),
          query: query ?? .filters(favorite: false, unread: false))
      }
      return .response0(.apiChats(user: user, chats: chats))
    case .apiGetChat(let chatId, let scope, let tag, let pagination, let search):
      let user = try runningUser()
      guard let chat = try ChatRef(id: chatId).map({ (chat) throws(ChatError) in try part(scope, of: chat) }) else {
        throw .unsupported
      }
      guard chat.chatType.hasItems else { return nil }
      let (data, navigation) = try store.read {
        try $0.chat(
          chat, pagination: pagination, filter: tag, search: search.isEmpty ? nil : search, of: user)
      }
      return .response0(.apiChat(user: user, chat: data, navInfo: navigation))
    case .apiGetChatContentTypes(let chatId, let scope):
      let user = try runningUser()
      guard let chat = try ChatRef(id: chatId).map({ (chat) throws(ChatError) in try part(scope, of: chat) }) else {
        throw .unsupported
      }
      return .response0(.chatContentTypes(contentTypes: try store.read { try $0.contentTypes(chat, of: user) }))
    case .apiGetChatItems(let pagination, let search):
      let user = try runningUser()
      let items = try store.read { try $0.allItems(of: user, pagination: pagination, search: search) }
      return .response3(.chatItems(user: user, chatItems: items))
    case .apiGetChatItemInfo(let type, let id, let scope, let itemId):
      guard type.hasItems else { return nil }
      return try itemInfo(itemId, in: try part(scope, of: ChatRef(chatType: type, chatId: id)))
    case .apiChatRead(let type, let id, let scope):
      return try await readChat(try part(scope, of: ChatRef(chatType: type, chatId: id)))
    case .apiChatItemsRead(let type, let id, let scope, let items) where type == .direct || type == .group:
      return try readItems(items, in: try part(scope, of: ChatRef(chatType: type, chatId: id)))
    case .apiChatUnread(let type, let id, let unread):
      guard type.hasItems else { throw .unsupported }
      let user = try runningUser()
      try turn { try $0.rows.setMarkedUnread(unread, of: ChatRef(chatType: type, chatId: id), of: user) }
      return .done(user)
    default: return nil
    }
  }

  /// The part of a group's chat that a command names. A support chat begins when it is opened.
  private func part(_ scope: GroupChatScope?, of chat: ChatRef) throws(ChatError) -> ChatRef {
    guard let scope else { return chat }
    guard chat.chatType == .group, case .memberSupport(let member) = scope else { throw .unsupported }
    return try turn { turn in
      // It may be another user's, as a notification can be about any of them.
      let user = try turn.rows.user(ofGroup: chat.chatId)
      let group = try turn.groupChat(chat.chatId, of: user)
      let member = try member.map { try turn.rows.member($0, ofGroup: chat.chatId, of: user) }
      return try turn.supportChat(of: member, in: group).chat
    }
  }

  private func itemInfo(_ id: Int64, in chat: ChatRef) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let (item, versions, source) = try store.read { transaction in
      let item = try transaction.itemWithChat(id, in: chat, of: user)
      var source: AChatItem?
      switch item.chatItem.meta.itemForwarded {
      case .contact(_, _, let contact?, let itemId?):
        source = try? transaction.itemWithChat(itemId, in: ChatRef(chatType: .direct, chatId: contact), of: user)
      case .group(_, _, let group?, let itemId?):
        source = try? transaction.itemWithChat(itemId, in: ChatRef(chatType: .group, chatId: group), of: user)
      default: break
      }
      return (item, try transaction.versions(ofItem: id), source)
    }
    let recipients =
      chat.chatType == .group && item.chatItem.chatDir.sent ? try store.read { try $0.recipients(ofItem: id) } : nil
    var known = versions
    if known.isEmpty, let content = item.chatItem.content.msgContent {
      let meta = item.chatItem.meta
      known = [
        ChatItemVersion(
          chatItemVersionId: meta.itemId, msgContent: content, formattedText: item.chatItem.formattedText,
          itemVersionTs: meta.itemTs, createdAt: meta.createdAt)
      ]
    }
    return .response0(
      .chatItemInfo(
        user: user, chatItem: item,
        chatItemInfo: ChatItemInfo(
          itemVersions: known, memberDeliveryStatuses: recipients?.isEmpty == true ? nil : recipients,
          forwardedFromChatItem: source)))
  }

  // MARK: Reading

  /// Marks a chat as read. It may be another user's, since a notification can be about any of them.
  private func readChat(_ chat: ChatRef) async throws(ChatError) -> ChatResponse {
    _ = try runningUser()
    let user: User
    switch chat.chatType {
    case .direct: user = try store.read { try $0.user(ofContact: chat.chatId) }
    case .group: user = try store.read { try $0.user(ofGroup: chat.chatId) }
    case .local: user = try store.read { try $0.user(ofNoteFolder: chat.chatId) }
    default: throw .unsupported
    }
    let last = try store.read { try $0.lastItemNumber() }
    var hasMore = true
    while hasMore {
      try turn { try $0.rows.markRead(chat, of: user, through: last, limit: Self.readingBatch) }
      hasMore = try store.read { try $0.hasUnreadItems(chat, of: user, through: last) }
      if hasMore { await Task.yield() }
    }
    guard case .memberSupport(let member) = chat.chatScope else { return .done(user) }
    return try store.read { transaction in
      let group = try transaction.group(chat.chatId, of: user)
      return .response2(
        .memberSupportChatRead(
          user: user, groupInfo: group,
          member: try member.map { try transaction.member($0, of: user) } ?? group.membership))
    }
  }

  /// The number of items that are marked as read in one transaction, so that other turns do not wait long.
  static var readingBatch: Int { 2_000 }

  private func readItems(_ items: [Int64], in chat: ChatRef) throws(ChatError) -> ChatResponse {
    _ = try runningUser()
    let (user, info) = try turn { turn in
      let user =
        chat.chatType == .group ? try turn.rows.user(ofGroup: chat.chatId) : try turn.rows.user(ofContact: chat.chatId)
      try turn.rows.markRead(items: items, in: chat, of: user)
      let whole = ChatRef(chatType: chat.chatType, chatId: chat.chatId)
      return (user, try turn.rows.chatInfo(whole, of: user))
    }
    return .response1(.itemsReadForChat(user: user, chatInfo: info))
  }

  // MARK: Clearing

  func clearChat(_ type: ChatType, _ id: Int64) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    return try turn { turn in
      let conversation = try turn.conversation(type, id, of: user)
      try turn.rows.clear(conversation.chat, of: user)
      turn.purgeSoon()
      return .response1(.chatCleared(user: user, chatInfo: conversation.info))
    }
  }
}

extension ChatType {
  /// Whether chats of this kind have items.
  fileprivate var hasItems: Bool { self == .direct || self == .group || self == .local }
}
