import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Which loaded items.
enum ItemsPlace: Sendable {
  case primary, secondary
}

// What changes items and the previews made of them.
extension AppState {
  /// Adds an item that the core made: to the preview, to the counts, and to the open chat.
  public mutating func addChatItem(_ info: ChatInfo, _ item: ChatItem, at now: Date) {
    let id = info.id
    let inScope = info.groupChatScope() != nil && info.groupInfo?.membership.memberPending != true
    let listed = info.withoutDeletedMark.inList
    var entry = chats[id] ?? ChatEntry(chatInfo: listed, created: now)
    entry.chatInfo = listed
    entry.created = now
    entry.noteNew(item)
    if !inScope {
      if entry.isNewerPreview(item) { entry.chatItems = [item] }
      if item.isRcvNew { entry.chatStats.addUnread(item) }
    }
    if item.isActiveReport { entry.chatStats.reportsCount += 1 }
    put(entry)
    chats.collectPop(id)
    if open.chatId == id && chats.order.first != id {
      open.chatToTop = id
      changes.insert(.open)
    }
    withItems(of: info, item) { _ = $0.upsert(item) }
  }

  /// Updates an item, or adds it if it is new. Returns whether it is new in the open chat.
  @discardableResult
  public mutating func upsertChatItem(_ info: ChatInfo, _ item: ChatItem, at now: Date) -> Bool {
    var isAdded = false
    if info.groupChatScope() == nil {
      if chats.contains(info.id) {
        let isNewestLoaded = shows(info.id) && items.items.last?.id == item.id
        withChat(info.id) { entry in
          // An edit of a message that the user deleted brings it back, as a new item.
          if entry.isNew(item) {
            entry.noteNew(item)
            if item.isRcvNew { entry.chatStats.addUnread(item) }
            if entry.isNewerPreview(item) { entry.chatItems = [item] }
            return
          }
          guard let preview = entry.chatItems.last else {
            entry.chatItems = [item]
            return
          }
          if preview.id == item.id || isNewestLoaded {
            entry.chatItems = [item.keepingStatus(of: preview)]
          } else if entry.isNewerPreview(item) && !preview.precedes(item, in: entry.chatInfo) {
            entry.chatItems = [item]
          }
        }
      } else {
        addChat(ChatEntry(chatInfo: info, chatItems: [item], created: now))
        isAdded = true
      }
    }
    withItems(of: info, item) { isAdded = $0.upsert(item) }
    return isAdded
  }

  /// Replaces an item where it is shown; the preview too, if it is that.
  public mutating func updateChatItem(_ info: ChatInfo, _ item: ChatItem) {
    withItems(of: info, item) { _ = $0.update(item) }
    guard info.groupChatScope() == nil, chats[info.id]?.chatItems.last?.id == item.id else { return }
    withChat(info.id) { $0.chatItems = [item] }
  }

  /// Removes an item. The preview becomes the item before it, if it is loaded, or a mark that there is none.
  public mutating func removeChatItem(_ info: ChatInfo, _ item: ChatItem) {
    var loaded: ItemsState?
    withItems(of: info, item) { items in
      _ = items.remove(item.id)
      loaded = items
    }
    guard info.groupChatScope() == nil else { return }
    let previous = loaded?.lastItemsLoaded == true ? loaded?.items.last : nil
    withChat(info.id) { entry in
      if item.isRcvNew { entry.chatStats.removeUnread(1, mentions: item.meta.userMention ? 1 : 0) }
      if entry.chatItems.last?.id == item.id { entry.chatItems = [previous ?? .deletedItemDummy(at: item)] }
      if item.isRcvNew { entry.chatStats.setMinUnread(loaded?.minUnreadItemId, removed: [item.id]) }
    }
  }

  /// Marks what a removed member wrote as moderated.
  public mutating func removeMemberItems(
    _ removed: GroupMember, by moderator: GroupMember, _ group: GroupInfo, at now: Date
  ) {
    var reports = 0
    func moderated(_ item: ChatItem) -> ChatItem? {
      let content: CIContent
      switch item.chatDir {
      case .groupSnd where removed.groupMemberId == group.membership.groupMemberId: content = .sndModerated
      case .groupRcv(let member) where member.groupMemberId == removed.groupMemberId: content = .rcvModerated
      default: return nil
      }
      guard item.meta.itemDeleted == nil else { return nil }
      if item.isActiveReport { reports += 1 }
      var changed = item
      changed.meta.itemDeleted = .moderated(deletedTs: now, byGroupMember: moderator)
      if group.fullGroupPreferences.fullDelete.on { changed.content = content }
      return changed
    }
    if shows(group.id) {
      if items.updateAll(moderated) { changes.insert(.items) }
      changeGroupReportsCounter(group.id, by: -reports)
    }
    reports = 0
    withChat(group.id) { entry in entry.chatItems = entry.chatItems.map { moderated($0) ?? $0 } }
  }

  /// Empties a chat. What it begins with, and its mark, stay.
  public mutating func clearChat(_ info: ChatInfo, at now: Date) {
    withChat(info.id) { entry in
      let isMarked = entry.chatStats.unreadChat
      entry.chatItems = []
      entry.chatStats = .none
      entry.chatStats.unreadChat = isMarked
      entry.chatInfo = info.inList
      entry.created = now
    }
    removeTransfers(of: info.id)
    guard shows(info.id) else { return }
    let banner = items.items.filter { if case .chatBanner = $0.content { true } else { false } }
    items.clear()
    items.setItems(banner)
    items.oldestLoaded = true
    changes.insert(.items)
  }

  /// Marks items as read that were read in the core.
  public mutating func markChatItemsRead(_ info: ChatInfo, _ ids: [Int64], mentionsRead: Int, at now: Date) {
    var minUnread: Int64?
    var isLoaded = false
    for place in [ItemsPlace.primary, .secondary] where shows(info.id, in: place) {
      withItems(in: place) { items in
        guard items.markRead(Set(ids), at: now) > 0 else { return }
        if place == .primary { (minUnread, isLoaded) = (items.minUnreadItemId, items.lastItemsLoaded) }
      }
    }
    guard info.groupChatScope() == nil else { return }
    withChat(info.id) { entry in
      entry.chatStats.removeUnread(ids.count, mentions: mentionsRead)
      entry.chatStats.setMinUnread(isLoaded ? minUnread : nil, removed: ids)
      entry.markPreviewRead(Set(ids), at: now)
    }
  }

  /// Marks a whole chat as read.
  public mutating func markAllChatItemsRead(_ id: ChatId, at now: Date) {
    withChat(id) { entry in
      let isMarked = entry.chatStats.unreadChat
      let reports = entry.chatStats.reportsCount
      entry.chatStats = .none
      entry.chatStats.unreadChat = isMarked
      entry.chatStats.reportsCount = reports
      entry.markPreviewRead(nil, at: now)
    }
    guard shows(id) else { return }
    if items.markRead(nil, at: now) > 0 { changes.insert(.items) }
  }

  // MARK: Where items are shown

  /// Changes the loaded items that show an item of a chat, if there are any.
  mutating func withItems(of info: ChatInfo, _ item: ChatItem, _ change: (inout ItemsState) -> Void) {
    let isSecondary =
      if let scope = info.groupChatScope() {
        secondary?.filter.shows(item, of: scope) == true
      } else {
        secondary?.filter.contentTag.map { item.content.msgContent?.tag == $0 } ?? false
      }
    if info.groupChatScope() == nil && shows(info.id) { withItems(in: .primary, change) }
    if isSecondary && shows(info.id, in: .secondary) { withItems(in: .secondary, change) }
  }

  /// Whether loaded items are of a chat. It need not be open: its items are there before it is shown.
  func shows(_ id: ChatId, in place: ItemsPlace = .primary) -> Bool {
    let loaded = place == .primary ? items.chatId : secondary?.items.chatId
    return (loaded ?? open.chatId) == id
  }

  /// Which of a chat's items with these ids are loaded and unread; nil where its items are not loaded.
  func loadedUnread(_ ids: [Int64], of info: ChatInfo) -> Set<Int64>? {
    shows(info.id) ? items.unread(ids) : nil
  }

  /// Changes loaded items.
  mutating func withItems(in place: ItemsPlace, _ change: (inout ItemsState) -> Void) {
    switch place {
    case .primary:
      change(&items)
      changes.insert(.items)
    case .secondary:
      guard var view = secondary else { return }
      secondary = nil  // so that the items are changed in place
      change(&view.items)
      secondary = view
      changes.insert(.secondary)
    }
  }
}

extension ChatEntry {
  /// Whether an item belongs into the preview instead of the one there.
  fileprivate func isNewerPreview(_ item: ChatItem) -> Bool {
    guard let preview = chatItems.last else { return true }
    return !item.precedes(preview, in: chatInfo)
  }

  fileprivate mutating func markPreviewRead(_ ids: Set<Int64>?, at now: Date) {
    for index in chatItems.indices where chatItems[index].isRcvNew && ids?.contains(chatItems[index].id) ?? true {
      chatItems[index].meta.markRead(at: now)
    }
  }
}

extension ChatStats {
  mutating func addUnread(_ item: ChatItem) {
    unreadCount += 1
    if item.meta.userMention { unreadMentions += 1 }
    if minUnreadItemId == 0 || item.id < minUnreadItemId { minUnreadItemId = item.id }
  }

  mutating func removeUnread(_ count: Int, mentions: Int) {
    unreadCount = max(0, unreadCount - count)
    unreadMentions = min(unreadCount, max(0, unreadMentions - mentions))
    if unreadCount == 0 { minUnreadItemId = 0 }
  }

  /// Sets the lowest unread id if it is known; the id of a removed item is only a lower bound.
  mutating func setMinUnread(_ known: Int64?, removed: [Int64]) {
    guard unreadCount > 0 else { return }
    if let known {
      minUnreadItemId = known
    } else if removed.contains(minUnreadItemId), let highest = removed.max() {
      minUnreadItemId = max(minUnreadItemId + 1, highest == minUnreadItemId ? highest + 1 : minUnreadItemId + 1)
    }
  }
}

extension ChatInfo {
  /// A message brings a deleted conversation back.
  fileprivate var withoutDeletedMark: ChatInfo {
    guard case .direct(var contact) = self, contact.chatDeleted else { return self }
    contact.chatDeleted = false
    return .direct(contact: contact)
  }
}

extension ChatItem {
  func precedes(_ other: ChatItem, in info: ChatInfo) -> Bool { ItemOrder(info.chatType).precedes(self, other) }

  fileprivate func keepingStatus(of old: ChatItem) -> ChatItem {
    guard meta.itemStatus.isOlder(than: old.meta.itemStatus) else { return self }
    var item = self
    item.meta.itemStatus = old.meta.itemStatus
    return item
  }
}
