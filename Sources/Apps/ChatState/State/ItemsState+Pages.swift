import ChatAPI

/// How many items a trim keeps on each side of the visible ones.
let itemsKeptAround = 200

extension ItemsState {
  /// A run of items without a gap.
  private struct Segment {
    var items: [ChatItem]
    /// Whether newer items are missing after it.
    var hasGapAfter: Bool
    /// Whether a page belongs to it.
    var isTouched = false
  }

  /// Adds a page that the core returned for a request.
  ///
  /// A page is contiguous. It joins every loaded run that it shares an item with, or whose end it was asked for; what
  /// is not joined stays apart by a gap.
  mutating func merge(_ chat: ChatData, by pagination: ChatPagination, navigation: NavigationInfo?) {
    let navigation = navigation ?? NavigationInfo(afterUnread: 0, afterTotal: 0)
    chatId = chat.id
    order = ItemOrder(chat.chatInfo.chatType)
    let page = chat.chatItems
    if pagination.startsAnew {
      clear()
      setItems(page)
      chatState.splits = navigation.afterTotal > 0 ? page.last.map { [$0.id] } ?? [] : []
      chatState.start(newest: page.last?.id, unread: chat.chatStats.unreadCount, navigation: navigation)
      chatState.unreadAfterNewestLoaded = navigation.afterUnread
      return
    }
    let loadedUnread = items.lazy.filter(\.isRcvNew).count
    join(page, by: pagination, navigation: navigation)
    switch pagination {
    case .last: chatState.unreadAfterNewestLoaded = 0
    case .around:
      chatState.start(newest: page.last?.id, unread: chat.chatStats.unreadCount, navigation: navigation)
    case .after:
      let newUnread = items.lazy.filter(\.isRcvNew).count - loadedUnread
      if lastItemsLoaded {
        chatState.unreadAfterNewestLoaded = 0
      } else if items.last?.id == page.last?.id {
        chatState.unreadAfterNewestLoaded = max(0, chatState.unreadAfterNewestLoaded - newUnread)
      }
      moveUnreadAfterItem(to: chatState.splits.first ?? items.last?.id)
    case .before(_, let count): if page.count < count { oldestLoaded = oldestLoaded || reachesOldest(page) }
    case .initial: break
    }
  }

  /// Drops items far from the visible ones, all but the newest, and leaves a gap in their place. `visible` are
  /// positions in ``items``.
  mutating func trim(visible: ClosedRange<Int>) {
    let first = visible.upperBound + itemsKeptAround
    let end = items.count - itemsKeptAround
    guard first >= 0, first < end else { return }
    let dropped = Set(items[first..<end].map(\.id))
    var kept = items
    kept.removeSubrange(first..<end)
    let splits = chatState.splits.filter { !dropped.contains($0) }
    setItems(kept)
    setGaps(after: Set(splits + (first > 0 ? [kept[first - 1].id] : [])))
    if first == 0 { oldestLoaded = false }
  }

  private func reachesOldest(_ page: [ChatItem]) -> Bool { page.isEmpty || page.first?.id == items.first?.id }

  private mutating func join(_ page: [ChatItem], by pagination: ChatPagination, navigation: NavigationInfo) {
    var pageItems: [Int64: ChatItem] = [:]
    for item in page { pageItems[item.id] = item }
    let anchor = pagination.anchor
    var segments = self.segments()
    for index in segments.indices {
      segments[index].isTouched = segments[index].items.contains { pageItems[$0.id] != nil || $0.id == anchor }
    }
    let touched = segments.filter(\.isTouched)
    if page.isEmpty && touched.isEmpty { return }
    var union = touched.flatMap(\.items).map { pageItems.removeValue(forKey: $0.id) ?? $0 }
    union += page.filter { pageItems[$0.id] != nil }
    union.sort(by: order.precedes)
    let newest = union.last?.id
    let pageEndsIt = newest == page.last?.id || (page.isEmpty && newest == anchor)
    let known = touched.last { $0.items.last?.id == newest }?.hasGapAfter
    let hasGapAfter: Bool =
      switch pagination {
      case .last: false
      case .after(_, let count) where page.count < count && pageEndsIt: false
      case .around where pageEndsIt, .initial where pageEndsIt: navigation.afterTotal > 0
      default: known ?? true
      }
    segments.removeAll(where: \.isTouched)
    let joined = Segment(items: union, hasGapAfter: hasGapAfter)
    let place = segments.firstIndex { segment in
      guard let other = segment.items.last, let last = union.last else { return false }
      return order.precedes(last, other)
    }
    // What was loaded before and is not joined is not next to the page.
    let position = place ?? segments.endIndex
    if position > 0 { segments[position - 1].hasGapAfter = true }
    segments.insert(joined, at: position)
    if position < segments.endIndex - 1 { segments[position].hasGapAfter = true }
    setItems(segments.flatMap(\.items))
    setGaps(after: Set(segments.filter(\.hasGapAfter).compactMap { $0.items.last?.id }))
  }

  private func segments() -> [Segment] {
    let gaps = Set(chatState.splits)
    var segments: [Segment] = []
    var run: [ChatItem] = []
    for item in items {
      run.append(item)
      guard gaps.contains(item.id) else { continue }
      segments.append(Segment(items: run, hasGapAfter: true))
      run = []
    }
    if !run.isEmpty { segments.append(Segment(items: run, hasGapAfter: false)) }
    return segments
  }

  private mutating func setGaps(after ids: Set<Int64>) {
    chatState.splits = items.reversed().lazy.map(\.id).filter { ids.contains($0) }
  }

  /// Counts what is unread from another item on.
  private mutating func moveUnreadAfterItem(to id: Int64?) {
    guard let id, let from = position(of: chatState.unreadAfterItemId), let to = position(of: id) else { return }
    chatState.unreadAfterItemId = id
    let passed = items[(min(from, to) + 1)..<(max(from, to) + 1)]
    let unread = passed.lazy.filter(\.isRcvNew).count
    chatState.unreadAfter = max(0, chatState.unreadAfter + (to > from ? -unread : unread))
    chatState.totalAfter = max(0, chatState.totalAfter + (to > from ? -passed.count : passed.count))
  }
}

extension ChatPagination {
  /// Whether the page replaces what was loaded.
  var startsAnew: Bool { if case .initial = self { true } else { false } }

  /// The loaded item that the page is next to.
  fileprivate var anchor: Int64? {
    switch self {
    case .before(let id, _), .after(let id, _): id
    case .around, .initial, .last: nil
    }
  }
}
