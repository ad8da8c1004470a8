import FoundationTypes
import SimplexJSON

/// A message, event or other entry of a chat.
public struct ChatItem: JSONCodable, Hashable, Sendable {
  /// Who sent the item.
  public var chatDir: CIDirection
  /// Ids, times and status.
  public var meta: CIMeta
  /// The content of the item.
  public var content: CIContent
  /// Mentioned members by name.
  public var mentions: [String: CIMention] = [:]
  /// The text in formatted parts; absent if it is all plain.
  public var formattedText: [FormattedText]?
  /// The quoted message.
  public var quotedItem: CIQuote?
  /// Reactions with their counts.
  public var reactions: [CIReactionCount] = []
  /// The attached file.
  public var file: CIFile?
}

extension ChatItem {
  /// Reads an item, or makes an invalid one of what cannot be read, keeping direction and ids if they can.
  init(readingAny json: JSONNode) {
    do {
      self = try ChatItem(json: json)
    } catch {
      var fields = try? json.fields()
      let direction: CIDirection? = try? fields?.get("chatDir")
      let meta: CIMeta? = try? fields?.get("meta")
      self = .invalidJSON(chatDir: direction, meta: meta, json: json.sourceText)
    }
  }

  /// An item that could not be read; `json` is its text.
  public static func invalidJSON(chatDir: CIDirection?, meta: CIMeta?, json: String) -> ChatItem {
    let direction = chatDir ?? .directSnd
    return ChatItem(
      chatDir: direction, meta: meta ?? .invalidJSON,
      content: .invalidJSON(direction: direction.sent ? .snd : .rcv, json: json))
  }
}

extension CIMeta {
  /// Ids and times of an item that could not be read.
  public static var invalidJSON: CIMeta {
    let unknown = Date(timeIntervalSince1970: 0)
    return CIMeta(
      itemId: 0, itemTs: unknown, itemText: "invalid JSON", itemStatus: .sndNew, itemEdited: false, userMention: false,
      deletable: false, editable: false, showGroupAsSender: false, createdAt: unknown, updatedAt: unknown)
  }
}

/// An item with its chat.
public struct AChatItem: JSONCodable, Hashable, Sendable {
  /// The chat.
  public var chatInfo: ChatInfo
  /// The item.
  public var chatItem: ChatItem

  /// Reads the object. A chat or an item that cannot be read becomes an invalid one.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    chatInfo = try fields.get("chatInfo", as: Readable<ChatInfo>.self).value
    chatItem = try fields.get("chatItem", as: Readable<ChatItem>.self).value
  }
}
