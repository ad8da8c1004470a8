import ChatAPI
import SQLiteKit

extension ChatTransaction {
  /// Received items that are not read, in the order in which they were received, with their chats: those after an item,
  /// a database id, of all users but the hidden ones that are not active. Consecutive items of a user are together.
  public func unreadItems(after id: Int64, count: Int) throws(StoreError) -> [(user: User, items: [AChatItem])] {
    let found = try all(
      """
      SELECT t.kind, t.entity_id, t.scope, i.item_id, i.user_id FROM items i JOIN chats t ON t.chat_id = i.chat_id \
      JOIN users u ON u.user_id = i.user_id AND (u.active = 1 OR u.view_password_hash IS NULL) \
      WHERE i.status = 10 AND i.item_id > ? AND t.kind IN (0, 1, 2) ORDER BY i.item_id LIMIT ?
      """, id, max(0, count)
    ) { (row) throws(SQLFailure) in (chat: try readChatRef(row), item: try row.integer(3), user: try row.integer(4)) }
    var result: [(user: User, items: [AChatItem])] = []
    var chats: [ChatRef: ChatInfo] = [:]
    var rest = found[...]
    while let first = rest.first {
      let user = try self.user(first.user)
      let group = rest.prefix { $0.user == first.user }
      var items: [AChatItem] = []
      for (chat, item, _) in group {
        let info: ChatInfo
        if let known = chats[chat] { info = known } else { info = try chatInfo(chat, of: user) }
        chats[chat] = info
        items.append(AChatItem(chatInfo: info, chatItem: try self.item(item, in: chat, of: user)))
      }
      result.append((user, items))
      rest = rest.dropFirst(group.count)
    }
    return result
  }
}
