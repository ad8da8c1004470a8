import AgentStore
import ChatAPI
import ChatStore
import Foundation
import SQLiteKit
import SimpleXChat
import SimplexCrypto
import SimplexTesting
import Testing

@testable import ProfileImport

/// A profile goes back to the reference: what an import took, an export gives back.
@Suite struct ProfileExportTests {
  // MARK: Round trips

  private static let bob = "CAST(conn_id AS TEXT) = 'pljVu1K7Cu4rip4b'"

  /// Changes of the golden profile, of the chat's database and the agent's.
  private static let variants: [(String, String, String)] = [
    ("as it is", "", ""),
    (
      "a key of a message that did not come", "",
      """
      INSERT INTO skipped_messages (conn_id, header_key, msg_n, msg_key)
      SELECT conn_id, x'\(String(repeating: "11", count: 32))', 7,
        x'20\(String(repeating: "22", count: 32))10\(String(repeating: "33", count: 16))'
      FROM connections WHERE \(bob);
      INSERT INTO processed_ratchet_key_hashes (conn_id, hash) SELECT conn_id, x'0102' FROM connections WHERE \(bob);
      """
    ),
    (
      "a message that waits", "",
      """
      INSERT INTO snd_message_bodies (snd_message_body_id, agent_msg) VALUES (9, CAST('M{}' AS BLOB));
      UPDATE snd_messages SET snd_message_body_id = 9 WHERE \(bob) AND internal_id = 7;
      INSERT INTO snd_message_deliveries (snd_message_delivery_id, conn_id, snd_queue_id, internal_id, failed)
      SELECT 1, conn_id, 1, 7, 0 FROM connections WHERE \(bob);
      """
    ),
    (
      "a received file, and a sent one",
      """
      INSERT INTO files (file_id, contact_id, file_name, file_path, file_size, chunk_size, created_at, updated_at,
        user_id, chat_item_id, ci_file_status, protocol, file_crypto_key, file_crypto_nonce, agent_snd_file_deleted,
        file_type) VALUES (5, 4, 'pic.jpg', 'pic.jpg', 2000, 16384, '2026-11-23 08:11:20', '2026-11-23 08:11:21', 1, 9,
        'rcv_complete', 'xftp', zeroblob(32), zeroblob(24), 0, 'normal');
      INSERT INTO xftp_file_descriptions (file_descr_id, user_id, file_descr_text, file_descr_part_no,
        file_descr_complete) VALUES (1, 1, 'description', 2, 1), (2, 1, 'another', 1, 1);
      INSERT INTO rcv_files (file_id, file_status, created_at, updated_at, file_descr_id, agent_rcv_file_deleted,
        user_approved_relays) VALUES (5, 'complete', '2026-11-23 08:11:20', '2026-11-23 08:11:20', 1, 0, 1);
      INSERT INTO files (file_id, contact_id, file_name, file_path, file_size, chunk_size, created_at, updated_at,
        user_id, chat_item_id, ci_file_status, protocol, agent_snd_file_id, private_snd_file_descr,
        agent_snd_file_deleted, file_type) VALUES (6, 4, 'b.pdf', '/tmp/b.pdf', 3000, 16384, '2026-11-23 08:11:20',
        '2026-11-23 08:11:21', 1, 10, 'snd_complete', 'xftp', x'0102', 'private', 0, 'normal');
      INSERT INTO snd_files (file_id, connection_id, file_status, created_at, updated_at, file_descr_id)
      VALUES (6, 1, 'complete', '2026-11-23 08:11:20', '2026-11-23 08:11:20', 2);
      """, ""
    ),
    (
      "a chat of a member with moderators, a blocked member, mentions and a moderation",
      """
      UPDATE group_members SET support_chat_ts = '2026-11-23 08:12:00', member_restriction = 'blocked'
        WHERE group_member_id = 3;
      UPDATE chat_items SET group_scope_tag = 'member_support', group_scope_group_member_id = 3
        WHERE chat_item_id = 38;
      INSERT INTO chat_item_mentions (group_id, member_id, chat_item_id, display_name)
        SELECT group_id, member_id, 37, 'bob' FROM group_members WHERE group_member_id = 2;
      INSERT INTO chat_item_moderations (group_id, moderator_member_id, item_member_id, shared_msg_id, moderated_at,
        created_at, updated_at) VALUES (1, 2, x'0102', x'0304', '2026-11-23 08:12:00.5', '2026-11-23 08:12:01', '');
      """, ""
    ),
    (
      "forwarded, quoted, timed, live and deleted messages, an error, and content that cannot be read",
      """
      UPDATE chat_items SET fwd_from_tag = 'contact', fwd_from_chat_name = 'cath', fwd_from_msg_dir = 0,
        fwd_from_contact_id = 5, fwd_from_chat_item_id = 9, timed_ttl = 60,
        timed_delete_at = '2027-01-01 00:00:00.000001', item_live = 1 WHERE chat_item_id = 10;
      UPDATE chat_items SET item_status = 'snd_error relay host', item_deleted = 1,
        item_deleted_ts = '2026-11-23 08:12:00' WHERE chat_item_id = 8;
      UPDATE chat_items SET
        item_content = '{"rcvIntegrityError":{"msgError":{"msgSkipped":{"fromMsgId":2,"toMsgId":3}}}}'
        WHERE chat_item_id = 9;
      UPDATE chat_items SET item_content = '{"later":{}}' WHERE chat_item_id = 11;
      """, ""
    ),
    (
      "settings",
      """
      INSERT INTO settings (settings_id, chat_item_ttl, user_id, created_at, updated_at) VALUES (1, 86400, 1, '', '');
      UPDATE contacts SET enable_ntfs = 2, unread_chat = 1, favorite = 1, chat_item_ttl = 60, send_rcpts = 0,
        custom_data = CAST('{"a":1}' AS BLOB), user_preferences = '{"voice":{"allow":"no"}}', xcontact_id = x'01',
        grp_direct_inv_link = CAST('simplex:/invitation#x' AS BLOB), grp_direct_inv_from_group_id = 1,
        grp_direct_inv_from_group_member_id = 2, grp_direct_inv_started_connection = 1 WHERE contact_id = 4;
      UPDATE connections SET conn_status = 'snd-ready', security_code = '123',
        security_code_verified_at = '2026-11-23 08:12:00' WHERE connection_id = 1;
      UPDATE user_contact_links SET auto_reply_msg_content = '{"type":"text","text":"hi"}', business_address = 1;
      INSERT INTO protocol_servers (smp_server_id, host, port, key_hash, basic_auth, preset, enabled, user_id,
        created_at, updated_at, protocol) VALUES (90, '[::1]', '5223', CAST('AAAA' AS BLOB), 'pass', 0, 1, 1,
        '2026-11-23 08:12:00',
        '2026-11-23 08:12:00', 'smp');
      INSERT INTO operator_usage_conditions (operator_usage_conditions_id, server_operator_id, server_operator_tag,
        conditions_commit, accepted_at, created_at, auto_accepted) VALUES (1, 1, 'simplex', 'abc',
        '2026-11-23 08:12:00', '2026-11-23 08:12:00', 1);
      """, ""
    ),
  ]

  @Test(arguments: 0..<7) func givesBackWhatWasImported(_ variant: Int) throws {
    let (_, chat, agent) = Self.variants[variant]
    let exported = try ExportedProfile(chat: chat, agent: agent)
    // Exports are made of what is stored: as in any profile, it is in the files.
    let before = try ["_chat.db", "_agent.db"].map { try rows(of: exported.profile.target + $0) }
    let report = try exported.makeExport().run()
    #expect(report.losses.isEmpty)
    #expect(report.left[.duplicates] == nil && report.left[.items] == nil)
    try exported.extract()
    let again = try exported.importReturned()
    let after = try ["_chat.db", "_agent.db"].map { try rows(of: again + $0) }
    for (before, after) in zip(before, after) {
      #expect(before.keys.sorted() == after.keys.sorted())
      for (table, texts) in before where table != "settings" || before["tasks"] == nil {
        // Nonces are new.
        guard table != "tasks" else { #expect(texts.count == after[table]?.count); continue }
        #expect(after[table] == texts, "\(table)")
      }
    }
  }

  // MARK: The reference's form

  /// What the reference adds to the schema of 7.0.0.6 when it opens an export.
  private static let laterSteps = """
    ALTER TABLE contact_profiles ADD COLUMN contact_domain TEXT;
    ALTER TABLE contact_profiles ADD COLUMN contact_domain_proof TEXT;
    ALTER TABLE contact_profiles ADD COLUMN contact_domain_verified INTEGER;
    ALTER TABLE group_profiles ADD COLUMN group_domain_proof TEXT;
    ALTER TABLE groups ADD COLUMN group_domain_verified INTEGER;
    ALTER TABLE user_contact_links ADD COLUMN link_priv_sig_key BLOB;
    ALTER TABLE server_operators ADD COLUMN smp_role_names INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE group_members ADD COLUMN roster_served_version INTEGER;
    ALTER TABLE groups ADD COLUMN stored_roster_version INTEGER;
    ALTER TABLE groups ADD COLUMN applied_complete_roster_version INTEGER;
    INSERT INTO migrations (name, ts) VALUES ('20260603_simplex_name', ''), ('20260629_roster_catchup', '');
    """

  /// Its schema is that of the golden profile without the last two steps, column by column.
  @Test func hasTheSchemaOfTheReference() throws {
    let exported = try ExportedProfile()
    _ = try exported.makeExport().run()
    try exported.extract()
    for (name, golden) in [("_chat.db", "alice_chat"), ("_agent.db", "alice_agent")] {
      let script = try String(
        contentsOf: Vectors.folder.appending(path: "reference-profile/\(golden).sql"), encoding: .utf8)
      let reference = try SQLiteConnection(path: ":memory:")
      try reference.runScript(script)
      let connection = try SQLiteConnection(path: exported.returned + name)
      if name == "_chat.db" {
        let last = try connection.rows(of: "SELECT max(name) FROM migrations", limit: 1)
        #expect(last == ["20260602_group_roster"])
        try connection.runScript(Self.laterSteps)
      }
      let tables = try reference.rows(
        of: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'", limit: 1_000)
      #expect(tables.count > 20)
      for table in tables {
        #expect(try connection.columns(of: table) == reference.columns(of: table), "\(table)")
      }
      #expect(
        try connection.rows(of: "SELECT name FROM migrations ORDER BY name", limit: 1_000)
          == reference.rows(of: "SELECT name FROM migrations ORDER BY name", limit: 1_000))
      try connection.checkIntegrity()
    }
  }

  /// Keys and ratchets are those of the golden profile, byte by byte where the reference has one form of them.
  @Test func writesKeysAsTheReferenceDoes() throws {
    let exported = try ExportedProfile()
    _ = try exported.makeExport().run()
    try exported.extract()
    let agent = try SQLiteConnection(path: exported.returned + "_agent.db")
    for (table, columns) in [
      (
        "rcv_queues",
        "rcv_private_key, rcv_dh_secret, e2e_priv_key, e2e_dh_secret, snd_id, status, link_key, link_priv_sig_key"
      ),
      ("snd_queues", "snd_private_key, e2e_dh_secret, e2e_pub_key, status, smp_client_version, queue_mode"),
      (
        "connections",
        "conn_mode, last_internal_msg_id, last_internal_rcv_msg_id, last_internal_snd_msg_id, "
          + "last_external_snd_msg_id, last_rcv_msg_hash, last_snd_msg_hash, smp_agent_version, pq_support"
      ), ("ratchets", "x3dh_priv_key_1, x3dh_priv_key_2, pq_priv_kem"),
    ] {
      let sql = "SELECT \(columns.split(separator: ", ").map { "quote(\($0))" }.joined(separator: ", ")) FROM \(table)"
      let original = try SQLiteConnection(path: exported.profile.agent + ProfileImport.importedSuffix)
      #expect(
        try agent.rows(of: sql, limit: 100).sorted() == original.rows(of: sql, limit: 100).sorted(), "\(table)")
    }
  }

  @Test func encryptsWithAnotherPassphrase() throws {
    let exported = try ExportedProfile(passphrase: "ours")
    var export = exported.makeExport()
    #expect(throws: ProfileImportError.notADatabase(file: exported.profile.target + "_agent.db")) { try export.run() }
    export.sourcePassphrase = SecretBytes(Array("ours".utf8))
    export.targetPassphrase = SecretBytes(Array("theirs".utf8))
    _ = try export.run()
    try exported.extract()
    var importing = ProfileImport(from: exported.returned, to: exported.profile.folder.appending(path: "again").path)
    #expect(throws: ProfileImportError.notADatabase(file: exported.returned + "_chat.db")) { try importing.run() }
    importing.sourcePassphrase = SecretBytes(Array("theirs".utf8))
    #expect(try importing.run().taken[.messages] == 39)
  }

  @Test func putsFilesIntoTheArchive() throws {
    let exported = try ExportedProfile()
    let folder = exported.profile.folder.appending(path: "files")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("picture".utf8).write(to: folder.appending(path: "pic.jpg"))
    var export = exported.makeExport()
    export.folders = [(folder.path, ProfileExport.filesFolder)]
    _ = try export.run()
    try FileManager.default.createDirectory(
      at: exported.profile.folder.appending(path: ProfileExport.filesFolder), withIntermediateDirectories: true)
    try exported.extract()
    let copy = exported.profile.folder.appending(path: "\(ProfileExport.filesFolder)/pic.jpg")
    #expect(try Data(contentsOf: copy) == Data("picture".utf8))
  }

  // MARK: What cannot be taken

  @Test(arguments: [
    (
      "",
      """
      DELETE FROM send_queues;
      INSERT INTO confirmations (id, connection, queues) SELECT CAST('c' || number AS BLOB), number, x'00' FROM connections;
      """,
      ImportReport.Left.handshakes
    ),
    ("INSERT INTO agent_commands VALUES (99, '', 1, 0, x'', NULL, 0)", "", .agentCommands),
    ("INSERT INTO pending_messages VALUES (1, 2, 1, 0, NULL, 1, 0)", "", .pendingGroupMessages),
    ("UPDATE groups SET public_group = '{}'", "", .publicGroups),
    ("", "UPDATE receive_queues SET switch_status = 0", .agentCommands),
    ("", "UPDATE ratchets SET state = x'01'", .damagedConnections),
    ("", "UPDATE receive_queues SET key = x'0102'", .damagedConnections),
    ("", "DELETE FROM send_queues", .damagedConnections),
    (
      "",
      """
      INSERT INTO tasks (id, lane, connection, kind, message, payload, created_at)
      SELECT 99 + number, number << 2, number, 7, 0, x'', 0 FROM connections
      """,
      .agentCommands
    ),
    (
      "",
      """
      INSERT INTO tasks (id, lane, connection, kind, message, payload, created_at) SELECT 99, 5, number, 5, 0, x'', 0
      FROM connections WHERE number = (SELECT connection FROM ratchets LIMIT 1)
      """,
      .outgoingMessages
    ),
    (
      "", "INSERT INTO sent_files (id, user, name, recipients, seed, created_at) VALUES (x'01', 1, '', 1, x'', 0)",
      .transfers
    ),
  ])
  func refusesWhatWouldBeLost(_ chat: String, _ agent: String, _ expected: ImportReport.Left) throws {
    let exported = try ExportedProfile()
    try exported.changeChat(chat)
    try exported.changeAgent(agent)
    let error = #expect(throws: ProfileImportError.self) { try exported.makeExport().run() }
    guard case .wouldLose(let report) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(report.losses[expected] ?? 0 > 0)
    #expect(try exported.makeExport().survey() == report)
    #expect(!FileManager.default.fileExists(atPath: exported.archive))
    // The rest is taken, and the profile was not sealed by the attempt.
    var accepting = exported.makeExport()
    accepting.acceptsLosses = true
    #expect(try accepting.run().taken[.contacts] == 4)
    try exported.extract()
    _ = try exported.importReturned()
  }

  /// What is found when the rest is written needs consent too, before the profile is sealed.
  @Test func refusesMessagesThatCannotBeRead() throws {
    let exported = try ExportedProfile()
    try exported.changeChat(
      "INSERT INTO packets VALUES (500, x'00'); INSERT INTO pending_messages VALUES (1, 2, 500, 0, NULL, 0, 0)")
    let error = #expect(throws: ProfileImportError.self) { try exported.makeExport().run() }
    guard case .wouldLose(let report) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(report.losses == [.pendingGroupMessages: 1])
    #expect(!FileManager.default.fileExists(atPath: exported.archive))
    var accepting = exported.makeExport()
    accepting.acceptsLosses = true
    #expect(try accepting.run().losses == [.pendingGroupMessages: 1])
  }

  @Test func leavesKeysThatCannotBeRead() throws {
    let exported = try ExportedProfile("reference-handshakes")
    try exported.changeAgent("UPDATE invitation_links SET sender_key = x'00' WHERE length(link_key) > 0")
    var export = exported.makeExport()
    export.acceptsLosses = true
    let report = try export.run()
    #expect(report.losses[.linkKeys] == 3)
    #expect(report.taken[.connections] == 7)
  }

  /// Rows that refer to nothing, and values that are none, are reported; nothing is sealed.
  @Test(arguments: [
    "UPDATE items SET shared_id = '!' WHERE item_id = 8", "DELETE FROM display_names",
    "UPDATE operators SET domains = 'x'", "UPDATE servers SET address = 'x' WHERE server_id = 1",
    "UPDATE contacts SET direct_invitation = '{' WHERE contact_id = 4",
  ])
  func reportsUnusableValues(_ sql: String) throws {
    let exported = try ExportedProfile()
    try exported.changeChat(sql)
    #expect(throws: ProfileImportError.self) { try exported.makeExport().run() }
    let files = try exported.profile.files().keys
    #expect(!files.contains { $0.hasPrefix("archive") || $0.hasSuffix(".exported") })
    _ = try ChatDatabase(path: exported.profile.target + "_chat.db")
    _ = try AgentDatabase(path: exported.profile.target + "_agent.db")
  }
}
