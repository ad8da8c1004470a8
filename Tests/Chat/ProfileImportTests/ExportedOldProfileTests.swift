import ChatAPI
import ChatStore
import SQLiteKit
import Testing

@testable import ProfileImport

/// A profile of version 6.4.11 goes back to 7.0.
@Suite struct ExportedOldProfileTests {
  private func original(_ exported: ExportedProfile, _ sql: String) throws -> [String] {
    try SQLiteConnection(path: exported.profile.chat + ProfileImport.importedSuffix).rows(of: sql, limit: 1_000)
  }

  private func returned(_ exported: ExportedProfile, _ sql: String) throws -> [String] {
    try SQLiteConnection(path: exported.returned + "_chat.db").rows(of: sql, limit: 1_000)
  }

  @Test func givesBackWhatWasImported() throws {
    let exported = try ExportedProfile("reference-6.4")
    let before = try rows(of: exported.profile.target + "_chat.db")
    var export = exported.makeExport()
    export.acceptsLosses = true
    let report = try export.run()
    #expect(report.taken[.contacts] == 11 && report.taken[.groups] == 6 && report.taken[.messages] == 175)
    try exported.extract()
    for sql in [
      "SELECT count(*) FROM chat_items", "SELECT count(*) FROM group_members",
      "SELECT CAST(member_role AS TEXT) FROM group_members ORDER BY group_member_id",
      "SELECT item_text FROM chat_items ORDER BY chat_item_id",
      "SELECT local_display_name FROM users WHERE view_pwd_hash IS NOT NULL",
      // Finding that the user has joined by a link depends on it.
      "SELECT group_id, quote(via_group_link_uri_hash) FROM groups ORDER BY group_id",
    ] { #expect(try returned(exported, sql) == original(exported, sql), "\(sql)") }
    let after = try rows(of: try exported.importReturned() + "_chat.db")
    for table in ["users", "items", "item_versions", "reactions", "chat_tagging"] {
      #expect(after[table] == before[table], "\(table)")
    }
  }

  /// Versions before 6.4.5 keep the hash of a link, and not the link.
  @Test func givesBackTheHashesOfLinks() throws {
    let exported = try ExportedProfile(
      "reference-6.4", chat: "UPDATE groups SET via_group_link_uri = NULL WHERE via_group_link_uri IS NOT NULL")
    var export = exported.makeExport()
    export.acceptsLosses = true
    _ = try export.run()
    try exported.extract()
    let sql = "SELECT group_id, quote(via_group_link_uri_hash) FROM groups WHERE group_id = 2"
    #expect(try returned(exported, sql) == original(exported, sql))
  }

  /// A customer who asks again is known, here and in the app.
  @Test func givesBackTheRequestsOfCustomers() throws {
    let business = """
      UPDATE groups SET business_chat = 'customer', business_xcontact_id = x'0a0b0c',
        business_member_id = (SELECT member_id FROM group_members WHERE group_id = 1 AND member_category = 'user'),
        customer_member_id = (SELECT member_id FROM group_members WHERE group_member_id = 2) WHERE group_id = 1;
      """
    let imported = try ExportedProfile(chat: business)
    let store = try ChatDatabase(path: imported.profile.target + "_chat.db")
    let user = try #require(try store.read { try $0.activeUser() })
    let repeated = ReceivedContactRequest(
      addressId: 1, agentInvitationId: "AAAA", peerVersions: VersionRange(1, 14),
      profile: Profile(displayName: "customer", fullName: ""), xContactId: "CgsM", isToBusiness: true)
    let stage = try store.transaction { try $0.receive(repeated, of: user) }
    guard case .acceptedByBusiness(let group) = stage else {
      Issue.record("\(stage)")
      return
    }
    #expect(group.groupId == 1)
    let exported = try ExportedProfile(chat: business)
    _ = try exported.makeExport().run()
    try exported.extract()
    let request = "SELECT quote(business_xcontact_id) FROM groups WHERE group_id = 1"
    #expect(try returned(exported, request) == ["X'0A0B0C'"])
  }

  /// A bot whose queues have a certificate at their relays.
  @Test func givesBackServices() throws {
    let exported = try ExportedProfile(
      chat: "UPDATE users SET client_service = 1",
      agent: """
        INSERT INTO client_services (user_id, host, port, service_cert, service_cert_hash, service_priv_key, service_id,
          service_queue_count, service_queue_ids_hash)
        SELECT 1, host, port, x'01', x'02', x'03', x'04', 5, x'05' FROM servers LIMIT 1;
        """)
    _ = try exported.makeExport().run()
    try exported.extract()
    #expect(try returned(exported, "SELECT client_service FROM users") == ["1"])
    let agent = try SQLiteConnection(path: exported.returned + "_agent.db")
    // The app subscribes to its queues by the certificate again.
    #expect(try agent.rows(of: "SELECT quote(service_priv_key) FROM client_services", limit: 10) == ["X'03'"])
    #expect(try agent.rows(of: "SELECT service_queue_count FROM client_services", limit: 10) == ["0"])
  }
}
