import ChatAPI
import ChatStore
import Foundation
import Testing

@Suite struct PageTests {
  let store: ChatDatabase
  let alice: User
  let bob: Contact
  let ids: [Int64]

  init() throws {
    let store = try memoryStore()
    let alice = try store.makeUser()
    let bob = try makeContact(in: store, of: alice)
    ids = try (0..<20).map { index in
      try store.transaction { db in
        let content: MsgContent =
          index % 5 == 0
          ? .image(text: "Picture \(index)", image: "data:image/png;base64,AA==") : .text("Message \(index)")
        let item = NewItem(
          chat: bob.ref, content: index < 10 ? .sndMsgContent(msgContent: content) : .rcvMsgContent(msgContent: content)
        )
        return try db.createItem(item, of: alice).meta.itemId
      }
    }
    (self.store, self.alice, self.bob) = (store, alice, bob)
  }

  private func page(_ pagination: ChatPagination, filter: MsgContentTag? = nil, search: String? = nil) throws -> [Int64]
  {
    try store.read {
      try $0.chat(bob.ref, pagination: pagination, filter: filter, search: search, of: alice).chat.chatItems.map(
        \.meta.itemId)
    }
  }

  @Test func pagesAreInOrder() throws {
    #expect(try page(.last(count: 5)) == Array(ids[15...]))
    #expect(try page(.before(chatItemId: ids[15], count: 5)) == Array(ids[10..<15]))
    #expect(try page(.after(chatItemId: ids[3], count: 5)) == Array(ids[4..<9]))
    #expect(try page(.around(chatItemId: ids[10], count: 2)) == Array(ids[8...12]))
    #expect(try page(.last(count: 0)).isEmpty)
    #expect(try page(.last(count: -5)).isEmpty)
    #expect(throws: ChatError.self) { try page(.before(chatItemId: 999, count: 1)) }
  }

  @Test func pagesAreFiltered() throws {
    #expect(try page(.last(count: 10), filter: .image) == [ids[0], ids[5], ids[10], ids[15]])
    #expect(try page(.before(chatItemId: ids[15], count: 2), filter: .image) == [ids[5], ids[10]])
    #expect(try page(.last(count: 3), search: "MESSAGE 1") == [ids[17], ids[18], ids[19]])
    #expect(try page(.last(count: 10), filter: .text, search: "message 1").count == 9)
    #expect(try page(.last(count: 10), filter: .link).isEmpty)
    #expect(try page(.last(count: 10), search: "%").isEmpty)
    let russian = try store.transaction { try $0.createItem(sentText("Добрый ДЕНЬ, 100%", in: bob.ref), of: alice) }
    #expect(try page(.last(count: 10), search: "день") == [russian.meta.itemId])
    #expect(try page(.last(count: 10), search: "ДОБРЫЙ д") == [russian.meta.itemId])
    #expect(try page(.last(count: 10), search: "%") == [russian.meta.itemId])
    #expect(try store.read { try $0.contentTypes(bob.ref, of: alice) } == [.image, .text])
  }

  @Test func unreadChatsOpenWhereTheReaderWas() throws {
    try store.transaction { _ = try $0.markRead(items: Array(ids[10..<13]), in: bob.ref, of: alice) }
    let (chat, navigation) = try store.read { try $0.chat(bob.ref, pagination: .initial(count: 3), of: alice) }
    #expect(chat.chatItems.map(\.meta.itemId) == Array(ids[9...15]))
    #expect(chat.chatStats.unreadCount == 7 && chat.chatStats.minUnreadItemId == ids[13])
    #expect(navigation == NavigationInfo(afterUnread: 4, afterTotal: 4))
    try store.transaction { _ = try $0.markRead(bob.ref, of: alice) }
    let (read, end) = try store.read { try $0.chat(bob.ref, pagination: .initial(count: 3), of: alice) }
    #expect(
      read.chatItems.map(\.meta.itemId) == Array(ids[17...]) && end == NavigationInfo(afterUnread: 0, afterTotal: 0))
  }

  @Test func readingCanBeDoneInParts() throws {
    func unread() throws -> [Int64] {
      try store.read { db in
        try ids.filter { try db.item($0, in: bob.ref, of: alice).meta.itemStatus == .rcvNew }
      }
    }
    let all = try unread()
    #expect(all.count > 5)
    try store.transaction { _ = try $0.markRead(bob.ref, of: alice, limit: 2) }
    #expect(try unread() == Array(all.dropFirst(2)))
    #expect(try store.transaction { try $0.markAllRead(of: alice, limit: 2) })
    #expect(try unread() == Array(all.dropFirst(4)))
    #expect(try store.read { try $0.hasUnreadItems(bob.ref, of: alice) })
    while try store.transaction({ try $0.markAllRead(of: alice, limit: 2) }) {}
    #expect(try unread().isEmpty)
    #expect(try !store.read { try $0.hasUnreadItems(bob.ref, of: alice) })
  }

  @Test func listOfChats() throws {
    _ = try store.transaction {
      try $0.createContact(profile: Profile(displayName: "carol", fullName: "Carol Danvers"), of: alice)
    }
    let list = try store.transaction { db in
      var new = NewConnection(agentConnId: "pending", entity: .contact(nil))
      new.initiated = true
      _ = try db.createPendingConnection(new, of: alice)
      new.agentConnId = "prepared"
      new.status = .prepared
      _ = try db.createPendingConnection(new, of: alice)
      return try db.chats(
        of: alice, pendingConnections: true, pagination: .last(count: 100),
        query: .filters(favorite: false, unread: false))
    }
    // The newest change first: the connection, carol, bob, the notes.
    #expect(list.map(\.id).map { String($0.prefix(1)) } == [":", "@", "@", "*"])
    #expect(list[2].chatItems.map(\.meta.itemId) == [ids[19]] && list[2].chatStats.unreadCount == 10)
    #expect(list[2].chatStats.minUnreadItemId == ids[10])
    func names(_ query: ChatListQuery, _ pagination: PaginationByTime = .last(count: 100)) throws -> [ChatData] {
      try store.read { try $0.chats(of: alice, pendingConnections: true, pagination: pagination, query: query) }
    }
    #expect(try names(.filters(favorite: false, unread: true)).map(\.id) == [list[2].id])
    #expect(try names(.filters(favorite: true, unread: false)).isEmpty)
    #expect(try names(.search(search: "danvers")).map(\.id) == [list[1].id])
    let time = try #require({ if case .direct(let contact) = list[1].chatInfo { contact.chatTs } else { nil } }())
    #expect(
      try names(.filters(favorite: false, unread: false), .before(time: time, count: 1)).map(\.id) == [list[2].id])
    #expect(try names(.filters(favorite: false, unread: false), .after(time: time, count: 1)).map(\.id) == [list[0].id])
    #expect(
      try store.read {
        try $0.chats(
          of: alice, pendingConnections: false, pagination: .last(count: 2),
          query: .filters(favorite: false, unread: false))
      }.map(\.id) == [list[1].id, list[2].id])
  }

  @Test func allItemsOfAUser() throws {
    try store.transaction { db in
      let notes = ChatRef(chatType: .local, chatId: try db.noteFolderID(of: alice))
      let note = try db.createItem(sentText("Message to myself", in: notes), of: alice).meta.itemId
      func items(_ pagination: ChatPagination, _ search: String? = nil) throws -> [Int64] {
        try db.allItems(of: alice, pagination: pagination, search: search).map(\.chatItem.meta.itemId)
      }
      #expect(try items(.last(count: 2)) == [ids[19], note])
      #expect(try items(.before(chatItemId: note, count: 2)) == [ids[18], ids[19]])
      #expect(try items(.after(chatItemId: ids[18], count: 5)) == [ids[19], note])
      #expect(try items(.around(chatItemId: ids[5], count: 1)) == [ids[4], ids[5], ids[6]])
      #expect(try items(.initial(count: 1)) == [ids[9], ids[10], ids[11]])
      #expect(try items(.last(count: 2), "MYSELF") == [note])
    }
  }

  @Test func clearingIsImmediateAndPurgeIsComplete() throws {
    try store.transaction { db in
      try db.setReaction(.emoji(emoji: .heart), add: true, to: "YQ==", in: bob.ref, sent: false, at: db.now, of: alice)
      try db.setSettings(ChatSettings(enableNtfs: .none, favorite: true), of: bob.ref, of: alice)
      let before = try db.contact(bob.contactId, of: alice)
      try db.clear(bob.ref, of: alice)
      #expect(try db.contact(bob.contactId, of: alice) == before)
      #expect(try db.hasItems(bob.ref, of: alice) == false)
      #expect(try db.stats(bob.ref, of: alice) == .none)
      #expect(try db.allItems(of: alice, pagination: .last(count: 10)).isEmpty)
      #expect(try db.usersInfo()[0].unreadCount == 0)
      var rounds = 0
      while try db.purge(limit: 6) { rounds += 1 }
      #expect(rounds >= 3)
      #expect(try db.purge() == false)
    }
  }

  @Test func bannersStay() throws {
    let carol = try makeContact("carol", in: store, of: alice)
    try store.transaction { db in
      let banner = try db.createItem(NewItem(chat: carol.ref, content: .chatBanner), of: alice)
      _ = try db.createItem(sentText("hi", in: carol.ref), of: alice)
      try db.clear(carol.ref, of: alice)
      #expect(
        try db.chat(carol.ref, pagination: .last(count: 5), of: alice).chat.chatItems.map(\.meta.itemId) == [
          banner.meta.itemId
        ])
      #expect(try db.deleteItems(in: carol.ref, createdBefore: .distantFuture, of: alice) == false)
      let deleted = ChatRef(chatType: .direct, chatId: 9_999)
      #expect(try db.deleteItems(in: deleted, createdBefore: .distantFuture, of: alice) == false)
      #expect(try db.hasItems(carol.ref, of: alice))
    }
  }

  @Test func itemsExpireInBatches() throws {
    try store.transaction { db in
      #expect(try db.chatsToExpire(of: alice).isEmpty)
      try db.setItemTTL(86_400, of: alice)
      #expect(try db.chatsToExpire(of: alice).map(\.ttl) == [86_400])
      try db.setItemTTL(0, of: bob.ref, of: alice)
      #expect(try db.chatsToExpire(of: alice).isEmpty)
      try db.setItemTTL(60, of: bob.ref, of: alice)
      #expect(try db.chatsToExpire(of: alice).map(\.ttl) == [60])
      #expect(try db.countOfChatsWithTTL(of: alice) == 1)
      let time = try db.item(ids[14], in: bob.ref, of: alice).meta.createdAt
      var rounds = 0
      while try db.deleteItems(in: bob.ref, createdBefore: time, limit: 6, of: alice) { rounds += 1 }
      #expect(rounds == 2)
      #expect(
        try db.chat(bob.ref, pagination: .last(count: 100), of: alice).chat.chatItems.map(\.meta.itemId)
          == Array(ids[15...]))
      #expect(try db.stats(bob.ref, of: alice).unreadCount == 5)
    }
  }

  @Test func deletedContactsAndUsersLeaveNothing() throws {
    try store.transaction { db in
      try db.deleteContact(bob, of: alice)
      #expect(
        try db.chats(
          of: alice, pendingConnections: true, pagination: .last(count: 10),
          query: .filters(favorite: false, unread: false)
        ).map(\.id).allSatisfy { $0.hasPrefix("*") })
      #expect(try db.allItems(of: alice, pagination: .last(count: 10)).isEmpty)
      while try db.purge() {}
      // The name is free.
      #expect(try db.createContact(profile: profile("bob"), of: alice).localDisplayName == "bob")
    }
  }
}
