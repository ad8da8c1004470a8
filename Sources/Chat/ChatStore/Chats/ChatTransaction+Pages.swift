import ChatAPI
import SQLiteKit

/// Where in a chat a page of items is.
enum ItemRange {
  case last
  case after(position: Int64, id: Int64)
  case before(position: Int64, id: Int64)

  var isAscending: Bool { if case .after = self { true } else { false } }

  /// The condition on the item's place, in the parameters 2 and 3.
  var condition: String {
    switch self {
    case .last: "?2 IS NULL AND ?3 IS NULL"
    case .after: "(i.position, i.item_id) > (?2, ?3)"
    case .before: "(i.position, i.item_id) < (?2, ?3)"
    }
  }

  var position: Int64? {
    switch self {
    case .last: nil
    case .after(let position, _), .before(let position, _): position
    }
  }

  var id: Int64? {
    switch self {
    case .last: nil
    case .after(_, let id), .before(_, let id): id
    }
  }
}

/// The query of a page, for tests of its plan as well. Parameters: chat, position, item, kind of message, text, number.
func pageQuery(_ range: ItemRange, filter: MsgContentTag?, searches: Bool) -> String {
  let order = range.isAscending ? "ASC" : "DESC"
  // Reports are in members' support chats; a page of them is one of the whole group.
  let isReports = filter == .report
  var conditions = [
    isReports
      ? "i.chat_id IN (SELECT z.chat_id FROM chats y JOIN chats z ON z.kind = y.kind AND z.entity_id = y.entity_id "
        + "AND (z.scope = y.scope OR y.scope = 0) WHERE y.chat_id = ?1)"
      : "i.chat_id = ?1", range.condition,
  ]
  switch filter {
  case nil: conditions.append("?4 IS NULL")
  case .link: conditions += ["i.has_link = 1", "?4 IS NOT NULL"]
  case .text: conditions.append("i.message_tag = ?4")
  // The second condition is the index's.
  default: conditions += ["i.message_tag = ?4", "i.message_tag <> 'text'"]
  }
  conditions.append(searches ? "contains_folded(i.text, ?5)" : "?5 IS NULL")
  return """
    SELECT \(itemColumns) FROM items i WHERE \(conditions.joined(separator: " AND ")) \
    ORDER BY i.position \(order), i.item_id \(order) LIMIT ?6
    """
}

extension ChatTransaction {
  /// A page of a chat's items, oldest first, and what follows it where the page is around an item.
  ///
  /// - Parameters:
  ///   - filter: only messages of this kind; `link` means all with a link.
  ///   - search: only items with this text, whatever the case.
  /// - Throws: `chatItemNotFound` where the item of the page is not in the chat.
  public func chat(
    _ chat: ChatRef, pagination: ChatPagination, filter: MsgContentTag? = nil, search: String? = nil, of user: User
  ) throws(StoreError) -> (chat: ChatData, navigation: NavigationInfo?) {
    let info = try chatInfo(chat, of: user)
    let page = ItemPage(
      chatId: try chatID(chat, of: user), context: try context(chat), filter: filter,
      search: search.flatMap { $0.isEmpty ? nil : $0.lowercased() })
    switch pagination {
    case .last(let count):
      return (ChatData(chatInfo: info, chatItems: try items(of: page, range: .last, count: count)), nil)
    case .after(let id, let count):
      let position = try position(of: id, in: page)
      return (
        ChatData(
          chatInfo: info, chatItems: try items(of: page, range: .after(position: position, id: id), count: count)), nil
      )
    case .before(let id, let count):
      let position = try position(of: id, in: page)
      return (
        ChatData(
          chatInfo: info, chatItems: try items(of: page, range: .before(position: position, id: id), count: count)), nil
      )
    case .around(let id, let count):
      return try around(id, count: count, in: info, of: page)
    case .initial(let count):
      guard page.search == nil else {
        throw .internalError(message: "initial chat pagination doesn't support search")
      }
      guard let pivot = try pivot(page) else {
        let items = try items(of: page, range: .last, count: count)
        return (ChatData(chatInfo: info, chatItems: items), NavigationInfo(afterUnread: 0, afterTotal: 0))
      }
      return try around(pivot, count: count, in: info, of: page)
    }
  }

  /// Where an unread chat opens: at the last item seen, or the first unread one. Nil where nothing is unread.
  private func pivot(_ page: ItemPage) throws(StoreError) -> Int64? {
    let unread = try integer(
      "SELECT item_id FROM items WHERE chat_id = ? AND status = 10 ORDER BY position, item_id LIMIT 1", page.chatId)
    guard let unread else { return nil }
    let viewed = try integer(
      """
      SELECT item_id FROM items WHERE chat_id = ? AND viewed = 1 ORDER BY position DESC, item_id DESC LIMIT 1
      """, page.chatId)
    return viewed ?? unread
  }

  private func around(
    _ id: Int64, count: Int, in info: ChatInfo, of page: ItemPage
  ) throws(StoreError) -> (chat: ChatData, navigation: NavigationInfo?) {
    let position = try position(of: id, in: page)
    let before = try items(of: page, range: .before(position: position, id: id), count: count)
    let middle = try all(
      "SELECT \(itemColumns) FROM items i WHERE i.item_id = ?", id, row: itemReader(page.context))
    let after = try items(of: page, range: .after(position: position, id: id), count: count)
    let items = before + middle + after
    let last = items.last?.meta.itemId ?? id
    let place = try self.position(of: last, in: page)
    let unread = try integer(
      """
      SELECT count(*) FROM items i WHERE i.chat_id = ?1 AND i.status = 10 AND (i.position, i.item_id) > (?2, ?3)
      """, page.chatId, place, last)
    let total = try integer(
      "SELECT count(*) FROM items i WHERE i.chat_id = ?1 AND (i.position, i.item_id) > (?2, ?3)", page.chatId, place,
      last)
    let stats = try first("SELECT \(statsColumns) FROM chats t WHERE t.chat_id = ?", page.chatId) {
      (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return try row.stats(&at)
    }
    var shown = stats ?? .none
    // A page says how many are unread; that the chat was marked is the list's to say.
    shown.unreadChat = false
    return (
      ChatData(chatInfo: info, chatItems: items, chatStats: shown),
      NavigationInfo(afterUnread: Int(unread ?? 0), afterTotal: Int(total ?? 0))
    )
  }

  private func position(of id: Int64, in page: ItemPage) throws(StoreError) -> Int64 {
    let position = try integer(
      "SELECT position FROM items WHERE item_id = ?1 AND (chat_id = ?2 OR ?3 AND message_tag = 'report')", id,
      page.chatId, page.filter == .report)
    guard let position else { throw .chatItemNotFound(itemId: id) }
    return position
  }

  /// Items of a page, oldest first.
  private func items(of page: ItemPage, range: ItemRange, count: Int) throws(StoreError) -> [ChatItem] {
    let found = try all(
      pageQuery(range, filter: page.filter, searches: page.search != nil), page.chatId, range.position, range.id,
      page.filter?.rawValue, page.search, max(0, count), row: itemReader(page.context))
    return range.isAscending ? found : found.reversed()
  }

  /// The kinds of messages that a chat has.
  public func contentTypes(_ chat: ChatRef, of user: User) throws(StoreError) -> [MsgContentTag] {
    let chatId = try chatID(chat, of: user)
    var tags = try texts(
      "SELECT DISTINCT message_tag FROM items WHERE chat_id = ? AND message_tag <> 'text'", chatId)
    if try integer("SELECT 1 FROM items WHERE chat_id = ? AND message_tag = 'text' LIMIT 1", chatId) != nil {
      tags.append(MsgContentTag.text.rawValue)
    }
    return tags.sorted().map { MsgContentTag(rawValue: $0) }
  }
}

/// What all queries of a page share.
private struct ItemPage {
  let chatId: Int64
  let context: ItemContext
  let filter: MsgContentTag?
  let search: String?
}
