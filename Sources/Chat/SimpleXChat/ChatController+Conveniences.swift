import ChatAPI
import ChatLogic

// Methods for frequent tasks of programs. Each sends one or a few commands and returns the value of the response.

/// The acceptance of requests to connect by the user's address; see ``ChatController/address(accepting:)``.
public enum RequestAcceptance: Hashable, Sendable {
  /// Unchanged settings of the address; those of a new address leave accepting to the user.
  case unchanged
  /// Automatically, with a welcome message, or without one if it is nil.
  case automatic(welcome: MsgContent? = nil)
}

extension ChatController {
  /// Carries out a command, and returns its response.
  /// - Throws: the error that ``send(_:)`` answers with.
  public func request(_ command: ChatCommand) async throws(ChatError) -> ChatResponse {
    switch await send(command) {
    case .result(let response): return response
    case .error(let error): throw error
    case .invalid(let type, _): throw .error(errorType: .exception(message: "invalid response: \(type)"))
    }
  }

  /// Carries out a command, and returns what `pick` extracts from its response.
  /// - Throws: the error of the command, or `exception` where the response is another one.
  public func request<Value>(
    _ command: ChatCommand, _ pick: (ChatResponse) -> Value?
  ) async throws(ChatError) -> Value {
    let response = try await request(command)
    guard let value = pick(response) else {
      throw .error(errorType: .exception(message: "unexpected response of \(command.cmdType)"))
    }
    return value
  }

  // MARK: The user

  /// Starts the chat, and returns the active user; creates one with this profile if there is none.
  /// - Throws: `invalidDisplayName` for a name that cannot be used; an error of the database or the agent.
  @discardableResult
  public func start(as profile: Profile) async throws(ChatError) -> User {
    let user: User
    do throws(ChatError) {
      user = try currentUser()
    } catch {
      user = try await request(.createActiveUser(profile: profile, pastTimestamp: false)) {
        if case .response0(.activeUser(let user)) = $0 { user } else { nil }
      }
    }
    _ = try await request(.startChat(mainApp: true, enableSndFiles: true))
    return user
  }

  /// Returns the link of the user's address; creates the address if there is none.
  /// - Parameter acceptance: whether requests are accepted automatically from now on.
  /// - Throws: `noActiveUser` or `chatNotStarted` before ``start(as:)``; `errorAgent` if the address has to be created
  ///   and its relay cannot be reached.
  public func address(accepting acceptance: RequestAcceptance = .unchanged) async throws(ChatError) -> String {
    let user = try runningUser()
    var address: UserContactLink
    do throws(ChatError) {
      address = try store.read { try $0.address(of: user) }
    } catch .errorStore(.userContactLinkNotFound) {
      _ = try await request(.apiCreateMyAddress(userId: user.userId))
      address = try store.read { try $0.address(of: user) }
    }
    if case .automatic(let welcome) = acceptance {
      var settings = address.addressSettings
      settings.autoAccept = settings.autoAccept ?? AutoAccept(acceptIncognito: false)
      settings.autoReply = welcome
      _ = try await request(.apiSetAddressSettings(userId: user.userId, addressSettings: settings))
    }
    return address.connLinkContact.connShortLink ?? address.connLinkContact.connFullLink
  }

  /// Creates a one-time invitation, and returns its link.
  /// - Throws: `noActiveUser` or `chatNotStarted` before ``start(as:)``; `errorAgent` if its relay cannot be reached.
  public func invitation() async throws(ChatError) -> String {
    try await request(.apiAddContact(userId: try runningUser().userId, incognito: false)) {
      guard case .response1(.invitation(_, let link, _)) = $0 else { return nil }
      return link.connShortLink ?? link.connFullLink
    }
  }

  /// Connects by an invitation or an address; the event `contactConnected` says when it is done.
  /// - Throws: `invalidConnReq` for a text that is no link, `noActiveUser` or `chatNotStarted` before ``start(as:)``;
  ///   `errorAgent` if a relay cannot be reached or the link was used or deleted.
  public func connect(to link: String) async throws(ChatError) {
    _ = try await request(.string("/connect \(link)"))
  }

  // MARK: Messages

  /// Sends a text to a chat, and returns its item once the message is stored. What the agent refuses later, and what
  /// becomes of the message, is reported by events.
  /// - Parameter quoted: the item it answers.
  /// - Throws: `noActiveUser` or `chatNotStarted` before ``start(as:)``; `errorStore` if there is no such chat;
  ///   `contactNotReady` or `groupUserRole` where the user cannot or may not send.
  @discardableResult
  public func send(
    _ text: String, to chat: ChatRef, quoting quoted: ChatItem? = nil
  ) async throws(ChatError) -> AChatItem {
    let message = ComposedMessage(quotedItemId: quoted?.meta.itemId, msgContent: .text(text))
    return try await send(message, to: chat)
  }

  /// Sends a message to a chat, and returns its item; a note is added to its folder.
  func send(_ message: ComposedMessage, to chat: ChatRef) async throws(ChatError) -> AChatItem {
    try await request(.send(message, to: chat)) {
      if case .response1(.newChatItems(_, let items)) = $0 { items.first } else { nil }
    }
  }

  /// Received items that are not read, oldest first: those after an item, of all users but hidden ones that are not
  /// active. A bot that marks as read what it has handled finds the rest here after a restart.
  /// - Parameters:
  ///   - id: the database id of an item, as in `meta.itemId`; 0 for the beginning.
  ///   - count: the number of items.
  /// - Throws: `errorStore` for a closed or damaged database.
  public func unreadItems(
    after id: Int64 = 0, count: Int = 100
  ) throws(ChatError) -> [(user: User, items: [AChatItem])] {
    try store.read { try $0.unreadItems(after: id, count: count) }
  }

  /// Marks a received item as read. An item that disappears some time after it was read begins to do so.
  /// - Throws: `commandError` for an item of a chat that cannot be read; `errorStore` where the item is deleted.
  public func markAsRead(_ item: AChatItem) async throws(ChatError) {
    guard let chat = item.chat else { throw .unsupported }
    _ = try await request(
      .apiChatItemsRead(
        type: chat.chatType, id: chat.chatId, scope: chat.chatScope, itemIds: [item.chatItem.meta.itemId]))
  }

  /// Answers a message in its chat, with a quote of it.
  /// - Throws: as ``send(_:to:quoting:)``; `commandError` for an item of an unknown kind of chat.
  @discardableResult
  public func reply(_ text: String, to item: AChatItem) async throws(ChatError) -> AChatItem {
    guard let chat = item.chat else { throw .unsupported }
    return try await send(text, to: chat, quoting: item.chatItem)
  }

  /// Adds a reaction to a message, or removes it.
  /// - Throws: `commandError` where the reaction is not possible; otherwise as ``send(_:to:quoting:)``.
  public func react(_ emoji: MREmojiChar, to item: AChatItem, add: Bool = true) async throws(ChatError) {
    guard let chat = item.chat else { throw .unsupported }
    _ = try await request(
      .apiChatItemReaction(
        type: chat.chatType, id: chat.chatId, scope: chat.chatScope, itemId: item.chatItem.meta.itemId, add: add,
        reaction: .emoji(emoji: emoji)))
  }
}

extension ChatCommand {
  /// Sends a message to a chat; a note is added to its folder.
  static func send(_ message: ComposedMessage, to chat: ChatRef) -> ChatCommand {
    chat.chatType == .local
      ? .apiCreateChatItems(noteFolderId: chat.chatId, composedMessages: [message])
      : .apiSendMessages(
        type: chat.chatType, id: chat.chatId, scope: chat.chatScope, live: false, ttl: nil,
        composedMessages: [message])
  }
}

extension AChatItem {
  /// The chat the item belongs to; nil for a kind of chat that this version does not know.
  public var chat: ChatRef? {
    switch chatInfo {
    case .direct(let contact): ChatRef(chatType: .direct, chatId: contact.contactId)
    case .group(let group, let scope):
      ChatRef(chatType: .group, chatId: group.groupId, chatScope: scope?.toChatScope())
    case .local(let folder): ChatRef(chatType: .local, chatId: folder.noteFolderId)
    case .contactRequest(let request): ChatRef(chatType: .contactRequest, chatId: request.contactRequestId)
    case .contactConnection(let connection): ChatRef(chatType: .contactConnection, chatId: connection.pccConnId)
    case .invalidJSON: nil
    }
  }

  /// The text of a message that somebody else sent; nil for everything else.
  public var receivedText: String? {
    guard case .rcvMsgContent(let content) = chatItem.content else { return nil }
    return content.text
  }
}
