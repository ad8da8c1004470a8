import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension AppState {
  /// Events of items.
  mutating func reduceMessage(_ event: ChatEvent, _ now: Date) -> [StateEffect]? {
    switch event {
    case .newChatItems(let user, let chatItems):
      var effects: [StateEffect] = []
      for new in chatItems { effects += added(of: user, to: new.chatInfo, item: new.chatItem, at: now) }
      return effects
    case .chatItemUpdated(let user, let changed), .chatItemNotChanged(let user, let changed):
      endTransfer(ofFileIn: changed)
      return updated(of: user, changed: changed, at: now)
    case .chatItemsStatusesUpdated(let user, let chatItems):
      var effects: [StateEffect] = []
      for changed in chatItems {
        let item = changed.chatItem
        if isActive(user) && !item.isDeletedContent { upsertChatItem(changed.chatInfo, item, at: now) }
        if item.meta.itemStatus.isSettled { effects.append(.delivered(itemId: item.id)) }
      }
      return effects
    case .chatItemReaction(let user, _, let reaction):
      if isActive(user) { updateChatItem(reaction.chatInfo, reaction.chatReaction.chatItem) }
    case .chatItemsDeleted(let user, let deletions, _, _): return deleted(of: user, deletions: deletions, at: now)
    case .groupChatItemsDeleted(let user, let group, let ids, _, let member):
      guard isActive(user) else { return [.reloadUsers] }
      deletedInGroup(group, items: Set(ids), by: member, at: now)
    case .chatInfoUpdated(let user, let info):
      if isActive(user) { updateChatInfo(info, at: now) }
    case .chatItemDeletedNotFound: return [.ignored(event)]
    default: return nil
    }
    return []
  }

  /// Handles a changed item, which may be a new one.
  mutating func updated(of user: User, changed: AChatItem, at now: Date) -> [StateEffect] {
    guard isActive(user), upsertChatItem(changed.chatInfo, changed.chatItem, at: now) else { return [] }
    return notification(of: changed.chatItem, in: changed.chatInfo, for: user)
  }

  /// The notification of an item; none where the user or the chat is muted.
  private func notification(of item: ChatItem, in info: ChatInfo, for user: User) -> [StateEffect] {
    guard item.showNotification, mayNotify(user), info.ntfsEnabled(chatItem: item) else { return [] }
    return [.notifyMessage(userId: user.userId, info, item)]
  }

  private mutating func added(of user: User, to info: ChatInfo, item: ChatItem, at now: Date) -> [StateEffect] {
    if isActive(user) {
      addChatItem(info, item, at: now)
    } else if item.isRcvNew && info.ntfsEnabled(chatItem: item) {
      session.changeUnread(of: user.userId, by: 1)
      changes.insert(.session)
    }
    var effects: [StateEffect] = []
    if let file = item.automaticFile {
      effects.append(.receiveFile(userId: user.userId, fileId: file.fileId))
    }
    return effects + notification(of: item, in: info, for: user)
  }

  private mutating func deleted(of user: User, deletions: [ChatItemDeletion], at now: Date) -> [StateEffect] {
    var effects: [StateEffect] = []
    for deletion in deletions {
      let info = deletion.deletedChatItem.chatInfo
      let item = deletion.deletedChatItem.chatItem
      guard isActive(user) else {
        if deletion.toChatItem == nil && item.isRcvNew && info.ntfsEnabled(chatItem: item) {
          session.changeUnread(of: user.userId, by: -1)
          changes.insert(.session)
        }
        continue
      }
      if let left = deletion.toChatItem {
        upsertChatItem(left.chatInfo, left.chatItem, at: now)
      } else {
        removeChatItem(info, item)
      }
      if item.isActiveReport { changeGroupReportsCounter(info.id, by: -1) }
      effects.append(.stopVoice(info.id, itemId: item.id))
      effects += removedFile(of: deletion)
    }
    if isActive(user), let last = deletions.last { updateChatInfo(last.deletedChatItem.chatInfo, at: now) }
    return effects
  }

  /// A deleted item has no file any more, and none on its way.
  private mutating func removedFile(of deletion: ChatItemDeletion) -> [StateEffect] {
    guard let file = deletion.deletedChatItem.chatItem.file, deletion.toChatItem?.chatItem.file == nil else {
      return []
    }
    transfers.end(file.fileId)
    changes.insert(.transfers)
    return [.cleanupFile(deletion.deletedChatItem)]
  }

  private mutating func deletedInGroup(_ group: GroupInfo, items ids: Set<Int64>, by member: GroupMember?, at now: Date)
  {
    var reports = 0
    func marked(_ item: ChatItem) -> ChatItem? {
      guard ids.contains(item.id) else { return nil }
      if item.isActiveReport { reports += 1 }
      var changed = item
      if let member, case .groupRcv(let author) = item.chatDir, author.groupMemberId != member.groupMemberId {
        changed.meta.itemDeleted = .moderated(deletedTs: now, byGroupMember: member)
      } else {
        changed.meta.itemDeleted = .deleted(deletedTs: now, chatType: .group)
      }
      return changed
    }
    if shows(group.id), items.updateAll(marked) { changes.insert(.items) }
    if shows(group.id, in: .secondary), secondary?.items.updateAll(marked) == true { changes.insert(.secondary) }
    changeGroupReportsCounter(group.id, by: -min(reports, ids.count))
    withChat(group.id) { entry in entry.chatItems = entry.chatItems.map { marked($0) ?? $0 } }
    updateGroup(group, at: now)
  }
}

extension CIStatus {
  /// Whether nothing more is to be waited for.
  fileprivate var isSettled: Bool {
    switch self {
    case .sndSent, .sndRcvd, .sndErrorAuth, .sndError, .sndWarning: true
    case .sndNew, .rcvNew, .rcvRead, .invalid: false
    }
  }
}
