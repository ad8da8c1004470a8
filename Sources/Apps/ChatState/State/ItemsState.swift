import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The order of the items of a chat; ids order items of equal times.
public enum ItemOrder: Hashable, Sendable {
  /// By the time of the message, as in groups.
  case messageTime
  /// By the time the item was made, as everywhere else.
  case creationTime

  /// The order of a kind of chat.
  public init(_ type: ChatType) { self = type == .group ? .messageTime : .creationTime }

  /// Whether an item comes before another.
  func precedes(_ item: ChatItem, _ other: ChatItem) -> Bool {
    let (time, otherTime) =
      switch self {
      case .messageTime: (item.meta.itemTs, other.meta.itemTs)
      case .creationTime: (item.meta.createdAt, other.meta.createdAt)
      }
    return time == otherTime ? item.id < other.id : time < otherTime
  }
}

/// The loaded items of a chat: the value behind ``ItemsModel``.
///
/// Governs: which items are loaded, their order, the gaps between them, and what is unread among and beyond them. Does
/// not govern: the previews of the chat list. Invariants: ids are unique; items between two gaps are contiguous in the
/// core's chat and in its order.
public struct ItemsState: Sendable {
  /// The chat they are of; nil where none was loaded.
  public internal(set) var chatId: ChatId?
  /// The items, oldest first.
  public internal(set) var items: [ChatItem] = []
  /// Gaps and unread counts.
  public internal(set) var chatState = ActiveChatState()
  /// An item was added since the view last looked.
  public var itemAdded = false
  /// By what the items are ordered.
  public internal(set) var order = ItemOrder.creationTime
  /// Whether there are no older items in the core.
  public internal(set) var oldestLoaded = false
  /// Positions by id; nil after the order changed, until it is asked for.
  private var positions: [Int64: Int]?

  /// Nothing is loaded.
  public init() {}

  /// Whether the newest item of the chat is loaded.
  public var lastItemsLoaded: Bool {
    guard let newestGap = chatState.splits.first else { return true }
    return newestGap != items.last?.id
  }

  /// Where an item is; nil if it is not loaded.
  public mutating func position(of id: Int64) -> Int? {
    if let positions { return positions[id] }
    var found: [Int64: Int] = Dictionary(minimumCapacity: items.count)
    for (position, item) in items.enumerated() { found[item.id] = position }
    positions = found
    return found[id]
  }

  /// Takes other items; gaps are the caller's to set.
  mutating func setItems(_ new: [ChatItem]) {
    items = new
    positions = nil
  }

  /// Forgets the items.
  mutating func clear() {
    setItems([])
    chatState = ActiveChatState()
    oldestLoaded = false
  }

  /// Puts an item in the place of the one with its id, or where it belongs. Returns whether it is a new one.
  ///
  /// An item that belongs into a gap, or before the oldest loaded one, is left to be loaded with its neighbours.
  @discardableResult
  public mutating func upsert(_ item: ChatItem) -> Bool {
    if let position = position(of: item.id) {
      var new = item
      let old = items[position]
      if new.meta.itemStatus.isOlder(than: old.meta.itemStatus) { new.meta.itemStatus = old.meta.itemStatus }
      countRead(from: old, to: new, at: position)
      items[position] = new
      return false
    }
    var position = items.count
    while position > 0, order.precedes(item, items[position - 1]) { position -= 1 }
    if position < items.count {
      let isBeforeLoaded = position == 0 && !oldestLoaded
      let isInGap = position > 0 && chatState.splits.contains(items[position - 1].id)
      if isBeforeLoaded || isInGap { return false }
      items.insert(item, at: position)
      positions = nil
    } else {
      items.append(item)
      positions?[item.id] = position
    }
    chatState.added(item)
    itemAdded = true
    return true
  }

  /// Replaces an item that is loaded; returns whether it is.
  mutating func update(_ item: ChatItem) -> Bool {
    guard let position = position(of: item.id) else { return false }
    countRead(from: items[position], to: item, at: position)
    items[position] = item
    return true
  }

  /// Removes an item; a gap after it moves to the item before it.
  mutating func remove(_ id: Int64) -> Bool {
    guard let position = position(of: id) else { return false }
    let item = items.remove(at: position)
    positions = nil
    let counted = self.position(of: chatState.unreadAfterItemId)
    let isAfter = counted.map { position > $0 } ?? false
    if let gap = chatState.splits.firstIndex(of: id) {
      if position > 0, !chatState.splits.contains(items[position - 1].id) {
        chatState.splits[gap] = items[position - 1].id
      } else {
        chatState.splits.remove(at: gap)
      }
    }
    if chatState.unreadAfterItemId == id {
      chatState.unreadAfterItemId = position > 0 ? items[position - 1].id : items.first?.id ?? -1
    }
    let unread = item.isRcvNew ? 1 : 0
    chatState.removed(total: 1, unread: unread, after: isAfter ? 1 : 0, unreadAfter: isAfter ? unread : 0)
    return true
  }

  /// Marks items as read, or all of them; returns how many of the loaded ones were unread.
  mutating func markRead(_ ids: Set<Int64>?, at now: Date) -> Int {
    var count = 0
    var after = 0
    let counted = position(of: chatState.unreadAfterItemId) ?? items.count
    for position in items.indices where items[position].isRcvNew {
      guard ids?.contains(items[position].id) ?? true else { continue }
      items[position].meta.markRead(at: now)
      count += 1
      if position > counted { after += 1 }
    }
    if ids == nil { chatState.allRead() } else { chatState.read(count, after: after) }
    return count
  }

  /// Changes items in place by a function that returns nil for those that stay; returns whether any changed.
  mutating func updateAll(_ change: (ChatItem) -> ChatItem?) -> Bool {
    var changed = false
    for position in items.indices {
      guard let item = change(items[position]) else { continue }
      items[position] = item
      changed = true
    }
    return changed
  }

  /// Which of the items with these ids are loaded and unread.
  func unread(_ ids: [Int64]) -> Set<Int64> {
    let asked = Set(ids)
    return Set(items.lazy.filter { $0.isRcvNew && asked.contains($0.id) }.map(\.id))
  }

  /// The lowest id of the loaded unread items.
  var minUnreadItemId: Int64? { items.lazy.filter(\.isRcvNew).map(\.id).min() }

  private mutating func countRead(from old: ChatItem, to new: ChatItem, at position: Int) {
    guard old.isRcvNew, !new.isRcvNew else { return }
    let isAfter = self.position(of: chatState.unreadAfterItemId).map { position > $0 } ?? false
    chatState.read(1, after: isAfter ? 1 : 0)
  }
}

extension CIMeta {
  /// Reading starts the time of a disappearing message that is not being typed.
  mutating func markRead(at now: Date) {
    itemStatus = .rcvRead
    if !isLive, let timed = itemTimed { itemTimed?.deleteAt = now.addingTimeInterval(Double(timed.ttl)) }
  }
}

extension CIStatus {
  /// Whether this status must not replace the other, because delivery events can be reordered.
  func isOlder(than status: CIStatus) -> Bool {
    switch (status, self) {
    case (.sndRcvd, .sndRcvd): false
    case (.sndRcvd, _): true
    case (.sndSent, .sndNew), (.sndErrorAuth, .sndNew), (.sndError, .sndNew), (.sndWarning, .sndNew): true
    default: false
    }
  }
}
