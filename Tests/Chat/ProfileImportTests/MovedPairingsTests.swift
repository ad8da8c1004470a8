import ChatAPI
import ChatStore
import RemoteControlCore
import RemoteControlProtocol
import SQLiteKit
import SimplexCrypto
import Testing
import WireCodec

@testable import ProfileImport

/// Pairings of desktops and mobile devices in profiles that move in and out.
@Suite struct MovedPairingsTests {
  private let caKey: Ed25519.PrivateKey
  private let identityKey: Ed25519.PrivateKey
  private let current: X25519.PrivateKey
  private let previous: X25519.PrivateKey
  private static let peer = CertificateFingerprint(ofCertificate: [9])

  init() {
    var random = SystemRandom()
    caKey = Ed25519.PrivateKey(using: &random)
    identityKey = Ed25519.PrivateKey(using: &random)
    current = X25519.PrivateKey(using: &random)
    previous = X25519.PrivateKey(using: &random)
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
  }

  private static func hex(_ secret: SecretBytes) -> String { hex(secret.withUnsafeBytes { Array($0) }) }

  private func controller(previous: X25519.PrivateKey?, id: Int = 3) -> String {
    """
    INSERT INTO remote_controllers (remote_ctrl_id, ctrl_device_name, ca_key, ca_cert, ctrl_fingerprint, id_pub,
      dh_priv_key, prev_dh_priv_key) VALUES (\(id), 'desktop', \(Self.hex(caKey.der)), x'22',
      \(Self.hex(Array(Self.peer.description.utf8))), \(Self.hex(identityKey.publicKey.der)),
      \(Self.hex(current.der)), \(previous.map { Self.hex($0.der) } ?? "NULL"));
    """
  }

  private func host(folder: String = "Zm9sZGVyLW5hbWUt") -> String {
    """
    INSERT INTO remote_hosts (remote_host_id, host_device_name, store_path, ca_key, ca_cert, id_key, host_fingerprint,
      host_dh_pub, bind_addr, bind_iface, bind_port) VALUES (4, 'phone', '\(folder)', \(Self.hex(caKey.der)), x'12',
      \(Self.hex(identityKey.der)), \(Self.hex(Array(Self.peer.description.utf8))),
      \(Self.hex(current.publicKey.der)), '192.168.1.2', 'eth0', 5226);
    """
  }

  @Test func aDesktopMovesInAndOut() throws {
    let exported = try ExportedProfile(chat: controller(previous: previous))
    do {
      let store = try ChatDatabase(path: exported.profile.target + "_chat.db")
      let pairing = HostPairing(
        credentials: RemoteCredentials(certificate: [0x22], key: caKey), controller: Self.peer,
        identityKey: identityKey.publicKey, controllerName: "desktop", currentKey: current, previousKey: previous,
        pendingKey: nil)
      let stored = try store.read { try $0.remoteController(3) }
      #expect(stored.pairing == pairing)
      // The number of a pairing of the reference is not used again.
      try store.transaction { try $0.deleteRemoteController(3) }
      #expect(try store.transaction { try $0.setRemoteController(pairing) } == 4)
    }
    #expect(try exported.makeExport().run().taken[.pairings] == 1)
    try exported.extract()
    let row = try #require(try rows(of: exported.returned + "_chat.db")["remote_controllers"]?.first)
    let keys = "dh_priv_key=blob(\(Self.list(current.der))) prev_dh_priv_key=blob(\(Self.list(previous.der)))"
    #expect(row.contains(keys) && row.contains("ctrl_device_name=text(\"desktop\")"), "\(row)")
    #expect(row.contains("ctrl_fingerprint=blob(\(Array(Self.peer.description.utf8)))"))
    let ours = try rows(of: exported.profile.target + "_chat.db")["remote_controllers"]
    #expect(try rows(of: try exported.importReturned() + "_chat.db")["remote_controllers"] == ours)
  }

  private static func list(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

  @Test func aMobileDeviceMovesInAndOut() throws {
    let exported = try ExportedProfile(chat: host())
    do {
      let stored = try ChatDatabase(path: exported.profile.target + "_chat.db").read { try $0.remoteHost(4) }
      #expect(stored.folder == "Zm9sZGVyLW5hbWUt" && stored.pairing.port == 5_226)
      #expect(stored.address == RCCtrlAddress(address: "192.168.1.2", interface: "eth0"))
      #expect(stored.pairing.credentials == RemoteCredentials(certificate: [0x12], key: caKey))
      #expect(stored.pairing.identityKey == identityKey)
      #expect(
        stored.pairing.host
          == ControllerPairing.Host(
            fingerprint: Self.peer, name: "phone", key: current.publicKey, pendingKey: nil))
    }
    #expect(try exported.makeExport().run().taken[.pairings] == 1)
    try exported.extract()
    let row = try #require(try rows(of: exported.returned + "_chat.db")["remote_hosts"]?.first)
    #expect(row.contains("remote_host_id=integer(4)") && row.contains("bind_port=integer(5226)"))
    #expect(row.contains("host_dh_pub=blob(\(current.publicKey.der))"))
    let ours = try rows(of: exported.profile.target + "_chat.db")["remote_hosts"]
    #expect(try rows(of: try exported.importReturned() + "_chat.db")["remote_hosts"] == ours)
  }

  /// The reference knows two keys: that of a session that was interrupted may be the one that the desktop has.
  @Test func aPendingKeyIsTheCurrentOneOfTheReference() throws {
    let exported = try ExportedProfile(chat: controller(previous: nil))
    try exported.changeChat("UPDATE remote_controllers SET pending_key = \(Self.hex(previous.der))")
    _ = try exported.makeExport().run()
    try exported.extract()
    let row = try #require(try rows(of: exported.returned + "_chat.db")["remote_controllers"]?.first)
    let keys = "dh_priv_key=blob(\(Self.list(previous.der))) prev_dh_priv_key=blob(\(Self.list(current.der)))"
    #expect(row.contains(keys), "\(row)")
  }

  @Test func aPairingThatIsNotCompleteStays() throws {
    let exported = try ExportedProfile(chat: controller(previous: nil))
    try exported.changeChat("UPDATE remote_controllers SET pending_key = current_key, current_key = NULL")
    #expect(try exported.makeExport().run().taken[.pairings] == nil)
    try exported.extract()
    #expect(try rows(of: exported.returned + "_chat.db")["remote_controllers"] == [])
  }

  /// Rows that cannot be used are kept as they are, and exported again.
  @Test(arguments: ["ca_key = x'01'", "dh_priv_key = x'02'", "id_pub = x'03'", "ctrl_fingerprint = x'04'"])
  func keepsADesktopThatCannotBeRead(_ change: String) throws {
    let exported = try ExportedProfile(
      chat: controller(previous: previous) + "UPDATE remote_controllers SET \(change);")
    let ours = try rows(of: exported.profile.target + "_chat.db")
    #expect(ours["remote_controllers"] == [])
    #expect(ours["foreign_rows"]?.contains { $0.contains("remote_controllers") } == true)
    _ = try exported.makeExport().run()
    try exported.extract()
    #expect(try rows(of: exported.returned + "_chat.db")["remote_controllers"]?.count == 1)
  }

  /// The folder of a mobile device is deleted with it.
  @Test func keepsAMobileDeviceWhoseFolderIsElsewhere() throws {
    let exported = try ExportedProfile(chat: host(folder: "../elsewhere"))
    let ours = try rows(of: exported.profile.target + "_chat.db")
    #expect(ours["remote_hosts"] == [])
    #expect(ours["foreign_rows"]?.contains { $0.contains("remote_hosts") } == true)
  }
}
