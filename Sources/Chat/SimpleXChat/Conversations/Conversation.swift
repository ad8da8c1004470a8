import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes

/// A chat that messages are written to: who receives them, what is allowed, and how its items are addressed.
///
/// Commands about messages are written once, over conversations; what differs between kinds of chats stands in the file
/// of the kind.
protocol Conversation: Sendable {
  /// The user whose conversation it is.
  var user: User { get }
  /// The chat that its items belong to.
  var chat: ChatRef { get }
  /// The chat as the API shows it.
  var info: ChatInfo { get }
  /// Whether items that are deleted in this way are removed, instead of being marked as deleted.
  func removesItems(_ mode: CIDeleteMode) -> Bool
  /// Where messages that are forwarded from here come from, for those that receive them.
  func origin(of item: ChatItem) -> CIForwardedFrom?
  /// Throws if such messages cannot be written here.
  func check(_ contents: [OutgoingContent]) throws
  /// Throws if an event of the chat protocol cannot be sent here.
  func check(event: String) throws
  /// Throws if no message here may be changed to this content.
  func check(edited content: MsgContent) throws
  /// Whether the user may change this item of theirs.
  func mayEdit(_ item: ChatItem) -> Bool
  /// Whether the user may delete this item of theirs for everybody.
  func mayDelete(_ item: ChatItem, now: Date) -> Bool
  /// Stores messages with their items, and sends them to the recipients.
  func send(_ contents: [OutgoingContent], live: Bool, ttl: Int?, in turn: Turn) throws -> [AChatItem]
  /// Sends events that no new item shows to the recipients.
  func deliver(_ events: [ChatMessageEvent], in turn: Turn) throws
  /// Throws where reactions are not allowed.
  func checkReactions() throws
  /// How items of the user are shown.
  var sentDirection: CIDirection { get }
  /// The identifier of the member who wrote an item; nil outside of groups.
  func author(of item: ChatItem) -> MemberId?
  /// The part of a group that messages are for; nil for the main chat, and outside of groups.
  var messageScope: MsgScope? { get }
}

extension Conversation {
  var messageScope: MsgScope? { nil }

  func check(edited content: MsgContent) throws {}

  func author(of item: ChatItem) -> MemberId? { nil }
}

extension Turn {
  /// The conversation with this database id.
  /// - Throws: an error for kinds of chats that are not implemented yet.
  func conversation(
    _ type: ChatType, _ id: Int64, scope: GroupChatScope? = nil, of user: User
  ) throws -> any Conversation {
    switch (type, scope) {
    case (.direct, nil): DirectConversation(user: user, contact: try rows.contact(id, of: user))
    case (.local, nil): NotesConversation(user: user, folder: try rows.noteFolder(id, of: user))
    case (.group, nil): GroupConversation(place: try groupChat(id, of: user))
    case (.group, .memberSupport(let member)): try supportConversation(id, with: member, of: user)
    default: throw ChatError.unsupported
    }
  }

  /// The items of a chat with these numbers; missing ones are reported by an event.
  func items(_ ids: [Int64], in chat: ChatRef, of user: User) throws -> [ChatItem] {
    var items: [ChatItem] = []
    var missing: [ChatError] = []
    for id in ids {
      do {
        items.append(try rows.item(id, in: chat, of: user))
      } catch StoreError.chatItemNotFound(let id) {
        missing.append(.errorStore(storeError: .chatItemNotFound(itemId: id)))
      }
    }
    if !missing.isEmpty { emit(.chatErrors(chatErrors: missing)) }
    return items
  }
}
