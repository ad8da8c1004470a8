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

  /// A value of its members.
  public init(
    unreadCount: Int, unreadMentions: Int, reportsCount: Int, minUnreadItemId: Int64, unreadChat: Bool
  ) {
    self.unreadCount = unreadCount
    self.unreadMentions = unreadMentions
    self.reportsCount = reportsCount
    self.minUnreadItemId = minUnreadItemId
    self.unreadChat = unreadChat
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    unreadCount = try fields.get("unreadCount")
    unreadMentions = try fields.get("unreadMentions")
    reportsCount = try fields.get("reportsCount")
    minUnreadItemId = try fields.get("minUnreadItemId")
    unreadChat = try fields.get("unreadChat")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("unreadCount", unreadCount)
    json.field("unreadMentions", unreadMentions)
    json.field("reportsCount", reportsCount)
    json.field("minUnreadItemId", minUnreadItemId)
    json.field("unreadChat", unreadChat)
    json.endObject()
  }
}

/// What follows the shown items.
public struct NavigationInfo: JSONCodable, Hashable, Sendable {
  /// Number of unread items after the shown ones.
  public var afterUnread: Int
  /// Number of items after the shown ones.
  public var afterTotal: Int

  /// A value of its members.
  public init(
    afterUnread: Int, afterTotal: Int
  ) {
    self.afterUnread = afterUnread
    self.afterTotal = afterTotal
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    afterUnread = try fields.get("afterUnread")
    afterTotal = try fields.get("afterTotal")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("afterUnread", afterUnread)
    json.field("afterTotal", afterTotal)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    noteFolderId: Int64, userId: Int64, createdAt: Date, updatedAt: Date, chatTs: Date, favorite: Bool, unread: Bool
  ) {
    self.noteFolderId = noteFolderId
    self.userId = userId
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.chatTs = chatTs
    self.favorite = favorite
    self.unread = unread
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    noteFolderId = try fields.get("noteFolderId")
    userId = try fields.get("userId")
    createdAt = try fields.get("createdAt")
    updatedAt = try fields.get("updatedAt")
    chatTs = try fields.get("chatTs")
    favorite = try fields.get("favorite")
    unread = try fields.get("unread")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("noteFolderId", noteFolderId)
    json.field("userId", userId)
    json.field("createdAt", createdAt)
    json.field("updatedAt", updatedAt)
    json.field("chatTs", chatTs)
    json.field("favorite", favorite)
    json.field("unread", unread)
    json.endObject()
  }
}

/// Settings of a chat.
public struct ChatSettings: JSONCodable, Hashable, Sendable {
  /// Which messages notify.
  public var enableNtfs: MsgFilter
  /// Whether receipts are sent; absent for the user's setting.
  public var sendRcpts: Bool?
  /// Whether it is a favourite.
  public var favorite: Bool

  /// A value of its members.
  public init(
    enableNtfs: MsgFilter, sendRcpts: Bool? = nil, favorite: Bool
  ) {
    self.enableNtfs = enableNtfs
    self.sendRcpts = sendRcpts
    self.favorite = favorite
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    enableNtfs = try fields.get("enableNtfs")
    sendRcpts = try fields.get("sendRcpts")
    favorite = try fields.get("favorite")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("enableNtfs", enableNtfs)
    json.field("sendRcpts", sendRcpts)
    json.field("favorite", favorite)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    chatType: ChatType, chatName: String
  ) {
    self.chatType = chatType
    self.chatName = chatName
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    chatType = try fields.get("chatType")
    chatName = try fields.get("chatName")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("chatType", chatType)
    json.field("chatName", chatName)
    json.endObject()
  }
}

/// A tag of chats.
public struct ChatTag: JSONCodable, Hashable, Sendable {
  /// Database id.
  public var chatTagId: Int64
  /// The text of the tag.
  public var chatTagText: String
  /// The emoji shown with the tag.
  public var chatTagEmoji: String?

  /// A value of its members.
  public init(
    chatTagId: Int64, chatTagText: String, chatTagEmoji: String? = nil
  ) {
    self.chatTagId = chatTagId
    self.chatTagText = chatTagText
    self.chatTagEmoji = chatTagEmoji
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    chatTagId = try fields.get("chatTagId")
    chatTagText = try fields.get("chatTagText")
    chatTagEmoji = try fields.get("chatTagEmoji")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("chatTagId", chatTagId)
    json.field("chatTagText", chatTagText)
    json.field("chatTagEmoji", chatTagEmoji)
    json.endObject()
  }
}

/// What a tag is made from.
public struct ChatTagData: JSONCodable, Hashable, Sendable {
  /// The emoji shown with the tag.
  public var emoji: String?
  /// The text.
  public var text: String

  /// A value of its members.
  public init(
    emoji: String? = nil, text: String
  ) {
    self.emoji = emoji
    self.text = text
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    emoji = try fields.get("emoji")
    text = try fields.get("text")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("emoji", emoji)
    json.field("text", text)
    json.endObject()
  }
}

/// Which chats to list.
public enum ChatListQuery: JSONCodable, Hashable, Sendable {
  case filters(favorite: Bool, unread: Bool)
  case search(search: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "filters": self = try .filters(favorite: fields.get("favorite"), unread: fields.get("unread"))
    case "search": self = try .search(search: fields.get("search"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .filters(let favorite, let unread):
      json.sum("filters", "favorite", favorite, "unread", unread)
    case .search(let search): json.sum("search", "search", search)
    }
  }
}
