import ChatAPI
import ChatLogic
import FoundationTypes
import SQLiteKit

private let itemByNumber = "SELECT \(itemColumns) FROM items i WHERE i.item_id = ? AND i.chat_id = ?"

extension ChatTransaction {
  func context(_ chat: ChatRef) throws(StoreError) -> ItemContext {
    switch chat.chatType {
    case .direct, .local: ItemContext(chatType: chat.chatType, now: now)
    case .group:
      ItemContext(
        chatType: .group, now: now, members: ItemMembers(group: chat.chatId, transaction: self))
    default: throw .internalError(message: "unsupported chat type")
    }
  }

  func itemReader(_ context: ItemContext) -> (borrowing SQLiteRow) throws(SQLFailure) -> ChatItem {
    { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return try row.item(&at, context)
    }
  }

  // MARK: Finding

  /// The item with this number, with its reactions.
  public func item(_ id: Int64, in chat: ChatRef, of user: User) throws(StoreError) -> ChatItem {
    try item(id, in: chat, number: try chatID(chat, of: user))
  }

  /// The item with this database id; nil where the chat has none.
  public func itemIfPresent(_ id: Int64, in chat: ChatRef, of user: User) throws(StoreError) -> ChatItem? {
    try first(itemByNumber, id, try chatID(chat, of: user), row: itemReader(try context(chat)))
  }

  func item(_ id: Int64, in chat: ChatRef, number: Int64) throws(StoreError) -> ChatItem {
    let found = try first(itemByNumber, id, number, row: itemReader(try context(chat)))
    guard let found else { throw .chatItemNotFound(itemId: id) }
    return found
  }

  /// The newest item with this shared id.
  public func item(sharedMsgId: String, in chat: ChatRef, of user: User) throws(StoreError) -> ChatItem {
    guard let id = try itemID(sharedMsgId: sharedMsgId, in: chat, of: user) else {
      throw .chatItemSharedMsgIdNotFound(sharedMsgId: sharedMsgId)
    }
    return try item(id, in: chat, of: user)
  }

  /// The number of the newest item with this shared id; of either side, or of one.
  /// - Parameter author: the identifier of the member who wrote it, in groups.
  public func itemID(
    sharedMsgId: String, author: String = "", in chat: ChatRef, sent: Bool? = nil, of user: User
  ) throws(StoreError) -> Int64? {
    try integer(
      """
      SELECT max(item_id) FROM items WHERE chat_id = ?1 AND shared_id = ?2 AND author = ?4 \
      AND (?3 IS NULL OR sent = ?3)
      """, try chatID(chat, of: user), sharedMsgId, sent, author)
  }

  /// The item of a member of a group with this shared id, in any part of the group's chat, and the part.
  public func groupItem(
    sharedMsgId: String, author: String, inGroup group: Int64, of user: User
  ) throws(StoreError) -> (item: ChatItem, chat: ChatRef)? {
    let found = try first(
      """
      SELECT t.kind, t.entity_id, t.scope, i.item_id FROM chats t JOIN items i ON i.chat_id = t.chat_id \
      AND i.shared_id = ?2 AND i.author = ?3 WHERE t.kind = 1 AND t.entity_id = ?1 AND t.user_id = ?4 \
      ORDER BY i.item_id DESC LIMIT 1
      """, group, sharedMsgId, author, user.userId
    ) { (row) throws(SQLFailure) in (chat: try readChatRef(row), id: try row.integer(3)) }
    guard let found else { return nil }
    return (try item(found.id, in: found.chat, of: user), found.chat)
  }

  /// The number of the newest item whose text begins so; of either side, or of one.
  /// - Parameter member: only of this member of a group, a database id.
  public func itemID(
    textPrefix text: String, in chat: ChatRef, sent: Bool? = nil, member: Int64? = nil, of user: User
  ) throws(StoreError) -> Int64 {
    let id = try integer(
      """
      SELECT item_id FROM items WHERE chat_id = ?1 AND (?3 IS NULL OR sent = ?3) AND (?4 IS NULL OR member_id = ?4) \
      AND lower(substr(text, 1, length(?2))) = lower(?2) ORDER BY position DESC, item_id DESC LIMIT 1
      """, try chatID(chat, of: user), text, sent, member)
    guard let id else { throw .chatItemNotFoundByText(text: text) }
    return id
  }

  /// The newest item of a chat, if there is one.
  public func lastItem(in chat: ChatRef, of user: User) throws(StoreError) -> ChatItem? {
    try first(
      "SELECT \(itemColumns) FROM items i WHERE i.chat_id = ? ORDER BY i.position DESC, i.item_id DESC LIMIT 1",
      try chatID(chat, of: user), row: itemReader(try context(chat)))
  }

  /// The newest item about a contact's profile, among the last 20 of the chat.
  public func lastProfileChange(in chat: ChatRef, of user: User) throws(StoreError) -> ChatItem? {
    try first(
      """
      SELECT \(itemColumns) FROM items i WHERE i.item_id = (SELECT item_id FROM (SELECT item_id, position, \
      sent, message_tag, content FROM items WHERE chat_id = ? ORDER BY position DESC, item_id DESC LIMIT 20) \
      WHERE sent = 0 AND message_tag IS NULL AND content LIKE '%profileUpdated%' \
      ORDER BY position DESC, item_id DESC LIMIT 1)
      """, try chatID(chat, of: user), row: itemReader(try context(chat)))
  }

  /// The time at which the newest item of all chats was stored; nil where there is none.
  func lastItemTime() throws(StoreError) -> Date? {
    try integer("SELECT created_at FROM items ORDER BY item_id DESC LIMIT 1").map { Date(microseconds: $0) }
  }

  /// The item of this member, a database id, that was added last.
  public func lastItem(in chat: ChatRef, from member: Int64, of user: User) throws(StoreError) -> ChatItem? {
    try first(
      "SELECT \(itemColumns) FROM items i WHERE i.member_id = ? AND i.chat_id = ? ORDER BY i.item_id DESC LIMIT 1",
      member, try chatID(chat, of: user), row: itemReader(try context(chat)))
  }

  /// The chat that an item is in.
  public func chat(ofItem id: Int64, of user: User) throws(StoreError) -> ChatRef {
    guard let found = try chatIfPresent(ofItem: id, of: user) else { throw .chatItemNotFound(itemId: id) }
    return found
  }

  /// The chat that an item is in; nil where the item is deleted.
  public func chatIfPresent(ofItem id: Int64, of user: User) throws(StoreError) -> ChatRef? {
    try chatIfPresent(ofItem: id, ofUser: user.userId)
  }

  /// The chat that an item of this user, a database id, is in; nil where the item is deleted.
  public func chatIfPresent(ofItem id: Int64, ofUser user: Int64) throws(StoreError) -> ChatRef? {
    try first(
      """
      SELECT t.kind, t.entity_id, t.scope FROM items i JOIN chats t ON t.chat_id = i.chat_id \
      WHERE i.item_id = ? AND i.user_id = ? AND t.kind <> 9
      """, id, user, row: readChatRef)
  }

  /// An item with its chat.
  public func itemWithChat(_ id: Int64, in chat: ChatRef, of user: User) throws(StoreError) -> AChatItem {
    AChatItem(chatInfo: try chatInfo(chat, of: user), chatItem: try item(id, in: chat, of: user))
  }

  /// Whether a chat has any items.
  public func hasItems(_ chat: ChatRef, of user: User) throws(StoreError) -> Bool {
    try integer("SELECT 1 FROM items WHERE chat_id = ? LIMIT 1", try chatID(chat, of: user)) != nil
  }

  // MARK: Changing

  /// Stores the status of an item.
  public func setStatus(
    _ status: CIStatus, ofItem id: Int64, in chat: ChatRef, of user: User
  ) throws(StoreError) -> ChatItem {
    let stored = ItemStatusCode(status)
    let chatId = try chatID(chat, of: user)
    try execute(
      "UPDATE items SET status = ?3, status_detail = ?4, updated_at = ?5 WHERE item_id = ?1 AND chat_id = ?2", id,
      chatId, stored.code, stored.detail, nowMicroseconds)
    return try item(id, in: chat, number: chatId)
  }

  /// Stores the status of a message that was sent, unless it is known that it was received. Nil where that changes
  /// nothing, and where the item is gone.
  /// - Parameter viaProxy: whether it was sent through another relay; nil leaves that as it is.
  public func setProgress(
    _ status: CIStatus, viaProxy: Bool?, ofItem id: Int64, in chat: ChatRef, of user: User
  ) throws(StoreError) -> ChatItem? {
    let stored = ItemStatusCode(status)
    let chatId = try chatID(chat, of: user)
    // 3 to 6 are those that were received.
    let changed = try execute(
      """
      UPDATE items SET status = ?3, status_detail = ?4, via_proxy = coalesce(?5, via_proxy), updated_at = ?6 \
      WHERE item_id = ?1 AND chat_id = ?2 AND (status < 3 OR status > 6) AND (status <> ?3 OR status_detail IS NOT ?4)
      """, id, chatId, stored.code, stored.detail, viaProxy, nowMicroseconds)
    return changed == 0 ? nil : try item(id, in: chat, number: chatId)
  }

  /// Whether an item has another status than this one.
  public func differs(from status: CIStatus, item id: Int64) throws(StoreError) -> Bool {
    let stored = ItemStatusCode(status)
    return try integer(
      "SELECT 1 FROM items WHERE item_id = ?1 AND (status <> ?2 OR status_detail IS NOT ?3)", id, stored.code,
      stored.detail) != nil
  }

  /// Stores the status of an item, whatever it was; nil where the item has it already.
  public func changeStatus(
    _ status: CIStatus, ofItem id: Int64, in chat: ChatRef, of user: User
  ) throws(StoreError) -> ChatItem? {
    let stored = ItemStatusCode(status)
    let chatId = try chatID(chat, of: user)
    let changed = try execute(
      """
      UPDATE items SET status = ?3, status_detail = ?4, updated_at = ?5 \
      WHERE item_id = ?1 AND chat_id = ?2 AND (status <> ?3 OR status_detail IS NOT ?4)
      """, id, chatId, stored.code, stored.detail, nowMicroseconds)
    return changed == 0 ? nil : try item(id, in: chat, number: chatId)
  }

  /// Stores new content.
  ///
  /// - Parameters:
  ///   - edited: whether it counts as edited; once edited stays edited.
  ///   - live: whether it is still being typed; only an item that was live can be.
  ///   - timed: when it disappears; nil leaves that as it is, except that the time of an item that was live begins now.
  public func updateItem(
    _ id: Int64, in chat: ChatRef, to content: CIContent, edited: Bool, live: Bool, timed: CITimed? = nil, of user: User
  ) throws(StoreError) -> ChatItem {
    let content = content.withoutPictures
    let old = try item(id, in: chat, of: user).meta
    let text = content.itemText
    var newTimed = timed ?? old.itemTimed
    if timed == nil, old.itemStatus != .rcvNew, old.itemLive == true, !live, let kept = old.itemTimed,
      kept.deleteAt == nil
    {
      newTimed?.deleteAt = now.addingTimeInterval(Double(kept.ttl))
    }
    try execute(
      """
      UPDATE items SET content = ?2, text = ?3, edited = ?4, live = ?5, timed_ttl = ?6, delete_at = ?7, \
      has_link = ?8, message_tag = ?9, updated_at = ?10 WHERE item_id = ?1
      """, id, content.column, text, old.itemEdited || edited, old.itemLive.map { $0 && live }, newTimed?.ttl,
      newTimed?.deleteAt?.microseconds, content.hasLink(in: Markdown.parse(text)), content.msgContent?.tag.rawValue,
      nowMicroseconds)
    let changed = try item(id, in: chat, of: user)
    if let deleteAt = changed.meta.itemTimed?.deleteAt { note(timer: deleteAt) }
    return changed
  }

  /// Keeps the first content of an item, when it is edited for the first time, and the new one.
  public func addVersions(
    ofItem id: Int64, initial: (time: Date, content: MsgContent), new: (time: Date, content: MsgContent)
  ) throws(StoreError) {
    if try integer("SELECT 1 FROM item_versions WHERE item_id = ? LIMIT 1", id) == nil {
      try addVersion(ofItem: id, time: initial.time, content: initial.content)
    }
    try addVersion(ofItem: id, time: new.time, content: new.content)
  }

  /// The most versions of an item that are kept.
  private static var versionsLimit: Int64 { 100 }

  /// Keeps a version of an item, and the newest ones of before. Only the text is kept: pictures would be kept many
  /// times.
  public func addVersion(ofItem id: Int64, time: Date, content: MsgContent) throws(StoreError) {
    try execute(
      "INSERT INTO item_versions (item_id, content, version_ts, created_at) VALUES (?, ?, ?, ?)", id,
      MsgContent.text(content.text).column, time.microseconds, nowMicroseconds)
    try execute(
      """
      DELETE FROM item_versions WHERE item_id = ?1 AND version_id <= (SELECT version_id FROM item_versions \
      WHERE item_id = ?1 ORDER BY version_id DESC LIMIT 1 OFFSET ?2)
      """, id, Self.versionsLimit)
  }

  /// Earlier versions of an item, newest first.
  public func versions(ofItem id: Int64) throws(StoreError) -> [ChatItemVersion] {
    try all(
      """
      SELECT version_id, content, version_ts, created_at FROM item_versions WHERE item_id = ? ORDER BY version_id DESC
      """, id
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      let id = try row.integer(&at)
      let content: MsgContent = try row.json(&at)
      return ChatItemVersion(
        chatItemVersionId: id, msgContent: content, formattedText: Markdown.parse(content.text),
        itemVersionTs: try row.date(&at), createdAt: try row.date(&at))
    }
  }

  // MARK: Deleting

  /// Marks an item as deleted for everyone; its content stays.
  /// - Parameter moderator: the member who deleted it where that is not its author, a database id.
  public func markDeleted(
    item id: Int64, by moderator: Int64? = nil, at time: Date, in chat: ChatRef, of user: User
  ) throws(StoreError) -> ChatItem {
    try execute(
      """
      UPDATE items SET deleted = 1, deleted_at = ?3, updated_at = ?4, deleted_by = ?5 WHERE item_id = ?1 AND chat_id = ?2
      """, id, try chatID(chat, of: user), time.microseconds, nowMicroseconds, moderator)
    return try item(id, in: chat, of: user)
  }

  /// Marks the item of a blocked member, which is not shown.
  public func markBlocked(
    item id: Int64, byAdmin: Bool, in chat: ChatRef, of user: User
  ) throws(StoreError) -> ChatItem {
    try execute(
      "UPDATE items SET deleted = ?2, deleted_at = ?3, updated_at = ?3 WHERE item_id = ?1", id, byAdmin ? 3 : 2,
      nowMicroseconds)
    return try item(id, in: chat, of: user)
  }

  /// Deletes an item with all that belongs to it; no-op where it is not there.
  public func deleteItem(_ id: Int64, in chat: ChatRef, of user: User) throws(StoreError) {
    try deleteItems([id], in: chat, of: user)
  }

  /// Deletes items of a chat with all that belongs to them; those that are not there are left out.
  public func deleteItems(_ ids: [Int64], in chat: ChatRef, of user: User) throws(StoreError) {
    try delete(
      try integers(
        "SELECT item_id FROM items WHERE item_id IN (SELECT value FROM json_each(?)) AND chat_id = ?", ids.column,
        try chatID(chat, of: user)))
  }

  /// Stores the members that an item mentions.
  /// - Parameter user: the user's identifier in the group, base64url.
  public func setMentions(
    _ mentions: [String: CIMention], user: String, ofItem id: Int64
  ) throws(StoreError) {
    try execute(
      "UPDATE items SET mentions = ?2, user_mention = user_mention OR ?3 WHERE item_id = ?1", id,
      mentions.isEmpty ? nil : mentions.column, mentions.values.contains { $0.memberId == user })
  }
}
