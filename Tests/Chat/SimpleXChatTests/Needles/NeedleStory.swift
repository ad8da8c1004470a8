import ChatAPI
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

@testable import SimpleXChat

/// How a message comes to be read before it is removed, or not.
enum NeedleReading: String, CaseIterable {
  /// The chat is opened, and the message is marked as read.
  case opened
  /// The chat is marked as read; the message was edited.
  case chat
  /// All chats of the user are marked as read.
  case user
  /// Its author is blocked, so that it is never unread.
  case blocked
  /// The text arrives in one message with an event that the receiver does not understand.
  case besideUnknown
  /// The message is the user's own.
  case sent
  /// The message is not read.
  case never
}

/// A conversation of alice and bob, by its names in commands.
struct NeedlePlace {
  /// The chat in alice's commands, and in bob's.
  var alice: String
  var bob: String
  /// Bob as a member of alice's group, a database id of hers; nil for the contact.
  var member: Int64?
  /// The connection by which bob sends, the agent's identifier.
  var connection: String

  /// The ways of reading that are possible here.
  var readings: [NeedleReading] { NeedleReading.allCases.filter { member != nil || $0 != .blocked } }
}

/// A text that was planted.
struct Needle {
  var text: String
  /// Its items, database ids; nil where that side has none.
  var aliceItem: Int64?
  var bobItem: Int64?
  /// Its identifier, base64url, where bob's program does not know it.
  var sharedId: String?
}

/// Alice, whose profile is encrypted, and bob, whose is not, while texts are planted with them and removed.
final class NeedleStory {
  /// What all planted texts begin with.
  static let mark = "ndlq"
  let world: TestWorld
  let alice: TestCore
  let bob: TestCore
  /// The name of the removal that is tried.
  private var removal = ""

  init(_ world: TestWorld) async throws {
    self.world = world
    (alice, bob) = (try await world.profile("alice", key: NeedleSearch.passphrase), try await world.profile("bob"))
    try await world.connect(alice, bob)
    for core in [alice, bob] { _ = try await core.run(#"/_set prefs @2 {"fullDelete":{"allow":"always"}}"#) }
    _ = try await alice.event("contactUpdated")
    _ = try await bob.event("contactUpdated")
  }

  /// The conversation of both contacts.
  func contact() async throws -> NeedlePlace {
    let connection = try await bob.rows(
      "SELECT n.agent_conn_id FROM contacts c JOIN connections n ON n.connection_id = c.connection_id "
        + "WHERE c.contact_id = 2")
    return NeedlePlace(alice: "@2", bob: "@2", member: nil, connection: try #require(connection?.first))
  }

  /// A new group of alice's that bob joined.
  func group(_ name: String) async throws -> NeedlePlace {
    let created = try await alice.run(
      #"/_group 1 {"displayName":"\#(name)","fullName":"","groupPreferences":{"#
        + #""timedMessages":{"enable":"on"},"fullDelete":{"enable":"on"}}}"#)
    let group = try #require(created["groupInfo"]?["groupId"]?.integerValue)
    _ = try await alice.run("/_add #\(group) 2 member")
    let invited = try await bob.event("receivedGroupInvitation")
    let own = try #require(invited["groupInfo"]?["groupId"]?.integerValue)
    _ = try await bob.run("/_join #\(own)")
    _ = try await bob.event("userJoinedGroup")
    let joined = try await alice.event("joinedGroupMember")
    let connection = try await bob.rows(
      "SELECT n.agent_conn_id FROM members m JOIN connections n ON n.connection_id = m.connection_id "
        + "WHERE m.group_id = \(own)")
    return NeedlePlace(
      alice: "#\(group)", bob: "#\(own)", member: joined["member"]?["groupMemberId"]?.integerValue,
      connection: try #require(connection?.first))
  }

  /// Tries a removal, and looks for what it left before the next one could remove that.
  func removal(_ name: String, _ body: () async throws -> Void) async throws {
    removal = name
    try await body()
    try await rest()
    for core in [alice, bob] {
      let rows = try await NeedleSearch.rows(of: core)
      #expect(rows.isEmpty, "\(name): \(rows.joined(separator: "\n"))")
    }
  }

  // MARK: Planting

  /// Plants a text for each way of reading.
  /// - Parameters:
  ///   - ttl: the seconds after which they disappear.
  ///   - unknown: whether the event beside one of them has a text too.
  func plant(
    in place: NeedlePlace, _ readings: [NeedleReading]? = nil, ttl: Int? = nil, unknown: Bool = true
  ) async throws -> [Needle] {
    var needles: [Needle] = []
    for reading in readings ?? place.readings {
      needles.append(try await plant(reading, in: place, ttl: ttl, unknown: unknown))
    }
    return needles
  }

  private func plant(
    _ reading: NeedleReading, in place: NeedlePlace, ttl: Int?, unknown: Bool
  ) async throws -> Needle {
    let kind = place.member == nil ? "contact" : "group"
    var needle = Needle(text: "\(Self.mark) \(removal), \(kind), \(reading.rawValue)")
    switch reading {
    case .sent:
      try await send(needle.text, by: alice, to: place.alice, ttl: ttl)
      needle.aliceItem = try await item(needle.text, of: alice)
      needle.bobItem = try await item(needle.text, of: bob)
      _ = try await bob.run("/_read user 1")
      return needle
    case .besideUnknown:
      let id = HostileGroup.id()
      needle.sharedId = id
      let ttl = ttl.map { #","ttl":\#($0)"# } ?? ""
      let text = unknown ? "\(needle.text), unknown" : "nothing"
      try await sendRaw(
        "[\(HostileGroup.message("x.msg.new", Self.content(needle.text, ttl), id: id)),"
          + HostileGroup.message("x.future", Self.content(text, ttl), id: "AAAA\(id.dropFirst(4))") + "]", in: place)
    case .blocked: try await show(false, place)
    case .opened, .chat, .user, .never: break
    }
    if needle.sharedId == nil {
      try await send(needle.text, by: bob, to: place.bob, ttl: ttl)
      needle.bobItem = try await item(needle.text, of: bob)
    }
    let id = try await item(needle.text, of: alice)
    needle.aliceItem = id
    switch reading {
    case .opened, .besideUnknown:
      _ = try await alice.run("/_get chat \(place.alice) count=5")
      _ = try await alice.run("/_read chat items \(place.alice) \(id)")
    case .chat:
      _ = try await bob.run(
        "/_update item \(place.bob) \(needle.bobItem ?? 0) json "
          + #"{"msgContent":{"type":"text","text":"\#(needle.text), edited"},"mentions":{}}"#)
      _ = try await item("\(needle.text), edited", of: alice)
      _ = try await alice.run("/_read chat \(place.alice)")
    case .user: _ = try await alice.run("/_read user 1")
    case .blocked: try await show(true, place)
    case .sent, .never: break
    }
    return needle
  }

  private static func content(_ text: String, _ more: String) -> String {
    #"{"content":{"type":"text","text":"\#(text)"}\#(more)}"#
  }

  private func show(_ isShown: Bool, _ place: NeedlePlace) async throws {
    _ = try await alice.run(
      #"/_member settings \#(place.alice) \#(place.member ?? 0) {"showMessages":\#(isShown)}"#)
  }

  private func send(_ text: String, by core: TestCore, to chat: String, ttl: Int?) async throws {
    // A link has a preview, which repeats the text.
    let preview = #"{"uri":"https://example.org","title":"\#(text)","description":"\#(text)","image":"data:,\#(text)"}"#
    _ = try await core.run(
      "/_send \(chat) live=off \(ttl.map { "ttl=\($0) " } ?? "")json "
        + #"[{"msgContent":{"type":"link","text":"\#(text)","preview":\#(preview)},"mentions":{}}]"#)
  }

  /// Sends any text from bob.
  func sendRaw(_ body: String, in place: NeedlePlace) async throws {
    let (connection, pq) = (place.connection, place.member == nil)
    _ = try await bob.controller.turn { turn in
      try turn.command(
        .send(notify: true, pq: pq, receiptsFirst: false), for: connection, body: Array(body.utf8))
    }
  }

  /// Removes notes of alice's in each way; those of another user with that user.
  func notes() async throws {
    func note(_ removal: String, in folder: Int64) async throws -> Int64 {
      let text = "\(Self.mark) note \(removal)"
      let created = try await alice.run(
        #"/_create *\#(folder) json [{"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}]"#)
      return try #require(created["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue)
    }
    _ = try await alice.run("/_delete item *1 \(try await note("deleted", in: 1)) internal")
    _ = try await note("cleared", in: 1)
    _ = try await alice.run("/_clear chat *1")
    let user = try await alice.run("/create user other")["user"]?["userId"]?.integerValue ?? 0
    let folder = try await alice.rows("SELECT note_folder_id FROM note_folders WHERE user_id = \(user)")?.first
    _ = try await note("deleted with its user", in: try #require(folder.flatMap { Int64($0) }))
    _ = try await alice.run("/_user 1")
    _ = try await alice.run("/_delete user \(user) del_smp=off")
    try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM chats WHERE user_id = \(user))")
  }

  // MARK: Waiting

  /// Waits for the item with a text, and returns its database id.
  private func item(_ text: String, of core: TestCore) async throws -> Int64 {
    for _ in 0..<5_000 {
      let found = try await core.rows("SELECT item_id FROM items WHERE text = '\(text)'")
      if let id = found?.first { return Int64(id) ?? 0 }
      try await Task.sleep(for: .milliseconds(4))
    }
    throw TestWorld.Unexpected(description: "\(core.name) has no \(text)")
  }

  /// Waits until items are gone, and what was kept of messages that were not understood. Without it the test goes on:
  /// the search reports what is left.
  func gone(_ needles: [Needle], at cores: [TestCore]) async throws {
    for core in cores {
      let ids = needles.compactMap { core.name == "alice" ? $0.aliceItem : $0.bobItem }.map(String.init)
      let left = "SELECT 1 FROM items WHERE item_id IN (\(ids.joined(separator: ","))) AND text LIKE '\(Self.mark)%'"
      for _ in 0..<400 {
        if try await core.rows(left)?.isEmpty == true { break }
        try await Task.sleep(for: .milliseconds(10))
      }
    }
  }

  /// Waits until everything was delivered, removed and purged.
  func rest() async throws {
    for core in [alice, bob] {
      try await core.waitUntilIdle()
      await core.controller.cleanNow()
      try await core.wait(until: "NOT EXISTS (SELECT 1 FROM chats WHERE kind = 9)")
      try await core.wait(until: "NOT EXISTS (SELECT 1 FROM files WHERE removed = 1)")
      try await core.waitUntilIdle()
    }
  }
}
