import ChatAPI
import ChatStore
import Foundation
import SimplexTesting
import Testing

/// The counters of chats against a recount, after operations in random order.
@Suite struct CounterTests {
  @Test(arguments: propertySeeds(6)) func countersAreWhatIsThere(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let clock = TestClock()
    let store = try memoryStore(clock: clock)
    let alice = try store.makeUser()
    var contacts = try (0..<3).map { try makeContact("contact\($0)", in: store, of: alice) }
    var items: [Int64: [Int64]] = [:]
    for step in 0..<400 {
      let index = Int.random(in: contacts.indices, using: &random)
      let contact = contacts[index]
      let chat = contact.ref
      let known = items[contact.contactId] ?? []
      let some = known.randomElement(using: &random)
      let operation = Int.random(in: 0..<14, using: &random)
      switch (operation, some) {
      case (0..<5, _), (_, nil):
        let new = operation % 2 == 0 ? receivedText("item \(step)", in: chat) : sentText("item \(step)", in: chat)
        items[contact.contactId, default: []].append(
          try store.transaction { try $0.createItem(new, of: alice) }.meta.itemId)
      case (5, let id?):
        let status: CIStatus = Bool.random(using: &random) ? .rcvNew : .rcvRead
        _ = try store.transaction { try $0.setStatus(status, ofItem: id, in: chat, of: alice) }
      case (6, let id?):
        try store.transaction { try $0.deleteItem(id, in: chat, of: alice) }
        items[contact.contactId]?.removeAll { $0 == id }
      case (7, let id?):
        _ = try store.transaction { try $0.markDeleted(item: id, at: $0.now, in: chat, of: alice) }
      case (8, let id?): _ = try store.transaction { try $0.markRead(items: [id], in: chat, of: alice) }
      case (9, _): _ = try store.transaction { try $0.markRead(chat, of: alice) }
      case (10, let id?):
        _ = try store.transaction {
          try $0.updateItem(
            id, in: chat, to: .rcvMsgContent(msgContent: .text("edited")), edited: true, live: false, of: alice)
        }
      case (11, _):
        try store.transaction { try $0.clear(chat, of: alice) }
        items[contact.contactId] = []
      case (12, let id?):
        // A failure leaves the counters as they were.
        struct Stop: Error {}
        _ = try? store.transaction { db in
          try db.deleteItem(id, in: chat, of: alice)
          throw Stop()
        }
      default:
        if step % 40 == 0 {
          try store.transaction { try $0.deleteContact(contact, of: alice) }
          items[contact.contactId] = nil
          contacts[index] = try makeContact("contact\(step)", in: store, of: alice)
        } else {
          _ = try store.transaction { try $0.purge(limit: 3) }
        }
      }
      var total = 0
      var newest: [Int64: Int64] = [:]
      for contact in contacts {
        let (stats, recount, first, last) = try store.read { db in
          let all = try db.chat(contact.ref, pagination: .last(count: 1_000), of: alice).chat.chatItems
          let unread = all.filter { $0.meta.itemStatus == .rcvNew }
          return (
            try db.stats(contact.ref, of: alice), unread.count, unread.first?.meta.itemId ?? 0, all.last?.meta.itemId
          )
        }
        #expect(stats.unreadCount == recount && stats.minUnreadItemId == first, "seed \(seed), step \(step)")
        total += recount
        newest[contact.contactId] = last
      }
      let list = try store.read {
        try $0.chats(
          of: alice, pendingConnections: false, pagination: .last(count: 100),
          query: .filters(favorite: false, unread: false))
      }
      for chat in list {
        guard case .direct(let contact) = chat.chatInfo else { continue }
        #expect(chat.chatItems.last?.meta.itemId == newest[contact.contactId], "seed \(seed), step \(step)")
      }
      #expect(try store.read { try $0.usersInfo()[0].unreadCount } == total, "seed \(seed), step \(step)")
    }
  }
}
