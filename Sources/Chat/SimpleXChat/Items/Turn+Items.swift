import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SimplexCrypto

// Items for events, and the first items of a chat.

extension SharedMsgId {
  /// The identifier of a new message.
  static func random() -> SharedMsgId {
    var random = SystemRandom()
    return SharedMsgId(random: random.bytes(12))
  }
}

extension Turn {
  /// Adds an item to a contact's chat without an event.
  @discardableResult
  func makeItem(
    _ content: CIContent, in contact: Contact, of user: User, sharedMsgId: String? = nil, at time: Date? = nil
  ) throws -> AChatItem {
    let item = try rows.createItem(
      NewItem(chat: contact.chat, content: content, sharedMsgId: sharedMsgId, itemTs: time), of: user)
    return AChatItem(chatInfo: .direct(contact: contact), chatItem: item)
  }

  /// Adds an item to a contact's chat, with an event.
  @discardableResult
  func addItem(
    _ content: CIContent, to contact: Contact, of user: User, sharedMsgId: String? = nil, at time: Date? = nil
  ) throws -> AChatItem {
    let item = try makeItem(content, in: contact, of: user, sharedMsgId: sharedMsgId, at: time)
    emit(.newChatItems(user: user, chatItems: [item]))
    return item
  }

  /// Adds items to a contact's chat, with one event.
  func addItems(_ contents: [CIContent], to contact: Contact, of user: User) throws {
    guard !contents.isEmpty else { return }
    let items = try contents.map { try makeItem($0, in: contact, of: user) }
    emit(.newChatItems(user: user, chatItems: items))
  }

  /// Adds the banner that a chat begins with.
  func addBanner(to contact: Contact, of user: User) throws {
    try makeItem(.chatBanner, in: contact, of: user, at: Date(timeIntervalSince1970: 0))
  }

  /// Adds the first items of a chat: its banner, its encryption and its features. There is no event.
  func startChat(_ contact: Contact, pq: Bool?, of user: User) throws {
    try addBanner(to: contact, of: user)
    try makeItem(.rcvDirectE2EEInfo(e2eeInfo: E2EEInfo(pqEnabled: pq)), in: contact, of: user)
    for content in FeatureItems.initial(contact.mergedPreferences) { try makeItem(content, in: contact, of: user) }
  }

  /// Adds items for the features that changed, with events.
  func addFeatureChanges(
    from old: Contact, to new: Contact, of user: User, isSent: Bool, offers: FeatureItems.Side
  ) throws {
    let contents = FeatureItems.changed(
      from: old.mergedPreferences, to: new.mergedPreferences, isSent: isSent, offers: offers)
    try addItems(contents, to: new, of: user)
  }

  /// The item of the message with this identifier; nil where there is none.
  func item(_ sharedMsgId: String, with contact: Contact, of user: User) throws -> ChatItem? {
    do {
      return try rows.item(sharedMsgId: sharedMsgId, in: contact.chat, of: user)
    } catch StoreError.chatItemSharedMsgIdNotFound {
      return nil
    }
  }

  /// A chat after its items changed: a support chat shows counters of its member and of the group.
  private func current(_ info: ChatInfo, of chat: ChatRef, _ user: User) throws -> ChatInfo {
    chat.chatScope == nil ? info : try rows.chatInfo(chat, of: user)
  }

  /// Removes items permanently.
  func delete(_ items: [ChatItem], in chat: ChatRef, info: ChatInfo, of user: User) throws -> [ChatItemDeletion] {
    try rows.deleteItems(items.map(\.meta.itemId), in: chat, of: user)
    // Their files go then.
    if items.contains(where: { $0.file != nil }) { purgeSoon() }
    let info = try current(info, of: chat, user)
    return items.map { ChatItemDeletion(deletedChatItem: AChatItem(chatInfo: info, chatItem: $0)) }
  }

  /// Removes the content of items that a moderator deletes.
  /// - Parameter moderator: a database id.
  func moderate(
    _ items: [ChatItem], by moderator: Int64, at time: Date, in chat: ChatRef, info: ChatInfo, of user: User
  ) throws -> [ChatItemDeletion] {
    if items.contains(where: { $0.file != nil }) { purgeSoon() }
    return try items.map { item in
      let moderated = try rows.moderate(item: item, by: moderator, at: time, in: chat, of: user)
      return ChatItemDeletion(
        deletedChatItem: AChatItem(chatInfo: info, chatItem: item),
        toChatItem: AChatItem(chatInfo: info, chatItem: moderated))
    }
  }

  /// Marks items as deleted; their content stays.
  /// - Parameter moderator: the member who deletes them, where items show that, a database id.
  func markDeleted(
    _ items: [ChatItem], by moderator: Int64? = nil, at time: Date, in chat: ChatRef, info: ChatInfo, of user: User
  ) throws -> [ChatItemDeletion] {
    try endTransfers(of: items, user: user)
    return try items.map { item in
      let marked = try rows.markDeleted(item: item.meta.itemId, by: moderator, at: time, in: chat, of: user)
      return ChatItemDeletion(
        deletedChatItem: AChatItem(chatInfo: info, chatItem: item),
        toChatItem: AChatItem(chatInfo: info, chatItem: marked))
    }
  }
}
