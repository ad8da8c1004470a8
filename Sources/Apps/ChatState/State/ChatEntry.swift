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
  /// The highest id of an item that was ever the preview.
  var newestItemId: Int64

  /// An entry.
  public init(chatInfo: ChatInfo, chatItems: [ChatItem] = [], chatStats: ChatStats = .none, created: Date) {
    id = chatInfo.id
    self.chatInfo = chatInfo
    self.chatItems = chatItems
    self.chatStats = chatStats
    self.created = created
    newestItemId = chatItems.last?.id ?? 0
  }

  /// The entry of a chat that the core returned.
  public init(_ data: ChatData, created: Date) {
    self.init(chatInfo: data.chatInfo, chatItems: data.chatItems, chatStats: data.chatStats, created: created)
  }

  /// Whether the core made an item after all that are known of. Always false where items are not in the order of
  /// their creation.
  func isNew(_ item: ChatItem) -> Bool {
    ItemOrder(chatInfo.chatType) == .creationTime && item.id > newestItemId
  }

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

  /// Unread items of conversations with members (for moderators), or with the moderators.
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
