import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The methods of the specification: each changes the state by one operation on the value.
extension ChatModel {
  // MARK: Users

  /// A user by id.
  public func getUser(_ userId: Int64) -> User? {
    observe(.session)
    return state.session.getUser(userId)
  }

  /// Where a user is in ``users``.
  public func getUserIndex(_ user: User) -> Int? {
    observe(.session)
    return state.session.getUserIndex(user.userId)
  }

  /// Updates a user, in the list and as the active one.
  public func updateUser(_ user: User) {
    update { state in
      state.session.updateUser(user)
      state.changes.insert(.session)
    }
  }

  /// Removes a user from the list.
  public func removeUser(_ user: User) {
    update { state in
      state.session.removeUser(user.userId)
      state.changes.insert(.session)
    }
  }

  /// The number of unread items of all users, as their notification settings count them.
  public func totalUnreadCountForAllUsers() -> Int {
    observe(.session)
    observe(.chatOrder)
    return state.totalUnreadCountForAllUsers
  }

  // MARK: The chat list

  /// Whether there is a chat.
  public func hasChat(_ id: ChatId) -> Bool { getChat(id) != nil }
  /// The chat with a contact.
  public func getContactChat(_ contactId: Int64) -> Chat? { getChat("@\(contactId)") }
  /// The chat of a group.
  public func getGroupChat(_ groupId: Int64) -> Chat? { getChat("#\(groupId)") }

  /// Adds a chat on top of the list.
  public func addChat(_ chat: Chat) {
    let entry = chat.entry
    update { $0.addChat(entry) }
  }

  /// Updates a chat that is in the list.
  public func updateChatInfo(_ cInfo: ChatInfo) { update { $0.updateChatInfo(cInfo, at: now()) } }
  /// Updates a contact; one that is known from groups only is not added.
  public func updateContact(_ contact: Contact) { update { $0.updateContact(contact, at: now()) } }
  /// Updates a group.
  public func updateGroup(_ groupInfo: GroupInfo) { update { $0.updateGroup(groupInfo, at: now()) } }

  /// Updates a connection without contact.
  public func updateContactConnection(_ connection: PendingContactConnection) {
    update { $0.updateContactConnection(connection, at: now()) }
  }

  /// Updates a contact and its connection.
  public func updateContactConnectionStats(_ contact: Contact, _ stats: ConnectionStats) {
    update { $0.updateContact(contact, stats: stats, at: now()) }
  }

  /// Servers and synchronisation of a connection, as last reported.
  public func connectionStats(_ connection: Connection) -> ConnectionStats? {
    observe(.misc)
    return state.misc.connectionStats[connection.connId]
  }

  /// Replaces a chat by another, which is added on top if the former is not in the list.
  public func replaceChat(_ id: ChatId, _ chat: Chat) {
    let entry = chat.entry
    update { $0.replaceChat(id, entry) }
  }

  /// Removes a chat.
  public func removeChat(_ id: ChatId) { update { $0.removeChat(id) } }
  /// Moves a chat to the top, as changed at this time: it stays above chats that changed before.
  public func popChat(_ id: ChatId, _ ts: Date) { update { $0.popChat(id, ts) } }

  /// Replaces the list of chats; a chat that is kept stays unchanged, on top.
  public func updateChats(_ newChats: [ChatData], keepingChatId: ChatId? = nil) {
    update { $0.updateChats(newChats, keepingChatId: keepingChatId, at: now()) }
  }

  /// The chats that pass the active filter, or contain a text in their names.
  public func filteredChats(search: String = "") -> [Chat] {
    let ids = state.chats.filtered(by: tags.activeFilter, search: search)
    return ids.compactMap(getChat)
  }

  // MARK: Items

  /// Adds a new item to its chat.
  public func addChatItem(_ cInfo: ChatInfo, _ cItem: ChatItem) { update { $0.addChatItem(cInfo, cItem, at: now()) } }

  /// Updates an item, or adds it if it is new. Returns whether it is new in the open chat.
  @discardableResult
  public func upsertChatItem(_ cInfo: ChatInfo, _ cItem: ChatItem) -> Bool {
    update { $0.upsertChatItem(cInfo, cItem, at: now()) }
  }

  /// Replaces an item where it is shown.
  public func updateChatItem(_ cInfo: ChatInfo, _ cItem: ChatItem) { update { $0.updateChatItem(cInfo, cItem) } }
  /// Removes an item.
  public func removeChatItem(_ cInfo: ChatInfo, _ cItem: ChatItem) { update { $0.removeChatItem(cInfo, cItem) } }

  /// Marks what a removed member wrote as moderated.
  public func removeMemberItems(_ removedMember: GroupMember, byMember: GroupMember, _ groupInfo: GroupInfo) {
    update { $0.removeMemberItems(removedMember, by: byMember, groupInfo, at: now()) }
  }

  /// Empties a chat.
  public func clearChat(_ cInfo: ChatInfo) { update { $0.clearChat(cInfo, at: now()) } }
  /// Marks a whole chat as read.
  public func markAllChatItemsRead(_ cInfo: ChatInfo) { update { $0.markAllChatItemsRead(cInfo.id, at: now()) } }

  /// Marks items of a chat as read.
  public func markChatItemsRead(in cInfo: ChatInfo, itemIds: [Int64], mentionsRead: Int) {
    update { $0.markChatItemsRead(cInfo, itemIds, mentionsRead: mentionsRead, at: now()) }
  }

  /// Marks a chat as unread or not.
  public func markChatUnread(_ cInfo: ChatInfo, unreadChat: Bool = true) {
    update { $0.markChatUnread(cInfo.id, unreadChat: unreadChat) }
  }

  /// Counts a report that moderators have to handle.
  public func increaseGroupReportsCounter(_ chatId: ChatId) { update { $0.changeGroupReportsCounter(chatId, by: 1) } }

  /// Subtracts handled reports from the count.
  public func decreaseGroupReportsCounter(_ chatId: ChatId, by: Int = 1) {
    update { $0.changeGroupReportsCounter(chatId, by: -by) }
  }

  // MARK: Members

  /// Updates a member of the open group. Returns whether it is new.
  @discardableResult
  public func upsertGroupMember(_ groupInfo: GroupInfo, _ member: GroupMember) -> Bool {
    update { $0.upsertGroupMember(groupInfo, member, at: now()) }
  }

  // MARK: Neighbours of an item in the open chat

  /// The position of an item in ``ItemsModel/reversedChatItems``, and the next newer item.
  public func getNextChatItem(_ item: ChatItem) -> (Int?, ChatItem?) {
    let items = im.chatItems
    guard let position = items.lastIndex(where: { $0.id == item.id }) else { return (nil, nil) }
    return (items.count - 1 - position, position + 1 < items.count ? items[position + 1] : nil)
  }

  /// From a position in ``ItemsModel/reversedChatItems``: the last one of the same category, and the item before it.
  public func getPrevShownChatItem(_ index: Int?, _ category: CIMergeCategory?) -> (Int?, ChatItem?) {
    let items = im.reversedChatItems
    guard let index, items.indices.contains(index) else { return (nil, nil) }
    for position in items.indices.dropFirst(index + 1)
    where category == nil || items[position].mergeCategory != category {
      return (position - 1, items[position])
    }
    return (items.count - 1, nil)
  }

  /// How many items of the category of an item follow it without a break, and whose connecting they announce.
  public func getConnectedMemberNames(_ item: ChatItem) -> (Int, [String]) {
    guard let category = item.mergeCategory else { return (0, []) }
    let run = im.reversedChatItems.drop { $0.id != item.id }.prefix { $0.mergeCategory == category }
    return (run.count, run.compactMap { $0.memberConnected?.displayName })
  }
}
