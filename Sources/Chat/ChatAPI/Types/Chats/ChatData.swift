import SimplexJSON

/// A type that has an invalid value for what cannot be read.
protocol AnyReadable {
  init(readingAny json: JSONNode)
}

extension ChatItem: AnyReadable {}
extension ChatInfo: AnyReadable {}
extension ChatData: AnyReadable {}

/// Reads a chat or item without ever failing, so that one of them does not take the list around it down.
struct Readable<Value: AnyReadable>: JSONDecodable {
  let value: Value

  init(json: JSONNode) throws(JSONError) { value = Value(readingAny: json) }
}

/// A list of chats or items, each of which may be invalid.
struct ReadableList<Value: AnyReadable>: JSONDecodable {
  let values: [Value]

  init(json: JSONNode) throws(JSONError) {
    values = try json.array { (json) throws(JSONError) in Value(readingAny: json) }
  }
}

/// A chat with some of its items.
public struct ChatData: JSONCodable, Hashable, Sendable {
  /// The chat.
  public var chatInfo: ChatInfo
  /// The items, oldest first.
  public var chatItems: [ChatItem]
  /// Counts of unread and reported items.
  public var chatStats: ChatStats

  /// A chat with items.
  public init(chatInfo: ChatInfo, chatItems: [ChatItem], chatStats: ChatStats = .none) {
    self.chatInfo = chatInfo
    self.chatItems = chatItems
    self.chatStats = chatStats
  }

  /// Identifies the chat in user interfaces.
  public var id: ChatId { chatInfo.id }

  /// Reads the object. A chat or items that cannot be read become invalid ones.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    chatInfo = try fields.get("chatInfo", as: Readable<ChatInfo>.self).value
    chatItems = try fields.get("chatItems", as: ReadableList<ChatItem>.self).values
    chatStats = try fields.get("chatStats")
  }

  /// Reads a chat, or makes an invalid one of what cannot be read.
  init(readingAny json: JSONNode) {
    self = (try? ChatData(json: json)) ?? .invalidJSON(json)
  }

  private static func invalidJSON(_ json: JSONNode) -> ChatData {
    ChatData(chatInfo: .unreadable(json), chatItems: [])
  }
}

extension ChatInfo {
  /// Reads a chat, or makes an invalid one of what cannot be read.
  init(readingAny json: JSONNode) {
    self = (try? ChatInfo(json: json)) ?? .unreadable(json)
  }

  /// The chat type is that of the variant's name if it is one, else direct.
  fileprivate static func unreadable(_ json: JSONNode) -> ChatInfo {
    let tag = (try? json.sum().tag) ?? ""
    let type = ChatType.allCases.first { $0.name == tag } ?? .direct
    let value = (try? JSONValue(json: json)) ?? .null
    return .invalidJSON(chatType: type, json: value)
  }
}

extension ChatStats {
  /// Nothing unread.
  public static let none = ChatStats(
    unreadCount: 0, unreadMentions: 0, reportsCount: 0, minUnreadItemId: 0, unreadChat: false)
}
