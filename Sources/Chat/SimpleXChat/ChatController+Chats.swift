import ChatAPI
import ChatLogic

// Contacts and what is in chats, for programs: methods for frequent tasks, as in `ChatController+Conveniences.swift`.

/// The copies of a message that a deletion removes; see ``ChatController/delete(_:for:)``.
public enum MessageDeletion: Hashable, Sendable {
  /// The user's own copy.
  case user
  /// All copies. What the others keep depends on their preference "delete for everyone": without it, they keep the
  /// message, marked as deleted. Only for a message that the user sent less than 30 hours ago.
  case everyone
}

extension ChatController {
  // MARK: Contacts

  /// The contacts of the active user, including those who are not connected yet.
  /// - Throws: `noActiveUser` or `chatNotStarted` before ``start(as:)``; `errorStore` for a closed or damaged database.
  public func contacts() async throws(ChatError) -> [Contact] {
    try await request(.apiListContacts(userId: try currentUser().userId)) {
      if case .response1(.contactsList(_, let contacts)) = $0 { contacts } else { nil }
    }
  }

  /// Accepts a request to connect, which came with the event `receivedContactRequest`, and returns the contact that is
  /// being connected; the event `contactConnected` says when it is.
  /// - Parameter incognito: whether the contact gets a random profile instead of the user's.
  /// - Throws: `errorStore` if there is no such request; `errorAgent` if the relay cannot be reached.
  @discardableResult
  public func accept(_ contactRequest: UserContactRequest, incognito: Bool = false) async throws(ChatError) -> Contact {
    try await request(.apiAcceptContact(incognito: incognito, contactReqId: contactRequest.contactRequestId)) {
      if case .response1(.acceptingContactRequest(_, let contact)) = $0 { contact } else { nil }
    }
  }

  /// Rejects a request to connect; who asked is not told.
  /// - Throws: `errorStore` if there is no such request.
  public func reject(_ contactRequest: UserContactRequest) async throws(ChatError) {
    _ = try await request(.apiRejectContact(contactReqId: contactRequest.contactRequestId))
  }

  /// Deletes a contact with its chat, and tells them.
  /// - Throws: `noActiveUser` or `chatNotStarted` before ``start(as:)``; `errorStore` if there is no such contact.
  public func delete(_ contact: Contact) async throws(ChatError) {
    _ = try await request(.apiDeleteChat(type: .direct, id: contact.contactId, chatDeleteMode: .full(notify: true)))
  }

  // MARK: What is in a chat

  /// The chats of the active user, each with its last item; those with the latest items first.
  /// - Parameters:
  ///   - search: a text that names or descriptions have to contain, ignoring case; empty for all chats.
  ///   - count: the largest number of chats.
  /// - Throws: `noActiveUser` before ``start(as:)``; `errorStore` for a closed or damaged database.
  public func chats(search: String = "", count: Int = 100) async throws(ChatError) -> [ChatData] {
    try await request(
      .apiGetChats(
        userId: try currentUser().userId, pagination: .last(count: count),
        query: search.isEmpty ? nil : .search(search: search))
    ) {
      if case .response0(.apiChats(_, let chats)) = $0 { chats } else { nil }
    }
  }

  /// A page of the items of a chat, oldest first.
  /// - Parameters:
  ///   - item: the item that the page ends before; nil for the end of the chat.
  ///   - count: the largest number of items.
  /// - Throws: `errorStore` if there is no such chat or item.
  public func history(
    of chat: ChatRef, before item: ChatItem? = nil, count: Int = 50
  ) async throws(ChatError) -> [ChatItem] {
    let pagination = item.map { ChatPagination.before(chatItemId: $0.meta.itemId, count: count) }
    return try await items(of: chat, pagination ?? .last(count: count))
  }

  /// The latest items of a chat whose text contains `text`, ignoring case; oldest first.
  /// - Parameter count: the largest number of items.
  /// - Throws: `errorStore` if there is no such chat.
  public func search(_ text: String, in chat: ChatRef, count: Int = 50) async throws(ChatError) -> [ChatItem] {
    try await items(of: chat, .last(count: count), search: text)
  }

  /// Items of a chat, oldest first.
  func items(
    of chat: ChatRef, _ pagination: ChatPagination, search: String = ""
  ) async throws(ChatError) -> [ChatItem] {
    try await request(
      .apiGetChat(
        chatId: "\(chat.chatType.rawValue)\(chat.chatId)", scope: chat.chatScope, contentTag: nil,
        pagination: pagination, search: search)
    ) {
      if case .response0(.apiChat(_, let chat, _)) = $0 { chat.chatItems } else { nil }
    }
  }

  /// Replaces the text of a message that the user sent, and returns its item. The new text mentions no members.
  /// - Throws: `commandError` for an item without a message or of a kind of chat that is not known;
  ///   `invalidChatItemUpdate` where the message cannot be changed; otherwise as ``send(_:to:quoting:)``.
  @discardableResult
  public func edit(_ item: AChatItem, to text: String) async throws(ChatError) -> AChatItem {
    guard let chat = item.chat, let content = item.chatItem.content.msgContent else { throw .unsupported }
    return try await request(
      .apiUpdateChatItem(
        type: chat.chatType, id: chat.chatId, scope: chat.chatScope, itemId: item.chatItem.meta.itemId,
        updatedMessage: UpdatedMessage(msgContent: content.with(text: text)), live: false)
    ) {
      switch $0 {
      case .response1(.chatItemUpdated(_, let item)), .response1(.chatItemNotChanged(_, let item)): item
      default: nil
      }
    }
  }

  /// Deletes an item.
  /// - Throws: `invalidChatItemDelete` where it cannot be deleted for everyone; `errorStore` if there is no such item.
  public func delete(_ item: AChatItem, for deletion: MessageDeletion = .user) async throws(ChatError) {
    guard let chat = item.chat else { throw .unsupported }
    _ = try await request(
      .apiDeleteChatItem(
        type: chat.chatType, id: chat.chatId, scope: chat.chatScope, itemIds: [item.chatItem.meta.itemId],
        mode: deletion == .everyone ? .cidmBroadcast : .cidmInternal))
  }
}

extension Contact {
  /// The chat with the contact.
  public var chat: ChatRef { ChatRef(chatType: .direct, chatId: contactId) }
}
