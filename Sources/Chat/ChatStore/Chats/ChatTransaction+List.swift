import ChatAPI
import FoundationTypes
import SQLiteKit

/// The queries of the list of chats, for tests of their plans as well.
///
/// Parameters of all: user, time, text, number.
enum ChatListQueries {
  /// Chats of contacts, with the newest item.
  static func direct(_ pagination: PaginationByTime, _ query: ChatListQuery) -> String {
    """
    SELECT \(contactColumns), \(statsColumns), \(itemColumns) FROM chats t \
    JOIN contacts c ON c.contact_id = t.entity_id JOIN profiles p ON p.profile_id = c.profile_id \
    LEFT JOIN connections n ON n.connection_id = c.connection_id LEFT JOIN items i ON i.item_id = t.last_item_id \
    WHERE t.user_id = ?1 AND t.kind = 0 AND t.listed = 1 \
    AND \(filter(query, [
      "c.local_display_name", "p.display_name", "p.full_name", "p.short_descr", "p.local_alias",
    ])) AND \(page(pagination, "t.ts"))
    """
  }

  /// Groups, with the newest item of their main chat.
  static func groups(_ pagination: PaginationByTime, _ query: ChatListQuery) -> String {
    """
    SELECT \(groupColumns), \(memberColumns), \(statsColumns), \(itemColumns) FROM chats t \
    JOIN groups g ON g.group_id = t.entity_id JOIN members m ON m.member_id = g.membership_id \
    JOIN profiles p ON p.profile_id = m.profile_id LEFT JOIN connections n ON n.connection_id = m.connection_id \
    LEFT JOIN chats s ON s.kind = 1 AND s.entity_id = m.group_id AND s.scope = -1 \
    LEFT JOIN items i ON i.item_id = t.last_item_id WHERE t.user_id = ?1 AND t.kind = 1 AND t.listed = 1 \
    AND t.scope = 0 AND \(filter(query, [
      "g.local_display_name", "g.display_name", "g.full_name", "g.short_descr", "g.local_alias",
    ])) AND \(page(pagination, "t.ts"))
    """
  }

  /// The notes, with the newest one.
  static func notes(_ pagination: PaginationByTime, _ query: ChatListQuery) -> String {
    """
    SELECT t.entity_id, f.created_at, f.updated_at, t.ts, t.favorite, t.marked_unread, \(statsColumns), \
    \(itemColumns) FROM chats t JOIN note_folders f ON f.note_folder_id = t.entity_id \
    LEFT JOIN items i ON i.item_id = t.last_item_id WHERE t.user_id = ?1 AND t.kind = 2 AND t.listed = 1 \
    AND \(filter(query, ["'notes'", "'private notes'"])) AND \(page(pagination, "t.ts"))
    """
  }

  /// Requests that have no contact.
  static func requests(_ pagination: PaginationByTime, _ query: ChatListQuery) -> String {
    requestQuery + """
       WHERE r.user_id = ?1 AND r.contact_id IS NULL AND r.business_group_id IS NULL \
      AND \(search(query, ["r.local_display_name", "p.display_name", "p.full_name", "p.short_descr"])) \
      AND \(page(pagination, "r.updated_at"))
      """
  }

  /// Connections that have no contact.
  static func connections(_ pagination: PaginationByTime, _ query: ChatListQuery) -> String {
    """
    SELECT \(pendingColumns) FROM connections n WHERE n.user_id = ?1 AND \(pendingCondition) \
    AND n.status <> 'prepared' AND (n.via_group_link = 0 OR n.group_link_id IS NOT NULL) \
    AND \(search(query, ["n.local_alias"])) AND \(page(pagination, "n.updated_at"))
    """
  }

  private static func filter(_ query: ChatListQuery, _ names: [String]) -> String {
    let unread = "(t.marked_unread = 1 OR t.unread_count > 0)"
    return switch query {
    case .filters(favorite: true, unread: true): "?3 IS NULL AND (t.favorite = 1 OR \(unread))"
    case .filters(favorite: true, unread: false): "?3 IS NULL AND t.favorite = 1"
    case .filters(favorite: false, unread: true): "?3 IS NULL AND \(unread)"
    case .filters, .search: search(query, names)
    }
  }

  private static func search(_ query: ChatListQuery, _ names: [String]) -> String {
    guard case .search = query else { return "?3 IS NULL" }
    return "(" + names.map { "contains_folded(\($0), ?3)" }.joined(separator: " OR ") + ")"
  }

  private static func page(_ pagination: PaginationByTime, _ column: String) -> String {
    switch pagination {
    case .last: "?2 IS NULL ORDER BY \(column) DESC LIMIT ?4"
    case .before: "\(column) < ?2 ORDER BY \(column) DESC LIMIT ?4"
    case .after: "\(column) > ?2 ORDER BY \(column) ASC LIMIT ?4"
    }
  }
}

extension ChatTransaction {
  /// The list of chats, newest change first: contacts, groups, notes, requests and, if asked for, connections without
  /// contact; each with its newest item.
  public func chats(
    of user: User, pendingConnections: Bool, pagination: PaginationByTime, query: ChatListQuery
  ) throws(StoreError) -> [ChatData] {
    let parameters = ListParameters(pagination, query)
    var found = try directChats(of: user, pagination: pagination, matching: query, parameters: parameters)
    found += try groupChats(of: user, pagination: pagination, matching: query, parameters: parameters)
    found += try noteChats(of: user, pagination: pagination, matching: query, parameters: parameters)
    if parameters.includesRequests {
      found += try all(
        ChatListQueries.requests(pagination, query), user.userId, parameters.time, parameters.search, parameters.count
      ) { (row) throws(SQLFailure) in
        let request = try readContactRequest(row)
        return (request.updatedAt, ChatData(chatInfo: .contactRequest(contactRequest: request), chatItems: []))
      }
    }
    if pendingConnections, parameters.includesConnections {
      found += try all(
        ChatListQueries.connections(pagination, query), user.userId, parameters.time, parameters.search,
        parameters.count
      ) { (row) throws(SQLFailure) in
        let pending = try readPendingConnection(row)
        return (pending.updatedAt, ChatData(chatInfo: .contactConnection(contactConnection: pending), chatItems: []))
      }
    }
    // After a time the page is next to it; then, too, the list begins with the newest.
    found.sort { parameters.isAscending ? $0.0 < $1.0 : $0.0 > $1.0 }
    let page = found.prefix(parameters.count).map { $0.1 }
    return parameters.isAscending ? page.reversed() : page
  }

  private func directChats(
    of user: User, pagination: PaginationByTime, matching query: ChatListQuery, parameters: ListParameters
  ) throws(StoreError) -> [(Date, ChatData)] {
    let context = ItemContext(chatType: .direct, now: now)
    return try all(
      ChatListQueries.direct(pagination, query), user.userId, parameters.time, parameters.search, parameters.count
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      let contact = try row.contact(&at, of: user)
      let stats = try row.stats(&at)
      let items = try row.optionalItem(&at, context)
      return (
        contact.chatTs ?? contact.createdAt,
        ChatData(chatInfo: .direct(contact: contact), chatItems: items, chatStats: stats)
      )
    }
  }

  private func groupChats(
    of user: User, pagination: PaginationByTime, matching query: ChatListQuery, parameters: ListParameters
  ) throws(StoreError) -> [(Date, ChatData)] {
    try all(
      ChatListQueries.groups(pagination, query), user.userId, parameters.time, parameters.search, parameters.count
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      let group = try row.group(&at)
      let context = ItemContext(
        chatType: .group, now: now, members: ItemMembers(group: group.groupId, transaction: self))
      let stats = try row.stats(&at)
      let items = try row.optionalItem(&at, context)
      return (
        group.chatTs ?? group.createdAt,
        ChatData(chatInfo: .group(groupInfo: group, groupChatScope: nil), chatItems: items, chatStats: stats)
      )
    }
  }

  private func noteChats(
    of user: User, pagination: PaginationByTime, matching query: ChatListQuery, parameters: ListParameters
  ) throws(StoreError) -> [(Date, ChatData)] {
    let context = ItemContext(chatType: .local, now: now)
    return try all(
      ChatListQueries.notes(pagination, query), user.userId, parameters.time, parameters.search, parameters.count
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      let folder = NoteFolder(
        noteFolderId: try row.integer(&at), userId: user.userId, createdAt: try row.date(&at),
        updatedAt: try row.date(&at), chatTs: try row.date(&at), favorite: try row.bool(&at), unread: try row.bool(&at))
      let stats = try row.stats(&at)
      let items = try row.optionalItem(&at, context)
      return (
        folder.chatTs, ChatData(chatInfo: .local(noteFolder: folder), chatItems: items, chatStats: stats)
      )
    }
  }
}

extension SQLiteRow {
  /// The item that a left join found, if it found one.
  fileprivate func optionalItem(_ at: inout ColumnIndex, _ context: ItemContext) throws(SQLFailure) -> [ChatItem] {
    var first = at
    return isNull(first.next()) ? [] : [try item(&at, context)]
  }
}

private struct ListParameters {
  let time: Int64?
  let search: String?
  let count: Int
  let isAscending: Bool
  let includesRequests: Bool
  let includesConnections: Bool

  init(_ pagination: PaginationByTime, _ query: ChatListQuery) {
    switch pagination {
    case .last(let count): (time, self.count, isAscending) = (nil, max(0, count), false)
    case .after(let time, let count): (self.time, self.count, isAscending) = (time.microseconds, max(0, count), true)
    case .before(let time, let count): (self.time, self.count, isAscending) = (time.microseconds, max(0, count), false)
    }
    switch query {
    case .filters(let favorite, let unread):
      search = nil
      // Requests are always new; connections are neither.
      includesRequests = unread || !favorite
      includesConnections = !unread && !favorite
    case .search(let text):
      search = text.lowercased()
      includesRequests = true
      includesConnections = true
    }
  }
}
