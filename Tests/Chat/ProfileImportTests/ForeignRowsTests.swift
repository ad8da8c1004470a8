import ChatAPI
import ChatStore
import SQLiteKit
import Testing

@testable import ProfileImport

/// Rows whose features are not there yet are kept, and written back.
@Suite struct ForeignRowsTests {
  @Test func returnsRowsAsTheyWere() throws {
    let exported = try ExportedProfile(
      chat: """
        INSERT INTO remote_controllers (remote_ctrl_id, ctrl_device_name, ca_key, ca_cert, ctrl_fingerprint, id_pub,
          dh_priv_key) VALUES (1, 'desktop', x'21', x'22', x'23', x'24', x'25');
        """,
      agent: """
        INSERT INTO ntf_servers (ntf_host, ntf_port, ntf_key_hash, created_at, updated_at)
          VALUES ('ntf.example', '443', x'0a', '2026-01-01 00:00:00', '2026-01-01 00:00:00');
        """)
    let report = try exported.makeExport().run()
    let count = try #require(report.taken[.foreignRows])
    try exported.extract()
    #expect(report.left[.foreignRows] == nil)
    let controllers = try rows(of: exported.returned + "_chat.db")["remote_controllers"]
    #expect(controllers?.count == 1 && controllers?.first?.contains("id_pub=blob([36])") == true)
    #expect(try rows(of: exported.returned + "_agent.db")["ntf_servers"]?.count == 1)
    let again = try rows(of: try exported.importReturned() + "_chat.db")
    #expect(again["foreign_rows"]?.count == count)
  }

  private static let keys = """
    INSERT INTO ntf_servers (ntf_host, ntf_port, ntf_key_hash) VALUES ('ntf.example', '443', x'0a');
    INSERT INTO ntf_tokens (provider, device_token, ntf_host, ntf_port, tkn_id, tkn_pub_key, tkn_priv_key,
      tkn_pub_dh_key, tkn_priv_dh_key, tkn_dh_secret, tkn_status, ntf_mode)
      VALUES ('apns', x'0102', 'ntf.example', '443', x'03', x'04', x'05', x'06', x'07', x'08', 'ACTIVE',
      CAST('INSTANT' AS BLOB));
    """

  /// Versions before 6.5 keep some texts as blobs, which the schema of the export refuses.
  @Test func returnsKeysAndTextsThatAreBlobs() throws {
    let exported = try ExportedProfile(
      chat: """
        INSERT INTO remote_hosts (remote_host_id, host_device_name, store_path, ca_key, ca_cert, id_key,
          host_fingerprint, host_dh_pub) VALUES (1, 'phone', 'folder', x'11', x'12', x'13', x'14', x'15');
        INSERT INTO remote_controllers (remote_ctrl_id, ctrl_device_name, ca_key, ca_cert, ctrl_fingerprint, id_pub,
          dh_priv_key) VALUES (1, 'desktop', x'21', x'22', x'23', x'24', x'25');
        """, agent: Self.keys)
    let report = try exported.makeExport().run()
    #expect(report.left[.foreignRows] == nil)
    try exported.extract()
    let chat = try rows(of: exported.returned + "_chat.db")
    let host = try #require(chat["remote_hosts"]?.first)
    #expect(host.contains("ca_key=blob([17])") && host.contains("id_key=blob([19])"))
    #expect(chat["remote_controllers"]?.first?.contains("dh_priv_key=blob([37]) prev_dh_priv_key=null") == true)
    let token = try #require(try rows(of: exported.returned + "_agent.db")["ntf_tokens"]?.first)
    #expect(token.contains("device_token=blob([1, 2])") && token.contains("ntf_mode=text(\"INSTANT\")"))
    #expect(token.contains("tkn_priv_key=blob([5])") && token.contains("tkn_priv_dh_key=blob([7])"))
    #expect(token.contains("tkn_dh_secret=blob([8])"))
  }

  @Test func leavesSubscriptionsOfConnectionsThatAreGone() throws {
    let exported = try ExportedProfile(
      agent: Self.keys + """
        INSERT INTO ntf_subscriptions (conn_id, ntf_host, ntf_port, ntf_sub_status)
          SELECT conn_id, 'ntf.example', '443', 'ACTIVE' FROM connections
          WHERE CAST(conn_id AS TEXT) = 'pljVu1K7Cu4rip4b';
        INSERT INTO ntf_subscriptions (conn_id, ntf_host, ntf_port, ntf_sub_status)
          VALUES (x'0102', 'ntf.example', '443', 'ACTIVE');
        """)
    #expect(try exported.makeExport().run().left[.foreignRows] == 1)
    try exported.extract()
    #expect(try rows(of: exported.returned + "_agent.db")["ntf_subscriptions"]?.count == 1)
  }

  private static let time = "'2026-01-01 00:00:00'"

  /// A public group with its roster, and with what its relay delivers.
  private static let channel = """
    INSERT INTO display_names (user_id, local_display_name, ldn_base, ldn_suffix, created_at, updated_at)
      VALUES (1, 'news', 'news', 0, \(time), \(time));
    INSERT INTO group_profiles (group_profile_id, display_name, full_name, created_at, updated_at, user_id)
      VALUES (9, 'news', '', \(time), \(time), 1);
    INSERT INTO groups (group_id, user_id, local_display_name, group_profile_id, created_at, updated_at, use_relays,
      root_priv_key, roster_version, roster_blob, chat_item_id, summary_current_members_count)
      VALUES (7, 1, 'news', 9, \(time), \(time), 1, x'0a0b', 3, x'0c', 999, 1);
    INSERT INTO group_members (group_member_id, group_id, member_id, member_role, member_category, member_status,
      user_id, local_display_name, contact_profile_id, created_at, updated_at, invited_by)
      SELECT 70, 7, x'01', 'owner', 'user', 'creator', 1, 'news', contact_profile_id, \(time), \(time), 999
      FROM contacts WHERE is_user = 1;
    INSERT INTO chat_relays (chat_relay_id, address, display_name, domains, user_id, preset, enabled, deleted)
      VALUES (5, x'02', 'relay', '', 1, 0, 1, 0), (6, x'03', 'other', '', 1, 0, 1, 0);
    INSERT INTO group_relays (group_relay_id, group_id, group_member_id, chat_relay_id, relay_status)
      VALUES (1, 7, 70, 5, 'active');
    INSERT INTO rcv_roster_transfers (roster_transfer_id, group_id, from_member_id, roster_version, roster_digest,
      sending_owner_gm_id, broker_ts) VALUES (1, 7, 70, 4, x'0d', 70, \(time));
    INSERT INTO messages (message_id, msg_sent, chat_msg_event, msg_body, created_at, updated_at, group_id,
      connection_id) VALUES (500, 0, 'x.msg.new', CAST('{}' AS BLOB), \(time), \(time), 7, 999);
    INSERT INTO delivery_tasks (delivery_task_id, group_id, worker_scope, sender_group_member_id, message_id,
      task_status, message_from_channel) VALUES (3, 7, 'group', 70, 500, 'new', 1);
    INSERT INTO delivery_jobs (delivery_job_id, group_id, worker_scope, body, job_status)
      VALUES (4, 7, 'group', x'0e', 'pending');
    """

  /// Public groups come back with their keys and members, and with what refers to them.
  @Test func returnsPublicGroups() throws {
    let exported = try ExportedProfile(chat: Self.channel)
    let report = try exported.makeExport().run()
    #expect(report.left[.foreignRows] == nil)
    try exported.extract()
    let chat = try rows(of: exported.returned + "_chat.db")
    let group = try #require(chat["groups"]?.first { $0.contains("use_relays=integer(1)") })
    for part in [
      "group_id=integer(7)", "root_priv_key=blob([10, 11])", "roster_version=integer(3)", "roster_blob=blob([12])",
      "chat_item_id=null", "summary_current_members_count=integer(1)",
    ] { #expect(group.contains(part), "\(part)") }
    let member = chat["group_members"]?.first { $0.hasPrefix("group_member_id=integer(70) group_id=integer(7)") }
    #expect(member?.contains("invited_by=null") == true)
    for table in ["group_relays", "rcv_roster_transfers", "delivery_tasks", "delivery_jobs", "chat_relays"] {
      #expect(chat[table]?.count == 1, "\(table)")
    }
    let database = try SQLiteConnection(path: exported.returned + "_chat.db")
    let body = try database.first(
      "SELECT CAST(msg_body AS TEXT), p.display_name FROM delivery_tasks t JOIN messages USING (message_id) "
        + "JOIN groups g ON g.group_id = t.group_id JOIN group_profiles p USING (group_profile_id)"
    ) { (row) throws(SQLiteKit.SQLiteError) in [try row.text(0), try row.text(1)] }
    #expect(body == ["{}", "news"])
    // They are kept once more, and new groups get other numbers.
    let ours = try rows(of: exported.profile.target + "_chat.db")
    let again = try rows(of: try exported.importReturned() + "_chat.db")
    #expect(again["foreign_rows"]?.count == ours["foreign_rows"]?.count)
    for (table, last) in [("groups", 7), ("members", 70)] {
      #expect(ours["sqlite_sequence"]?.contains("name=text(\"\(table)\") seq=integer(\(last))") == true)
    }
  }

  /// Members of public groups stay when the contact who they are is deleted; the user's membership stays when the user
  /// has another name.
  @Test func membersOfPublicGroupsStay() throws {
    let exported = try ExportedProfile(
      chat: Self.channel + """
        UPDATE group_members SET contact_id = (SELECT contact_id FROM contacts WHERE is_user = 1),
          local_display_name = (SELECT local_display_name FROM users WHERE user_id = 1) WHERE group_member_id = 70;
        INSERT INTO group_members (group_member_id, group_id, member_id, member_role, member_category, member_status,
          user_id, local_display_name, contact_profile_id, contact_id, index_in_group, created_at, updated_at)
          SELECT 71, 7, x'02', 'member', 'pre', 'connected', 1, local_display_name, contact_profile_id, contact_id, 1,
            \(Self.time), \(Self.time) FROM contacts WHERE contact_id = 4;
        """)
    do {
      let store = try ChatDatabase(path: exported.profile.target + "_chat.db")
      let user = try #require(try store.read { try $0.activeUser() })
      try store.transaction { db in
        try db.deleteContact(try db.contact(4, of: user), of: user)
        _ = try db.updateProfile(of: user, to: Profile(displayName: "renamed", fullName: ""))
      }
    }
    _ = try exported.makeExport().run()
    try exported.extract()
    let members = try rows(of: exported.returned + "_chat.db")["group_members"] ?? []
    let own = members.first { $0.hasPrefix("group_member_id=integer(70) group_id=integer(7)") }
    #expect(own?.contains("contact_id=integer(") == true)
    let other = members.first { $0.hasPrefix("group_member_id=integer(71) group_id=integer(7)") }
    #expect(other?.contains("contact_id=null") == true)
  }

  @Test func publicGroupsGoWithTheirUser() throws {
    let exported = try ExportedProfile(chat: Self.channel)
    let path = exported.profile.target + "_chat.db"
    func count() throws -> Int? { try rows(of: path)["foreign_rows"]?.count { $0.contains("database=integer(0)") } }
    #expect(try count() == 9)
    do {
      let store = try ChatDatabase(path: path)
      let user = try #require(try store.read { try $0.activeUser() })
      try store.transaction { db in
        try db.deleteUser(user)
        while try !db.deleteSome(ofDeletedUser: user.userId, limit: 2) {}
      }
    }
    #expect(try count() == 0)
  }

  /// What is left of a user who is being deleted has no place in a profile of the reference.
  @Test func isNotExportedWhileAUserIsBeingDeleted() throws {
    let exported = try ExportedProfile()
    do {
      let store = try ChatDatabase(path: exported.profile.target + "_chat.db")
      let user = try #require(try store.read { try $0.activeUser() })
      try store.transaction { db in
        try db.deleteUser(user)
        try db.addJob(.user, about: user.userId, user.agentUserId, of: user)
      }
    }
    let error = #expect(throws: ProfileImportError.self) { try exported.makeExport().survey() }
    guard case .file(let text) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(text.contains("is being deleted"))
  }
}
