import ChatAPI
import ChatStore
import Foundation
import SimplexJSON
import Testing

extension Contact {
  var ref: ChatRef { ChatRef(chatType: .direct, chatId: contactId) }
}

func sentText(_ text: String, in chat: ChatRef, id: String? = nil) -> NewItem {
  NewItem(chat: chat, content: .sndMsgContent(msgContent: .text(text)), sharedMsgId: id)
}

func receivedText(_ text: String, in chat: ChatRef, id: String? = nil) -> NewItem {
  NewItem(chat: chat, content: .rcvMsgContent(msgContent: .text(text)), sharedMsgId: id)
}

@Suite struct ItemTests {
  let store: ChatDatabase
  let clock = TestClock()
  let alice: User
  let bob: Contact

  init() throws {
    store = try memoryStore(clock: clock)
    alice = try store.makeUser()
    bob = try makeContact(in: store, of: alice)
  }

  @Test func itemsAreStoredWhole() throws {
    let quoted = try store.transaction {
      try $0.createItem(receivedText("hello", in: bob.ref, id: "c2hhcmVkMQ=="), of: alice)
    }
    #expect(quoted.meta.itemStatus == .rcvNew && quoted.chatDir == .directRcv && !quoted.meta.deletable)
    var new = NewItem(
      chat: bob.ref,
      content: .sndMsgContent(
        msgContent: .image(text: "see *this* https://simplex.chat", image: "data:image/jpg;base64,AA==")),
      sharedMsgId: "c2hhcmVkMg==", timed: CITimed(ttl: 60, deleteAt: Date(timeIntervalSince1970: 1_700_000_500)))
    new.quotedItem = CIQuote(
      chatDir: .directRcv, itemId: quoted.meta.itemId, sharedMsgId: "c2hhcmVkMQ==", sentAt: quoted.meta.itemTs,
      content: .text("hello"))
    new.forwardedFrom = .contact(chatName: "carol", msgDir: .rcv, contactId: 7, chatItemId: 8)
    let given = new
    let item = try store.transaction { try $0.createItem(given, of: alice) }
    #expect(item.quotedItem == given.quotedItem)
    #expect(item.meta.itemForwarded == given.forwardedFrom && item.meta.itemTimed == given.timed)
    #expect(item.meta.deletable && !item.meta.editable && item.meta.hasLink)
    #expect(item.formattedText?.contains { $0.format == .bold } == true)
    #expect(item.content == given.content && item.meta.itemSharedMsgId == "c2hhcmVkMg==")
    #expect(try store.read { try $0.itemWithChat(item.meta.itemId, in: bob.ref, of: alice).chatItem } == item)
    #expect(try store.read { try $0.chat(ofItem: item.meta.itemId, of: alice) } == bob.ref)
    #expect(try store.read { try $0.item(sharedMsgId: "c2hhcmVkMQ==", in: bob.ref, of: alice) } == quoted)
    #expect(try store.read { try $0.itemID(textPrefix: "HEL", in: bob.ref, of: alice) } == quoted.meta.itemId)
    #expect(
      storeError { _ = try store.read { try $0.item(99, in: bob.ref, of: alice) } } == .chatItemNotFound(itemId: 99))
    // Of the JSON nothing is lost on the way.
    #expect(try ChatItem(jsonText: item.jsonText()) == item)
    clock.advance(90_000)
    #expect(try store.read { try $0.item(item.meta.itemId, in: bob.ref, of: alice) }.meta.deletable == false)
  }

  @Test func statusesComeBack() throws {
    let statuses: [CIStatus] = [
      .sndNew, .sndSent(sndProgress: .partial), .sndSent(sndProgress: .complete),
      .sndRcvd(msgRcptStatus: .ok, sndProgress: .complete), .sndRcvd(msgRcptStatus: .badMsgHash, sndProgress: .partial),
      .sndErrorAuth, .sndError(agentError: .quota), .sndWarning(agentError: .relay(srvError: .host)), .rcvNew, .rcvRead,
    ]
    let id = try store.transaction { try $0.createItem(sentText("hi", in: bob.ref), of: alice) }.meta.itemId
    for status in statuses {
      let item = try store.transaction { try $0.setStatus(status, ofItem: id, in: bob.ref, of: alice) }
      #expect(item.meta.itemStatus == status)
      #expect(try store.read { try $0.stats(bob.ref, of: alice).unreadCount } == (status == .rcvNew ? 1 : 0))
    }
  }

  @Test func editsKeepVersions() throws {
    let edited = try store.transaction { db in
      let item = try db.createItem(sentText("one", in: bob.ref, id: "YQ=="), of: alice)
      let id = item.meta.itemId
      let changed = try db.updateItem(
        id, in: bob.ref, to: .sndMsgContent(msgContent: .text("two")), edited: true, live: false, of: alice)
      try db.addVersions(
        ofItem: id, initial: (item.meta.itemTs, .text("one")), new: (changed.meta.updatedAt, .text("two")))
      try db.addVersions(
        ofItem: id, initial: (item.meta.itemTs, .text("no")), new: (changed.meta.updatedAt, .text("three")))
      #expect(try db.versions(ofItem: id).map(\.msgContent.text) == ["three", "two", "one"])
      return changed
    }
    #expect(edited.meta.itemEdited && edited.meta.itemText == "two" && edited.meta.itemLive == nil)
  }

  @Test func liveTimedItemsBeginToDisappearWhenDone() throws {
    var new = sentText("typ", in: bob.ref)
    new.live = true
    new.timed = CITimed(ttl: 30)
    let given = new
    let item = try store.transaction { try $0.createItem(given, of: alice) }
    #expect(item.meta.itemLive == true && item.meta.itemTimed?.deleteAt == nil)
    let typed = try store.transaction {
      try $0.updateItem(
        item.meta.itemId, in: bob.ref, to: .sndMsgContent(msgContent: .text("typing")), edited: false, live: true,
        of: alice)
    }
    #expect(typed.meta.itemLive == true && typed.meta.itemTimed?.deleteAt == nil && !typed.meta.itemEdited)
    let done = try store.transaction {
      try $0.updateItem(
        item.meta.itemId, in: bob.ref, to: .sndMsgContent(msgContent: .text("typing")), edited: false, live: false,
        of: alice)
    }
    #expect(done.meta.itemLive == false && done.meta.itemTimed?.deleteAt != nil)
    #expect(try store.read { try $0.nextTimer() } == done.meta.itemTimed?.deleteAt)
    #expect(try store.read { try $0.dueItems(limit: 10) }.isEmpty)
    clock.advance(31)
    #expect(try store.read { try $0.dueItems(limit: 10) }.map(\.itemId) == [item.meta.itemId])
  }

  @Test func reactionsAreCounted() throws {
    let like = MsgReaction.emoji(emoji: .thumbsup)
    let heart = MsgReaction.emoji(emoji: .heart)
    let item = try store.transaction { db in
      let item = try db.createItem(receivedText("hi", in: bob.ref, id: "YQ=="), of: alice)
      for sent in [true, true, false] {
        try db.setReaction(like, add: true, to: "YQ==", in: bob.ref, sent: sent, at: Date(), of: alice)
      }
      try db.setReaction(heart, add: true, to: "YQ==", in: bob.ref, sent: false, at: Date(), of: alice)
      return try db.item(item.meta.itemId, in: bob.ref, of: alice)
    }
    #expect(item.reactions.count == 2)
    #expect(item.reactions.contains(CIReactionCount(reaction: like, userReacted: true, totalReacted: 2)))
    #expect(item.reactions.contains(CIReactionCount(reaction: heart, userReacted: false, totalReacted: 1)))
    try store.transaction { db in
      try db.setReaction(like, add: false, to: "YQ==", in: bob.ref, sent: true, at: Date(), of: alice)
      #expect(try db.reactions(to: "YQ==", in: bob.ref, sent: true, of: alice).isEmpty)
      #expect(try db.reactions(to: "YQ==", in: bob.ref, sent: false, of: alice).count == 2)
      try db.deleteItem(item.meta.itemId, in: bob.ref, of: alice)
      #expect(try db.reactions(to: "YQ==", in: bob.ref, sent: false, of: alice).isEmpty)
    }
  }

  /// Whichever way an item becomes read, its time begins; what peers say of seconds is limited.
  @Test func readingStartsTimers() throws {
    let ways: [(ChatTransaction, Int64) throws -> Void] = [
      { try $0.markRead(items: [$1], in: bob.ref, of: alice) }, { db, _ in try db.markRead(bob.ref, of: alice) },
      { db, _ in try db.markAllRead(of: alice) },
      { _ = try $0.setStatus(.rcvRead, ofItem: $1, in: bob.ref, of: alice) },
      { _ = try $0.changeStatus(.rcvRead, ofItem: $1, in: bob.ref, of: alice) },
    ]
    for way in ways {
      for (ttl, seconds) in [(10, 10.0), (-5, 0), (.max, 1e12)] {
        var new = receivedText("secret", in: bob.ref)
        new.timed = CITimed(ttl: ttl)
        let given = new
        try store.transaction { db in
          let id = try db.createItem(given, of: alice).meta.itemId
          #expect(try db.item(id, in: bob.ref, of: alice).meta.itemTimed?.deleteAt == nil)
          try way(db, id)
          let deleteAt = try #require(try db.item(id, in: bob.ref, of: alice).meta.itemTimed?.deleteAt)
          #expect(abs(deleteAt.timeIntervalSince(db.now) - seconds) < 0.001)
          #expect(try db.nextTimer() == deleteAt)
          try db.deleteItems([id], in: bob.ref, of: alice)
          #expect(try db.nextTimer() == nil)
        }
      }
    }
    // One that is added as read, such as that of a blocked member.
    var read = receivedText("secret", in: bob.ref)
    read.timed = CITimed(ttl: 10)
    read.status = .rcvRead
    let given = read
    let (item, now) = try store.transaction { (try $0.createItem(given, of: alice), $0.now) }
    #expect(item.meta.itemTimed?.deleteAt == now.addingTimeInterval(10))
  }

  @Test func readingCountsDown() throws {
    let given = receivedText("secret", in: bob.ref)
    try store.transaction { db in
      let a = try db.createItem(given, of: alice)
      _ = try db.createItem(receivedText("plain", in: bob.ref), of: alice)
      let b = try db.createItem(given, of: alice)
      #expect(
        try db.stats(bob.ref, of: alice)
          == ChatStats(
            unreadCount: 3, unreadMentions: 0, reportsCount: 0, minUnreadItemId: a.meta.itemId, unreadChat: false))
      try db.markRead(items: [a.meta.itemId, a.meta.itemId, 999], in: bob.ref, of: alice)
      #expect(try db.usersInfo()[0].unreadCount == 2)
      try db.markRead(bob.ref, of: alice, limit: 1)
      #expect(try db.stats(bob.ref, of: alice).minUnreadItemId == b.meta.itemId)
      try db.markRead(bob.ref, of: alice)
      #expect(try db.stats(bob.ref, of: alice).unreadCount == 0)
      try db.setMarkedUnread(true, of: bob.ref, of: alice)
      #expect(try db.stats(bob.ref, of: alice).unreadChat)
      try db.markAllRead(of: alice)
      #expect(try db.stats(bob.ref, of: alice) == .none)
    }
  }

  @Test func deletedIsMarkedOrGone() throws {
    try store.transaction { db in
      let a = try db.createItem(receivedText("one", in: bob.ref, id: "YQ=="), of: alice)
      let marked = try db.markDeleted(item: a.meta.itemId, at: db.now, in: bob.ref, of: alice)
      #expect(marked.meta.itemDeleted == .deleted(deletedTs: db.now, chatType: .direct) && !marked.meta.deletable)
      #expect(marked.meta.itemText == "one")
      try db.deleteItem(a.meta.itemId, in: bob.ref, of: alice)
      #expect(try db.stats(bob.ref, of: alice).unreadCount == 0)
      #expect(try db.hasItems(bob.ref, of: alice) == false)
    }
  }

  @Test func conversationsComeBackWithItems() throws {
    try store.transaction { db in
      let contact = try db.setChatDeleted(true, of: bob)
      #expect(contact.chatDeleted)
      _ = try db.createItem(
        NewItem(
          chat: bob.ref,
          content: .rcvChatFeature(
            feature: .voice, enabled: FeatureEnabled(forUser: true, forContact: true), param: nil)),
        of: alice)
      let back = try db.contact(bob.contactId, of: alice)
      #expect(!back.chatDeleted && back.chatTs == db.now)
      #expect(try db.stats(bob.ref, of: alice).unreadCount == 0)
    }
  }

  @Test func commandsAndDeliveries() throws {
    let connection = try #require(bob.activeConn)
    try store.transaction { db in
      let a = try db.createItem(sentText("one", in: bob.ref), of: alice).meta.itemId
      let b = try db.createItem(sentText("two", in: bob.ref), of: alice).meta.itemId
      let packet = try db.addPacket([1, 2, 3])
      func add(isFollowUp: Bool = false) throws -> Int64 {
        try db.addCommand(
          agentConnId: connection.agentConnId, kind: 1, isFollowUp: isFollowUp, payload: [9], packet: packet)
      }
      let (first, followUp, last) = (try add(), try add(isFollowUp: true), try add())
      try db.addDelivery(command: first, items: [a, b])
      let waiting = try db.commands(after: 0, limit: 9)
      #expect(waiting.map(\.id) == [first, last])
      #expect(waiting.allSatisfy { $0.body == [1, 2, 3] && $0.payload == [9] })
      #expect(try db.commands(after: first, lastFollowUp: db.lastFollowUp(), limit: 9).map(\.id) == [followUp, last])
      #expect(try db.hasCommand(first))
      try db.removeCommand(first)
      #expect(try !db.hasCommand(first))
      try db.removeCommands(agentConnId: connection.agentConnId)
      #expect(try db.commands(after: 0, lastFollowUp: .max, limit: 9).isEmpty)
      // Numbers are not used again, and the body leaves with its last command.
      #expect(try add() > last)
      #expect(try db.commands(after: 0, lastFollowUp: .max, limit: 9).map(\.body) == [[]])
      #expect(try db.items(ofCommand: first) == [a, b])
      try db.deleteItem(a, in: bob.ref, of: alice)
      #expect(try db.items(ofCommand: first) == [b])
    }
  }

  @Test func whatIsHandledIsRemembered() throws {
    let connection = try #require(bob.activeConn?.connId)
    try store.transaction { db throws in
      #expect(try db.receiveMessage(connectionId: connection, agentMessageId: 6))
      #expect(try db.receiveMessage(connectionId: connection, agentMessageId: 6) == false)
      #expect(try db.receiveMessage(connectionId: connection, agentMessageId: 5) == false)
      #expect(try !db.sendsReceipt(connectionId: connection, agentMessageId: 6))
      try db.setReceipt(connectionId: connection, agentMessageId: 5)
      #expect(try !db.sendsReceipt(connectionId: connection, agentMessageId: 6))
      try db.setReceipt(connectionId: connection, agentMessageId: 6)
      // As often as it comes again, until the next one.
      #expect(try db.sendsReceipt(connectionId: connection, agentMessageId: 6))
      #expect(try !db.receiveMessage(connectionId: connection, agentMessageId: 6))
      #expect(try db.sendsReceipt(connectionId: connection, agentMessageId: 6))
      #expect(try db.receiveMessage(connectionId: connection, agentMessageId: 7))
      #expect(try !db.sendsReceipt(connectionId: connection, agentMessageId: 6))
      #expect(try !db.sendsReceipt(connectionId: connection, agentMessageId: 7))
      // One that could not be handled is handled once, after later ones; one that was handled is not skipped.
      let name = try #require(bob.activeConn?.agentConnId)
      try db.addUnhandledMessage(agentConnId: name, agentMessageId: 8)
      try db.addUnhandledMessage(agentConnId: name, agentMessageId: 7)
      try db.addUnhandledMessage(agentConnId: "unknown", agentMessageId: 8)
      #expect(try db.receiveMessage(connectionId: connection, agentMessageId: 9))
      #expect(try !db.receiveMessage(connectionId: connection, agentMessageId: 7))
      #expect(try db.receiveMessage(connectionId: connection, agentMessageId: 8))
      #expect(try !db.receiveMessage(connectionId: connection, agentMessageId: 8))
      // Where it is handled before later ones, nothing is left of it.
      try db.addUnhandledMessage(agentConnId: name, agentMessageId: 10)
      #expect(try db.receiveMessage(connectionId: connection, agentMessageId: 10))
      #expect(try !db.receiveMessage(connectionId: connection, agentMessageId: 10))
      #expect(try db.setHandled(event: 3))
      #expect(try db.setHandled(event: 3) == false)
      #expect(try db.setHandled(event: 2) == false)
      #expect(try db.lastHandledEvent() == 3)
    }
  }

  @Test func aPartIsUndoneByItself() throws {
    struct Refusal: Error {}
    try store.transaction { db in
      let kept = try db.createItem(sentText("kept", in: bob.ref), of: alice).meta.itemId
      #expect(throws: Refusal.self) {
        try db.savepoint {
          _ = try db.createItem(sentText("undone", in: bob.ref), of: alice)
          throw Refusal()
        }
      }
      #expect(try db.chat(bob.ref, pagination: .last(count: 9), of: alice).chat.chatItems.map(\.meta.itemId) == [kept])
    }
  }

  @Test func notesAreChats() throws {
    try store.transaction { db in
      let notes = ChatRef(chatType: .local, chatId: try db.noteFolderID(of: alice))
      let note = try db.createItem(sentText("remember", in: notes), of: alice)
      #expect(note.chatDir == .localSnd && note.meta.deletable && note.meta.editable)
      let (chat, _) = try db.chat(notes, pagination: .last(count: 10), of: alice)
      #expect(chat.chatItems == [note])
      guard case .local(let folder) = chat.chatInfo else { Issue.record("not notes"); return }
      #expect(folder.chatTs == db.now)
    }
  }
}
