import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A conversation of the chat list: the value behind ``Chat``.
public struct ChatEntry: Hashable, Sendable {
  /// Identifies the chat. Other information of the same chat has the same id.
  public let id: ChatId
  /// Whom it is with.
  public var chatInfo: ChatInfo
  /// Preview items, usually the last message.
  public var chatItems: [ChatItem]
  /// Counts of unread and reported items.
  public var chatStats: ChatStats
  /// When the entry was made or its information last replaced; a view takes it for the identity of a row.
  public var created: Date
  /// The highest id of an item of the chat, as far as it is known for certain. Where items are not in the order of
  /// their creation a preview does not tell it, only an item that the core has just made.
  var newestItemId: Int64?

  /// An entry.
  public init(chatInfo: ChatInfo, chatItems: [ChatItem] = [], chatStats: ChatStats = .none, created: Date) {
    id = chatInfo.id
    self.chatInfo = chatInfo
    self.chatItems = chatItems
    self.chatStats = chatStats
    self.created = created
    newestItemId = ItemOrder(chatInfo.chatType) == .creationTime ? chatItems.last?.id ?? 0 : nil
  }

  /// The entry of a chat that the core returned.
  public init(_ data: ChatData, created: Date) {
    self.init(chatInfo: data.chatInfo, chatItems: data.chatItems, chatStats: data.chatStats, created: created)
  }

  /// Whether the core made an item after all others of the chat.
  func isNew(_ item: ChatItem) -> Bool { newestItemId.map { item.id > $0 } ?? false }

  /// The core made an item.
  mutating func noteNew(_ item: ChatItem) { newestItemId = max(newestItemId ?? 0, item.id) }

  /// Whether the chat counts as unread, as its notifications are set.
  public var unreadTag: Bool {
    switch chatInfo.chatSettings?.enableNtfs {
    case .all: chatStats.unreadChat || chatStats.unreadCount > 0
    case .mentions: chatStats.unreadChat || chatStats.unreadMentions > 0
    case .some(.none), nil: chatStats.unreadChat
    }
  }

  /// How many unread items the user wants to know of.
  public var notifiedUnreadCount: Int {
    switch chatInfo.chatSettings?.enableNtfs {
    case .all: chatStats.unreadCount
    case .mentions: chatStats.unreadMentions
    case .some(.none), nil: 0
    }
  }

  /// Unread items of support chats: of members for moderators, else the user's own.
  public var supportUnreadCount: Int {
    guard let group = chatInfo.groupInfo else { return 0 }
    return group.canModerate ? group.membersRequireAttention : group.membership.supportChat?.unread ?? 0
  }
}

/// What an entry adds to the counts of the whole list. Counts change by the difference of two of these, whatever
/// changed the entry, so they can never drift from the list.
struct EntryCounts: Equatable {
  var presets = PresetTags()
  var unreadTags: [Int64] = []
  var unread = 0

  init() {}

  init(_ entry: ChatEntry) {
    presets = PresetTags(of: entry.chatInfo, entry.chatStats)
    guard entry.chatStats.unreadCount > 0 || entry.chatStats.unreadChat else { return }
    unreadTags = entry.unreadTag ? entry.chatInfo.chatTags ?? [] : []
    unread = entry.notifiedUnreadCount
  }
}
