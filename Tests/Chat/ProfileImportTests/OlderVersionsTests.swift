import AgentCore
import AgentProtocol
import AgentStore
import ChatAPI
import ChatStore
import ProfileImport
import SMPProtocol
import SQLiteKit
import Testing

/// What later versions add when they upgrade databases of older ones, an import adds, too.
@Suite struct OlderVersionsTests {
  private func integers(_ profile: ReferenceProfile, _ sql: String) throws -> [Int64] {
    try SQLiteConnection(path: profile.target + "_chat.db").all(sql) { (row) throws(SQLiteKit.SQLiteError) in
      try row.integer(0)
    }
  }

  /// 6.5 counts messages with links, and has no kind for live messages.
  @Test func findsLinks() throws {
    let profile = try ReferenceProfile()
    try profile.changeChat(
      """
      ALTER TABLE chat_items DROP COLUMN has_link;
      UPDATE chat_items SET item_text = 'see HTTPS://simplex.chat' WHERE chat_item_id = 8;
      UPDATE chat_items SET msg_content_tag = CAST('link' AS BLOB) WHERE chat_item_id = 9;
      UPDATE chat_items SET msg_content_tag = CAST('liveText' AS BLOB) WHERE chat_item_id = 10;
      """)
    _ = try profile.makeImport().run()
    let found = try integers(profile, "SELECT item_id FROM items WHERE has_link = 1 ORDER BY item_id")
    #expect(Set(found).isSuperset(of: [8, 9]) && !found.contains(10))
    #expect(try integers(profile, "SELECT item_id FROM items WHERE message_tag = 'liveText'").isEmpty)
    #expect(try integers(profile, "SELECT item_id FROM items WHERE message_tag = 'text'").contains(10))
  }

  /// 7.0 lets the operators that it knows resolve names.
  @Test func givesOperatorsTheirRoles() throws {
    let profile = try ReferenceProfile()
    try profile.changeChat(
      """
      ALTER TABLE server_operators DROP COLUMN smp_role_names;
      INSERT INTO server_operators (server_operator_id, trade_name, server_domains, enabled, smp_role_storage,
        smp_role_proxy, xftp_role_storage, xftp_role_proxy) VALUES (90, 'mine', 'example.com', 1, 1, 1, 1, 1);
      """)
    _ = try profile.makeImport().run()
    let known = try integers(
      profile, "SELECT operator_id FROM operators WHERE tag IS NOT NULL AND smp_roles NOT LIKE '%\"names\":true%'")
    #expect(known.isEmpty)
    let others = try integers(profile, "SELECT operator_id FROM operators WHERE smp_roles LIKE '%\"names\":false%'")
    #expect(others == [90])
  }

  /// 6.3.7 tells the kinds of queues apart; before it there are only those that senders secure, and others.
  @Test func takesTheKindOfQueuesThatSendersSecure() throws {
    let profile = try ReferenceProfile()
    try profile.changeAgent(
      """
      ALTER TABLE rcv_queues ADD COLUMN snd_secure;
      UPDATE rcv_queues SET snd_secure = coalesce(CAST(queue_mode AS TEXT) = 'M', 0);
      ALTER TABLE rcv_queues DROP COLUMN queue_mode;
      ALTER TABLE snd_queues ADD COLUMN snd_secure;
      UPDATE snd_queues SET snd_secure = coalesce(CAST(queue_mode AS TEXT) = 'M', 0);
      ALTER TABLE snd_queues DROP COLUMN queue_mode;
      """)
    let row = try profile.agentRow("rcv_queues WHERE CAST(conn_id AS TEXT) = 'pljVu1K7Cu4rip4b'")
    try #require(row["snd_secure"] == .integer(1))
    _ = try profile.makeImport().run()
    let store = try AgentDatabase(path: profile.target + "_agent.db")
    let connection = try #require(try store.connection(ConnectionID(Array("pljVu1K7Cu4rip4b".utf8))))
    #expect(try store.receiveQueues(of: connection.number).map(\.mode) == [.messaging])
    #expect(try store.sendQueues(of: connection.number).map(\.mode) == [.messaging])
  }

  /// 6.5 keeps one connection of each contact and member, an established one of a contact before a newer one.
  @Test func takesOneConnectionOfAContact() throws {
    let profile = try ReferenceProfile()
    // That of the address becomes a second one with bob: newer than the one in use, but not established.
    try profile.changeChat(
      """
      UPDATE connections SET contact_id = 4, conn_type = 'contact', user_contact_link_id = NULL, conn_status = 'new',
        created_at = '2099-01-01 00:00:00' WHERE conn_type = 'user_contact';
      """)
    let report = try profile.makeImport().run()
    #expect(report.left[.deletedConnections] == 1)
    #expect(report.taken[.connections] == 5)
    #expect(try integers(profile, "SELECT connection_id FROM connections WHERE contact_id = 4") == [1])
  }
}
