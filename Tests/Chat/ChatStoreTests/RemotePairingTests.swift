import ChatAPI
import RemoteControlCore
import RemoteControlProtocol
import SimplexCrypto
import Testing

@testable import ChatStore

/// Pairings of mobile devices and desktops.
@Suite struct RemotePairingTests {
  private static func credentials() -> RemoteCredentials {
    var random = SystemRandom()
    return RemoteCredentials(certificate: random.bytes(200), key: Ed25519.PrivateKey(using: &random))
  }

  private static func key() -> X25519.PrivateKey {
    var random = SystemRandom()
    return X25519.PrivateKey(using: &random)
  }

  private static func hostPairing(
    _ name: String, current: X25519.PrivateKey?, pending: X25519.PrivateKey? = nil
  ) -> HostPairing {
    var random = SystemRandom()
    return HostPairing(
      credentials: credentials(), controller: CertificateFingerprint(ofCertificate: random.bytes(8)),
      identityKey: Ed25519.PrivateKey(using: &random).publicKey, controllerName: name, currentKey: current,
      previousKey: nil, pendingKey: pending)
  }

  private static func controllerPairing(_ name: String, of phone: RemoteCredentials) -> ControllerPairing {
    var random = SystemRandom()
    let host = ControllerPairing.Host(
      fingerprint: phone.fingerprint, name: name, key: nil, pendingKey: key().publicKey)
    return ControllerPairing(
      credentials: credentials(), identityKey: Ed25519.PrivateKey(using: &random), host: host, port: 5_226)
  }

  private static func expect(_ error: StoreError, _ body: () throws -> Void) {
    #expect(throws: ChatError.errorStore(storeError: error)) { try body() }
  }

  @Test func aDesktopIsListedWhenItsPairingIsComplete() throws {
    let store = try memoryStore()
    let pending = Self.key()
    var pairing = Self.hostPairing("desktop", current: nil, pending: pending)
    let id = try store.transaction { try $0.setRemoteController(pairing) }
    #expect(try store.read { try $0.remoteControllers() } == [])
    #expect(try store.read { try $0.allRemoteControllers() } == [StoredRemoteController(id: id, pairing: pairing)])
    #expect(try store.read { try $0.remoteController(with: pairing.controller) }?.pairing == pairing)
    Self.expect(.remoteCtrlNotFound(remoteCtrlId: id)) { _ = try store.read { try $0.remoteController(id) } }
    pairing = HostPairing(
      credentials: pairing.credentials, controller: pairing.controller, identityKey: pairing.identityKey,
      controllerName: "renamed", currentKey: pending, previousKey: Self.key(), pendingKey: nil)
    #expect(try store.transaction { try $0.setRemoteController(pairing) } == id)
    #expect(try store.read { try $0.remoteControllers() } == [StoredRemoteController(id: id, pairing: pairing)])
    #expect(try store.read { try $0.remoteController(id) }.pairing == pairing)
    try store.transaction { try $0.deleteRemoteController(id) }
    #expect(try store.read { try $0.allRemoteControllers() } == [])
    Self.expect(.remoteCtrlNotFound(remoteCtrlId: id)) {
      _ = try store.transaction { try $0.deleteRemoteController(id) }
    }
    // The number of a deleted row is not used again.
    #expect(try store.transaction { try $0.setRemoteController(pairing) } > id)
  }

  @Test func pairingsThatAreNeverCompletedAreBounded() throws {
    let store = try memoryStore()
    let complete = Self.hostPairing("complete", current: Self.key())
    _ = try store.transaction { try $0.setRemoteController(complete) }
    let limit = ChatTransaction.incompleteControllersLimit
    for number in 0...limit {
      _ = try store.transaction {
        try $0.setRemoteController(Self.hostPairing("\(number)", current: nil, pending: Self.key()))
      }
    }
    let names = try store.read { try $0.allRemoteControllers() }.map(\.pairing.controllerName)
    #expect(names == ["complete"] + (1...limit).map { "\($0)" })
  }

  @Test func aMobileDeviceKeepsItsFolderAndAddress() throws {
    let store = try memoryStore()
    var pairing = Self.controllerPairing("phone", of: Self.credentials())
    let id = try store.transaction { try $0.setRemoteHost(pairing) }
    let address = RCCtrlAddress(address: "192.168.1.2", interface: "eth0")
    let folder = try store.read { try $0.remoteHost(id) }.folder
    #expect(folder.utf8.count == 16)
    try store.transaction { try $0.setAddress(address, ofRemoteHost: id) }
    pairing.port = 6_000
    #expect(try store.transaction { try $0.setRemoteHost(pairing) } == id)
    let stored = StoredRemoteHost(id: id, folder: folder, address: address, pairing: pairing)
    #expect(try store.read { try $0.remoteHosts() } == [stored])
    #expect(try store.read { try $0.remoteHost(with: pairing.fingerprint) } == stored)
    #expect(try store.read { try $0.remoteHost(with: Self.credentials().fingerprint) } == nil)
    try store.transaction { try $0.deleteRemoteHost(id) }
    Self.expect(.remoteHostNotFound(remoteHostId: id)) { _ = try store.read { try $0.remoteHost(id) } }
    Self.expect(.remoteHostNotFound(remoteHostId: id)) { _ = try store.transaction { try $0.deleteRemoteHost(id) } }
  }

  @Test func anAuthorityOfAMobileDeviceIsThatOfOnePairing() throws {
    let store = try memoryStore()
    let phone = Self.credentials()
    _ = try store.transaction { try $0.setRemoteHost(Self.controllerPairing("phone", of: phone)) }
    let copy = Self.controllerPairing("copy", of: phone)
    Self.expect(.remoteHostDuplicateCA) { _ = try store.transaction { try $0.setRemoteHost(copy) } }
    var random = SystemRandom()
    let unpaired = ControllerPairing(
      credentials: Self.credentials(), identityKey: Ed25519.PrivateKey(using: &random), host: nil, port: nil)
    Self.expect(.remoteHostUnknown) { _ = try store.transaction { try $0.setRemoteHost(unpaired) } }
  }

  @Test func aRowThatCannotBeReadHidesNoOther() throws {
    let store = try memoryStore()
    let damaged = try store.transaction {
      try $0.setRemoteController(Self.hostPairing("damaged", current: Self.key()))
    }
    let whole = Self.hostPairing("whole", current: Self.key())
    try store.transaction { rows in
      try rows.setRemoteController(whole)
      try rows.execute("UPDATE remote_controllers SET current_key = x'01' WHERE remote_ctrl_id = ?", damaged)
    }
    #expect(try store.read { try $0.remoteControllers() }.map(\.pairing) == [whole])
    try store.transaction { try $0.deleteRemoteController(damaged) }
  }
}
