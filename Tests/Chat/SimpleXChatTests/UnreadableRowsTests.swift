import Foundation
import SQLiteKit
import SimplexJSON
import SimplexTesting
import Testing

@testable import SimpleXChat

/// A row that cannot be read is named, and the rest of the profile works: whichever text, name of an enumeration or
/// blob is damaged, the chat starts, chats are listed and opened, and messages are sent and received.
@Suite(.timeLimit(.minutes(5))) struct UnreadableRowsTests {
  /// A column of a row, as it was.
  private struct Damage {
    let table: String
    let column: String
    let key: Int64
    let value: SQLiteValue
  }

  /// A value that is nothing of what a column may have instead of one that it has: JSON that ends too early, a name of
  /// a later version, or bytes. Those of another type are refused by the schema.
  private static func garbage(insteadOf value: SQLiteValue) -> SQLiteValue {
    switch value {
    case .blob: .blob([0xFF, 0, 0x7B])
    case .text(let text) where ["{", "[", "\""].contains(String(text.prefix(1))): .text(#"{"type":"#)
    default: .text("later")
    }
  }

  /// Columns without which the profile is another one.
  private static let identities: Set<String> = [
    // The number of the user in the agent, and the build that made the schema: nothing can replace them.
    "users.agent_user_id", "schema_fingerprint.fingerprint",
  ]

  /// Alice, with contacts, a group, an address, requests, files, notes, a tag and a connection that waits.
  private func fill(_ world: TestWorld) async throws -> TestCore {
    let (alice, bob) = try await world.connected("alice", "bob")
    let (cath, dan) = (try await world.profile("cath"), try await world.profile("dan"))
    try await world.connect(alice, cath)
    try await world.makeTeam(alice, bob)
    let link = try await alice.run("/ad")["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
    _ = try await dan.run("/c \(link)")
    _ = try await alice.event("receivedContactRequest")
    _ = try await alice.run("/connect")
    _ = try await alice.run("/_create link #1 member")
    _ = try await alice.run(#"/_create tag {"text":"friends"}"#)
    _ = try await alice.run("/_tags @2 1")
    for (core, chat) in [(alice, "@bob"), (bob, "@alice"), (alice, "#team"), (bob, "#team")] {
      for text in ["first", "second"] { _ = try await core.run("\(chat) \(text)") }
    }
    for chat in ["@2", "#1"] {
      try await alice.wait(until: "EXISTS (SELECT 1 FROM items WHERE sent = 0 AND text = 'second')")
      let items = try await alice.run("/_get chat \(chat) count=10")["chat"]?["chatItems"]?.arrayValue ?? []
      for item in items {
        guard let id = item["meta"]?["itemId"]?.integerValue else { continue }
        _ = await alice.controller.sendText(#"/_reaction \#(chat) \#(id) on {"type":"emoji","emoji":"👍"}"#)
        _ = await alice.controller.sendText(
          #"/_update item \#(chat) \#(id) json {"msgContent":{"type":"text","text":"edited"},"mentions":{}}"#)
      }
      if let id = items.last?["meta"]?["itemId"]?.integerValue {
        _ = try await alice.run(
          #"/_send \#(chat) json [{"quotedItemId":\#(id),"msgContent":{"type":"text","text":"a quote"},"mentions":{}}]"#
        )
      }
    }
    _ = try await alice.run(#"/_create *1 json [{"msgContent":{"type":"text","text":"note"},"mentions":{}}]"#)
    let file = world.folder.appending(path: "picture.jpg")
    try Data(count: 1_000).write(to: file)
    _ = try await alice.run("/f @bob \(file.path)")
    _ = try await bob.run("/f @alice \(file.path)")
    _ = try await alice.event("newChatItems") {
      $0["chatItems"]?[0]?["chatItem"]?["file"]?["fileId"]?.integerValue != nil
    }
    _ = try await alice.run("/_set prefs @2 {\"fullDelete\":{\"allow\":\"always\"}}")
    _ = try await alice.run(#"/_save app settings {"appPlatform":"desktop"}"#)
    for core in [alice, bob, cath] { try await core.waitUntilIdle() }
    return alice
  }

  private func columns(_ database: SQLiteConnection) throws -> [(table: String, column: String)] {
    try database.all(
      """
      SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' \
      AND m.name NOT LIKE 'sqlite_%' AND m.sql NOT LIKE '%WITHOUT ROWID%' AND c.type IN ('TEXT', 'BLOB', 'ANY') \
      ORDER BY 1, c.cid
      """
    ) { (row) throws(SQLiteError) in (table: try row.text(0), column: try row.text(1)) }
  }

  /// Damages a column of the first row that has something in it; nil where none has, and where the schema refuses that.
  private func damage(_ table: String, _ column: String, _ path: String) throws -> Damage? {
    let database = try SQLiteConnection(path: path, access: .readWrite)
    let found = try database.first("SELECT rowid, \(column) FROM \(table) WHERE \(column) IS NOT NULL LIMIT 1") {
      (row) throws(SQLiteError) in
      Damage(table: table, column: column, key: try row.integer(0), value: try row.value(1))
    }
    guard let found else { return nil }
    do throws(SQLiteError) {
      try database.execute(
        "UPDATE \(table) SET \(column) = ? WHERE rowid = ?",
        values: [Self.garbage(insteadOf: found.value), .integer(found.key)])
    } catch {
      guard case .constraint = error.kind else { throw error }
      return nil
    }
    return found
  }

  /// Puts back what was damaged; not where the start replaced the row by another one, as for a preset operator.
  private func repair(_ damage: Damage, _ path: String) throws {
    let database = try SQLiteConnection(path: path, access: .readWrite)
    do throws(SQLiteError) {
      try database.execute(
        "UPDATE \(damage.table) SET \(damage.column) = ? WHERE rowid = ?",
        values: [damage.value, .integer(damage.key)])
    } catch {
      guard case .constraint = error.kind else { throw error }
    }
  }

  @Test func whateverIsDamagedTheRestWorks() async throws {
    try await TestWorld.with(network: try MemoryNetwork(), files: true) { world in
      var alice = try await fill(world)
      let cath = try #require(world.cores["cath"])
      let path = alice.controller.options.chatDatabase
      await alice.controller.finish()
      let all = try columns(try SQLiteConnection(path: path, access: .readOnly))
      #expect(all.count > 100)
      var (number, tried) = (0, 0)
      for (table, column) in all where !Self.identities.contains("\(table).\(column)") {
        guard let damage = try damage(table, column, path) else { continue }
        tried += 1
        let place = "\(table).\(column)"
        do {
          alice = try await world.open("alice")
          _ = try await alice.run("/_get chats 1 pcc=on")
          for chat in ["@3", "*1"] { _ = try await alice.run("/_get chat \(chat) count=20") }
          for chat in ["@2", "#1"] { try await opens(chat, alice, place) }
          number += 1
          _ = try await alice.run("@cath to \(number)")
          try await cath.wait(until: "EXISTS (SELECT 1 FROM items WHERE text = 'to \(number)')")
          _ = try await cath.run("@alice from \(number)")
          try await alice.wait(until: "EXISTS (SELECT 1 FROM items WHERE text = 'from \(number)')")
        } catch {
          Issue.record("\(place): \(error)")
        }
        await alice.controller.finish()
        try repair(damage, path)
      }
      #expect(tried >= 50, "\(tried)")
    }
  }

  /// A damaged chat can be opened.
  private func opens(_ chat: String, _ alice: TestCore, _ place: String) async throws {
    let answer = try await alice.answer("/_get chat \(chat) count=20")
    #expect(answer["type"]?.stringValue == "apiChat", "\(place): \(chat): \(answer.jsonText())")
  }

  /// What cannot be read is named once, without its content; the user can replace and delete it.
  @Test func whatCannotBeReadIsNamedAndCanBeDeleted() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (first, bob) = try await world.connected("alice", "bob")
      _ = try await bob.run("@alice hello")
      #expect(try await first.message() == "hello")
      for change in [
        "contacts SET status = 'later' WHERE contact_id = 2", "contacts SET user_preferences = '{secret'",
        "connections SET status = 'later' WHERE contact_id = 2", "items SET content = '{secret'",
      ] { _ = try await first.run("/sql chat UPDATE \(change)") }
      let alice = try await world.restart("alice")
      for _ in 0..<2 { _ = try await alice.run("/_get chats 1 pcc=on") }
      var named: [String] = []
      for _ in 0..<3 {
        named.append(try await alice.event("errorStore")["storeError"]?["message"]?.stringValue ?? "")
      }
      for column in ["contact_id 2, status", "contact_id 2, user_preferences"] {
        #expect(named.contains { $0.contains(column) }, "\(named)")
      }
      #expect(!named.contains { $0.contains("secret") })
      await #expect(throws: Unexpected.self) { try await alice.event("errorStore", within: .milliseconds(100)) }
      // Messages pass in both directions.
      _ = try await alice.run("@bob still there?")
      #expect(try await bob.message() == "still there?")
      _ = try await bob.run("@alice yes")
      #expect(try await alice.message() == "yes")
      // Replaced.
      _ = try await alice.run(#"/_set prefs @2 {"fullDelete":{"allow":"always"}}"#)
      #expect(try await alice.rows("SELECT json_valid(user_preferences) FROM contacts WHERE contact_id = 2") == ["1"])
      // Deleted.
      _ = try await alice.run("/_delete @2 full notify=off")
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM contacts WHERE contact_id = 2)")
    }
  }
}
