import AgentCore
import AgentProtocol
import AgentStore
import ChatAPI
import ChatStore
import ProfileImport
import SMPProtocol
import SQLiteKit
import Testing

/// A profile that version 6.4.11 wrote: its tables are not STRICT, roles are blobs, and introductions have a table.
@Suite struct OldProfileTests {
  private let profile: ReferenceProfile
  private let report: ImportReport

  init() throws {
    profile = try ReferenceProfile("reference-6.4")
    var importing = profile.makeImport()
    importing.acceptsLosses = false
    report = try importing.run()
  }

  private func texts(_ sql: String, agent: Bool = false) throws -> [String] {
    try SQLiteConnection(path: profile.target + (agent ? "_agent.db" : "_chat.db")).rows(of: sql, limit: 1000)
  }

  /// The same query on the original databases.
  private func original(_ sql: String, agent: Bool = false) throws -> [String] {
    let path = (agent ? profile.agent : profile.chat) + ProfileImport.importedSuffix
    return try SQLiteConnection(path: path).rows(of: sql, limit: 1000)
  }

  @Test func takesEverything() throws {
    #expect(report.left.isEmpty && report.damages.isEmpty)
    let expected: [ImportReport.Kind: Int] = [
      .users: 2, .servers: 4, .contacts: 11, .groups: 6, .members: 15, .addresses: 2, .requests: 2, .connections: 17,
      .messages: 175, .files: 4, .reactions: 4, .versions: 7, .tags: 2, .outgoingMessages: 11, .pendingMessages: 2,
      .probes: 9,
    ]
    #expect(report.taken == expected)
    for (ours, theirs) in [
      ("items", "chat_items"), ("members", "group_members"), ("connections", "connections"), ("files", "files"),
      ("profiles", "contact_profiles"), ("item_versions", "chat_item_versions"),
    ] {
      #expect(try texts("SELECT count(*) FROM \(ours)") == original("SELECT count(*) FROM \(theirs)"), "\(ours)")
    }
  }

  @Test func takesMembers() throws {
    #expect(
      try texts("SELECT role FROM members ORDER BY member_id")
        == original("SELECT CAST(member_role AS TEXT) FROM group_members ORDER BY group_member_id"))
    // In the table of introductions all members of the first group but the last are connected with each other.
    #expect(try original("SELECT count(*) FROM group_member_intros WHERE intro_status = 'con'") == ["3"])
    let store = try ChatDatabase(path: profile.target + "_chat.db")
    #expect(try store.read { try $0.indexes(ofMember: 2) { $0 == .connected } } == [2, 3])
    #expect(try store.read { try $0.indexes(ofMember: 3) { $0 == .connected } } == [1, 3])
    #expect(try store.read { try $0.indexes(ofMember: 4) { $0 == .connected } } == [1, 2])
    #expect(try store.read { try $0.indexes(ofMember: 15) { $0 == .connected } } == [])
  }

  @Test func takesMessages() throws {
    let user = "user_id = 1"
    #expect(
      try texts("SELECT text FROM items WHERE \(user) ORDER BY item_id")
        == original("SELECT item_text FROM chat_items WHERE \(user) ORDER BY chat_item_id"))
    // Version 6.4 does not store which messages have links.
    #expect(try texts("SELECT text FROM items WHERE has_link = 1") == ["see https://simplex.chat"])
    #expect(
      try texts("SELECT count(*) FROM items WHERE timed_ttl IS NOT NULL")
        == original("SELECT count(*) FROM chat_items WHERE timed_ttl IS NOT NULL"))
    #expect(
      try texts("SELECT count(*) FROM items i JOIN chats c USING (chat_id) WHERE c.scope <> 0")
        == original("SELECT count(*) FROM chat_items WHERE group_scope_tag IS NOT NULL"))
    #expect(
      try texts("SELECT text FROM items WHERE quoted_id IS NOT NULL ORDER BY item_id")
        == original("SELECT item_text FROM chat_items WHERE quoted_shared_msg_id IS NOT NULL ORDER BY chat_item_id"))
    #expect(try texts("SELECT text FROM items WHERE forwarded IS NOT NULL") == ["hello my dear bob"])
  }

  @Test func takesUsersAndSettings() throws {
    #expect(
      try texts("SELECT local_display_name FROM users WHERE view_password_hash IS NOT NULL") == ["amelia"])
    #expect(try texts("SELECT count(*) FROM settings WHERE name = 'app'") == ["1"])
    #expect(try texts("SELECT count(*) FROM chat_tagging") == ["3"])
    #expect(
      try texts("SELECT count(*) FROM connections WHERE custom_profile_id IS NOT NULL")
        == original("SELECT count(*) FROM connections WHERE custom_user_profile_id IS NOT NULL"))
  }

  @Test func goesOnWithWhatIsUnderWay() throws {
    let store = try AgentDatabase(path: profile.target + "_agent.db")
    let ids = try original("SELECT CAST(conn_id AS TEXT) FROM connections ORDER BY 1", agent: true)
    var (switching, synchronizing, waiting) = (0, 0, 0)
    for id in ids {
      guard let connection = try store.connection(ConnectionID(Array(id.utf8))) else { continue }
      switching += try store.receiveQueues(of: connection.number).count { $0.switchStatus != nil }
      if connection.ratchetSync == .started { synchronizing += 1 }
      waiting += try store.tasks(of: connection.number).count
    }
    #expect(switching == 1 && synchronizing == 1 && waiting == 11)
    #expect(try store.events().isEmpty)
    #expect(try texts("SELECT member_id FROM pending_messages") == ["15", "15"])
    #expect(try texts("SELECT count(*) FROM agent_commands") == ["1"])
    #expect(try texts("SELECT local_display_name FROM contacts WHERE full_link IS NOT NULL").contains("ivan"))
    #expect(try texts("SELECT count(*) FROM groups WHERE link_prepared = 1 OR full_link IS NOT NULL") != ["0"])
  }
}
