import ChatAPI

/// How far the loaded items of a chat reach: where items are missing between them, and what is unread beyond.
public struct ActiveChatState: Hashable, Sendable {
  /// Ids of items after which newer ones are missing, newest first.
  public var splits: [Int64] = []
  /// The item that `unreadAfter` and `totalAfter` count from; -1 for none.
  public var unreadAfterItemId: Int64 = -1
  /// Number of items newer than `unreadAfterItemId`.
  public var totalAfter = 0
  /// Number of unread items of the chat.
  public var unreadTotal = 0
  /// Number of unread items newer than `unreadAfterItemId`.
  public var unreadAfter = 0
  /// Number of unread items newer than the newest loaded one.
  public var unreadAfterNewestLoaded = 0

  /// Nothing is loaded.
  public init() {}

  /// Sets the counts of a page that was loaded on its own, as the core reports them.
  mutating func start(newest: Int64?, unread: Int, navigation: NavigationInfo) {
    unreadAfterItemId = newest ?? -1
    totalAfter = navigation.afterTotal
    unreadTotal = unread
    unreadAfter = navigation.afterUnread
  }

  /// Counts a new item at the end.
  mutating func added(_ item: ChatItem) {
    totalAfter += 1
    guard item.isRcvNew else { return }
    unreadAfter += 1
    unreadTotal += 1
  }

  /// Subtracts removed items: their number and the number of unread ones, in total and after the counted item.
  mutating func removed(total: Int, unread: Int, after: Int, unreadAfter: Int) {
    unreadTotal = max(0, unreadTotal - unread)
    totalAfter = max(0, totalAfter - after)
    self.unreadAfter = max(0, self.unreadAfter - unreadAfter)
  }

  /// Everything was read.
  mutating func allRead() {
    unreadTotal = 0
    unreadAfter = 0
    unreadAfterNewestLoaded = 0
  }

  /// Some items were read, a part of them after the counted item.
  mutating func read(_ count: Int, after: Int) {
    unreadTotal = max(0, unreadTotal - count)
    unreadAfter = max(0, unreadAfter - after)
  }
}

/// What infinite scrolling remembers between two loads.
public struct PreloadState: Hashable, Sendable {
  /// Position of the first visible item when items were last loaded.
  public var prevFirstVisible = Int64.min
  /// Number of items then.
  public var prevItemsCount = 0
  /// Whether a load is under way.
  public var preloading = false

  /// Nothing was loaded.
  public init() {}

  /// Forgets it all.
  public mutating func clear() { self = PreloadState() }
}
