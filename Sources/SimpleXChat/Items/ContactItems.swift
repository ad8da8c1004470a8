import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SimplexCrypto

// Items that tell of events, and those that begin a chat.

extension Contact {
  /// The contact's chat.
  var chat: ChatRef { ChatRef(chatType: .direct, chatId: contactId) }
}

extension ChatController {
  /// Names a new message.
  nonisolated func newSharedMsgId() -> SharedMsgId {
    var random = SystemRandom()
    return SharedMsgId(random: random.bytes(12))
  }

  /// Adds an item to a contact's chat.
  @discardableResult
  func makeItem(
    _ content: CIContent, in contact: Contact, of user: User, sharedMsgId: String? = nil, at time: Date? = nil
  ) throws(ChatError) -> AChatItem {
    let item = try store.transaction {
      try $0.createItem(
        NewItem(chat: contact.chat, content: content, sharedMsgId: sharedMsgId, itemTs: time), of: user)
    }
    return AChatItem(chatInfo: .direct(contact: contact), chatItem: item)
  }

  /// Adds an item to a contact's chat, and tells of it.
  @discardableResult
  func addItem(
    _ content: CIContent, to contact: Contact, of user: User, sharedMsgId: String? = nil, at time: Date? = nil
  ) throws(ChatError) -> AChatItem {
    let item = try makeItem(content, in: contact, of: user, sharedMsgId: sharedMsgId, at: time)
    tell(.newChatItems(user: user, chatItems: [item]))
    return item
  }

  /// Adds what a chat begins with: its banner, how it is encrypted, and its features. Nobody is told.
  func startChat(_ contact: Contact, pq: Bool?, of user: User) throws(ChatError) {
    try store.transaction { transaction in
      let contents =
        [CIContent.rcvDirectE2EEInfo(e2eeInfo: E2EEInfo(pqEnabled: pq))]
        + FeatureItems.initial(contact.mergedPreferences)
      _ = try transaction.createItem(
        NewItem(chat: contact.chat, content: .chatBanner, itemTs: Date(timeIntervalSince1970: 0)), of: user)
      for content in contents {
        _ = try transaction.createItem(NewItem(chat: contact.chat, content: content), of: user)
      }
    }
  }

  /// Adds items for the features that changed, and tells of them.
  func addFeatureChanges(
    from old: Contact, to new: Contact, of user: User, isSent: Bool, offers: FeatureItems.Side
  ) throws(ChatError) {
    let contents = FeatureItems.changed(
      from: old.mergedPreferences, to: new.mergedPreferences, isSent: isSent, offers: offers)
    guard !contents.isEmpty else { return }
    let items = try store.transaction { transaction in
      try contents.map { try transaction.createItem(NewItem(chat: new.chat, content: $0), of: user) }
    }
    tell(
      .newChatItems(
        user: user, chatItems: items.map { AChatItem(chatInfo: .direct(contact: new), chatItem: $0) }))
  }
}
