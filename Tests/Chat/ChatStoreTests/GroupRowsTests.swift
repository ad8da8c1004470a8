import ChatAPI
import Foundation
import Testing

@testable import ChatStore

/// What a group's database keeps, and for how long.
@Suite struct GroupRowsTests {
  private let store: ChatDatabase
  private let clock = TestClock()
  private let user: User
  private let group: GroupInfo
  /// The members bob and cath, who were not introduced to each other.
  private let members: [GroupMember]

  init() throws {
    let store = try memoryStore(clock: clock)
    let user = try store.makeUser()
    (self.store, self.user) = (store, user)
    (group, members) = try store.transaction { db in
      let group = try db.createGroup(profile: GroupProfile(displayName: "team", fullName: ""), of: user)
      let membership = NewMember(
        groupId: group, identity: .user(incognito: nil), memberId: "user", role: .owner, category: .userMember,
        status: .memCreator, versions: VersionRange(1, 16))
      try db.setMembership(try db.createMember(membership, of: user), host: nil, ofGroup: group)
      let members = try ["bob", "cath"].map { name in
        let id = try db.createMember(
          NewMember(
            groupId: group, identity: .profile(profile(name)), memberId: name, role: .member,
            category: .inviteeMember, status: .memConnected, versions: VersionRange(1, 16)), of: user)
        return try db.member(id, of: user)
      }
      return (try db.group(group, of: user), members)
    }
  }

  private var chat: ChatRef { ChatRef(chatType: .group, chatId: group.groupId) }
  private var bob: GroupMember { members[0] }
  private var cath: GroupMember { members[1] }

  private func received(_ text: String, id: String, _ db: ChatTransaction) throws -> ChatItem {
    var new = receivedText(text, in: chat, id: id)
    new.memberId = bob.groupMemberId
    return try db.createItem(new, of: user)
  }

  private func count(_ table: String) throws -> String? { try store.rows(of: "SELECT count(*) FROM \(table)").first }

  /// The record of a member who is gone is no member's, and nobody comes back by it, but the user.
  @Test(arguments: GroupMemberStatus.allCases.filter(\.isGone)) func nobodyComesBack(_ gone: GroupMemberStatus) throws {
    try store.transaction { db in
      let id = bob.groupMemberId
      #expect(try db.member(sharedId: "bob", ofGroup: group.groupId)?.groupMemberId == id)
      try db.setStatus(gone, ofMember: id)
      for status in GroupMemberStatus.allCases {
        try db.setStatus(status, ofMember: id)
        #expect(try db.member(id, of: user).memberGone)
        #expect(try db.integer("SELECT is_current FROM members WHERE member_id = ?", id) == 0)
      }
      #expect(try db.member(sharedId: "bob", ofGroup: group.groupId) == nil)
      #expect(try db.memberRecord(sharedId: "bob", ofGroup: group.groupId)?.groupMemberId == id)
      let membership = group.membership.groupMemberId
      try db.setStatus(gone, ofMember: membership)
      try db.setStatus(.memInvited, ofMember: membership)
      #expect(try db.member(membership, of: user).memberStatus == .memInvited)
    }
  }

  @Test func moderatedItemsHaveNoVersions() throws {
    try store.transaction { db in
      for text in ["one", "two"] {
        let item = try received(text, id: text, db)
        try db.addVersions(
          ofItem: item.meta.itemId, initial: (time: db.now, content: .text(text)),
          new: (time: db.now, content: .text("edited")))
        guard text == "one" else { continue }
        _ = try db.moderate(item: item, by: cath.groupMemberId, at: db.now, in: chat, of: user)
      }
      #expect(try db.integer("SELECT count(*) FROM item_versions") == 2)
      let items = try db.items(ofMember: bob, limit: 9)
      try db.delete(messages: items, .moderate, areSent: false, by: cath.groupMemberId)
      #expect(try db.integer("SELECT count(*) FROM item_versions") == 0)
    }
  }

  @Test func theNewestVersionsStay() throws {
    let versions = try store.transaction { db in
      let item = try received("0", id: "AAAA", db)
      for number in 0..<250 {
        try db.addVersions(
          ofItem: item.meta.itemId, initial: (time: db.now, content: .text("0")),
          new: (time: db.now, content: .text("\(number)")))
      }
      return try db.versions(ofItem: item.meta.itemId)
    }
    #expect(versions.count == 100)
    #expect(versions.first?.msgContent == .text("249") && versions.last?.msgContent == .text("150"))
  }

  @Test func reactionsGoWithTheItemsOfAMember() throws {
    try store.transaction { db in
      _ = try received("one", id: "AAAA", db)
      try db.setReaction(
        .emoji(emoji: .thumbsup), add: true, to: "AAAA", author: bob.memberId, in: chat, sent: true, at: db.now,
        of: user)
      #expect(try db.integer("SELECT count(*) FROM reactions") == 1)
      let items = try db.items(ofMember: bob, limit: 9)
      #expect(try db.items(ofMember: group.membership, limit: 9) == [])
      try db.delete(messages: items, .delete, areSent: false, by: cath.groupMemberId)
      #expect(try db.integer("SELECT count(*) FROM reactions") == 0)
    }
  }

  /// Deleting items looks at their reactions, and not at all of the chat.
  @Test func reactionsAreFoundByTheirItems() throws {
    let query = ChatTransaction.deletionOfReactions.replacing("?1", with: "'[1]'")
    let plan = try store.rows(of: "EXPLAIN QUERY PLAN " + query)
    #expect(plan.contains { $0.contains("SEARCH reactions") && $0.contains("shared_id=?") }, "\(plan)")
  }

  /// Reactions may come before their message; if it does not come, they go.
  @Test func earlyReactionsExpire() throws {
    try store.transaction { db in
      for id in ["AAAA", "BBBB"] {
        try db.setReaction(
          .emoji(emoji: .thumbsup), add: true, to: id, author: bob.memberId, in: chat, sent: false,
          member: cath.groupMemberId, isEarly: true, at: db.now, of: user)
      }
      _ = try received("one", id: "AAAA", db)
    }
    clock.advance(29 * 86_400)
    #expect(try store.transaction { try !$0.deleteEarlyReactions(olderThan: 30 * 86_400) })
    #expect(try count("reactions") == "2")
    clock.advance(2 * 86_400)
    #expect(try store.transaction { try !$0.deleteEarlyReactions(olderThan: 30 * 86_400) })
    #expect(try store.rows(of: "SELECT shared_id FROM reactions") == ["AAAA"])
    #expect(try count("reactions WHERE is_early = 1") == "0")
  }

  /// A newcomer does not get again what was sent to it, or waits for it.
  @Test func historyLeavesOutWhatAMemberGets() throws {
    let (forBob, forCath) = try store.transaction { db in
      let items = try ["one", "two"].map { try received($0, id: $0, db) }
      try db.addRecipient(cath.groupMemberId, ofItem: items[1].meta.itemId, status: .inactive)
      return (
        try db.history(of: group, forMember: bob.groupMemberId, of: user, limit: 100),
        try db.history(of: group, forMember: cath.groupMemberId, of: user, limit: 100)
      )
    }
    #expect(forBob.map(\.meta.itemText) == ["one", "two"])
    #expect(forCath.map(\.meta.itemText) == ["one"])
  }

  @Test(arguments: [GroupMemberStatus.memLeft, .memRemoved, .memRejected, .memGroupDeleted])
  func nothingWaitsForThoseWhoAreGone(_ status: GroupMemberStatus) throws {
    try store.transaction { db in
      let packet = try db.addPacket([1, 2, 3])
      for member in members {
        for isHeld in [false, true] {
          try db.addPending(
            packet: packet, notifies: true, item: nil, isHeld: isHeld, forMember: member.groupMemberId)
        }
      }
      try db.setStatus(status, ofMember: bob.groupMemberId)
      #expect(try db.integer("SELECT count(*) FROM pending_messages") == 2)
      #expect(try db.integer("SELECT count(*) FROM packets") == 1)
      #expect(try !db.hasPending(member: bob.groupMemberId) && db.hasPending(member: cath.groupMemberId))
      try db.setStatus(status, ofMember: cath.groupMemberId)
      #expect(try db.integer("SELECT count(*) FROM packets") == 0)
    }
  }

  @Test func pendingMessagesExpire() throws {
    try store.transaction { db in
      for _ in 0..<3 {
        try db.addPending(
          packet: try db.addPacket([1]), notifies: true, item: nil, forMember: bob.groupMemberId)
      }
    }
    clock.advance(31 * 86_400)
    try store.transaction { db in
      try db.addPending(packet: try db.addPacket([2]), notifies: true, item: nil, forMember: cath.groupMemberId)
      #expect(try db.deletePending(olderThan: 30 * 86_400, limit: 2))
      #expect(try db.hasPending(member: bob.groupMemberId))
      #expect(try !db.deletePending(olderThan: 30 * 86_400, limit: 2))
      #expect(try !db.hasPending(member: bob.groupMemberId) && db.hasPending(member: cath.groupMemberId))
    }
    #expect(try count("packets") == "1")
  }

  /// Members who were not introduced to each other have nothing to report.
  @Test func onlyIntroducedMembersConnect() throws {
    try store.transaction { db in
      try db.setConnected(bob, with: cath)
      #expect(try db.indexes(ofMember: bob.groupMemberId) { $0 != .none } == [])
      #expect(try db.indexes(ofMember: cath.groupMemberId) { $0 != .none } == [])
      try db.setIntroduced(bob, to: [cath])
      try db.setConnected(bob, with: cath)
      try db.setConnected(cath, with: bob)
      #expect(try db.indexes(ofMember: bob.groupMemberId) { $0 == .connected } == [cath.indexInGroup])
    }
  }
}
