import ChatAPI
import Foundation
import Synchronization
import Testing

@testable import ChatStore

/// The clock of the device is ahead for a while. What happens after that is later all the same.
@Suite struct WrongClockTests {
  private static let lead = 30 * 86_400.0
  private let clock = TestClock()
  private let store: ChatDatabase
  private let user: User

  init() throws {
    let store = try memoryStore(clock: clock)
    (self.store, user) = (store, try store.makeUser())
  }

  /// Runs `body` while the clock is ahead.
  private func ahead<Value>(_ body: () throws -> Value) rethrows -> Value {
    clock.advance(Self.lead)
    defer { clock.advance(-Self.lead) }
    return try body()
  }

  private func add(_ text: String, to chat: ChatRef, at time: Date? = nil, member: Int64? = nil) throws {
    try store.transaction { db in
      var item = receivedText(text, in: chat)
      (item.itemTs, item.memberId) = (time, member)
      _ = try db.createItem(item, of: user)
    }
  }

  private func texts(_ chat: ChatRef, _ pagination: ChatPagination) throws -> [String] {
    try store.read { try $0.chat(chat, pagination: pagination, of: user).chat.chatItems.map(\.meta.itemText) }
  }

  @Test(arguments: [ChatType.direct, .local]) func newItemsAreLast(_ type: ChatType) throws {
    let chat = try store.transaction { db in
      type == .local
        ? ChatRef(chatType: .local, chatId: try db.noteFolderID(of: user))
        : try db.createContact(profile: profile("bob"), of: user).chat
    }
    try add("before", to: chat)
    try ahead { for text in ["ahead 1", "ahead 2"] { try add(text, to: chat) } }
    for text in ["after 1", "after 2"] { try add(text, to: chat) }
    let all = ["before", "ahead 1", "ahead 2", "after 1", "after 2"]
    #expect(try texts(chat, .last(count: 9)) == all)
    let ids = try store.rows(of: "SELECT item_id FROM items ORDER BY item_id").compactMap { Int64($0) }
    #expect(try texts(chat, .after(chatItemId: ids[2], count: 9)) == Array(all[3...]))
    #expect(try texts(chat, .before(chatItemId: ids[3], count: 9)) == Array(all[..<3]))
    #expect(try texts(chat, .around(chatItemId: ids[3], count: 1)) == Array(all[2...]))
    let list = try store.read {
      try $0.chats(
        of: user, pendingConnections: false, pagination: .last(count: 9),
        query: .filters(favorite: false, unread: false))
    }
    #expect(list.compactMap { $0.chatItems.first?.meta.itemText } == ["after 2"])
  }

  private func makeGroup() throws -> (group: Int64, member: Int64) {
    try store.transaction { db in
      let group = try db.createGroup(profile: GroupProfile(displayName: "team", fullName: ""), of: user)
      func member(_ identity: NewMember.Identity, _ id: String, _ category: GroupMemberCategory) throws -> Int64 {
        try db.createMember(
          NewMember(
            groupId: group, identity: identity, memberId: id, role: .owner, category: category, status: .memConnected,
            versions: VersionRange(1, 16)), of: user)
      }
      try db.setMembership(try member(.user(incognito: nil), "user", .userMember), host: nil, ofGroup: group)
      return (group, try member(.profile(profile("bob")), "bob", .inviteeMember))
    }
  }

  /// In groups items stand where they were sent, but no relay's clock puts one at the end for days.
  @Test func timesOfRelaysAreBounded() throws {
    let (group, member) = try makeGroup()
    let chat = ChatRef(chatType: .group, chatId: group)
    let now = clock.now
    try add("far ahead", to: chat, at: now.addingTimeInterval(Self.lead), member: member)
    try add("now", to: chat, at: now, member: member)
    clock.advance(2 * 3_600)
    try add("later", to: chat, member: member)
    try add("late", to: chat, at: now.addingTimeInterval(-60), member: member)
    #expect(try texts(chat, .last(count: 9)) == ["late", "now", "far ahead", "later"])
  }

  /// A peer that connects gets a profile that was changed after the connection was created.
  @Test func changesOfTheProfileAreKnown() throws {
    func connect(_ name: String) throws -> Connection {
      try store.transaction { db in
        try db.createConnection(NewConnection(agentConnId: name, entity: .contact(nil)), of: user)
      }
    }
    let (old, new) = (try ahead { try connect("old") }, try connect("new"))
    func isChanged(since connection: Connection) throws -> Bool {
      try store.read { try $0.hasChangedProfile($0.user(user.userId), since: connection) }
    }
    #expect(try !isChanged(since: old) && !isChanged(since: new))
    _ = try store.transaction { try $0.updateProfile(of: user, to: profile("alice")) }
    #expect(try isChanged(since: old) && isChanged(since: new))
    #expect(try !isChanged(since: connect("later")))
  }

  /// Members of groups get a profile that was changed after the last one was sent; so does who joins a group whose
  /// profile was changed.
  @Test func changesForMembersAreKnown() throws {
    let (group, member) = try ahead { try makeGroup() }
    func isSent() throws -> Bool {
      try store.read { db in
        let (user, group) = (try db.user(user.userId), try db.group(group, of: user))
        guard let changed = user.userMemberProfileUpdatedAt else { return true }
        return group.userMemberProfileSentAt.map { $0 >= changed } ?? false
      }
    }
    func isGroupChanged() throws -> Bool {
      try store.read { try $0.hasChangedProfile(ofGroupOf: $0.member(member, of: user)) }
    }
    #expect(try isSent() && !isGroupChanged())
    try store.transaction { db in
      var renamed = user.profile.shared
      renamed.fullName = "Alice"
      _ = try db.updateProfile(of: user, to: renamed)
      _ = try db.updateProfile(
        of: try db.group(group, of: user), to: GroupProfile(displayName: "team", fullName: "The team"), of: user)
    }
    #expect(try !isSent() && isGroupChanged())
    try store.transaction { try $0.setProfileSent(toGroup: group) }
    #expect(try isSent())
    try ahead {
      try store.transaction { db in
        var renamed = user.profile.shared
        renamed.fullName = "Alice B."
        _ = try db.updateProfile(of: user, to: renamed)
      }
    }
    #expect(try !isSent())
    try store.transaction { try $0.setProfileSent(toGroup: group) }
    #expect(try isSent())
  }

  /// What connections were created while a list of them was subscribed to is not taken for subscribed.
  @Test func onlyListedConnectionsAreSubscribed() throws {
    func add(_ name: String) throws {
      try store.transaction { db in
        var connection = NewConnection(agentConnId: name, entity: .contact(nil))
        connection.toSubscribe = true
        _ = try db.createConnection(connection, of: user)
      }
    }
    try add("first")
    let listed = try store.read { try $0.connectionsToSubscribe(of: user, onlyNew: true) }
    try add("second")
    try store.transaction { try $0.setSubscribed(listed, of: user) }
    #expect(try store.read { try $0.connectionsToSubscribe(of: user, onlyNew: true) } == ["second"])
  }

  // MARK: Ages

  /// A time that passes whatever the clock says.
  private final class Elapsed: Sendable {
    let hours = Mutex(0.0)
    var now: Duration { hours.withLock { .seconds($0 * 3_600) } }
  }

  private func open(_ path: String, _ elapsed: Elapsed) throws -> ChatDatabase {
    try ChatDatabase(
      path: path, passphrase: nil, confirmation: .yesUp, commitsWait: true, lease: nil, crashPoint: nil,
      clock: { [clock] in clock.now }, elapsed: { elapsed.now })
  }

  private func deleteReceived(in store: ChatDatabase) throws -> Int {
    while try store.transaction({ try $0.deleteReceived(olderThan: Self.lead - 86_400) }) {}
    return try store.rows(of: "SELECT 1 FROM received_messages").count
  }

  /// A clock that goes far ahead deletes nothing for its age, unless it stays there.
  @Test func nothingIsDeletedBySuddenTimes() throws {
    let elapsed = Elapsed()
    let store = try open(":memory:", elapsed)
    func receive() throws -> FirstCopy? {
      try store.transaction { try $0.receive(sharedMsgId: "AAAA", ofMember: 2, inGroup: 1, forwardedBy: nil) }
    }
    #expect(try receive() == nil)
    let left = try ahead { try deleteReceived(in: store) }
    #expect(left == 1)
    // A copy is known as one.
    #expect(try receive() != nil)
    clock.advance(Self.lead)
    for hours in [0.5, 0.4] {
      elapsed.hours.withLock { $0 += hours }
      clock.advance(hours * 3_600)
      #expect(try deleteReceived(in: store) == 1)
    }
    // An hour after the change was noticed.
    elapsed.hours.withLock { $0 += 0.7 }
    clock.advance(0.7 * 3_600)
    #expect(try deleteReceived(in: store) == 0)
  }

  /// After a start far beyond the newest item, too.
  @Test(arguments: [(days: 20.0, left: 1), (days: 10, left: 0)])
  func nothingIsDeletedAfterALongAbsence(days: Double, left: Int) throws {
    let (folder, elapsed) = (try TestFolder(), Elapsed())
    do {
      let store = try open(folder.path, elapsed)
      let user = try store.makeUser()
      try store.transaction { db in
        let notes = ChatRef(chatType: .local, chatId: try db.noteFolderID(of: user))
        _ = try db.createItem(receivedText("note", in: notes), of: user)
        _ = try db.receive(sharedMsgId: "AAAA", ofMember: 2, inGroup: 1, forwardedBy: nil)
      }
    }
    clock.advance(days * 86_400)
    let store = try open(folder.path, elapsed)
    func delete() throws -> Int {
      while try store.transaction({ try $0.deleteReceived(olderThan: 86_400) }) {}
      return try store.rows(of: "SELECT 1 FROM received_messages").count
    }
    #expect(try delete() == left)
    elapsed.hours.withLock { $0 += 1 }
    clock.advance(3_600)
    #expect(try delete() == 0)
  }

  /// Items that were stored while the clock was ahead expire as new ones do.
  @Test func itemsOfTheFutureExpire() throws {
    let contact = try store.transaction { try $0.createContact(profile: profile("bob"), of: user) }
    try ahead { try add("ahead", to: contact.chat) }
    func expire() throws -> [String] {
      while try store.transaction({ db in
        try db.deleteItems(in: contact.chat, createdBefore: db.now.addingTimeInterval(-86_400), of: user)
      }) {}
      return try texts(contact.chat, .last(count: 9))
    }
    try add("after", to: contact.chat)
    #expect(try expire() == ["ahead", "after"])
    clock.advance(2 * 86_400)
    try add("last", to: contact.chat)
    #expect(try expire() == ["last"])
  }

  /// Items that were read while the clock was ahead disappear in time.
  @Test func timersOfTheFutureEnd() throws {
    let contact = try store.transaction { try $0.createContact(profile: profile("bob"), of: user) }
    try ahead {
      try store.transaction { db in
        var item = receivedText("timed", in: contact.chat)
        item.timed = CITimed(ttl: 60)
        _ = try db.createItem(item, of: user)
        try db.markRead(contact.chat, of: user)
      }
    }
    try add("after", to: contact.chat)
    try store.transaction { try $0.repairTimers() }
    #expect(try store.read { try $0.dueItems(limit: 9) }.isEmpty)
    clock.advance(100)
    #expect(try store.read { try $0.dueItems(limit: 9) }.count == 1)
  }

  /// A start with a clock that is behind, as that of a device whose battery was empty, shortens no time to live: it
  /// would delete messages as soon as the clock is set right.
  @Test func timersOutliveAClockThatIsBehind() throws {
    let contact = try store.transaction { try $0.createContact(profile: profile("bob"), of: user) }
    try store.transaction { db in
      var item = receivedText("timed", in: contact.chat)
      item.timed = CITimed(ttl: 86_400)
      _ = try db.createItem(item, of: user)
      try db.markRead(contact.chat, of: user)
    }
    clock.advance(-Self.lead)
    try store.transaction { try $0.repairTimers() }
    clock.advance(Self.lead)
    #expect(try store.read { try $0.dueItems(limit: 9) }.isEmpty)
    clock.advance(86_400)
    #expect(try store.read { try $0.dueItems(limit: 9) }.count == 1)
  }

  /// Items that arrive while the many items of a chat are being marked as read stay unread.
  @Test(arguments: [false, true]) func laterItemsStayUnread(_ readsAll: Bool) throws {
    let contact = try store.transaction { try $0.createContact(profile: profile("bob"), of: user) }
    for text in ["1", "2", "3"] { try add(text, to: contact.chat) }
    let last = try store.read { try $0.lastItemNumber() }
    func mark() throws -> Bool {
      try store.transaction { db in
        if readsAll { return try db.markAllRead(of: user, through: last, limit: 2) }
        try db.markRead(contact.chat, of: user, through: last, limit: 2)
        return try db.hasUnreadItems(contact.chat, of: user, through: last)
      }
    }
    #expect(try mark())
    for text in ["4", "5", "6"] { try add(text, to: contact.chat) }
    #expect(try !mark())
    #expect(try store.rows(of: "SELECT text FROM items WHERE status = 10 ORDER BY item_id") == ["4", "5", "6"])
  }
}
