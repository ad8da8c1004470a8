import AgentProtocol
import ChatStore
import Foundation
import ProfileImport
import SQLiteKit
import Testing

/// A row that cannot be used is left and named; it does not refuse the whole profile.
@Suite struct ImportedDamageTests {
  private func report(chat: String = "", agent: String = "") throws -> ImportReport {
    let profile = try ReferenceProfile("reference-handshakes")
    try profile.changeChat(chat)
    try profile.changeAgent(agent)
    let report = try profile.makeImport().run()
    guard !report.losses.isEmpty else { return report }
    // What would be lost needs consent; without it nothing is written.
    let other = try ReferenceProfile("reference-handshakes")
    try other.changeChat(chat)
    try other.changeAgent(agent)
    let before = try other.files()
    var importing = other.makeImport()
    importing.acceptsLosses = false
    let error = #expect(throws: ProfileImportError.self) { try importing.run() }
    guard case .wouldLose(let refused) = error else {
      Issue.record("\(String(describing: error))")
      return report
    }
    #expect(refused.losses == report.losses)
    #expect(try other.files() == before)
    return report
  }

  @Test func keysOfLinks() throws {
    let report = try report(agent: "UPDATE inv_short_links SET snd_private_key = x'00' WHERE inv_short_link_id = 1")
    #expect(report.losses == [.linkKeys: 1])
    #expect(report.damages.count == 1 && report.damages.first?.contains("snd_private_key") == true)
    #expect(report.taken[.connections] == 10)
  }

  @Test(arguments: [
    "rcv_queues SET rcv_private_key = 'a key'", "ratchets SET ratchet_state = 5", "connections SET conn_mode = NULL",
  ])
  func valuesOfOtherTypes(_ change: String) throws {
    let report = try report(agent: "UPDATE \(change) WHERE conn_id = CAST('TYlTkgQdHE9r8Ad3' AS BLOB)")
    #expect(report.losses == [.damagedConnections: 1])
    #expect(report.taken[.connections] == 9)
  }

  /// The address stays without a request, a conversation without the key of a late message or a receipt.
  @Test func partsOfConnections() throws {
    let request = try report(
      agent:
        "UPDATE conn_invitations SET cr_invitation = x'00' WHERE contact_conn_id = CAST('OaFVew41jL6uoM5z' AS BLOB)")
    #expect(request.losses == [.requests: 1])
    #expect(request.taken[.connections] == 10)
    let bob = "CAST('TYlTkgQdHE9r8Ad3' AS BLOB)"
    let key = "x'20\(String(repeating: "22", count: 32))10\(String(repeating: "33", count: 16))'"
    let notes = try report(
      agent: """
        INSERT INTO skipped_messages (skipped_message_id, conn_id, header_key, msg_n, msg_key)
        VALUES (90, \(bob), x'11', 7, \(key)), (91, \(bob), x'\(String(repeating: "11", count: 32))', 8, x'00'),
          (92, \(bob), x'\(String(repeating: "11", count: 32))', 9, \(key));
        INSERT INTO messages (conn_id, internal_id, internal_ts, msg_type, pq_encryption)
        VALUES (\(bob), 900, 'soon', CAST('M' AS BLOB), 0);
        INSERT INTO snd_messages (conn_id, internal_snd_id, internal_id, internal_hash) VALUES (\(bob), 900, 900, x'');
        """)
    #expect(notes.left == [.damagedDetails: 3])
    #expect(notes.taken[.skippedKeys] == 1)
    #expect(notes.taken[.connections] == 10)
  }

  @Test func receivedMessages() throws {
    let body = try AgentMessage.codec.encode(
      .message(MessageHeader(messageID: 90, previousHash: [UInt8](repeating: 1, count: 32)), .message([])))
    let text = body.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let report = try report(
      agent: """
        INSERT INTO messages (conn_id, internal_id, internal_ts, internal_rcv_id, msg_type, msg_body, pq_encryption)
        SELECT conn_id, 90, '2026-11-24 03:00:00', 90, CAST('M' AS BLOB), x'\(text)', 1 FROM rcv_queues
        WHERE conn_id = CAST('ZuSTL5rmkZQL8c_L' AS BLOB);
        INSERT INTO rcv_messages (conn_id, internal_rcv_id, internal_id, external_snd_id, broker_id, broker_ts,
          internal_hash, integrity, user_ack, rcv_queue_id)
        SELECT conn_id, 90, 90, 90, x'0a', '2026-11-24 03:00:00', x'0c', CAST('FINE' AS BLOB), 0, rcv_queue_id
        FROM rcv_queues WHERE conn_id = CAST('ZuSTL5rmkZQL8c_L' AS BLOB);
        """)
    #expect(report.losses == [.incomingMessages: 1])
    #expect(report.taken[.connections] == 10)
  }

  @Test func relays() throws {
    let report = try report(agent: "UPDATE servers SET key_hash = 5")
    #expect(report.losses == [.damagedConnections: 10, .linkKeys: 3])
  }

  /// The message is not there, or not what it should be.
  @Test(arguments: [
    "DELETE FROM messages WHERE message_id = 8", "UPDATE messages SET chat_msg_event = NULL WHERE message_id = 8",
  ])
  func messagesThatWaitForMembers(_ change: String) throws {
    let report = try report(chat: change)
    #expect(report.losses == [.pendingGroupMessages: 1])
    #expect(report.taken[.pendingMessages] == nil)
    #expect(report.taken[.connections] == 10)
  }

  @Test func theSurveyNamesMessagesWithoutContent() throws {
    let profile = try ReferenceProfile("reference-handshakes")
    try profile.changeChat("DELETE FROM messages WHERE message_id = 8")
    #expect(try profile.makeImport().survey().losses == [.pendingGroupMessages: 1])
  }

  @Test func probes() throws {
    let report = try report(chat: "UPDATE received_probes SET probe_hash = NULL WHERE received_probe_id = 1")
    #expect(report.left == [.damagedDetails: 1])
    #expect(report.taken[.probes] == 1)
  }

  /// The app sent them when the connection was ready, and ended before it had noted that. Everything that is sent to
  /// the member later waits for them.
  @Test func whatWaitsForAReadyMemberGoesWithTheFirstStart() throws {
    let profile = try ReferenceProfile("reference-handshakes")
    try profile.changeChat(
      "INSERT INTO pending_group_messages VALUES (2, 2, 8, '2026-11-24 03:01:20', '2026-11-24 03:01:20'), "
        + "(3, 2, 9, '2026-11-24 03:01:20', '2026-11-24 03:01:20')")
    #expect(try profile.makeImport().run().taken[.pendingMessages] == 3)
    let jobs = try SQLiteConnection(path: profile.target + "_chat.db").all("SELECT kind, subject_id, user_id FROM jobs")
    {
      (row) throws(SQLiteKit.SQLiteError) in
      [try row.integer(0), try row.integer(1), try row.integer(2)]
    }
    #expect(jobs == [[Int64(ChatJob.Kind.pending.rawValue), 2, 1]])
  }
}
