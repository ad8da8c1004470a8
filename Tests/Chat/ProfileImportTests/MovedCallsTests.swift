import ChatAPI
import ChatStore
import SQLiteKit
import SimplexCrypto
import Testing
import WireCodec

@testable import ProfileImport

/// Calls of profiles that move in and out.
@Suite struct MovedCallsTests {
  private static let type = "{\"media\":\"video\",\"capabilities\":{\"encryption\":true}}"
  private static let shared = [UInt8](repeating: 7, count: 32)

  /// A call of bob (contact 4) that rings, shown by an item of that chat.
  private static func call(_ state: String, contact: Int = 4, uuid: String = "uuid") -> String {
    """
    UPDATE chat_items SET item_content = '{"rcvCall":{"status":"pending","duration":0}}', item_content_tag = 'rcvCall',
      item_sent = 0, item_text = 'calling…' WHERE chat_item_id = 8;
    INSERT INTO calls (call_id, contact_id, shared_call_id, chat_item_id, call_state, call_ts, user_id, created_at,
      updated_at, call_uuid) VALUES (7, \(contact), x'0102', 8, '\(state)', '2026-01-01 00:00:01.5', 1,
      '2026-01-01 00:00:00', '2026-01-01 00:00:00', '\(uuid)');
    """
  }

  private static func ringing(publicKey: X25519.PublicKey) throws -> String {
    let key = try X25519.PublicKey.textCodec.text(publicKey)
    return """
      {"invitationReceived":{"peerCallType":\(type),"localDhPubKey":"\(key)",\
      "sharedKey":"\(Base64URL.string(shared))"}}
      """
  }

  @Test func aCallGoesOnRinging() throws {
    var random = SystemRandom()
    let key = X25519.PrivateKey(using: &random).publicKey
    let state = try Self.ringing(publicKey: key)
    let exported = try ExportedProfile(chat: Self.call(state))
    do {
      let store = try ChatDatabase(path: exported.profile.target + "_chat.db")
      let call = try #require(try store.read { try $0.call(withContact: 4) })
      #expect(call.state == .invitationReceived && call.callId == [1, 2] && call.callUUID == "uuid")
      #expect(call.itemId == 8 && call.callType.media == .video && call.callType.capabilities.encryption)
      guard case .agreed(let publicKey, let secret) = call.keys else {
        Issue.record("no keys")
        return
      }
      #expect(publicKey == key.rawBytes && secret.withUnsafeBytes { Array($0) } == Self.shared)
    }
    #expect(try exported.makeExport().run().taken[.calls] == 1)
    try exported.extract()
    let row = try #require(try rows(of: exported.returned + "_chat.db")["calls"]?.first)
    #expect(row.contains("contact_id=integer(4)") && row.contains("shared_call_id=blob([1, 2])"))
    #expect(row.contains("chat_item_id=integer(8)") && row.contains("call_uuid=text(\"uuid\")"))
    #expect(row.contains("call_ts=text(\"2026-01-01 00:00:01.5"), "\(row)")
    let text = try SQLiteConnection(path: exported.returned + "_chat.db").first("SELECT call_state FROM calls") {
      (row) throws(SQLiteKit.SQLiteError) in try row.text(0)
    }
    #expect(text == state)
    let ours = try rows(of: exported.profile.target + "_chat.db")["calls"]
    #expect(try rows(of: try exported.importReturned() + "_chat.db")["calls"] == ours)
  }

  /// Before version 6.3 calls have no identifier for a call screen.
  @Test func aCallWithoutIdentifierOrKeys() throws {
    let exported = try ExportedProfile(
      chat: Self.call("{\"invitationReceived\":{\"peerCallType\":\(Self.type)}}", uuid: ""))
    let store = try ChatDatabase(path: exported.profile.target + "_chat.db")
    let call = try #require(try store.read { try $0.call(withContact: 4) })
    #expect(call.callUUID.count == 36 && call.keys == nil)
  }

  @Test(arguments: [
    "", "{}", "{\"offerSent\":{}}", "{\"invitationReceived\":{\"peerCallType\":\"video\"}}",
    "{\"invitationReceived\":{\"peerCallType\":\(type),\"sharedKey\":\"AAAA\"}}",
    "{\"invitationReceived\":{\"peerCallType\":\(type),\"localDhPubKey\":\"AAAA\"}}",
  ])
  func aStateThatCannotBeRead(_ state: String) throws {
    let profile = try ReferenceProfile()
    try profile.changeChat(Self.call(state))
    let report = try profile.makeImport().run()
    #expect(report.left[.damagedDetails] == 1 && report.taken[.calls] == nil)
    #expect(report.damages.contains { $0.contains("call_state") }, "\(report.damages)")
    let target = try rows(of: profile.target + "_chat.db")
    #expect(target["calls"] == [])
    // Nothing would end it.
    let item = try #require(target["items"]?.first { $0.hasPrefix("item_id=integer(8) ") })
    #expect(item.contains("\\\"status\\\":\\\"missed\\\""), "\(item)")
  }

  @Test func aCallOfNobody() throws {
    let profile = try ReferenceProfile()
    try profile.changeChat(Self.call("{\"invitationReceived\":{\"peerCallType\":\(Self.type)}}", contact: 999))
    #expect(try profile.makeImport().run().taken[.calls] == nil)
    #expect(try rows(of: profile.target + "_chat.db")["calls"] == [])
  }

  /// The reference has rows of calls that ring only.
  @Test func otherCallsEndWithTheExport() throws {
    let exported = try ExportedProfile()
    // The export is made 90 seconds after the call was connected.
    try exported.changeChat(
      """
      UPDATE items SET content = '{"type":"sndCall","status":"progress","duration":0}', sent = 1 WHERE item_id = 8;
      INSERT INTO calls (contact_id, call_id, call_uuid, item_id, state, call_type, call_ts, connected_at)
        VALUES (4, x'01', 'uuid', 8, 'negotiated', '\(Self.type)', 1794999900000000, 1794999910000000);
      """)
    #expect(try exported.makeExport().run().taken[.calls] == nil)
    try exported.extract()
    let chat = try rows(of: exported.returned + "_chat.db")
    #expect(chat["calls"] == [])
    let item = try #require(chat["chat_items"]?.first { $0.hasPrefix("chat_item_id=integer(8) ") })
    #expect(item.contains("\\\"status\\\":\\\"ended\\\",\\\"duration\\\":90"), "\(item)")
    #expect(item.contains("ended (01:30)"), "\(item)")
  }
}
