import ChatAPI
import Foundation
import SQLiteKit
import SimplexTesting
import Testing

@testable import ChatStore

/// What is shown with every load of a group is kept by triggers, and costs the same however much there is.
@Suite struct GroupCounterTests {
  private struct World {
    let store: ChatDatabase
    let user: User
    let group: Int64
    let members: [Int64]

    init(members count: Int) throws {
      let store = try memoryStore()
      self.store = store
      let user = try store.makeUser()
      self.user = user
      (group, members) = try store.transaction { db in
        let group = try db.createGroup(profile: GroupProfile(displayName: "team", fullName: ""), of: user)
        let membership = NewMember(
          groupId: group, identity: .user(incognito: nil), memberId: "user", role: .owner, category: .userMember,
          status: .memCreator, versions: VersionRange(1, 16))
        try db.setMembership(try db.createMember(membership, of: user), host: nil, ofGroup: group)
        let members = try (0..<count).map { number in
          try db.createMember(
            NewMember(
              groupId: group, identity: .profile(profile("m\(number)")), memberId: "m\(number)", role: .member,
              category: .inviteeMember, status: .memConnected, versions: VersionRange(1, 16)), of: user)
        }
        return (group, members)
      }
    }

    func chat(_ member: Int64) -> ChatRef {
      ChatRef(chatType: .group, chatId: group, chatScope: .memberSupport(groupMemberId_: member))
    }

    var main: ChatRef { ChatRef(chatType: .group, chatId: group) }

    func received(_ content: MsgContent, from member: Int64, in chat: ChatRef, _ number: Int) -> NewItem {
      var new = NewItem(chat: chat, content: .rcvMsgContent(msgContent: content), sharedMsgId: "\(number)")
      new.memberId = member
      new.userMention = number % 3 == 0
      return new
    }
  }

  @Test(arguments: propertySeeds(4)) func countersAreARecount(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let world = try World(members: 4)
    var items: [(id: Int64, chat: ChatRef)] = []
    for step in 0..<250 {
      let member = world.members[Int.random(in: world.members.indices, using: &random)]
      let chat = world.chat(member)
      let some = items.randomElement(using: &random)
      let operation = Int.random(in: 0..<14, using: &random)
      _ = try? world.store.transaction { db in
        switch (operation, some) {
        case (0..<4, _):
          try db.createSupportChat(chat, of: world.user)
          let new = world.received(.text("\(step)"), from: member, in: chat, step)
          items.append((try db.createItem(new, of: world.user).meta.itemId, chat))
        case (4..<6, _):
          try db.createSupportChat(chat, of: world.user)
          let new = world.received(.report(text: "bad", reason: .spam), from: member, in: chat, step)
          items.append((try db.createItem(new, of: world.user).meta.itemId, chat))
        case (6, let item?): try db.deleteItem(item.id, in: item.chat, of: world.user)
        case (7, let item?): _ = try db.markDeleted(item: item.id, at: db.now, in: item.chat, of: world.user)
        case (8, _): _ = try db.markRead(chat, of: world.user)
        case (9, _): try db.deleteSupportChat(ofMember: member, inGroup: world.group)
        case (10, _):
          let status: GroupMemberStatus = [.memPendingReview, .memPendingApproval, .memConnected][step % 3]
          try db.setStatus(status, ofMember: member)
        case (11, _) where step % 5 == 0:
          _ = try db.archiveReports(inGroup: world.group, by: world.members[0], at: db.now)
        case (12, _) where step % 20 == 0: try db.clear(world.main, of: world.user)
        default: _ = try db.purge(limit: 3)
        }
      }
      try world.store.read { db in
        let found = try db.integers("SELECT attention FROM groups UNION ALL SELECT reports FROM groups")
        let attention = try db.integer(
          """
          SELECT (SELECT count(*) FROM chats a WHERE a.kind = 1 AND a.entity_id = ?1 AND a.scope > 0 \
          AND (a.member_attention > 0 OR a.unread_mentions > 0) AND NOT EXISTS (SELECT 1 FROM members w \
          WHERE w.member_id = a.scope AND w.status IN ('pending_approval', 'pending_review'))) \
          + (SELECT count(*) FROM members w WHERE w.group_id = ?1 AND w.category <> 'user' \
          AND w.status IN ('pending_approval', 'pending_review'))
          """, world.group)
        let reports = try db.integer(
          """
          SELECT count(*) FROM chats z JOIN items r ON r.chat_id = z.chat_id AND r.message_tag = 'report' \
          AND r.sent = 0 AND r.deleted = 0 WHERE z.kind = 1 AND z.entity_id = ?1
          """, world.group)
        #expect(found == [attention ?? -1, reports ?? -1], "seed \(seed), step \(step), operation \(operation)")
      }
    }
  }

  /// Instructions of SQLite's virtual machine that `body` takes.
  private static func steps(_ world: World, _ body: (ChatTransaction) throws -> Void) throws -> Int {
    try world.store.transaction { db in
      let work = StatementWork()
      db.connection.work = work
      defer { db.connection.work = nil }
      // Statements are prepared, and what they did before is not counted.
      try body(db)
      work.reset()
      try body(db)
      return work.steps
    }
  }

  /// Loads and changes of a group cost the same with one support chat and with a thousand.
  @Test func supportChatsCostNothing() throws {
    func work(chats: Int) throws -> [Int] {
      let world = try World(members: chats)
      try world.store.transaction { db in
        for (number, member) in world.members.enumerated() {
          try db.createSupportChat(world.chat(member), of: world.user)
          _ = try db.createItem(
            world.received(.text("x"), from: member, in: world.chat(member), number), of: world.user)
        }
      }
      return [
        try Self.steps(world) { _ = try $0.group(world.group, of: world.user) },
        try Self.steps(world) { _ = try $0.stats(world.main, of: world.user) },
        try Self.steps(world) {
          _ = try $0.archiveReports(
            ofMessage: ("none", "m0"), inGroup: world.group, by: world.members[0], at: $0.now)
        },
        try Self.steps(world) { _ = try $0.hasMember(joinedBy: "nobody", ofGroup: world.group) },
      ]
    }
    let (few, many) = (try work(chats: 2), try work(chats: 1_000))
    for (few, many) in zip(few, many) { #expect(many <= few + 200) }
  }

  /// The next messages of the user, or of a member, are found without looking at those of others.
  @Test func messagesOfOthersCostNothing() throws {
    func work(others: Int) throws -> [Int] {
      let world = try World(members: 2)
      let notes = try world.store.read { try $0.noteFolderID(of: world.user) }
      try world.store.transaction { db in
        for number in 0..<5 {
          _ = try db.createItem(
            NewItem(chat: world.main, content: .sndMsgContent(msgContent: .text("own"))), of: world.user)
          _ = try db.createItem(
            world.received(.text("x"), from: world.members[0], in: world.main, number), of: world.user)
        }
        let folder = ChatRef(chatType: .local, chatId: notes)
        for number in 0..<others {
          _ = try db.createItem(
            world.received(.text("y"), from: world.members[1], in: world.main, 100 + number), of: world.user)
          _ = try db.createItem(
            NewItem(chat: folder, content: .sndMsgContent(msgContent: .text("note"))), of: world.user)
        }
      }
      let (own, member) = try world.store.read { db in
        (
          try db.group(world.group, of: world.user).membership, try db.member(world.members[0], of: world.user)
        )
      }
      #expect(try world.store.read { try $0.items(ofMember: own, limit: 3) }.count == 3)
      #expect(try world.store.read { try $0.items(ofMember: own, before: 4, limit: 3) }.count == 2)
      return [
        try Self.steps(world) { _ = try $0.items(ofMember: own, limit: 10) },
        try Self.steps(world) { _ = try $0.items(ofMember: member, limit: 10) },
        try Self.steps(world) { _ = try $0.hasItems(ofMember: member.groupMemberId, inGroup: world.group) },
      ]
    }
    let (few, many) = (try work(others: 1), try work(others: 1_000))
    for (few, many) in zip(few, many) { #expect(many <= few + 200) }
  }
}
