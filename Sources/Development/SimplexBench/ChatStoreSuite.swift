import ChatAPI
import ChatStore
import SQLiteKit
import SimplexCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The chat database with 1,000 conversations of 100 messages each: the costs of opening the app, opening a chat and
/// sending. Commits are durable.
func chatStoreSuite(_ bench: Bench) throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "chat-store-bench-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  let path = folder.appending(path: "bench_chat.db").path
  defer { try? FileManager.default.removeItem(at: folder) }
  let filled = try FilledStore(path: path, chats: 1_000, messages: 100)
  filled.store.close()

  try measureCopying(bench, path: path)
  let before = residentMemory()
  let opening = try ContinuousClock().measure { try filled.store.reopen() }
  bench.record("open with 100,000 messages", opening.inSeconds * 1000, unit: "ms", goal: 50, lessIsBetter: true)
  var contacts = ContactCycle(filled.contacts)
  try measureReading(bench, filled, contacts: &contacts)
  try measureMessages(bench, filled, contacts: &contacts)
  bench.record(
    "memory of the open store", Double(residentMemory() - before) / 1e6, unit: "MB", goal: 10, lessIsBetter: true)
  try measureClearing(bench, filled)
  try measureEncrypted(bench, filled, contacts: &contacts, copy: folder.appending(path: "encrypted_chat.db").path)
}

private let allChats = ChatListQuery.filters(favorite: false, unread: false)

/// Contacts in an order that differs from that of their rows.
private struct ContactCycle {
  private let contacts: [Contact]
  private var index = 0

  init(_ contacts: [Contact]) { self.contacts = contacts }

  mutating func next() -> Contact {
    index = (index + 379) % contacts.count
    return contacts[index]
  }

  mutating func nextChat() -> ChatRef { ChatRef(chatType: .direct, chatId: next().contactId) }
}

private func measureCopying(_ bench: Bench, path: String) throws {
  let database = try SQLiteConnection(path: path)
  try database.setPragma("locking_mode", "EXCLUSIVE")
  defer { remove(path + ".bak") }
  let copying = try ContinuousClock().measure { try database.copyFile(to: path + ".bak") }
  bench.record(
    "copy before an upgrade, 100,000 messages", copying.inSeconds * 1000, unit: "ms", goal: 100, lessIsBetter: true)
}

private func measureReading(_ bench: Bench, _ filled: FilledStore, contacts: inout ContactCycle) throws {
  let (store, user) = (filled.store, filled.user)
  try bench.milliseconds("list of 1,000 chats", goal: 20) {
    blackHole(
      try store.read {
        try $0.chats(of: user, pendingConnections: true, pagination: .last(count: 5_000), query: allChats)
      })
  }
  try bench.milliseconds("list of 20 chats", goal: 2) {
    blackHole(
      try store.read {
        try $0.chats(of: user, pendingConnections: true, pagination: .last(count: 20), query: allChats)
      })
  }
  try bench.milliseconds("open a chat at its first unread message", goal: 10) {
    let chat = contacts.nextChat()
    blackHole(try store.read { try $0.chat(chat, pagination: .initial(count: 50), of: user).chat })
  }
  try bench.milliseconds("last 100 items of a chat", goal: 3, reference: 11) {
    let chat = contacts.nextChat()
    blackHole(try store.read { try $0.chat(chat, pagination: .last(count: 100), of: user).chat })
  }
  try bench.milliseconds("search in a chat") {
    let chat = contacts.nextChat()
    blackHole(try store.read { try $0.chat(chat, pagination: .last(count: 50), search: "tea 99", of: user).chat })
  }
  try bench.milliseconds("search everywhere, nothing found") {
    blackHole(try store.read { try $0.allItems(of: user, pagination: .last(count: 50), search: "nowhere") })
  }
}

private func measureMessages(_ bench: Bench, _ filled: FilledStore, contacts: inout ContactCycle) throws {
  let (store, user) = (filled.store, filled.user)
  let body = [UInt8](repeating: 7, count: 300)
  try bench.milliseconds("send: item and command, then taken", goal: 5) {
    let contact = contacts.next()
    let connection = contact.activeConn?.agentConnId ?? ""
    let new = NewItem(
      chat: ChatRef(chatType: .direct, chatId: contact.contactId), content: .sndMsgContent(msgContent: .text("Tea?")),
      sharedMsgId: "c2hhcmVkLXNlbmQ")
    let command = try store.transaction { db in
      let item = try db.createItem(new, of: user)
      let id = try db.addCommand(
        agentConnId: connection, kind: 1, payload: [84, 84], packet: try db.addPacket(body))
      try db.addDelivery(command: id, items: [item.meta.itemId])
      return id
    }
    try store.transaction { try $0.removeCommand(command) }
  }
  try bench.milliseconds("receive: item and number", goal: 5) {
    let contact = contacts.next()
    let new = NewItem(
      chat: ChatRef(chatType: .direct, chatId: contact.contactId), content: .rcvMsgContent(msgContent: .text("Tea!")),
      sharedMsgId: "c2hhcmVkLXJjdg")
    blackHole(
      try store.transaction { db in
        _ = try db.receiveMessage(connectionId: contact.activeConn?.connId ?? 0, agentMessageId: 1)
        return try db.createItem(new, of: user)
      })
  }
}

private func measureClearing(_ bench: Bench, _ filled: FilledStore) throws {
  let (store, user, clock) = (filled.store, filled.user, ContinuousClock())
  let big = try filled.fillOne(20_000)
  let clearing = try clock.measure { try store.transaction { try $0.clear(big, of: user) } }
  bench.record("clear a chat of 20,000 messages", clearing.inSeconds * 1000, unit: "ms", goal: 100, lessIsBetter: true)
  var longest = 0.0
  var more = true
  while more {
    let batch = try clock.measure { more = try store.transaction { try $0.purge() } }
    longest = max(longest, batch.inSeconds * 1000)
  }
  bench.record("longest batch of purging them", longest, unit: "ms", goal: 100, lessIsBetter: true)
  let unread = try filled.fillOne(20_000, unread: true)
  let reading = try clock.measure {
    blackHole(try store.transaction { try $0.markRead(unread, of: user, limit: 2_000) })
  }
  bench.record("mark 2,000 messages as read", reading.inSeconds * 1000, unit: "ms", goal: 100, lessIsBetter: true)
}

private func measureEncrypted(
  _ bench: Bench, _ filled: FilledStore, contacts: inout ContactCycle, copy: String
) throws {
  defer { for suffix in ["", "-wal", "-shm"] { remove(copy + suffix) } }
  let (user, secret) = (filled.user, SecretBytes(Array("passphrase".utf8)))
  try filled.store.export(to: copy, passphrase: secret)
  filled.store.close()
  let encrypted = try ChatDatabase(path: copy, passphrase: secret)
  try bench.milliseconds("list of 1,000 chats, encrypted", goal: 40) {
    blackHole(
      try encrypted.read {
        try $0.chats(of: user, pendingConnections: true, pagination: .last(count: 5_000), query: allChats)
      })
  }
  try bench.milliseconds("last 100 items of a chat, encrypted", goal: 3) {
    let chat = contacts.nextChat()
    blackHole(try encrypted.read { try $0.chat(chat, pagination: .last(count: 100), of: user).chat })
  }
  try measureDeleting(bench, store: encrypted, user: user)
  encrypted.close()
}

/// The longest time that others wait while old messages expire, and while a user with all data is deleted.
private func measureDeleting(_ bench: Bench, store: ChatDatabase, user: User) throws {
  let clock = ContinuousClock()
  var longest = 0.0
  func slice(_ body: (ChatTransaction) throws -> Bool) throws -> Bool {
    var more = false
    let time = try clock.measure { more = try store.transaction(body) }
    longest = max(longest, time.inSeconds * 1000)
    return more
  }
  try store.transaction { try $0.setItemTTL(3_600, of: user) }
  let time = Date().addingTimeInterval(60)
  for (chat, _) in try store.read({ try $0.chatsToExpire(of: user) }).prefix(500) {
    while try slice({ try $0.deleteItems(in: chat, createdBefore: time, of: user) }) {}
  }
  bench.record(
    "longest batch of expiring 50,000 messages, encrypted", longest, unit: "ms", goal: 100, lessIsBetter: true)
  longest = 0
  try store.transaction { try $0.deleteUser(user) }
  while try slice({ try !$0.deleteSome(ofDeletedUser: user.userId, limit: 50) }) {}
  bench.record(
    "longest part of deleting a user with 1,000 contacts, encrypted", longest, unit: "ms", goal: 100,
    lessIsBetter: true)
}

extension Bench {
  /// Measures the duration of one call, in its fastest part of a second.
  fileprivate func milliseconds(
    _ name: String, goal: Double? = nil, reference: Double? = nil, _ operation: () throws -> Void
  ) rethrows {
    record(name, 1000 / (try rate(operation)), unit: "ms", goal: goal, reference: reference, lessIsBetter: true)
  }
}

/// A database with realistic contacts and messages: short texts, some formatted, some quotes and reactions, the last
/// few unread.
private struct FilledStore {
  let store: ChatDatabase
  let user: User
  let contacts: [Contact]

  init(path: String, chats: Int, messages: Int) throws {
    let store = try ChatDatabase(path: path)
    let user = try store.transaction { db in
      let user = try db.createUser(agentUserId: "1", profile: Profile(displayName: "alice", fullName: ""))
      _ = try db.createNoteFolder(of: user)
      return user
    }
    let image = "data:image/jpg;base64," + String(repeating: "QUJDRA", count: 400)
    contacts = try store.transaction { db in
      try (0..<chats).map { number in
        let new = NewConnection(
          agentConnId: "Y29ubmVjdGlvbg\(number)", entity: .contact(nil), chatVersion: 16,
          peerVersions: VersionRange(1, 16))
        let connection = try db.createConnection(new, of: user)
        try db.setStatus(.ready, ofConnection: connection.connId)
        let profile = Profile(
          displayName: "contact\(number)", fullName: "Contact \(number)", image: number % 3 == 0 ? image : nil,
          preferences: Preferences(calls: SimplePreference(allow: .yes)))
        return try db.createContact(profile: profile, connection: connection, of: user)
      }
    }
    (self.store, self.user) = (store, user)
    for message in 0..<messages {
      try store.transaction { db in
        for contact in contacts { _ = try db.createItem(Self.item(message, of: messages, contact: contact), of: user) }
      }
    }
  }

  private static func item(_ number: Int, of count: Int, contact: Contact) -> NewItem {
    let text =
      number % 7 == 0 ? "Yes: *see* https://example.com about tea \(number)" : "Shall we have tea \(number) times?"
    let content: MsgContent = .text(text)
    var new = NewItem(
      chat: ChatRef(chatType: .direct, chatId: contact.contactId),
      content: number % 2 == 0 ? .sndMsgContent(msgContent: content) : .rcvMsgContent(msgContent: content),
      sharedMsgId: "c2hhcmVk\(number)")
    if number % 10 == 9 {
      new.quotedItem = CIQuote(
        chatDir: .directSnd, sharedMsgId: "c2hhcmVk\(number - 1)", sentAt: Date(timeIntervalSince1970: 1_700_000_000),
        content: .text("Shall we have tea?"))
    }
    if !new.content.isRead, number < count - 6 { new.status = .rcvRead }
    return new
  }

  /// One chat with this many messages.
  func fillOne(_ count: Int, unread: Bool = false) throws -> ChatRef {
    let contact = contacts[0]
    for start in stride(from: 0, to: count, by: 1_000) {
      try store.transaction { db in
        for number in start..<min(count, start + 1_000) {
          let new =
            unread
            ? NewItem(
              chat: ChatRef(chatType: .direct, chatId: contact.contactId),
              content: .rcvMsgContent(msgContent: .text("Tea?")), sharedMsgId: "dW5yZWFk\(number)")
            : Self.item(number, of: count, contact: contact)
          _ = try db.createItem(new, of: user)
        }
      }
    }
    return ChatRef(chatType: .direct, chatId: contact.contactId)
  }
}

extension CIContent {
  /// Whether the item was sent by the user, and so is never unread.
  fileprivate var isRead: Bool { if case .sndMsgContent = self { true } else { false } }
}
