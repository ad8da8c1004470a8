import AgentCore
import AgentStore
import NotificationProtocol
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import Testing
import WireCodec

@testable import ProfileImport

/// The registration for push notifications of a profile that moves in and out.
@Suite struct MovedTokenTests {
  private let key: Ed25519.PrivateKey
  private let dhKey: X25519.PrivateKey
  private static let hash = Base64URL.string([UInt8](repeating: 7, count: 32))

  init() {
    var random = SystemRandom()
    key = Ed25519.PrivateKey(using: &random)
    dhKey = X25519.PrivateKey(using: &random)
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
  }

  private static func hex(_ secret: SecretBytes) -> String { hex(secret.withUnsafeBytes { Array($0) }) }

  private func sql(action: [UInt8], status: String = "ACTIVE") -> String {
    """
    INSERT INTO ntf_servers (ntf_host, ntf_port, ntf_key_hash)
      VALUES ('ntf.example,abc.onion', '', \(Self.hex(Array(Self.hash.utf8))));
    INSERT INTO ntf_tokens (provider, device_token, ntf_host, ntf_port, tkn_id, tkn_pub_key, tkn_priv_key,
      tkn_pub_dh_key, tkn_priv_dh_key, tkn_dh_secret, tkn_status, tkn_action, ntf_mode)
      VALUES ('apns_prod', \(Self.hex(Array("0a1b".utf8))), 'ntf.example,abc.onion', '', x'0304',
      \(Self.hex(key.publicKey.der)), \(Self.hex(key.der)), \(Self.hex(dhKey.publicKey.der)), \(Self.hex(dhKey.der)),
      x'\(String(repeating: "08", count: 32))', '\(status)', \(Self.hex(action)), 'INSTANT');
    INSERT INTO ntf_tokens_to_delete (ntf_host, ntf_port, ntf_key_hash, tkn_id, tkn_priv_key)
      VALUES ('old.example', '5226', \(Self.hex(Array(Self.hash.utf8))), x'0506', \(Self.hex(key.der)));
    """
  }

  @Test func aTokenMovesInAndOut() throws {
    let exported = try ExportedProfile(agent: sql(action: Array("C".utf8)))
    do {
      let agent = try AgentDatabase(path: exported.profile.target + "_agent.db")
      let token = try #require(try agent.notificationToken())
      #expect(token.device == PushDevice(service: .apple, token: "0a1b") && token.status == .active)
      #expect(token.server.description == "ntf://\(Self.hash)@ntf.example,abc.onion")
      #expect(token.action == .check && token.dueAt == 0 && token.mode == .instant)
      #expect(token.key == .ed25519(key) && token.dhKey == dhKey && token.id == EntityID([3, 4]))
      #expect(token.pushesMessages)
      let deletion = try #require(try agent.tokenDeletions().first)
      #expect(deletion.server.port == 5226 && deletion.id == EntityID([5, 6]) && deletion.key == .ed25519(key))
    }
    #expect(try exported.makeExport().run().taken[.tokens] == 1)
    try exported.extract()
    let returned = try rows(of: exported.returned + "_agent.db")
    let row = try #require(returned["ntf_tokens"]?.first)
    #expect(row.contains("provider=text(\"apns_prod\")") && row.contains("tkn_status=text(\"ACTIVE\")"), "\(row)")
    #expect(row.contains("tkn_action=blob([67])") && row.contains("ntf_mode=text(\"INSTANT\")"))
    #expect(row.contains("device_token=blob(\(Array("0a1b".utf8)))"))
    #expect(returned["ntf_servers"]?.count == 1 && returned["ntf_tokens_to_delete"]?.count == 1)
    // Once more, it is the same.
    let again = try rows(of: try exported.importReturned() + "_agent.db")
    #expect(again["notification_tokens"]?.count == 1 && again["token_deletions"]?.count == 1)
  }

  @Test func aCodeThatWasNotSentYetIsKept() throws {
    let code = RegistrationCode([UInt8](repeating: 9, count: 32))
    let action = Array("V".utf8) + (try RegistrationCode.codec.encode(code))
    let exported = try ExportedProfile(agent: sql(action: action, status: "CONFIRMED"))
    let agent = try AgentDatabase(path: exported.profile.target + "_agent.db")
    #expect(try agent.notificationToken()?.action == .verify(code))
    #expect(try agent.notificationToken()?.status == .confirmed)
  }
}
