import ChatAPI
import ChatStore
import Foundation
import SimplexTesting
import Testing

/// Support chats: their counters against a recount, after operations in random order, and reports.
@Suite struct SupportChatTests {
  /// A group of alice with members, of whom the last one is a moderator.
  private struct World {
    let store: ChatDatabase
    let user: User
    let group: Int64
    let members: [Int64]
    let moderator: Int64

    init() throws {
      let store = try memoryStore()
      self.store = store
      let user = try store.makeUser()
      self.user = user
      (group, members, moderator) = try store.transaction { db in
        let group = try db.createGroup(
          profile: GroupProfile(displayName: "team", fullName: ""), of: user)
        let membership = NewMember(
          groupId: group, identity: .user(incognito: nil), memberId: "user", role: .owner, category: .userMember,
          status: .memCreator, versions: VersionRange(1, 16))
        try db.setMembership(try db.createMember(membership, of: user), host: nil, ofGroup: group)
        let members = try ["bob", "cath", "dan"].map { name in
          try db.createMember(
            NewMember(
              groupId: group, identity: .profile(profile(name)), memberId: name,
              role: name == "dan" ? .moderator : .member, category: .inviteeMember, status: .memConnected,
              versions: VersionRange(1, 16)), of: user)
        }
        return (group, Array(members.dropLast()), members[2])
      }
    }

    func chat(_ member: Int64) -> ChatRef {
      ChatRef(chatType: .group, chatId: group, chatScope: .memberSupport(groupMemberId_: member))
    }

    var main: ChatRef { ChatRef(chatType: .group, chatId: group) }

    func items(_ chat: ChatRef) throws -> [ChatItem] {
      try store.read { try $0.chat(chat, pagination: .last(count: 1_000), of: user).chat.chatItems }
    }

    @discardableResult
    func receive(
      _ content: MsgContent, from member: Int64, in chat: ChatRef, at time: Double, mentionsUser: Bool = false,
      quoting quote: CIQuote? = nil
    ) throws -> ChatItem {
      var new = NewItem(
        chat: chat, content: .rcvMsgContent(msgContent: content), sharedMsgId: "\(time)",
        itemTs: Date(timeIntervalSince1970: time), quotedItem: quote)
      new.memberId = member
      new.userMention = mentionsUser
      return try store.transaction { try $0.createItem(new, of: user) }
    }
  }

  @Test(arguments: propertySeeds(4)) func countersAreWhatIsThere(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let world = try World()
    for step in 0..<200 {
      let member = world.members[Int.random(in: world.members.indices, using: &random)]
      let chat = world.chat(member)
      try world.store.transaction { try $0.createSupportChat(chat, of: world.user) }
      let known = try world.items(chat)
      // Messages come in any order of their times.
      let time = Double(Int.random(in: 1_600_000_000..<1_600_000_300, using: &random))
      switch (Int.random(in: 0..<10, using: &random), known.randomElement(using: &random)) {
      case (0..<4, _):
        try world.receive(
          .text("\(step)"), from: member, in: chat, at: time, mentionsUser: Bool.random(using: &random))
      case (4, _): try world.receive(.text("\(step)"), from: world.moderator, in: chat, at: time)
      case (5, _):
        _ = try world.store.transaction {
          try $0.createItem(NewItem(chat: chat, content: .sndMsgContent(msgContent: .text("own"))), of: world.user)
        }
      case (6, let item?):
        _ = try world.store.transaction { try $0.markRead(items: [item.meta.itemId], in: chat, of: world.user) }
      case (7, let item?):
        try world.store.transaction { try $0.deleteItem(item.meta.itemId, in: chat, of: world.user) }
      case (8, _) where step % 5 == 0: _ = try world.store.transaction { try $0.markRead(chat, of: world.user) }
      case (9, _) where step % 7 == 0:
        try world.store.transaction { try $0.deleteSupportChat(ofMember: member, inGroup: world.group) }
      default: _ = try world.store.transaction { try $0.purge(limit: 3) }
      }
      var requireAttention = 0
      for member in world.members {
        let found = try world.store.read { try $0.member(member, of: world.user) }.supportChat
        guard let found else { continue }
        let items = try world.items(world.chat(member))
        let unread = items.filter { $0.meta.itemStatus == .rcvNew }
        #expect(found.unread == unread.count, "seed \(seed), step \(step)")
        #expect(found.mentions == unread.count(where: \.meta.userMention), "seed \(seed), step \(step)")
        // A message whose answer was deleted counts as answered, so the figure may be lower than a recount.
        let own = unread.filter { $0.author == member }
        let answers = items.filter { $0.author == world.moderator }
        let waiting = own.count { item in !answers.contains { $0.meta.itemTs > item.meta.itemTs } }
        #expect(found.memberAttention <= waiting && found.memberAttention >= 0, "seed \(seed), step \(step)")
        if found.memberAttention > 0 || found.mentions > 0 { requireAttention += 1 }
      }
      let group = try world.store.read { try $0.group(world.group, of: world.user) }
      #expect(group.membersRequireAttention == requireAttention, "seed \(seed), step \(step)")
    }
  }

  /// Whatever comes first, an answer counts for the messages before it, and for no others.
  @Test func answersCountByTheirTime() throws {
    for times in [[10.0, 20, 30], [30, 20, 10], [20, 30, 10], [20, 10, 30]] {
      let world = try World()
      let bob = world.members[0]
      let chat = world.chat(bob)
      try world.store.transaction { try $0.createSupportChat(chat, of: world.user) }
      for time in times {
        try world.receive(.text("text"), from: time == 20 ? world.moderator : bob, in: chat, at: time)
      }
      let found = try world.store.read { try $0.member(bob, of: world.user) }.supportChat
      #expect(found?.memberAttention == 1 && found?.unread == 3)
      #expect(found?.lastMsgFromMemberTs == Date(timeIntervalSince1970: 30))
    }
  }

  @Test func membersWhoWaitRequireAttention() throws {
    let world = try World()
    try world.store.transaction { try $0.setStatus(.memPendingReview, ofMember: world.members[0]) }
    #expect(try world.store.read { try $0.group(world.group, of: world.user) }.membersRequireAttention == 1)
    let chat = world.chat(world.members[0])
    try world.store.transaction { try $0.createSupportChat(chat, of: world.user) }
    try world.receive(.text("hello"), from: world.members[0], in: chat, at: 10)
    #expect(try world.store.read { try $0.group(world.group, of: world.user) }.membersRequireAttention == 1)
    try world.store.transaction { try $0.setStatus(.memConnected, ofMember: world.members[0]) }
    #expect(try world.store.read { try $0.group(world.group, of: world.user) }.membersRequireAttention == 1)
    _ = try world.store.transaction { try $0.markRead(chat, of: world.user) }
    #expect(try world.store.read { try $0.group(world.group, of: world.user) }.membersRequireAttention == 0)
  }

  /// Support chats expire with the main chat of their group.
  @Test func messagesExpireWithTheGroup() throws {
    let world = try World()
    let chat = world.chat(world.members[0])
    try world.store.transaction { try $0.createSupportChat(chat, of: world.user) }
    func times() throws -> [Int64] {
      try world.store.read { try $0.chatsToExpire(of: world.user) }.map(\.ttl)
    }
    #expect(try times().isEmpty)
    try world.store.transaction { try $0.setItemTTL(60, of: world.main, of: world.user) }
    #expect(try times() == [60, 60])
    // Kept for ever, whatever holds for other chats.
    try world.store.transaction { db in
      try db.setItemTTL(0, of: world.main, of: world.user)
      try db.setItemTTL(30, of: world.user)
    }
    #expect(try times().isEmpty)
  }

  @Test func reportsAreCountedListedAndArchived() throws {
    let world = try World()
    let (bob, cath) = (world.members[0], world.members[1])
    let joke = try world.receive(.text("joke"), from: cath, in: world.main, at: 10)
    let quote = CIQuote(
      chatDir: joke.chatDir, sharedMsgId: joke.meta.itemSharedMsgId, sentAt: joke.meta.itemTs, content: .text("joke"))
    let chat = world.chat(bob)
    try world.store.transaction { try $0.createSupportChat(chat, of: world.user) }
    try world.receive(.report(text: "", reason: .spam), from: bob, in: chat, at: 20, quoting: quote)
    try world.receive(.report(text: "", reason: .content), from: bob, in: chat, at: 30)
    try world.receive(.text("hello"), from: bob, in: chat, at: 40)
    func count() throws -> Int { try world.store.read { try $0.stats(world.main, of: world.user) }.reportsCount }
    #expect(try count() == 2)
    #expect(try world.store.read { try $0.stats(chat, of: world.user) }.reportsCount == 0)
    let page = try world.store.read {
      try $0.chat(world.main, pagination: .last(count: 10), filter: .report, of: world.user)
    }.chat
    #expect(page.chatItems.count == 2)
    #expect(page.chatItems.first?.quotedItem?.itemId == joke.meta.itemId)
    let older = try world.store.read {
      try $0.chat(
        world.main, pagination: .before(chatItemId: page.chatItems.last?.meta.itemId ?? 0, count: 10), filter: .report,
        of: world.user)
    }.chat
    #expect(older.chatItems.map(\.meta.itemId) == page.chatItems.prefix(1).map(\.meta.itemId))
    func archive(_ message: (String, String)?) throws -> [Int64] {
      try world.store.transaction {
        try $0.archiveReports(ofMessage: message, inGroup: world.group, by: world.moderator, at: $0.now)
      }
    }
    #expect(try archive((joke.meta.itemSharedMsgId ?? "", "bob")).isEmpty)
    #expect(try archive((joke.meta.itemSharedMsgId ?? "", "cath")).count == 1)
    #expect(try count() == 1)
    #expect(try archive(nil).count == 1)
    #expect(try count() == 0)
    try world.store.transaction { try $0.clear(world.main, of: world.user) }
    #expect(try world.items(chat).isEmpty)
  }
}

extension ChatItem {
  /// The member who wrote it, a database id.
  fileprivate var author: Int64? {
    if case .groupRcv(let member) = chatDir { member.groupMemberId } else { nil }
  }
}
