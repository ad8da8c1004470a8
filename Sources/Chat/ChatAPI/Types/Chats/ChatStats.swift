import FoundationTypes
import SimplexJSON

/// Counts of unread and reported items.
public struct ChatStats: JSONCodable, Hashable, Sendable {
  /// Number of unread items.
  public var unreadCount: Int
  /// Number of unread items that mention the user.
  public var unreadMentions: Int
  /// Number of reports to be handled.
  public var reportsCount: Int
  /// Lowest id of unread items; 0 if none.
  public var minUnreadItemId: Int64
  /// Whether the chat is marked unread.
  public var unreadChat: Bool
}

/// What follows the shown items.
public struct NavigationInfo: JSONCodable, Hashable, Sendable {
  /// Number of unread items after the shown ones.
  public var afterUnread: Int
  /// Number of items after the shown ones.
  public var afterTotal: Int
}

/// The user's notes.
public struct NoteFolder: JSONCodable, Hashable, Sendable {
  /// Database id.
  public var noteFolderId: Int64
  /// Database id of the user.
  public var userId: Int64
  /// When it was created.
  public var createdAt: Date
  /// When it was last changed.
  public var updatedAt: Date
  /// When the chat last changed, for its place in the list.
  public var chatTs: Date
  /// Whether it is a favourite.
  public var favorite: Bool
  /// Whether it is marked unread.
  public var unread: Bool
}

/// Settings of a chat.
public struct ChatSettings: JSONCodable, Hashable, Sendable {
  /// Which messages notify.
  public var enableNtfs: MsgFilter
  /// Whether receipts are sent; absent for the user's setting.
  public var sendRcpts: Bool?
  /// Whether it is a favourite.
  public var favorite: Bool
}

/// Which messages notify.
public enum MsgFilter: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case none
  case all
  case mentions
}

/// A chat as named in commands.
public struct ChatName: JSONCodable, Hashable, Sendable {
  /// The kind of chat.
  public var chatType: ChatType
  /// The name without its prefix.
  public var chatName: String
}

/// A tag of chats.
public struct ChatTag: JSONCodable, Hashable, Sendable {
  /// Database id.
  public var chatTagId: Int64
  /// The text of the tag.
  public var chatTagText: String
  /// The emoji shown with the tag.
  public var chatTagEmoji: String?
}

/// What a tag is made from.
public struct ChatTagData: JSONCodable, Hashable, Sendable {
  /// The emoji shown with the tag.
  public var emoji: String?
  /// The text.
  public var text: String
}

/// Which chats to list.
public enum ChatListQuery: JSONCodable, Hashable, Sendable {
  case filters(favorite: Bool, unread: Bool)
  case search(search: String)
}
