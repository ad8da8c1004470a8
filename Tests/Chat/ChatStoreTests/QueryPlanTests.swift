import ChatAPI
import Foundation
import SQLiteKit
import Testing

@testable import ChatStore

@Suite struct QueryPlanTests {
  /// What the user interface asks for, and what is asked for each message of a kind.
  private static let queries: [(name: String, sql: String)] = {
    let none = ChatListQuery.filters(favorite: false, unread: false)
    let unread = ChatListQuery.filters(favorite: true, unread: true)
    let search = ChatListQuery.search(search: "a")
    let last = PaginationByTime.last(count: 1)
    let before = PaginationByTime.before(time: Date(), count: 1)
    var queries: [(String, String)] = []
    for (name, query) in [("", none), (" unread", unread), (" search", search)] {
      queries.append(("list direct\(name)", ChatListQueries.direct(last, query)))
      queries.append(("list direct\(name) before", ChatListQueries.direct(before, query)))
      queries.append(("list notes\(name)", ChatListQueries.notes(last, query)))
      queries.append(("list requests\(name)", ChatListQueries.requests(last, query)))
      queries.append(("list connections\(name)", ChatListQueries.connections(last, query)))
    }
    let ranges: [(String, ItemRange)] = [
      ("last", .last), ("after", .after(position: 1, id: 1)), ("before", .before(position: 1, id: 1)),
    ]
    for (name, range) in ranges {
      queries.append(("page \(name)", pageQuery(range, filter: nil, searches: false)))
      queries.append(("page \(name) search", pageQuery(range, filter: nil, searches: true)))
      queries.append(("page \(name) images", pageQuery(range, filter: .image, searches: false)))
      queries.append(("page \(name) links", pageQuery(range, filter: .link, searches: false)))
      queries.append(("all items \(name)", allItemsQuery(range, searches: false)))
      queries.append(("all items \(name) search", allItemsQuery(range, searches: true)))
    }
    queries.append(("unknown members", unknownMembersQuery))
    queries.append(("introduced members", introducedMembersQuery))
    queries.append(("connecting members", connectingMembersQuery))
    queries.append(("group", groupByNumber))
    queries.append(("request to join", joinRequestQuery))
    queries.append(("request to a business", businessRequestQuery))
    queries.append(("items of a member", itemsOfMemberQuery))
    queries.append(("whether a member has items", memberHasItemsQuery))
    queries.append(("reports of a message", reportsOfMessageQuery))
    return queries
  }()

  /// The steps of every query of the list; a full scan or a sort is a finding.
  @Test func nothingIsScannedOrSorted() throws {
    let folder = try TestFolder()
    do { _ = try ChatDatabase(path: folder.path) }
    let connection = try SQLiteConnection(path: folder.path)
    try connection.addTextSearch()
    var text = ""
    for (name, sql) in Self.queries {
      let plan = try connection.queryPlan(sql)
      text += "\(name)\n" + plan.map { "  \($0)\n" }.joined()
      for step in plan {
        #expect(
          !step.hasPrefix("SCAN") || step.hasPrefix("SCAN json_each") || step.contains("SCAN r VIRTUAL"),
          "\(name): \(step)")
        #expect(!step.contains("USE TEMP B-TREE"), "\(name): \(step)")
      }
    }
    let snapshot = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "query-plans.txt")
    if ProcessInfo.processInfo.environment["SIMPLEX_UPDATE_SNAPSHOTS"] == "1" {
      try Data(text.utf8).write(to: snapshot)
    }
    #expect(try String(contentsOf: snapshot, encoding: .utf8) == text)
  }
}
