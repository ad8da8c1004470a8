import AgentCore
import AgentProtocol
import AgentStore
import ChatAPI
import ChatStore
import Foundation
import ProfileImport
import SQLiteKit
import SimplexCrypto
import Testing

/// Rows that are unusual, damaged, or belong to what is left.
@Suite struct ImportedRowsTests {
  private let bob = "CAST(conn_id AS TEXT) = 'pljVu1K7Cu4rip4b'"
  private let bobID = ConnectionID(Array("pljVu1K7Cu4rip4b".utf8))

  // MARK: The agent

  /// The relay would deliver them only as copies of what is known.
  @Test func takesMessagesThatTheAppHasNotShown() throws {
    let profile = try ReferenceProfile()
    func body(_ number: Int64, _ message: ConnectionMessage) throws -> String {
      let header = MessageHeader(messageID: number, previousHash: [UInt8](repeating: 1, count: 32))
      return hexadecimal(try AgentMessage.codec.encode(.message(header, message)))
    }
    let sent = try profile.agentRow("snd_messages WHERE \(bob)")
    guard case .integer(let number) = sent["internal_snd_id"], case .blob(let hash) = sent["internal_hash"] else {
      throw Missing()
    }
    let receipt = MessageReceipt(messageID: number, messageHash: hash, info: [])
    let rows = try [
      (20, "M", body(30, .message(Array("{}".utf8))), "OK", 0), (21, "V", body(31, .received([receipt])), "OK", 0),
      (22, "M", body(35, .message(Array("{\"v\":1}".utf8))), "ERR NO_ID 32 34", 0),
      // One that the app has, and one of the agent's own.
      (23, "M", body(36, .message([])), "OK", 1), (24, "H", body(37, .hello), "OK", 0),
    ]
    for (id, type, body, integrity, acknowledged) in rows {
      try profile.changeAgent(
        """
        INSERT INTO messages (conn_id, internal_id, internal_ts, internal_rcv_id, msg_type, msg_body, msg_flags,
          pq_encryption)
        SELECT conn_id, \(id), '2026-11-20 08:00:01.5', \(id), CAST('\(type)' AS BLOB), x'\(body)', 'T ', 1
        FROM connections WHERE \(bob);
        INSERT INTO rcv_messages (conn_id, internal_rcv_id, internal_id, external_snd_id, broker_id, broker_ts,
          internal_hash, external_prev_snd_hash, integrity, user_ack, rcv_queue_id)
        SELECT conn_id, \(id), \(id), \(id + 10), x'0a0b', '2026-11-20 08:00:00', x'0c', x'',
          CAST('\(integrity)' AS BLOB), \(acknowledged), rcv_queue_id FROM rcv_queues WHERE \(bob);
        """)
    }
    try profile.changeAgent("UPDATE connections SET last_internal_msg_id = 24 WHERE \(bob);")
    var importing = profile.makeImport()
    importing.acceptsLosses = false
    let report = try importing.run()
    #expect(report.taken[.incomingMessages] == 3)
    #expect(report.losses.isEmpty)
    let store = try AgentDatabase(path: profile.target + "_agent.db")
    let connection = try #require(try store.connection(bobID)).number
    #expect(try store.unacknowledgedMessages().map(\.id) == [20, 21, 22])
    let message = try #require(try store.receivedMessage(20, of: connection))
    #expect(message.body == Array("{}".utf8))
    #expect(message.kind == .message)
    #expect(message.flags.notification)
    #expect(message.metadata.senderNumber == 30)
    #expect(message.metadata.relayTime == 1_795_161_600)
    #expect(message.metadata.receivedAt == 1_795_161_601_500)
    #expect(message.metadata.relayID.bytes == [10, 11])
    #expect(message.metadata.integrity == .ok)
    #expect(message.queue == (try store.receiveQueues(of: connection).first?.number))
    let receipts = try #require(try store.receivedMessage(21, of: connection))
    #expect(receipts.kind == .receipts)
    let decoded = try DeliveryReceipt.storedCodec.decode(receipts.body)
    #expect(decoded.map(\.isIntact) == [true])
    #expect(decoded.first?.message == (try store.sentMessage(number: number, of: connection)?.message))
    #expect(try store.receivedMessage(22, of: connection)?.metadata.integrity == .skipped(from: 32, to: 34))
    // The chat core takes what comes after the last message that it handled.
    let last = try SQLiteConnection(path: profile.target + "_chat.db").first(
      "SELECT last_received_id FROM connections WHERE connection_id = 1"
    ) { (row) throws(SQLiteKit.SQLiteError) in try row.integer(0) }
    #expect(last == 19)
  }

  @Test func reportsMessagesWithoutContent() throws {
    let profile = try ReferenceProfile()
    try profile.changeAgent(
      "INSERT INTO rcv_messages (conn_id, internal_id, user_ack) SELECT conn_id, 20, 0 FROM connections WHERE \(bob);")
    #expect(try profile.makeImport().survey().losses == [.incomingMessages: 1])
    let report = try profile.makeImport().run()
    #expect(report.losses == [.incomingMessages: 1])
    #expect(report.taken[.connections] == 6)
  }

  @Test func takesQueuesWithKeysOfOtherKinds() throws {
    let profile = try ReferenceProfile()
    var random = SystemRandom()
    let key = hexadecimal(Ed448.PrivateKey(using: &random).der.withUnsafeBytes { Array($0) })
    try profile.changeAgent(
      """
      UPDATE rcv_queues SET ntf_id = x'01', ntf_private_key = x'\(key)',
        rcv_ntf_dh_secret = x'\(String(repeating: "05", count: 32))', ntf_public_key = x'';
      UPDATE snd_queues SET e2e_pub_key = NULL;
      UPDATE connections SET enable_ntfs = NULL;
      """)
    var importing = profile.makeImport()
    importing.acceptsLosses = false
    #expect(try importing.run().taken[.connections] == 6)
    let store = try AgentDatabase(path: profile.target + "_agent.db")
    let connection = try #require(try store.connection(bobID))
    #expect(connection.notifications)
    #expect(try store.receiveQueues(of: connection.number).map { $0.notifier == nil } == [true])
    #expect(try store.sendQueues(of: connection.number).map { $0.publicKey == nil } == [true])
  }

  @Test func aDamagedConnectionLeavesTheOthers() throws {
    let profile = try ReferenceProfile()
    try profile.changeAgent("UPDATE rcv_queues SET rcv_private_key = x'00' WHERE \(bob);")
    let report = try profile.makeImport().run()
    #expect(report.losses == [.damagedConnections: 1])
    #expect(report.damages.count == 1)
    #expect(report.damages.first?.contains("rcv_private_key") == true)
    #expect(report.taken[.connections] == 5)
    #expect(report.lines.contains { $0.contains("rcv_private_key") })
    let store = try AgentDatabase(path: profile.target + "_agent.db")
    #expect(try store.connection(bobID) == nil)
    let chat = try ChatDatabase(path: profile.target + "_chat.db")
    let user = try #require(try chat.read { try $0.activeUser() })
    #expect(try chat.read { try $0.contact(named: "bob", of: user) }.activeConn == nil)
    #expect(try chat.read { try $0.contact(named: "cath", of: user) }.activeConn != nil)
  }

  @Test func refusesCountersThatWouldOverflow() throws {
    let profile = try ReferenceProfile()
    try profile.changeAgent("UPDATE connections SET last_internal_msg_id = \(Int64.max) WHERE \(bob);")
    #expect(try profile.makeImport().survey().losses == [.damagedConnections: 1])
    let other = try ReferenceProfile()
    try other.changeChat("UPDATE group_members SET index_in_group = 1048576 WHERE group_member_id = 3;")
    let report = try other.makeImport().run()
    #expect(report.losses == [.damagedChats: 1])
    #expect(report.damages.first?.contains("index_in_group") == true)
  }

  // MARK: Chats

  /// Older schemas do not count the members of groups.
  @Test func numbersMembersInTheirOrder() throws {
    let profile = try ReferenceProfile()
    try profile.changeChat("UPDATE group_members SET index_in_group = NULL; UPDATE groups SET member_index = NULL;")
    _ = try profile.makeImport().run()
    let chat = try SQLiteConnection(path: profile.target + "_chat.db")
    let indexes = try chat.all("SELECT index_in_group FROM members ORDER BY member_id") {
      (row) throws(SQLiteKit.SQLiteError) in try row.integer(0)
    }
    #expect(indexes == [0, 1, 2])
    let next = try chat.first("SELECT next_index FROM groups") { (row) throws(SQLiteKit.SQLiteError) in
      try row.integer(0)
    }
    #expect(next == 3)
  }

  @Test func rowsThatAreThereTwiceCountOnce() throws {
    let profile = try ReferenceProfile()
    let moderation = """
      INSERT INTO chat_item_moderations (chat_item_moderation_id, group_id, moderator_member_id, item_member_id,
        shared_msg_id, moderated_at, created_at)
      """
    try profile.changeChat(
      """
      INSERT INTO group_snd_item_statuses (group_snd_item_status_id, chat_item_id, group_member_id,
        group_snd_item_status)
      SELECT 1000 + group_snd_item_status_id, chat_item_id, group_member_id, group_snd_item_status
      FROM group_snd_item_statuses;
      \(moderation) VALUES (1, 1, 2, x'01', x'02', '2026-11-20 08:00:00', '2026-11-20 08:00:00');
      \(moderation) VALUES (2, 1, 2, x'01', x'02', '2026-11-20 08:00:01', '2026-11-20 08:00:01');
      """)
    let report = try profile.makeImport().run()
    #expect(report.left[.duplicates] ?? 0 > 1)
    #expect(report.losses.isEmpty)
  }

  @Test func takesInvitationsOfMembers() throws {
    let profile = try ReferenceProfile()
    try profile.changeChat(
      """
      UPDATE contacts SET grp_direct_inv_link = 'simplex:/invitation', grp_direct_inv_from_group_id = 1,
        grp_direct_inv_from_group_member_id = 2, grp_direct_inv_from_member_conn_id = 4,
        grp_direct_inv_started_connection = 1 WHERE contact_id = 4;
      """)
    _ = try profile.makeImport().run()
    let chat = try ChatDatabase(path: profile.target + "_chat.db")
    let user = try #require(try chat.read { try $0.activeUser() })
    let invitation = try chat.read { try $0.contact(named: "bob", of: user) }.groupDirectInv
    #expect(invitation?.groupDirectInvLink == "simplex:/invitation")
    #expect(invitation?.fromGroupId_ == 1)
    #expect(invitation?.fromGroupMemberId_ == 2)
    #expect(invitation?.fromGroupMemberConnId_ == 4)
    #expect(invitation?.groupDirectInvStartedConnection == true)
  }

  @Test(arguments: [
    (
      """
      INSERT INTO contact_requests (contact_request_id, agent_invitation_id, contact_profile_id, local_display_name,
        user_id, created_at, updated_at) SELECT 1, x'01', contact_profile_id, 'dan', 1, created_at, updated_at
        FROM contacts WHERE contact_id = 4
      """, "", ImportReport.Left.requests, true
    ),
    ("UPDATE contacts SET deleted = 1 WHERE contact_id = 4", "", .items, false),
    ("UPDATE chat_items SET item_content = '{}' WHERE chat_item_id = 8", "", .unreadableItems, false),
    ("", "DELETE FROM connections WHERE CAST(conn_id AS TEXT) = 'pljVu1K7Cu4rip4b'", .missingConnections, false),
    ("", "INSERT INTO snd_files (snd_file_id, status) VALUES (1, 'uploading')", .transfers, true),
    ("INSERT INTO files (file_id) VALUES (1)", "", .files, false),
    (
      "",
      """
      INSERT INTO commands (conn_id, command_tag, command, created_at) SELECT conn_id, CAST('CLIENT ACK' AS BLOB),
        CAST('CLIENT ACK 1' AS BLOB), '2026-01-01 00:00:00' FROM rcv_queues LIMIT 1
      """,
      .pendingReceipts, false
    ),
  ])
  func reportsWhatIsLeft(_ chat: String, _ agent: String, _ kind: ImportReport.Left, _ isLoss: Bool) throws {
    let profile = try ReferenceProfile()
    #expect(try profile.makeImport().survey().left[kind] == nil)
    try profile.changeChat(chat + ";")
    try profile.changeAgent(agent + ";")
    let report = try profile.makeImport().run()
    #expect(report.left[kind] ?? 0 > 0)
    #expect(kind.isLoss == isLoss)
    #expect(report.losses.isEmpty == !isLoss)
  }

  @Test func theSurveyCountsOnlyWhatIsLeft() throws {
    let profile = try ReferenceProfile()
    let report = try profile.makeImport().survey()
    #expect(report.taken.isEmpty)
    #expect(!report.lines.contains("Imported:"))
  }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { byte in
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0" + digits : digits
  }.joined()
}

/// What a test needs is not there.
private struct Missing: Error {}
