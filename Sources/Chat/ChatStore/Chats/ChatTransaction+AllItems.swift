import ChatAPI
import SQLiteKit

/// The query of a page of all the user's items. Parameters: user, time, item, text, number.
func allItemsQuery(_ range: ItemRange, searches: Bool) -> String {
  let order = range.isAscending ? "ASC" : "DESC"
  let place =
    switch range {
    case .last: "?2 IS NULL AND ?3 IS NULL"
    case .after: "(i.item_ts, i.item_id) > (?2, ?3)"
    case .before: "(i.item_ts, i.item_id) < (?2, ?3)"
    }
  return """
    SELECT t.kind, t.entity_id, t.scope, i.item_id FROM items i JOIN chats t ON t.chat_id = i.chat_id \
    WHERE i.user_id = ?1 AND \(place) AND \(searches ? "contains_folded(i.text, ?4)" : "?4 IS NULL") \
    AND t.kind IN (0, 1, 2) ORDER BY i.item_ts \(order), i.item_id \(order) LIMIT ?5
    """
}

extension ChatTransaction {
  /// A page of all the user's items, oldest first, with their chats.
  public func allItems(
    of user: User, pagination: ChatPagination, search: String? = nil
  ) throws(StoreError) -> [AChatItem] {
    let search = search.flatMap { $0.isEmpty ? nil : $0.lowercased() }
    let found: [(ChatRef, Int64)]
    switch pagination {
    case .last(let count): found = try refs(.last, count: count, matching: search, of: user)
    case .after(let id, let count):
      found = try refs(.after(position: try time(of: id, user), id: id), count: count, matching: search, of: user)
    case .before(let id, let count):
      found = try refs(.before(position: try time(of: id, user), id: id), count: count, matching: search, of: user)
    case .around(let id, let count): found = try around(id, count: count, matching: search, of: user)
    case .initial(let count):
      guard search == nil else {
        throw .internalError(message: "initial chat pagination doesn't support search")
      }
      let unread = try integer(
        """
        SELECT min(i.item_id) FROM chats t JOIN items i ON i.chat_id = t.chat_id AND i.status = 10 \
        WHERE t.user_id = ? AND t.kind IN (0, 1, 2) AND t.unread_count > 0
        """, user.userId)
      if let unread {
        found = try around(unread, count: count, matching: nil, of: user)
      } else {
        found = try self.refs(.last, count: count, matching: nil, of: user)
      }
    }
    var items: [AChatItem] = []
    var chats: [ChatRef: ChatInfo] = [:]
    for (chat, id) in found {
      let info: ChatInfo
      if let known = chats[chat] { info = known } else { info = try chatInfo(chat, of: user) }
      chats[chat] = info
      items.append(AChatItem(chatInfo: info, chatItem: try item(id, in: chat, of: user)))
    }
    return items
  }

  private func around(
    _ id: Int64, count: Int, matching search: String?, of user: User
  ) throws(StoreError) -> [(ChatRef, Int64)] {
    let time = try time(of: id, user)
    return try refs(.before(position: time, id: id), count: count, matching: search, of: user)
      + [(try chat(ofItem: id, of: user), id)]
      + refs(.after(position: time, id: id), count: count, matching: search, of: user)
  }

  private func time(of id: Int64, _ user: User) throws(StoreError) -> Int64 {
    guard let time = try integer("SELECT item_ts FROM items WHERE item_id = ? AND user_id = ?", id, user.userId) else {
      throw .chatItemNotFound(itemId: id)
    }
    return time
  }

  private func refs(
    _ range: ItemRange, count: Int, matching search: String?, of user: User
  ) throws(StoreError) -> [(ChatRef, Int64)] {
    let found = try all(
      allItemsQuery(range, searches: search != nil), user.userId, range.position, range.id, search, max(0, count)
    ) { (row) throws(SQLFailure) in (try readChatRef(row), try row.integer(3)) }
    return range.isAscending ? found : found.reversed()
  }
}
